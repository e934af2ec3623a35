#ifndef CAPTURE_PROCESS_PULSE_H
#define CAPTURE_PROCESS_PULSE_H

/*
 * Tells a runtime that collects from one that waits for a thread to stop.
 *
 * A collection begins when all threads have stopped. Until then the runtime asks again and sleeps,
 * thousands of times a second: its thread runs about 20 microseconds at a time, where a thread that
 * marks objects runs for milliseconds, however little of the CPU it gets. Threads are asked by
 * signals, which wake the one that does not stop as often.
 */
#include <stdbool.h>
#include <stdint.h>

/* With as many threads or more, pulse_waits() returns false. A look takes about 10 us a thread. */
enum { PULSE_THREADS = 512 };

struct pulse {
	uint32_t count; /* PULSE_THREADS: there may be more */
	struct pulse_thread {
		int32_t tid;
		uint64_t run_ns, slices; /* times that it was scheduled */
		uint64_t faults;         /* pages read from a disk */
	} threads[PULSE_THREADS];
};

void pulse_read(struct pulse *p, const char *proc, int32_t pid);

/*
 * Whether between two looks the thread that ran most did nothing but wait for another one; `tid`
 * becomes that one, or 0 if that is unknown.
 */
bool pulse_waits(const struct pulse *before, const struct pulse *after, int32_t *tid);

#endif
