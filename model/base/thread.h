#ifndef MODEL_BASE_THREAD_H
#define MODEL_BASE_THREAD_H

/*
 * Threads beside the main one, which owns the terminal. Signals sent to the program go to the main
 * thread only: if two arrived at once on two threads, one might end the program while the other
 * still restores the terminal.
 */
#include <pthread.h>

/*
 * Like pthread_create(), with all signals blocked except those a thread raises itself, such as
 * faults; their handlers run on a separate stack (SA_ONSTACK).
 */
int thread_start(pthread_t *thread, void *(*run)(void *context), void *context);

#endif
