#ifndef IO_RUNTIME_LOCKS_H
#define IO_RUNTIME_LOCKS_H

/*
 * The header of an object, and who holds the lock that it or its sync block
 * is. Threads are told by what .NET 8, 9 and 10 were seen to write.
 *
 *   header   4 bytes before the object. Bit 27: bits 0-25 are a hash (bit 26)
 *            or a sync block; else a thin lock: bits 0-15 thread, 16-21 how
 *            often again
 *   block    0   u32  bit 0 locked, bits 6-31 threads that wait
 *            4   u32  how often it was entered
 *            8   u64  who holds it: the runtime's record of the thread; in
 *                     .NET 10 its managed number
 *            16  u64  the same thread's number in the system
 *            28  u32  bits 0-30 its index (io/runtime/syncs.h)
 */
#include "io/runtime/runtime.h"
#include "model/heap/memory.h"

/* All but out->table. */
void clr_header_read(uint32_t word, struct content_header *out);

/* The managed number of the thread that the system knows so; 0: none. */
uint32_t clr_thread_of_os_id(const struct clr_runtime *rt, uint64_t os_id);

/*
 * Every object that is locked or has a sync block: a pass over all headers,
 * some 20 ns an object. `rt` is only read; false sets `err`.
 */
bool clr_locks_read(const struct clr_runtime *rt, const struct heap *h,
		    struct heap_locks *out, struct progress *progress,
		    struct error *err) MUST_USE;

#endif
