#ifndef IO_GCDUMP_REPORT_H
#define IO_GCDUMP_REPORT_H

/*
 * Prints exactly what `dotnet-gcdump report` prints for the heap in a .gcdump: the size of one
 * object of each type next to the number of all. Only control characters in names become U+FFFD.
 */
#include "io/base/output.h"
#include "model/base/progress.h"
#include "model/heap/heap.h"

bool gcdump_report(struct output *to, const struct heap *h, struct progress *progress,
		   struct error *err) MUST_USE;

#endif
