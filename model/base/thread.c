#define _DEFAULT_SOURCE /* sigaltstack() */
#include "model/base/thread.h"
#include "model/base/arena.h"
#include <errno.h>
#include <signal.h>

struct start {
	void *(*run)(void *context);
	void *context;
};

/* Gives signal handlers a stack that works even after a stack overflow: memory at the beginning of
   the thread's own stack. */
static void *
begin(void *context)
{
	struct start start = *(struct start *)context;
	char handler_stack[16 * 1024];
	stack_t own = { .ss_sp = handler_stack, .ss_size = sizeof handler_stack };
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
	static const int own[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS };
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
	/* A new thread inherits the signal mask. */
	pthread_sigmask(SIG_SETMASK, &blocked, &before);
	errnum = pthread_create(thread, NULL, begin, start);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (errnum)
		memory_free(start);
	return errnum;
}
