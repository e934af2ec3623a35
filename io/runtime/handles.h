#ifndef IO_RUNTIME_HANDLES_H
#define IO_RUNTIME_HANDLES_H

/*
 * The handles of a runtime: slots outside of the heap that hold an object, or
 * only see it. The same on .NET 8, 9 and 10, but for T, the number of kinds:
 *
 *   map        buckets u64 at 0 (10 of them), next map u64 at 8
 *   bucket     array of tables u64 at 0: one for each processor with the
 *              server collector, else one
 *   table      u32 a kind, T of them; list of segments behind that, on 8 bytes
 *   segment    64 KiB on a multiple of that: 4 KiB of header, then 120 blocks
 *              of 64 slots
 *     1560          u8 a block: the kind of its handles
 *     1680          u8 a block: which block has their second objects, or 255
 *     1920 + 6 T    u64 next segment
 *     1928 + 6 T    u64 the table it belongs to: so T is found, and so is
 *                   what is none
 *     1936 + 6 T    u8 × 6; the fourth: how many blocks there are
 *
 * Costs 32 bytes a handle, and reads each segment once.
 */
#include "io/memory/memory.h"
#include "model/base/progress.h"
#include "model/heap/memory.h"

/* Sees its object and does not keep it. A dependent one is not among them. */
bool clr_handle_is_weak(enum heap_handle_kind kind);

struct clr_handle {
	uint64_t address, object;
	uint64_t second; /* dependent: what the object keeps; else 0 */
	uint8_t kind;    /* enum heap_handle_kind */
};

struct clr_handles {
	struct clr_handle *items; /* by address, each once */
	size_t count, room;
	uint32_t tables_count;
	uint32_t kinds_count;   /* T; 0: no table was found */
	uint32_t missing_count; /* tables, segments, blocks not in memory */
};

/*
 * All that hold or see an object. `map` is the address of the first map. What
 * is not there, or comes again, is counted and left out; false only without
 * memory for them, or if cancelled. `progress` may be NULL.
 */
bool clr_handles_read(struct clr_handles *out, struct memory_reader *r,
		      uint64_t map, bool is_server, struct progress *progress,
		      struct error *err) MUST_USE;
void clr_handles_clear(struct clr_handles *handles);
/* The handle at exactly that address, or NULL. */
const struct clr_handle *clr_handles_find(const struct clr_handles *handles,
					  uint64_t address);

#endif
