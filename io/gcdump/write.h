#ifndef IO_GCDUMP_WRITE_H
#define IO_GCDUMP_WRITE_H

/*
 * Writes a heap as a .gcdump. One that was read from a .gcdump comes out byte
 * for byte as it was, unless that was damaged or its origin lacks something
 * (origin.h): that takes 12 bytes an object meanwhile, or 8 and what the
 * records take, a third of the file. Any other is written as
 * dotnet-gcdump would have: roots first, then the objects by address, nothing
 * of the size of the heap in memory.
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
/*
 * Why it did not come out as it was, or what is left out; NULL: nothing. May
 * be put into `room`.
 */
const char *gcdump_write_warning(const struct heap *h, char *room,
				 size_t room_bytes);

/* Of the format. */
struct gcdump_limits {
	uint64_t nodes, records_bytes, file_bytes, object_bytes;
};
extern const struct gcdump_limits gcdump_limits;
/* The same, as if it had not been read from a .gcdump. */
bool gcdump_write_anew(struct output *to, const struct heap *h,
		       const struct gcdump_limits *limits,
		       struct progress *progress, struct error *err) MUST_USE;

#endif
