#ifndef IO_FORMATS_CORE_HEAP_H
#define IO_FORMATS_CORE_HEAP_H

/* Cores as a source of heaps, by io/memory/core.h and io/clr/graph.h. */
#include "model/heap/source.h"

extern const struct source source_core;

#endif
