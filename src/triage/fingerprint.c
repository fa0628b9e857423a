/* Fingerprints: the same finding has the same one after lines moved, items were put in front of
 * it, or its numbers changed. */
#include "triage-internal.h"

/* FNV-1a's 64-bit prime and offset basis; the second hash starts elsewhere and stirs more. */
#define FNV_PRIME UINT64_C(0x100000001b3)
#define FNV_BASIS UINT64_C(0xcbf29ce484222325)
#define OTHER_BASIS UINT64_C(0x9ae16a3b2f90404f)

struct hash {
	uint64_t high, low;
};

/* Multiplication modulo 2^64 is meant. */
static void hash_byte(struct hash *hash, unsigned char byte)
{
	hash->high = (hash->high ^ byte) * FNV_PRIME;
	hash->low = (hash->low ^ byte) * FNV_PRIME;
	hash->low ^= hash->low >> 29;
}

/* A text and an end mark, so that ("ab", "c") and ("a", "bc") differ. */
static void hash_text(struct hash *hash, str text)
{
	for (size_t i = 0; i < text.n; i++)
		hash_byte(hash, (unsigned char)text.p[i]);
	hash_byte(hash, 0xff);
}

static str hash_of(struct arena *arena, const struct finding *finding, size_t nth)
{
	struct hash hash = { FNV_BASIS, OTHER_BASIS };

	hash_text(&hash, str_of(finding->rule->code));
	hash_text(&hash, finding->object.api_version);
	hash_text(&hash, finding->object.kind);
	hash_text(&hash, finding->object.namespace);
	hash_text(&hash, finding->object.name);
	hash_text(&hash, finding->anchor.n > 0 ? finding->anchor : finding->path);
	hash_text(&hash, finding->salient);
	for (; nth > 0; nth >>= 8)
		hash_byte(&hash, (unsigned char)(nth & 0xff));
	return str_format(arena, "%016llx%016llx", (unsigned long long)hash.high,
	                  (unsigned long long)hash.low);
}

/* Counts how often each first hash came up: the n-th equal one gets n mixed in. */
void triage_fingerprint(struct sink *sink)
{
	struct arena *scratch = arena_new();
	struct map *seen = map_new(scratch); /* first hash -> how many had it */

	for (size_t i = 0; i < sink->findings.n; i++) {
		struct finding *finding = sink->findings.v[i];
		str first = hash_of(scratch, finding, 0);
		size_t nth = (size_t)(uintptr_t)map_get(seen, first);
		finding->fingerprint = hash_of(sink->arena, finding, nth);
		map_put(seen, first, (void *)(uintptr_t)(nth + 1));
	}
	arena_free(scratch);
}
