/* Text to pointer, in order of insertion. uthash does the work; its memory is the arena's. The
 * order is kept beside the table, since what is printed must not hang on hash values. */
#include "base.h"
#include "base-internal.h"

#define uthash_malloc(size) arena_alloc(uthash_arena, (size))
#define uthash_free(p, size) ((void)0)
#define uthash_fatal(message) base_out_of_memory()
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wpedantic"
#include <uthash.h>

struct entry {
	str key;
	void *value;
	UT_hash_handle hh;
};

struct entries VEC(struct entry *);

struct map {
	struct arena *arena;
	struct entry *table;
	struct entries order;
};

struct map *map_new(struct arena *arena)
{
	struct map *map = ARENA_NEW(arena, struct map);

	map->arena = arena;
	return map;
}

/* NULL when absent. A key with a NULL pointer is the empty text. */
static struct entry *entry_find(const struct map *map, str key)
{
	struct entry *found = NULL;

	HASH_FIND(hh, map->table, key.p ? key.p : "", key.n, found);
	return found;
}

void *map_get(const struct map *map, str key)
{
	const struct entry *found = entry_find(map, key);

	return found ? found->value : NULL;
}

bool map_has(const struct map *map, str key)
{
	return entry_find(map, key) != NULL;
}

void *map_put(struct map *map, str key, void *value)
{
	struct arena *uthash_arena = map->arena;
	struct entry *entry = entry_find(map, key);
	void *former = entry ? entry->value : NULL;

	if (!entry) {
		entry = ARENA_NEW(map->arena, struct entry);
		entry->key = (str){ key.p ? key.p : "", key.n };
		HASH_ADD_KEYPTR(hh, map->table, entry->key.p, entry->key.n, entry);
		*VEC_PUSH(map->arena, &map->order) = entry;
	}
	entry->value = value;
	return former;
}
#pragma GCC diagnostic pop

size_t map_count(const struct map *map)
{
	return map->order.n;
}

void *map_at(const struct map *map, size_t i, str *ret_key)
{
	*ret_key = map->order.v[i]->key;
	return map->order.v[i]->value;
}
