#define _DEFAULT_SOURCE /* setpriority() */
#include "model/base/low_priority.h"
#include "model/base/arena.h"
#include "model/base/thread.h"
#include <sys/resource.h>

enum { NICE_OF_WORK = 10 };

struct errand {
	void (*run)(void *context);
	void *context;
	struct memory_refused refused; /* during the run */
};

/*
 * On Linux, priorities belong to threads, and PRIO_PROCESS with 0 means this one. The priority
 * cannot be raised again, so the thread ends with its work.
 */
static void *
run_errand(void *context)
{
	struct errand *e = context;

	if (getpriority(PRIO_PROCESS, 0) < NICE_OF_WORK)
		setpriority(PRIO_PROCESS, 0, NICE_OF_WORK);
	e->run(e->context);
	e->refused = memory_refused();
	return NULL;
}

void
low_priority_run(void (*run)(void *context), void *context)
{
	struct errand e = { .run = run, .context = context };
	pthread_t thread;

	if (thread_start(&thread, run_errand, &e)) {
		run(context);
		return;
	}
	pthread_join(thread, NULL);
	memory_refused_add(e.refused);
}
