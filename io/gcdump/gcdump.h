#ifndef IO_GCDUMP_GCDUMP_H
#define IO_GCDUMP_GCDUMP_H

/*
 * Reads .gcdump files, as dotnet-gcdump, PerfView and others have written them since 2012. Damaged
 * or truncated files open if enough is left, with warnings and losses in the heap; otherwise the
 * error has what was found and where. Two passes over the nodes; peak: the heap, 8 bytes a node,
 * the input.
 */
#include "model/heap/source.h"

struct file_stamp;
extern const struct source source_gcdump;

/* Reads bytes in memory, of a file with this stamp or of none: NULL. how->path is for titles. */
const struct heap *gcdump_read(const uint8_t *data, size_t len, const struct file_stamp *stamp,
			       const struct load_how *how, struct error *err) MUST_USE;

#endif
