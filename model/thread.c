#include "model/thread.h"
#include <signal.h>

int
thread_start(pthread_t *thread, void *(*run)(void *context), void *context)
{
	static const int own[] = { SIGSEGV, SIGBUS,  SIGFPE, SIGILL,
				   SIGTRAP, SIGABRT, SIGSYS };
	sigset_t blocked, before;
	int errnum;

	sigfillset(&blocked);
	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		sigdelset(&blocked, own[i]);
	/* A thread begins with the mask of the one that starts it. */
	pthread_sigmask(SIG_SETMASK, &blocked, &before);
	errnum = pthread_create(thread, NULL, run, context);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return errnum;
}
