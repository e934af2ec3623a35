#ifndef IO_CLR_GRAPH_H
#define IO_CLR_GRAPH_H

/*
 * The heap of a process from its memory: every object that lies there, live or
 * not yet collected, with its type and its references. Nothing of the process
 * runs for it.
 *
 *   1. all ranges are walked, on all threads: addresses, and totals by method
 *      table; then each type is looked up once
 *   2. chunk by chunk, on all threads: each object's references, by their
 *      places from its type
 *
 * About 12 ns an object for the types alone, 30 to 60 with references, on two
 * threads. Needs what the model needs, and 72 bytes for each 4 KiB of heap
 * until addresses are packed.
 *
 * What makes no sense is left out and counted as lost (struct losses), and a
 * warning says where: holes in the walk, references to where no object starts,
 * types whose names or references nobody knows. While a background collection
 * sweeps, references to nowhere of what no root reaches are said and no loss:
 * what they led to was swept.
 */
#include "io/memory/memory.h"
#include "model/heap/source.h"

struct clr_graph_options {
	enum load_what what;
	uint32_t runtime; /* of a core: as memory.runtime_wanted */
	bool is_forced;   /* also while the collector moves objects about */
	/*
	 * The memory itself, for the heap to keep and to close with LOAD_ALL,
	 * if it succeeds: what is in objects can be looked at then. Or NULL.
	 */
	struct memory *kept;
	uint64_t kept_bytes;     /* that `kept` takes of our memory */
	uint64_t resident_bytes; /* of the process; 0: unknown */
	/* More than this is refused, `kept` and the graph together, as soon as
	 * objects, then references are counted; 0: no limit. */
	uint64_t memory_bytes;
	struct progress *progress; /* these two may be NULL */
	struct preview *preview;
};

/*
 * `m` is needed until it returns, but see `kept`; `name` is told as the heap's
 * source. NULL sets `err`.
 */
const struct heap *clr_graph_load(const struct memory *m, const char *name,
				  const struct clr_graph_options *options,
				  struct error *err) MUST_USE;

#endif
