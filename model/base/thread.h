#ifndef MODEL_BASE_THREAD_H
#define MODEL_BASE_THREAD_H

/*
 * Threads that work, beside the one that has the terminal. Signals that are
 * sent to the program are for that one alone: two of them at once, and one
 * thread would end the program while the other still puts the terminal back.
 */
#include <pthread.h>

/*
 * pthread_create(): 0, or why not. What a thread does wrong itself, such as a
 * fault, it is still told, on a stack of its own (SA_ONSTACK).
 */
int thread_start(pthread_t *thread, void *(*run)(void *context), void *context);

#endif
