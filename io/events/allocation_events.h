#ifndef IO_EVENTS_ALLOCATION_EVENTS_H
#define IO_EVENTS_ALLOCATION_EVENTS_H

/*
 * Reads samples of allocations from an event stream, with their stacks, and names the methods. P is
 * the size of a pointer.
 *
 *  303 AllocationSampled  (keyword 0x80000000000, level 4; from .NET 10 on)
 *      0 u32 kind, 4 u16, 6 P type, UTF-16 name of the type, P address,
 *      u64 size, u64 offset of the sampled byte
 *   10 AllocationTick     (keyword 0x1, level 5)
 *      0 u32, 4 u32 kind, 8 u16, 10 u64 bytes allocated since the last one,
 *      18 P type, UTF-16 name, u32 heap, P address (version 3), u64 size
 *      (version 4); versions 0 and 1 end before the second amount
 *
 * If a stream has events of both kinds, those of the first sample's are used.
 *
 * The samples are followed through the collections of the stream (gc_survivors.h), if it has their
 * events.
 */
#include "io/events/methods.h"
#include "model/allocations/tally.h"
#include "model/base/progress.h"
#include "model/heap/heap.h"

struct allocation_reader;

struct allocation_reader *allocation_reader_new(struct error *err) MUST_USE;
void allocation_reader_free(struct allocation_reader *r);
/* The methods seen so far; events of other streams may be added. */
struct methods *allocation_reader_methods(struct allocation_reader *r);
/* Facts that only the caller knows may be set: `who`, `end`. */
struct allocation_facts *allocation_reader_facts(struct allocation_reader *r);
/* From now on copies have the rates of the last seconds: see model/allocations/recent.h. False: no
   memory. */
bool allocation_reader_keep_recent(struct allocation_reader *r, struct error *err) MUST_USE;
/* Takes all items of a stream that has not begun. False sets `err`. */
bool allocation_reader_take_all(struct allocation_reader *r, struct nettrace *t,
				struct progress *progress, struct error *err) MUST_USE;
/* Returns what was taken so far, with names; see allocations_name(). */
struct allocations *allocation_reader_name(struct allocation_reader *r, struct error *err) MUST_USE;
/* The same while the stream goes on, `elapsed_ns` after its begin. Samples arrive up to half a
   second late. */
struct allocations *allocation_reader_name_so_far(struct allocation_reader *r, uint64_t elapsed_ns,
						  struct error *err) MUST_USE;

/* Counts anew from the last event on: samples, time and lost events. */
void allocation_reader_restart(struct allocation_reader *r);

/* Reads a whole stream; `who` is its name. NULL sets `err`. */
struct allocations *allocations_read(struct nettrace_input input, const char *who,
				     struct progress *progress, struct error *err) MUST_USE;
/* Whether a file is of a format that can have allocations, by its beginning. */
bool allocations_are_in(const char *path, struct error *err) MUST_USE;
/*
 * Reads a file, compressed or not; "-" is standard input. If `h` is not NULL, with the samples that
 * were alive when that heap was captured: after the collection that it shows or, if that is
 * unknown, at its time. If the recording ends before, as it ends.
 */
struct allocations *allocations_load(const char *path, const struct heap *h,
				     struct progress *progress, struct error *err) MUST_USE;

#endif
