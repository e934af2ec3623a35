#ifndef TESTS_MADE_MADE_CODE_H
#define TESTS_MADE_MADE_CODE_H

/*
 * Compiled code made up for tests: the runtime's map of code with a section compiled at run time,
 * one of stubs, and a precompiled image. Small enough to be known by heart; every structure has a
 * place of its own.
 */
#include "io/runtime/code.h"
#include "tests/made/made_memory.h"

#define MADE_CODE_MAP    UINT64_C(0x710000000000) /* level i: + 0x800 * i */
#define MADE_FRAGMENT    UINT64_C(0x711000000000) /* of section i: + 0x20 * i */
#define MADE_SECTION     UINT64_C(0x712000000000) /* + 0x80 * i */
#define MADE_CODE_HEAP   UINT64_C(0x713000000000)
#define MADE_STARTS      UINT64_C(0x714000000000) /* the map of the heap */
#define MADE_HEADER      UINT64_C(0x715000000000) /* of method i: + 0x100 * i */
#define MADE_READY       UINT64_C(0x716000000000) /* the module */
#define MADE_READY_INFO  UINT64_C(0x717000000000) /* its own, then composite */
#define MADE_COMPOSITE   UINT64_C(0x717000001000)
#define MADE_BUCKETS     UINT64_C(0x718000000000) /* of the hash map */
#define MADE_COLD_MAP    UINT64_C(0x719000000000)
#define MADE_CODE_THREAD UINT64_C(0x71b000000000) /* the runtime's record of a thread */
#define MADE_CODE_STACK  UINT64_C(0x71c000000000) /* its stack, 0x1000 bytes of zeros */
#define MADE_RECORD(i)   (UINT64_C(0x71a000000000) + 0x40 * (uint64_t)(i))

/* Sections, of 128 KiB each, as the map divides addresses. */
#define MADE_JITTED    UINT64_C(0x700000000000)
#define MADE_STUBS     UINT64_C(0x700000020000)
#define MADE_COMPILED  UINT64_C(0x700000040000) /* the image */
#define MADE_FUNCTIONS (MADE_COMPILED + 0x100)  /* 12 bytes each */
#define MADE_UNWIND    (MADE_COMPILED + 0x800)  /* of function i: + 0x20 * i */

/*
 * The code. In the section compiled at run time:
 *
 *   0x100  SHORT, 0x80 bytes; 0x180 its funclet, 0x20 bytes
 *   0x1c4  LONG, 0x1000 bytes
 *   0x1240 a stub, of kind 3
 *
 * The prologue of both pushes rbp (1 byte) and makes room for 0x28 bytes (3 more).
 *
 * In the image, by function:
 *
 *   0  0x1000  CALLED        4  0x1200  not called either
 *   1  0x1100  its funclet   5  0x1300  cold code of OTHER
 *   2  0x1140  not called    6  0x1340  a cold funclet of OTHER
 *   3  0x1180  OTHER
 */
enum made_method {
	MADE_SHORT,
	MADE_LONG,
	MADE_CALLED,
	MADE_OTHER,
};
enum { MADE_BUCKETS_COUNT = 5, MADE_CODE_STACK_BYTES = 0x1000 };

struct made_code {
	struct made_memory *memory;
	struct clr_runtime runtime; /* its layout, map, reader and kinds of Frames */
	struct clr_thread thread;   /* without a Frame, in preemptive mode */
};

/* `version`: 8, 9 or 10. */
struct made_code *made_code_new(int version);
void made_code_free(struct made_code *code);
/* Looks an address up, in the memory as it is now. */
bool made_code_find(struct made_code *code, uint64_t address, struct clr_code *out);
/* The place of a field. */
uint64_t made_code_field(const struct made_code *code, uint64_t base, enum clr_field field);

#endif
