#ifndef IO_FORMATS_CORE_HEAP_H
#define IO_FORMATS_CORE_HEAP_H

/* Cores as a source of heaps: the core (io/memory/core.h) and its heap
 * (io/clr/graph.h). */
#include "io/clr/graph.h"

extern const struct source source_core;

/* The same with a place for the files that the core's process had mapped:
 * `sysroot` stands before their paths; NULL: "". */
const struct heap *core_heap_load(const char *path, const char *sysroot,
				  const struct clr_graph_options *options,
				  struct error *err) MUST_USE;

#endif
