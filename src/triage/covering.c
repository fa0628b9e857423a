/* One fault, one finding: the cause is said, its consequences are not (rules.md, "What covers
 * what"). Not here: absence in files beside an unreadable one where a rule says absence and
 * other things (KL201, KL209, KL603), since only the rule knows which it says
 * (scope_absence_hidden()); and the value that a repeated key lost (KL002), since it is in no
 * tree. */
#include "triage-internal.h"
#include "tree.h"

/* What cause and consequence have in common. */
enum match {
	MATCH_OWNER,     /* the same workload, scaler or group */
	MATCH_VALUE,     /* the same node */
	MATCH_BELOW,     /* the consequence's node is the cause's or lies in it */
	MATCH_PATH,      /* the same path of the same object */
	MATCH_CONTAINER, /* the same container of the same workload */
	MATCH_FOLDER,    /* files of one folder, and the cause is about a whole document */
	MATCH_COUNT,
};

/* Rules are listed by code; "KL106-109" is a range, "KL114:E" means only findings of that
 * level. No rule covers its own findings. */
struct covering {
	enum match match;
	const char *causes, *consequences;
};

static const struct covering coverings[] = {
	{ MATCH_FOLDER, "KL001 KL003", "KL012 KL014 KL208 KL502 KL604 KL701-703" },
	{ MATCH_BELOW, "KL007", "KL005 KL101-103 KL106 KL107 KL122 KL201" },
	{ MATCH_PATH, "KL013", "KL004 KL005" },
	{ MATCH_PATH, "KL202", "KL004" },
	{ MATCH_PATH, "KL216 KL306 KL413", "KL005" },
	{ MATCH_BELOW, "KL005", "KL006 KL008-014 KL101-126 KL201-223 KL301-313 KL401-413 KL501-520 "
	                        "KL601-609 KL701-705" },
	{ MATCH_VALUE, "KL101 KL102 KL121", "KL011" },
	{ MATCH_VALUE, "KL011", "KL107" },
	{ MATCH_OWNER, "KL126 KL114:E", "KL101-104" },
	{ MATCH_OWNER, "KL103", "KL107" },
	{ MATCH_OWNER, "KL101-105 KL114:E KL116:E KL119:E KL121:E KL126",
	  "KL106 KL108-113 KL115 KL119 KL121 KL124 KL125 KL301-304 KL308 KL311 KL312 KL405 KL406 "
	  "KL605-607" },
	{ MATCH_OWNER, "KL121", "KL112 KL301 KL302" },
	{ MATCH_OWNER, "KL110 KL111 KL112", "KL301 KL302" },
	{ MATCH_OWNER, "KL508:E", "KL105 KL504" },
	{ MATCH_OWNER, "KL301 KL302:E", "KL304 KL307 KL312 KL607" },
	{ MATCH_OWNER, "KL303", "KL308 KL302:W KL304:W" },
	{ MATCH_OWNER, "KL607", "KL304" },
	{ MATCH_OWNER, "KL201 KL217 KL207",
	  "KL202 KL203 KL205 KL206 KL212-215 KL218-222 KL302" },
	{ MATCH_VALUE, "KL204", "KL203" },
	{ MATCH_OWNER, "KL221", "KL205 KL206 KL302" },
	{ MATCH_CONTAINER, "KL203 KL219 KL305", "KL401" },
	{ MATCH_CONTAINER, "KL403", "KL401 KL407" },
	{ MATCH_CONTAINER, "KL409", "KL404" },
	{ MATCH_OWNER, "KL223", "KL008 KL209" },
	{ MATCH_OWNER, "KL501", "KL503 KL506" },
	{ MATCH_VALUE, "KL505", "KL502" },
	{ MATCH_OWNER, "KL601", "KL604 KL605 KL606" },
};

/* ---- lists of codes ---------------------------------------------------------------------- */

/* One word of a list: the rules from first to last ("KL101" is 101), and the level wanted. */
struct word {
	int first, last;
	char level; /* N, W, E; 0: any */
};

/* The three digits that text begins with. */
static int number_of(str text)
{
	int64_t number = 0;

	str_to_int64(str_slice(text, 0, 3), &number);
	return (int)number;
}

static int rule_number(const struct rule *rule)
{
	return number_of(str_of(rule->code + 2));
}

static bool next_word(str *rest, struct word *ret_word)
{
	str word, level, last;

	if (!str_next(rest, ' ', &word))
		return false;
	word = str_slice(word, 2, word.n); /* behind "KL" */
	str_cut(word, ':', &word, &level);
	ret_word->level = level.n > 0 ? level.p[0] : 0;
	ret_word->first = number_of(word);
	ret_word->last = str_cut(word, '-', &word, &last) ? number_of(last) : ret_word->first;
	return true;
}

static bool level_fits(const struct finding *finding, char level)
{
	static const char letters[] = { [LEVEL_NOTE] = 'N', [LEVEL_WARNING] = 'W',
		                        [LEVEL_ERROR] = 'E' };

	return level == 0 || letters[finding->level] == level;
}

static bool list_holds(const char *list, const struct finding *finding)
{
	str rest = str_of(list);
	int number = rule_number(finding->rule);

	for (struct word word; next_word(&rest, &word);)
		if (word.first <= number && number <= word.last && level_fits(finding, word.level))
			return true;
	return false;
}

/* ---- keys -------------------------------------------------------------------------------- */

/* The path up to and with the last `containers[n]` or `initContainers[n]`; empty without. */
static str container_path(str path)
{
	str mark = STR("ontainers[");

	for (size_t i = path.n; i-- > 0;) {
		if (!str_starts(str_slice(path, i, path.n), mark))
			continue;
		size_t end = i + str_find(str_slice(path, i, path.n), ']');
		return str_slice(path, 0, end + 1);
	}
	return STR("");
}

/* Everything that is looked up by. */
struct coverer {
	struct arena *arena;
	const struct source_set *sources;
	struct map *causes; /* match, rule and key -> the finding of the highest level */
};

static str folder_key(const struct coverer *coverer, const struct finding *finding)
{
	const struct source *source =
		coverer->sources ? source_of(coverer->sources, finding->span.file) : NULL;
	str folder = source ? source_folder(source->path) : STR("");

	return str_format(coverer->arena, "%p /%.*s", finding->scope, STR_ARG(folder));
}

/* The text that equal things have in common; empty: the finding is about no such thing. owner is
 * the finding's owner or its partner. */
static str match_key(const struct coverer *coverer, enum match match,
                     const struct finding *finding, const void *owner)
{
	str path = finding->path;

	switch (match) {
	case MATCH_VALUE:
	case MATCH_BELOW:
		return finding->value ? str_format(coverer->arena, "%p %p %s", finding->scope,
		                                   (const void *)finding->value,
		                                   finding->missing ? finding->missing : "")
		                      : STR("");
	case MATCH_FOLDER:
		return folder_key(coverer, finding);
	case MATCH_CONTAINER:
		path = container_path(finding->path);
		if (path.n == 0)
			return STR("");
		break;
	case MATCH_OWNER:
		path = STR("");
		break;
	default:
		break;
	}
	return owner ? str_format(coverer->arena, "%p %p %.*s", finding->scope, owner,
	                          STR_ARG(path))
	             : STR("");
}

static str cause_key(const struct coverer *coverer, enum match match, int number, str key)
{
	return str_format(coverer->arena, "%d %d %.*s", (int)match, number, STR_ARG(key));
}

/* A whole document is unreadable only when the finding is about no value in it. */
static bool may_cause(enum match match, const struct finding *finding)
{
	return match != MATCH_FOLDER || (!finding->value && !finding->foreign);
}

static void put_cause(const struct coverer *coverer, enum match match,
                      const struct finding *finding, const void *owner)
{
	str key = match_key(coverer, match, finding, owner);

	if (key.n == 0 || !may_cause(match, finding))
		return;
	key = cause_key(coverer, match, rule_number(finding->rule), key);
	const struct finding *known = map_get(coverer->causes, key);
	if (!known || known->level < finding->level)
		map_put(coverer->causes, key, (void *)(uintptr_t)finding);
}

static void add_cause(const struct coverer *coverer, const struct finding *finding)
{
	for (int match = 0; match < MATCH_COUNT; match++)
		put_cause(coverer, (enum match)match, finding, finding->owner);
	if (finding->partner)
		put_cause(coverer, MATCH_OWNER, finding, finding->partner);
	for (size_t i = 0; i < finding->named_count; i++)
		put_cause(coverer, MATCH_OWNER, finding, finding->named[i]);
}

/* ---- covering ---------------------------------------------------------------------------- */

/* Does covered hang on finding itself? Two may not cover each other away. */
static bool hangs_on(const struct finding *covered, const struct finding *finding)
{
	for (; covered; covered = covered->covered_by)
		if (covered == finding)
			return true;
	return false;
}

/* The finding of one of the row's causes with that key, or NULL. */
static const struct finding *cause_of(const struct coverer *coverer, const struct covering *row,
                                      const struct finding *finding, str key)
{
	str rest = str_of(row->causes);

	for (struct word word; next_word(&rest, &word);) {
		for (int number = word.first; number <= word.last; number++) {
			const struct finding *cause = map_get(
				coverer->causes, cause_key(coverer, row->match, number, key));
			if (cause && cause->rule != finding->rule &&
			    level_fits(cause, word.level) && !hangs_on(cause, finding))
				return cause;
		}
	}
	return NULL;
}

/* A cause whose node is the finding's or one that it lies in. */
static const struct finding *cause_above(const struct coverer *coverer,
                                         const struct covering *row,
                                         const struct finding *finding)
{
	str key = match_key(coverer, MATCH_BELOW, finding, NULL);
	const struct finding *cause = key.n > 0 ? cause_of(coverer, row, finding, key) : NULL;

	for (const struct node *node = finding->value; node && !cause; node = node->parent) {
		key = str_format(coverer->arena, "%p %p ", finding->scope, (const void *)node);
		cause = cause_of(coverer, row, finding, key);
	}
	return cause;
}

static const struct finding *cause_with(const struct coverer *coverer,
                                        const struct covering *row,
                                        const struct finding *finding, const void *owner)
{
	str key = match_key(coverer, row->match, finding, owner);

	return key.n > 0 ? cause_of(coverer, row, finding, key) : NULL;
}

static const struct finding *find_cause(const struct coverer *coverer,
                                        const struct covering *row,
                                        const struct finding *finding)
{
	if (!list_holds(row->consequences, finding))
		return NULL;
	if (row->match == MATCH_BELOW)
		return cause_above(coverer, row, finding);
	const struct finding *cause = cause_with(coverer, row, finding, finding->owner);
	if (!cause && finding->partner && row->match == MATCH_OWNER)
		cause = cause_with(coverer, row, finding, finding->partner);
	return cause;
}

void triage_cover(struct sink *sink, const struct scopes *scopes)
{
	struct arena *scratch = arena_new();
	const struct coverer coverer = {
		.arena = scratch,
		.sources = scopes->n > 0 ? scopes->v[0]->sources : NULL,
		.causes = map_new(scratch),
	};

	for (size_t i = 0; i < sink->findings.n; i++)
		add_cause(&coverer, sink->findings.v[i]);
	for (size_t i = 0; i < sink->findings.n; i++)
		for (size_t k = 0; k < COUNT_OF(coverings) && !sink->findings.v[i]->covered_by; k++)
			sink->findings.v[i]->covered_by =
				find_cause(&coverer, &coverings[k], sink->findings.v[i]);
	arena_free(scratch);
}
