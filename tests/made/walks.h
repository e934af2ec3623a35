#ifndef TESTS_MADE_WALKS_H
#define TESTS_MADE_WALKS_H

/*
 * Heap walks for tests, good ones and bad ones, of a made-up heap: object k lies at WALKS_BASE + 64
 * k, has type k % 3, size 24 + k % 5 and k % 4 references, the j-th to object (7 k + j) % n.
 */
#include "io/events/walk.h"
#include "tests/made/traces.h"

enum { TYPES_COUNT = 3, OBJECTS_A_EVENT = 20, REFS_A_EVENT = 32 };
#define WALKS_BASE UINT64_C(0x10000000)
#define WALKS_TYPE UINT64_C(0x55000000)

static inline uint64_t
walks_address(uint64_t k)
{
	return WALKS_BASE + 64 * k;
}

static inline uint64_t
walks_refs_count(uint64_t k)
{
	return k % 4;
}

static inline uint64_t
walks_target(uint64_t k, uint64_t j, uint64_t n)
{
	return walks_address((7 * k + j) % n);
}

/* What is wrong with a walk. */
enum fault {
	LOSE_OBJECTS = 1 << 0, /* the fifth event of them */
	LOSE_REFS = 1 << 1,    /* the third */
	LOSE_FIRST_REFS = 1 << 2,
	LOSE_TAIL = 1 << 3, /* all from the eighth event of objects on */
	LOSE_END = 1 << 4,  /* GCEnd */
	TYPES_LAST = 1 << 5,
	REFS_FIRST = 1 << 6,
	OBJECTS_FIRST = 1 << 7,
	NO_GC = 1 << 8,
	NO_TYPES = 1 << 9,
	LOSE_ROOTS = 1 << 10,
	MORE_REFS = 1 << 11, /* one that nobody announced */
	HUGE_COUNT = 1 << 12,
	LOSE_TWICE = 1 << 13,   /* objects, here and there */
	LARGE_EVENTS = 1 << 14, /* as large as the runtime's */
	LOSE_LAST_REFS = 1 << 15,
	CUT_REFS = 1 << 16,    /* the third event lacks its last one */
	CUT_OBJECTS = 1 << 17, /* the fifth lacks its last ten */
};

/* A whole collection with a walk of n objects. */
void walks_put(struct trace *t, uint32_t gc, uint64_t n, unsigned faults);
void walks_put_types(struct trace *t);
/* Objects first … first + count - 1, all of the first type, no references. */
void walks_put_objects(struct trace *t, uint64_t first, uint64_t count);
/* The heap of a walk, checked; what fails fails the test. */
const struct heap *walks_read(const struct trace *t, uint32_t which, struct walk_report *report);

#endif
