#ifndef IO_RUNTIME_LOCKS_H
#define IO_RUNTIME_LOCKS_H

/*
 * Object headers, and the threads that hold locks, as measured in .NET 8 to 11.
 *
 *   header   4 bytes before the object. Bit 27 set: bits 0-25 are a hash code
 *            (bit 26) or a sync block index; else a thin lock: bits 0-15
 *            thread, 16-21 recursion count
 *   block    0   u32  bit 0 locked, bits 6-31 waiting threads
 *            4   u32  times entered
 *            8   u64  holder: the runtime's Thread; in .NET 10 its managed id
 *            16  u64  holder's kernel thread id
 *            28  u32  bits 0-30 its index (io/runtime/syncs.h)
 *   block of .NET 11, whose Monitor is managed
 *            0   u64  handle of a System.Threading.Lock; 0: none was needed
 *            8   u32  a thin lock, as in a header
 *            12  u32  bits 0-30 its index
 */
#include "io/runtime/runtime.h"
#include "model/heap/memory.h"

/* Decodes all fields except out->table. */
void clr_header_read(uint32_t word, struct content_header *out);

/* Finds all objects that are locked or have a sync block, by reading every header: some 20 ns an
 * object. Of a block with a Lock object only `monitor` is set, see io/clr/lock_objects.h. `rt` is
 * only read; false sets `err`. */
bool clr_locks_read(const struct clr_runtime *rt, const struct heap *h, struct heap_locks *out,
		    struct progress *progress, struct error *err) MUST_USE;
/* Finds the sync blocks of locks for which threads wait, and all with a Lock object, by reading the
 * table of all sync blocks. Sorted by index. */
bool clr_locks_read_awaited(const struct clr_runtime *rt, const struct heap *h,
			    struct heap_locks *out, struct progress *progress,
			    struct error *err) MUST_USE;

#endif
