#ifndef IO_GCDUMP_WRITE_H
#define IO_GCDUMP_WRITE_H

/*
 * Writes a heap as a .gcdump, as dotnet-gcdump would have: roots first, then the objects by
 * address. Memory does not grow with the heap, except for roots and types.
 *
 * The format cannot hold weak handles, losses, heap numbers, or objects of 2 GiB.
 */
#include "io/base/output.h"
#include "model/base/progress.h"
#include "model/heap/heap.h"

/* Does not close `to`; errors of writing are left to output_close(). */
bool gcdump_write(struct output *to, const struct heap *h, struct progress *progress,
		  struct error *err) MUST_USE;
/* Describes what the file will lack; NULL: nothing. */
const char *gcdump_write_warning(const struct heap *h);

/* Limits of the format. */
struct gcdump_limits {
	uint64_t nodes, records_bytes, file_bytes, object_bytes;
};
extern const struct gcdump_limits gcdump_limits;
/* The same with other limits, for tests. */
bool gcdump_write_within(struct output *to, const struct heap *h,
			 const struct gcdump_limits *limits, struct progress *progress,
			 struct error *err) MUST_USE;

#endif
