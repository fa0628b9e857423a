/* The one place that asks the system for memory. An arena is a list of blocks that are cut up
 * from front to back and never given back before the arena is: objects that live as long as
 * their file or their run need no owner, and no caller can free too early or too late. Memory
 * comes zeroed, so a zeroed struct of the doors means empty everywhere. */
#include "base.h"
#include "base-internal.h"

#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Blocks double from the first size to the last: many arenas are small. */
#define BLOCK_FIRST ((size_t)4 * 1024)
#define BLOCK_LAST ((size_t)256 * 1024)
#define ALIGNMENT (alignof(max_align_t))

/* Blocks are taken whole from the system and never given back before the arena is. */
struct block {
	struct block *next;
	size_t size, used;
	alignas(max_align_t) char bytes[];
};

struct arena {
	struct block *blocks; /* the first is the one being filled */
	size_t next_size;
	size_t taken;
};

/* Nothing is half-written at this point: reports are built in memory and renamed when whole. */
_Noreturn void base_out_of_memory(void)
{
	fputs("kubelint: out of memory\n", stderr);
	_Exit(2);
}

struct arena *arena_new(void)
{
	struct arena *arena = calloc(1, sizeof *arena);

	if (!arena)
		base_out_of_memory();
	arena->next_size = BLOCK_FIRST;
	return arena;
}

void arena_free(struct arena *arena)
{
	if (!arena)
		return;
	for (struct block *block = arena->blocks; block;) {
		struct block *next = block->next;

		free(block);
		block = next;
	}
	free(arena);
}

void arena_adopt(struct arena *arena, struct arena *child)
{
	/* Behind the block that is being filled, which stays the first. */
	struct block **place = arena->blocks ? &arena->blocks->next : &arena->blocks;
	struct block *last = child->blocks;

	while (last && last->next)
		last = last->next;
	if (last) {
		last->next = *place;
		*place = child->blocks;
	}
	arena->taken += child->taken;
	free(child);
}

/* A block with room for size bytes. A large request gets a block of its own behind the
 * current one, so that the rest of the current one is not wasted. */
static struct block *block_add(struct arena *arena, size_t size)
{
	bool large = size > arena->next_size / 4;
	size_t room = large ? size : arena->next_size;
	struct block *block;

	if (room > SIZE_MAX - sizeof *block)
		base_out_of_memory();
	block = calloc(1, sizeof *block + room);
	if (!block)
		base_out_of_memory();
	block->size = room;
	if (arena->next_size < BLOCK_LAST)
		arena->next_size *= 2;
	if (large && arena->blocks) {
		block->next = arena->blocks->next;
		arena->blocks->next = block;
	} else {
		block->next = arena->blocks;
		arena->blocks = block;
	}
	return block;
}

void *arena_alloc(struct arena *arena, size_t size)
{
	struct block *block = arena->blocks;
	char *p;

	if (size > SIZE_MAX - ALIGNMENT)
		base_out_of_memory();
	size = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
	if (!size)
		size = ALIGNMENT;
	if (!block || block->size - block->used < size)
		block = block_add(arena, size);
	p = block->bytes + block->used;
	block->used += size;
	arena->taken += size;
	return p;
}

/* The product is checked here once, so that no caller multiplies sizes by itself. */
void *arena_calloc(struct arena *arena, size_t count, size_t size)
{
	if (size && count > SIZE_MAX / size)
		base_out_of_memory();
	return arena_alloc(arena, count * size);
}

size_t arena_used(const struct arena *arena)
{
	return arena->taken;
}

/* Doubles; what the array had before stays in the arena, so views of it stay readable. */
void *vec_reserve(struct arena *arena, void *items, size_t *cap, size_t n, size_t item_size)
{
	size_t wanted = *cap ? *cap * 2 : 4;
	void *grown;

	if (n < *cap)
		return items;
	if (wanted < *cap)
		base_out_of_memory();
	grown = arena_calloc(arena, wanted, item_size);
	if (n)
		memcpy(grown, items, n * item_size);
	*cap = wanted;
	return grown;
}
