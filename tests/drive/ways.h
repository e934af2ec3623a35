#ifndef TESTS_DRIVE_WAYS_H
#define TESTS_DRIVE_WAYS_H

/*
 * The ways to the heap of a real process: from its memory, from a core, by the events of its
 * runtime, and as the .gcdump of either.
 */
#include "model/heap/heap.h"

/* Events come last: they begin with a collection. */
enum way { BY_MEMORY, BY_MEMORY_GCDUMP, BY_CORE, BY_EVENTS, BY_GCDUMP, WAYS };
extern const char *const way_names[WAYS];

/* Reads the heap from the memory of a process. NULL sets `err`. */
const struct heap *heap_of_memory(int32_t pid, struct error *err);
/* Returns the heap of a published program, or fails the test. */
const struct heap *heap_by(enum way way, int32_t pid);

/*
 * Starts a published program and reads its heap by each way, by index. The program runs on, as
 * names of a heap of its memory are read from there, until another one is asked for or
 * heaps_forget().
 */
const struct heap *const *heaps_of(const char *program, const char *version,
				   const char *const arguments[]);
/* A teardown of cmocka. */
int heaps_forget(void **state);

#endif
