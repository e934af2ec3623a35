#ifndef IO_CLR_GRAPH_H
#define IO_CLR_GRAPH_H

/*
 * Loads the heap of a process from its memory: every object, live or not yet collected, with its
 * type and references. Runs no code in the process.
 *
 *   1. All ranges are walked, on all threads, for addresses and totals by
 *      method table; then each type is looked up once.
 *   2. The references of each object are read, chunk by chunk on all threads,
 *      at the places that its type gives.
 *
 * On two threads, costs about 12 ns an object for types alone, 30 to 60 with references. Needs the
 * model's memory, and 72 bytes for each 4 KiB of heap until addresses are packed.
 *
 * Damage is left out and counted as lost (struct losses), and warnings say where: holes in the
 * walk, references to no object, types with unknown names or references. During a background sweep,
 * references of unreachable objects that lead to no object are reported but are no loss: their
 * targets were swept.
 */
#include "io/memory/memory.h"
#include "io/memory/native_types.h"
#include "io/memory/mapping_use.h"
#include "model/heap/origin.h"
#include "model/heap/source.h"

struct clr_graph_options {
	/*
	 * The symbols of a Native AOT program: found already, or NULL for this reason; with both
	 * NULL they are searched, in this folder first unless it is NULL.
	 */
	struct native_types *native;
	const char *native_why;
	const char *symbols;
	enum load_what what;
	uint32_t runtime; /* of a core: see memory.runtime_wanted */
	bool is_forced;   /* even while the collector is moving objects */
	/* Every word on a stack counts as a root, even where its references are known. */
	bool has_conservative_stacks;
	/*
	 * The memory itself, or NULL. With LOAD_ALL a successful load gives it to the heap, which
	 * closes it, so that the contents of objects can be read.
	 */
	struct memory *kept;
	uint64_t kept_bytes;              /* our memory that `kept` takes */
	uint64_t resident_bytes;          /* of the process; 0: unknown */
	int32_t pid;                      /* 0: unknown */
	const struct heap_origin *origin; /* of a process; NULL: unknown */
	/* Its mappings with their resident memory; NULL: unknown. */
	struct mapping_list *mappings;
	/* Limit for `kept` and the graph together, checked as soon as objects, and later
	 * references, are counted; 0: no limit. */
	uint64_t memory_bytes;
	struct progress *progress; /* both may be NULL */
	struct preview *preview;
};

/* `m` is borrowed during the call, except for `kept`; `name` becomes the heap's source. NULL sets
 * `err`. */
const struct heap *clr_graph_load(const struct memory *m, const char *name,
				  const struct clr_graph_options *options,
				  struct error *err) MUST_USE;

#endif
