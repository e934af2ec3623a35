#ifndef IO_GCDUMP_WRITE_H
#define IO_GCDUMP_WRITE_H

/*
 * Writes a heap as a .gcdump, as dotnet-gcdump would have: roots first, then
 * the objects by address. Keeps nothing of the size of the heap in memory.
 *
 * The format has no place for weak handles, losses, heap numbers, or objects
 * of 2 GiB.
 */
#include "io/base/output.h"
#include "model/base/progress.h"
#include "model/heap/heap.h"

/* Does not close `to`; what cannot be written is told by output_close(). */
bool gcdump_write(struct output *to, const struct heap *h,
		  struct progress *progress, struct error *err) MUST_USE;
/* Says what the file leaves out; NULL: nothing. */
const char *gcdump_write_warning(const struct heap *h);

/* Of the format. */
struct gcdump_limits {
	uint64_t nodes, records_bytes, file_bytes, object_bytes;
};
extern const struct gcdump_limits gcdump_limits;
/* The same, with other limits. */
bool gcdump_write_within(struct output *to, const struct heap *h,
			 const struct gcdump_limits *limits,
			 struct progress *progress, struct error *err) MUST_USE;

#endif
