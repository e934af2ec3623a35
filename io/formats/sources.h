#ifndef IO_FORMATS_SOURCES_H
#define IO_FORMATS_SOURCES_H

/* All formats of files that are read; a new one is a row of its table. */
#include "model/heap/source.h"

/*
 * Loads the heap in a file with the first format that accepts its content. The path may end with
 * the number of a walk; how->walk is 0. NULL sets `err`, which for files in other formats explains
 * what they are.
 */
const struct heap *sources_load(const struct load_how *how, struct error *err) MUST_USE;

#endif
