#ifndef IO_CLR_CONTENTS_H
#define IO_CLR_CONTENTS_H

/*
 * What is in the objects of a heap that was made of memory: the table behind
 * heap->memory->contents (model/heap/memory.h). Keeps the memory open as long
 * as the heap lives. Any thread may ask; one at a time is answered.
 *
 *   object   u64 method table (low 3 bits: marks), fields; 4 bytes before it
 *            the header
 *   string   i32 length at 8, UTF-16 from 12
 *   array    u32 length at 8, elements from 16; of several dimensions: i32
 *            lengths and i32 lower bounds from 16, elements behind them
 *   header   io/runtime/locks.h
 */
#include "io/runtime/runtime.h"
#include "io/runtime/types.h"

struct clr_contents;

/*
 * Runtime and types, which belong together, are its own from then on, but not
 * if it fails: NULL sets `err`.
 */
struct clr_contents *clr_contents_new(struct clr_runtime *rt,
				      struct clr_types *types,
				      struct error *err) MUST_USE;
/* The memory that was given with clr_contents_start(), too. NULL is allowed. */
void clr_contents_free(struct clr_contents *c);
/* The heap whose objects it tells of, and its memory to be closed at the end;
 * before anybody asks. */
void clr_contents_start(struct clr_contents *c, const struct heap *h,
			struct memory *m);
extern const struct contents_ops clr_contents_ops; /* source: clr_contents */

#endif
