#ifndef TESTS_MADE_MADE_ROOTS_H
#define TESTS_MADE_MADE_ROOTS_H

/*
 * What holds objects of a runtime that is made up (tests/made/made_runtime.h): handles of every
 * kind, a finalizer queue for each heap, a class with static variables, also of threads, and a
 * stack. All of it lies in one stretch, so that a test can damage any word of it.
 */
#include "tests/made/made_runtime.h"

#define MADE_ROOTS        UINT64_C(0x790000000000)
#define MADE_MAP          (MADE_ROOTS + 0x0)   /* of handles */
#define MADE_HANDLE_TABLE (MADE_ROOTS + 0x400) /* of CPU i: + 0x80 * i */
#define MADE_QUEUE        (MADE_ROOTS + 0x600) /* of heap i: + 0x100 * i */
#define MADE_DOMAIN       (MADE_ROOTS + 0x1000)
#define MADE_ASSEMBLIES   (MADE_ROOTS + 0x2000) /* items of its list */
#define MADE_TYPES        (MADE_ROOTS + 0x2400) /* maps of the module */
#define MADE_CLASS        (MADE_ROOTS + 0x2800) /* with static variables */
#define MADE_THREAD_DATA  (MADE_ROOTS + 0x3000) /* of thread i: + 0x100 * i */
#define MADE_ROOTS_BYTES  0x3800
/* On multiples of 64 KiB, of processor i: + 0x10000 * i. */
#define MADE_HANDLE_SEGMENT (MADE_ROOTS + 0x10000)
#define MADE_STACK          UINT64_C(0x7f1000000000)
enum { MADE_STACK_BYTES = 0x1000, MADE_STACK_TID = 2000 };

/* One of every kind a processor, and these: */
enum { MADE_STATICS = 2, MADE_READY = 2, MADE_REGISTERED = 5 };

void made_roots_put(struct made_runtime *rt);
/* The number-th pair of the heap's generation 1, or of its only segment. */
uint64_t made_pair(const struct made_runtime *rt, unsigned heap, unsigned number);
/* As many as the version has kinds of handles. */
unsigned made_handle_kinds(const struct made_runtime *rt);
unsigned made_processors(const struct made_runtime *rt);

#endif
