#ifndef IO_CLR_CONTENTS_H
#define IO_CLR_CONTENTS_H

/*
 * The contents of a heap's objects, read from memory: the functions behind heap->memory->contents
 * (model/heap/memory.h). The memory stays open as long as the heap lives. Any thread may call;
 * calls are answered one at a time.
 *
 *   object   u64 method table (low 3 bits: marks), fields; the header is in the
 *            4 bytes before it
 *   string   i32 length at 8, UTF-16 from 12
 *   array    u32 length at 8, elements from 16; if multi-dimensional, i32
 *            lengths and i32 lower bounds from 16, then the elements
 *   header   io/runtime/locks.h
 */
#include "io/runtime/runtime.h"
#include "io/runtime/types.h"

struct clr_contents;

/* Takes ownership of `rt` and `types`, which belong together. NULL sets `err` and leaves them to
 * the caller. */
struct clr_contents *clr_contents_new(struct clr_runtime *rt, struct clr_types *types,
				      struct error *err) MUST_USE;
/* Also closes the memory given to clr_contents_start(). Accepts NULL. */
void clr_contents_free(struct clr_contents *c);
/* Sets the heap, and the memory to own, before the first call of an operation. */
void clr_contents_start(struct clr_contents *c, const struct heap *h, struct memory *m);
extern const struct contents_ops clr_contents_ops; /* source: clr_contents */

#endif
