#include <stdlib.h>

#include "base.h"
#include "base-internal.h"

void *memory_take(size_t size)
{
	void *memory = malloc(size > 0 ? size : 1);

	if (!memory)
		base_out_of_memory();
	return memory;
}

void memory_give(void *memory)
{
	free(memory);
}

void *memory_regrow(void *memory, size_t size)
{
	void *grown = realloc(memory, size > 0 ? size : 1);

	if (!grown)
		base_out_of_memory();
	return grown;
}
