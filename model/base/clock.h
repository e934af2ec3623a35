#ifndef MODEL_BASE_CLOCK_H
#define MODEL_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Monotonic time in nanoseconds, unaffected by changes of the time of day. */
static inline int64_t
clock_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

#endif
