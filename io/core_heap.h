#ifndef IO_CORE_HEAP_H
#define IO_CORE_HEAP_H

/* Cores as a source of heaps: the core (io/core.h) and its heap
 * (io/clr_graph.h). */
#include "model/source.h"

extern const struct source source_core;

#endif
