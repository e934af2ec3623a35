#ifndef IO_CLR_ROOTS_H
#define IO_CLR_ROOTS_H

/*
 * Why objects are alive: all that clr_handles, clr_finalizers, clr_statics,
 * clr_stacks and clr_thread_names find in a process, as roots of a heap. In two
 * steps, because values of dependent handles are references of their keys,
 * which a heap is built of, and stacks need to know where objects are.
 *
 * Objects in frozen segments are roots as well: they are never collected.
 * Weak handles are a property of what they see.
 */
#include "io/clr/statics.h"
#include "model/heap/build.h"

/* `to` lives as long as `from` does, as if that referred to it. */
struct clr_link {
	uint64_t from, to;
};

struct clr_roots;

/* The first step. All is borrowed; `progress` may be NULL. NULL sets `err`. */
struct clr_roots *clr_roots_read(const struct clr_heaps *heaps,
				 const struct clr_names *names,
				 struct heap_builder *b,
				 struct progress *progress,
				 struct error *err) MUST_USE;
void clr_roots_free(struct clr_roots *roots); /* NULL is allowed */

/* By `from`, then `to`, each once; objects need not start there. */
const struct clr_link *clr_roots_links(const struct clr_roots *roots,
				       size_t *count);

/*
 * The second step: adds roots and weak handles, and puts handles, finalizable
 * objects and threads beside the heap. The builder's addresses are sealed; what
 * leads to no object is left out and counted as lost.
 */
bool clr_roots_add(struct clr_roots *roots, struct heap_memory *memory,
		   struct error *err) MUST_USE;

#endif
