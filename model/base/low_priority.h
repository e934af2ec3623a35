#ifndef MODEL_BASE_LOW_PRIORITY_H
#define MODEL_BASE_LOW_PRIORITY_H

/*
 * Runs long work on a thread of low priority and waits for it, so that it does not slow down
 * services on the machine. Threads that it starts inherit the priority. If no thread can be
 * started, runs it in the caller.
 */
void low_priority_run(void (*run)(void *context), void *context);

#endif
