#define _DEFAULT_SOURCE /* sigaltstack(), setpriority() */
#include "model/thread.h"
#include "model/arena.h"
#include <errno.h>
#include <signal.h>
#include <sys/resource.h>

struct start {
	void *(*run)(void *context);
	void *context;
};

/* A handler needs a stack also where this thread's own has run out: one at the
   beginning of that. */
static void *
begin(void *context)
{
	struct start start = *(struct start *)context;
	char handler_stack[16 * 1024];
	stack_t own = { .ss_sp = handler_stack,
			.ss_size = sizeof handler_stack };
	stack_t before;
	void *result;

	memory_free(context);
	sigaltstack(&own, &before);
	result = start.run(start.context);
	sigaltstack(&before, NULL);
	return result;
}

int
thread_start(pthread_t *thread, void *(*run)(void *context), void *context)
{
	static const int own[] = { SIGSEGV, SIGBUS,  SIGFPE, SIGILL,
				   SIGTRAP, SIGABRT, SIGSYS };
	struct error ignored = { 0 };
	struct start *start = memory_new(1, sizeof *start, &ignored);
	sigset_t blocked, before;
	int errnum;

	if (!start)
		return ENOMEM;
	*start = (struct start){ run, context };
	sigfillset(&blocked);
	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		sigdelset(&blocked, own[i]);
	/* A thread begins with the mask of the one that starts it. */
	pthread_sigmask(SIG_SETMASK, &blocked, &before);
	errnum = pthread_create(thread, NULL, begin, start);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (errnum)
		memory_free(start);
	return errnum;
}

/* ---- giving way ---- */

enum { NICE_OF_WORK = 10 };

struct errand {
	void (*run)(void *context);
	void *context;
	struct memory_refused refused; /* to whom runs it */
};

/*
 * On Linux each thread has a priority of its own, and "this process" is this
 * thread. It cannot be raised again, so the thread ends with its work.
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
thread_run_giving_way(void (*run)(void *context), void *context)
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
