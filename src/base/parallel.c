/* Work spread over threads. There is no pool to keep: a run has two or three parallel stretches,
 * and starting a thread costs less than parsing one file. */
#include "base.h"
#include "base-internal.h"

#include <pthread.h>
#include <stdatomic.h>

#define JOBS_MAX 256

/* What all threads of one call share; next is the only thing that they write. */
struct crew {
	atomic_size_t next;
	size_t count;
	void (*work)(void *context, size_t i);
	void *context;
};

/* Each thread takes the next free number until none is left, so that one large file does not
 * hold up the small ones behind it. */
static void *take_tasks(void *shared)
{
	struct crew *crew = shared;

	for (;;) {
		size_t i = atomic_fetch_add(&crew->next, 1);

		if (i >= crew->count)
			return NULL;
		crew->work(crew->context, i);
	}
}

/* Results are the caller's to keep apart: task i writes to place i, and the order of finishing
 * shows nowhere. */
void parallel_for(size_t count, unsigned jobs, void (*work)(void *context, size_t i),
                  void *context)
{
	struct crew crew = { .count = count, .work = work, .context = context };
	pthread_t threads[JOBS_MAX];
	size_t started = 0, wanted = jobs < JOBS_MAX ? jobs : JOBS_MAX;

	if (wanted > count)
		wanted = count;
	/* The caller is one of the crew. A thread that cannot be had is done without. */
	while (started + 1 < wanted &&
	       !pthread_create(&threads[started], NULL, take_tasks, &crew))
		started++;
	take_tasks(&crew);
	while (started)
		pthread_join(threads[--started], NULL);
}
