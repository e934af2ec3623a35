#ifndef IO_CLR_ROOTS_H
#define IO_CLR_ROOTS_H

/*
 * The roots of a heap: what handles, finalization queues, statics, stacks and frozen segments keep
 * alive. They are read in two steps, since dependent handles become references of their keys, which
 * are needed to build the heap, while stacks need the addresses of its objects.
 *
 * Objects in frozen segments are roots because they are never collected. A weak handle becomes a
 * property of its target.
 */
#include "io/clr/statics.h"
#include "model/heap/build.h"

/* A dependent handle: `to` lives as long as `from`. */
struct clr_link {
	uint64_t from, to;
};

struct clr_roots;

/* The first step. All arguments are borrowed; `progress` may be NULL. NULL sets `err`. */
struct clr_roots *clr_roots_read(const struct clr_heaps *heaps, const struct clr_names *names,
				 struct heap_builder *b, struct progress *progress,
				 struct error *err) MUST_USE;
/* Reads only threads and modules, in place of both steps, for a heap without objects. */
bool clr_roots_threads(struct heap_memory *memory, const struct clr_heaps *heaps,
		       const struct clr_names *names, struct heap_builder *b,
		       struct progress *progress, struct error *err) MUST_USE;
void clr_roots_free(struct clr_roots *roots); /* accepts NULL */

/* Sorted by `from`, then `to`, unique; objects need not start there. */
const struct clr_link *clr_roots_links(const struct clr_roots *roots, size_t *count);

/*
 * The second step: adds roots and weak handles to the builder, whose addresses are sealed, and
 * handles, finalizable objects and threads to `memory`. A root that leads to no object is left out
 * and counted as lost. `is_conservative`: see clr_stacks_read().
 */
bool clr_roots_add(struct clr_roots *roots, struct heap_memory *memory, bool is_conservative,
		   struct error *err) MUST_USE;

#endif
