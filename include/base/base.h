/* base: what every room stands on. Memory, strings, exact numbers, containers.
 *
 * Nothing here knows Kubernetes objects, YAML or files. This is the only room that calls
 * malloc, that includes uthash.h and pcre2.h, and that starts threads or programs. When
 * memory is gone it prints one message and ends the process with status 2, so no caller
 * carries an out-of-memory path.
 */
#ifndef KUBELINT_BASE_H
#define KUBELINT_BASE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __GNUC__
#define BASE_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#else
#define BASE_PRINTF(fmt, args)
#endif

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* ---- answers ------------------------------------------------------------------------- */

/* A three-valued verdict (model.md section 2). Ordered, so that the "best" of several is
 * the largest and the conjunction of several is the smallest. */
enum answer {
	/* a known fact excludes it; only this may raise an error */
	ANSWER_NO = 0,
	/* it hangs on a fact that is not declared */
	ANSWER_UNKNOWN = 1,
	ANSWER_YES = 2,
};

/* ---- memory -------------------------------------------------------------------------- */

/* A region: everything taken from it lives until arena_free(). Not thread-safe; one task
 * has one arena. */
struct arena;

/* A new empty arena; never NULL. The caller frees it. */
struct arena *arena_new(void);

/* Frees the arena and everything taken from it; NULL is a no-op. */
void arena_free(struct arena *arena);

/* Everything taken from child lives as long as arena from now on; child itself is gone. */
void arena_adopt(struct arena *arena, struct arena *child);

/* Size zeroed bytes, aligned for any type; never NULL, also for size 0. */
void *arena_alloc(struct arena *arena, size_t size);

/* Count zeroed items of size bytes; an overflow of the product counts as out of memory. */
void *arena_calloc(struct arena *arena, size_t count, size_t size);

#define ARENA_NEW(arena, type) ((type *)arena_alloc((arena), sizeof(type)))

/* Bytes taken from the arena so far, for limits and tests. */
size_t arena_used(const struct arena *arena);

/* Memory for a library that wants a pair of such functions (jansson); never NULL. */
void *memory_take(size_t size);
void memory_give(void *memory);
/* The memory with a new size, its content kept; NULL begins. For arrays that grow large: an
 * arena would keep every former one. */
void *memory_regrow(void *memory, size_t size);

/* ---- strings ------------------------------------------------------------------------- */

/* A view of bytes that somebody else owns (a mapped file, an arena, a literal). It need not
 * end in NUL. p may be NULL only when n is 0. */
typedef struct {
	const char *p;
	size_t n;
} str;

#define STR(literal) ((str){ "" literal, sizeof(literal) - 1 })
/* printf("%.*s", STR_ARG(s)); views longer than INT_MAX are cut there. */
#define STR_ARG(s) ((s).n > INT32_MAX ? INT32_MAX : (int)(s).n), ((s).p ? (s).p : "")

/* View of a C string; NULL gives the empty view */
str str_of(const char *c_string);
/* Bytes [begin, end), clamped to s */
str str_slice(str s, size_t begin, size_t end);
bool str_eq(str a, str b);
bool str_is(str a, const char *c_string);
/* Byte order, as memcmp then length */
int str_cmp(str a, str b);
bool str_starts(str s, str prefix);
bool str_ends(str s, str suffix);
bool str_contains(str s, str part);
/* Index of the first c, or s.n */
size_t str_find(str s, char c);
/* Index of the last c, or s.n */
size_t str_find_last(str s, char c);
/* Without leading and trailing ASCII white space */
str str_trim(str s);

/* Cuts s at the first c: ret_before gets what stands before, ret_after what stands behind.
 * Without c: false, ret_before is s, ret_after is empty. ret_… may alias s. */
bool str_cut(str s, char c, str *ret_before, str *ret_after);

/* Takes the next piece of *rest that ends at c or at its end, and moves *rest behind it;
 * false when nothing was left. "a,,b" gives three pieces, "" none. */
bool str_next(str *rest, char c, str *ret_piece);

/* A copy in the arena, with a NUL behind it that is not counted. */
str str_copy(struct arena *arena, str s);
const char *str_c(struct arena *arena, str s);
str str_format(struct arena *arena, const char *format, ...) BASE_PRINTF(2, 3);
str str_vformat(struct arena *arena, const char *format, va_list args) BASE_PRINTF(2, 0);
/* ASCII letters only */
str str_lower(struct arena *arena, str s);

/* Decimal integer with optional sign, whole text, no white space; false when it is none or
 * does not fit int64. */
bool str_to_int64(str s, int64_t *ret_value);

/* Damerau-Levenshtein distance (optimal string alignment) in bytes, cut at limit + 1. */
size_t str_distance(str a, str b, size_t limit);

/* True when a and b differ by exactly one edit and both have at least 3 bytes
 * (rules.md, Terms: "one edit"). */
bool str_one_edit(str a, str b);

/* Index of the candidate nearest to s: least distance, at most a third of the longer length,
 * never 0; count when there is none or two are equally near (rules.md, Terms: "nearest").
 * Letters are compared without regard to ASCII case first: a difference of case only is
 * distance 1. */
size_t str_nearest(str s, const str *candidates, size_t count);

/* Growing text in an arena. A zeroed buf with its arena set is empty. */
struct buf {
	struct arena *arena;
	char *p;
	size_t n, cap;
};

void buf_add(struct buf *buf, str s);
void buf_char(struct buf *buf, char c);
void buf_printf(struct buf *buf, const char *format, ...) BASE_PRINTF(2, 3);
/* View of the text so far, valid until the next add */
str buf_str(const struct buf *buf);

/* ---- containers ---------------------------------------------------------------------- */

/* A typed growing array whose memory is the arena's: struct { T *v; size_t n, cap; }.
 * Declare named ones (struct things VEC(struct thing)); a zeroed vec is empty. */
#define VEC(type) { type *v; size_t n, cap; }

/* Appends a zeroed item and gives its address, valid until the next push. */
#define VEC_PUSH(arena, vec) \
	((vec)->v = vec_reserve((arena), (vec)->v, &(vec)->cap, (vec)->n, sizeof *(vec)->v), \
	 &(vec)->v[(vec)->n++])

/* items, or a larger copy of them, with room for one more behind n; new memory is zeroed.
 * Only for VEC_PUSH. */
void *vec_reserve(struct arena *arena, void *items, size_t *cap, size_t n, size_t item_size);

struct strs VEC(str);

/* A map from text to pointer. Keys are not copied: they must live as long as the map.
 * Iteration is in order of first insertion. Freed with its arena. */
struct map;
struct map *map_new(struct arena *arena);
/* NULL when absent */
void *map_get(const struct map *map, str key);
/* Also with a NULL value */
bool map_has(const struct map *map, str key);
/* The former value or NULL */
void *map_put(struct map *map, str key, void *value);
size_t map_count(const struct map *map);
/* The i-th entry in insertion order, 0 <= i < map_count(). */
void *map_at(const struct map *map, size_t i, str *ret_key);

/* ---- places -------------------------------------------------------------------------- */

/* A stretch of a file: bytes [begin, end). Lines and columns are derived from it by the
 * source room when somebody prints it. file is the number of the source in its set,
 * counted from 1; 0 is no place at all. */
struct span {
	uint32_t file;
	uint32_t begin, end;
};

/* ---- exact numbers ------------------------------------------------------------------- */

/* A + b, a * b on non-negative or negative values, cut to the range of int64. */
int64_t int64_add_saturated(int64_t a, int64_t b);
int64_t int64_mul_saturated(int64_t a, int64_t b);
int64_t int64_sub_saturated(int64_t a, int64_t b);

/* A Kubernetes quantity, exact: digits x 10^exponent, or digits x 10^exponent x 2^shift for
 * binary suffixes, after upstream's own rounding (up, to nano) and cutting (2^63-1 for
 * binary suffixes). Upstream: apimachinery pkg/api/resource, v0.36.3. Opaque but for
 * copying; a zeroed one is 0. */
struct quantity {
	/* value x 10^9 when small is true */
	__extension__ __int128 nano;
	/* the value does not fit nano: only its sign and cuts are known */
	bool big;
	bool negative;
	/* written with Ki … Ei */
	bool binary;
	/* 1: written with the suffix m (KL009) */
	int8_t format_milli;
};

/* Parses the text of a quantity as the API does for a quoted string (trimmed first).
 * false: not a quantity; ret_quantity is then 0. */
bool quantity_parse(str text, struct quantity *ret_quantity);

int quantity_cmp(const struct quantity *a, const struct quantity *b);
/* -1, 0, 1 */
int quantity_sign(const struct quantity *q);
bool quantity_is_whole(const struct quantity *q);

/* The value rounded up to whole thousandths or units, as the scheduler takes cpu and
 * everything else. false when it does not fit int64 (ret_value is then the nearest end). */
bool quantity_milli_ceil(const struct quantity *q, int64_t *ret_value);
bool quantity_value_ceil(const struct quantity *q, int64_t *ret_value);

/* Human form of an amount: cpu in millicores ("1930m", "4"), bytes with the largest binary
 * suffix that keeps it whole ("16Gi", "6903Mi"), anything else plain. */
str amount_text(struct arena *arena, str resource, int64_t amount);

/* major.minor[.patch][-suffix], leading v allowed. */
struct version {
	/* patch -1 when not written */
	int32_t major, minor, patch;
};
bool version_parse(str text, struct version *ret_version);
/* Compares up to the parts that both have. */
int version_cmp(struct version a, struct version b);

/* Go duration text ("1h30m", "10m0s", "300ms") to nanoseconds; a bare number other than 0 is
 * refused, as Go's ParseDuration does. */
bool duration_parse(str text, int64_t *ret_nanoseconds);

/* ---- patterns ------------------------------------------------------------------------ */

/* A compiled regular expression (PCRE2, restricted to what RE2 accepts: look-around and
 * back-references are refused). Freed with its arena. */
struct regex;
/* NULL on a bad pattern; ret_error then gets a text in the arena. */
struct regex *regex_new(struct arena *arena, str pattern, str *ret_error);
/* Unanchored search */
bool regex_finds(const struct regex *regex, str text);

/* ---- parallel work ------------------------------------------------------------------- */

/* Calls work(context, i) for every i in [0, count) on up to jobs threads (1: on the caller's
 * own) and returns when all are done. Tasks must not share mutable state. */
void parallel_for(size_t count, unsigned jobs, void (*work)(void *context, size_t i),
                  void *context);
/* Cores this process may use: affinity and cgroup quota respected, at least 1. */
unsigned parallel_cores(void);

#endif
