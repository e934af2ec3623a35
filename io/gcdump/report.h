#ifndef IO_GCDUMP_REPORT_H
#define IO_GCDUMP_REPORT_H

/*
 * What `dotnet-gcdump report` prints of a heap kept as a .gcdump, letter by
 * letter: the size of one object of each type beside the number of all. Only
 * control characters in names become U+FFFD.
 */
#include "io/base/output.h"
#include "model/base/progress.h"
#include "model/heap/heap.h"

bool gcdump_report(struct output *to, const struct heap *h,
		   struct progress *progress, struct error *err) MUST_USE;

#endif
