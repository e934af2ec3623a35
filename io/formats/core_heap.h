#ifndef IO_FORMATS_CORE_HEAP_H
#define IO_FORMATS_CORE_HEAP_H

/* Cores as a source of heaps, by io/memory/core.h and io/clr/graph.h. */
#include "io/clr/graph.h"

extern const struct source source_core;

/* Loads a core whose mapped files are looked up below `sysroot`; NULL: "". */
const struct heap *core_heap_load(const char *path, const char *sysroot,
				  const struct clr_graph_options *options,
				  struct error *err) MUST_USE;

#endif
