#ifndef MODEL_BASE_LOW_PRIORITY_H
#define MODEL_BASE_LOW_PRIORITY_H

/*
 * Runs it on a thread of low priority and waits for its end: work that may take
 * long leaves the processors to those who serve somebody. So do the threads
 * that it starts. Where no thread can be had it runs here, as it is.
 */
void low_priority_run(void (*run)(void *context), void *context);

#endif
