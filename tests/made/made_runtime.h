#ifndef TESTS_MADE_MADE_RUNTIME_H
#define TESTS_MADE_MADE_RUNTIME_H

/*
 * A .NET runtime made up for tests: a library that exports g_dacTable, the collector's variables,
 * heaps, segments, method tables, threads, and a few hundred objects. Small enough to be known by
 * heart: every structure has a place of its own, so that a test can damage any one.
 */
#include "io/runtime/layout.h"
#include "model/heap/heap.h"
#include "tests/made/made_memory.h"

#define MADE_LIBRARY    UINT64_C(0x7f0000000000)
#define MADE_TABLE      (MADE_LIBRARY + 0x10000) /* g_dacTable */
#define MADE_VARIABLE   (MADE_LIBRARY + 0x11000) /* of slot i: + 8 * i */
#define MADE_GC         (MADE_LIBRARY + 0x12000) /* GcDacVars */
#define MADE_CELL       (MADE_LIBRARY + 0x13000) /* for the field at i: + i */
#define MADE_OFFSETS    (MADE_LIBRARY + 0x14000) /* in heaps, then generations */
#define MADE_DESCRIPTOR (MADE_LIBRARY + 0x20000) /* if it is described */
#define MADE_TEXT       (MADE_LIBRARY + 0x21000)
#define MADE_STORE      UINT64_C(0x7e0000000000) /* ThreadStore */
#define MADE_THREAD     (MADE_STORE + 0x1000)    /* of thread i: + 0x1000 * i */
#define MADE_METHODS    UINT64_C(0x7d0000000000) /* table i: + 0x100 * i */
#define MADE_HEAP       UINT64_C(0x7c0000000000) /* of heap i: + 0x10000 * i */
#define MADE_SEGMENT    UINT64_C(0x7b0000000000) /* of range i: + 0x100 * i */
#define MADE_RANGE      UINT64_C(0x7a0000000000) /* of range i: + 0x400000 * i */
#define MADE_PATH       "/app/libcoreclr.so"

enum made_table {
	MADE_FREE,   /* free space */
	MADE_STRING, /* System.String */
	MADE_OBJECT, /* 24 bytes, no references */
	MADE_PAIR,   /* 40 bytes: two references, one number */
	MADE_ARRAY,  /* of references */
	MADE_SHARED, /* as MADE_PAIR; its class is that of MADE_OBJECT */
	MADE_TABLES_COUNT
};
#define MADE_METHOD_TABLE(i) (MADE_METHODS + 0x100 * (uint64_t)(i) + 0x40)

struct made_range {
	uint64_t segment, start, end;
	unsigned heap, generation; /* enum generation */
	unsigned objects_count, free_count;
};

struct made_setup {
	int version; /* 8, 9, 10 or 11 */
	bool is_server, has_segments;
};

enum { MADE_RANGES_MAX = 16, MADE_THREADS_COUNT = 3, MADE_TID = 1000 };
struct made_runtime {
	struct made_setup setup;
	struct made_memory *memory;
	struct clr_layout layout;
	struct made_range ranges[MADE_RANGES_MAX];
	unsigned ranges_count;
	uint64_t context_pointer, context_limit; /* of thread 0, in gen0 */
};

struct made_runtime *made_runtime_new(const struct made_setup *setup);
void made_runtime_free(struct made_runtime *rt);
/* From now on it tells of itself: JSON, and the places of its variables. */
void made_runtime_describe(struct made_runtime *rt, const char *text, const uint64_t *pointers,
			   uint32_t pointers_count);
/* Such a description at an address, its text at another. */
void made_descriptor_put(struct made_runtime *rt, uint64_t at, uint64_t text_at, const char *text,
			 const uint64_t *pointers, uint32_t pointers_count);
/* "@(#)Version …", somewhere in its data. */
void made_runtime_say(struct made_runtime *rt, const char *version);
/* The first range of a heap and generation. */
const struct made_range *made_runtime_range(const struct made_runtime *rt, unsigned heap,
					    unsigned generation);
/* An object; returns where the next one is. */
uint64_t made_object(struct made_runtime *rt, uint64_t at, enum made_table table,
		     uint32_t components);

#endif
