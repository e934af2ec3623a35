#ifndef IO_RUNTIME_HANDLES_H
#define IO_RUNTIME_HANDLES_H

/*
 * Reads the GC handles of a runtime: slots outside of the heap that refer to an object, strongly or
 * weakly. Their layout is the same in .NET 8 to 11
 * except for T, the number of handle types:
 *
 *   map        u64 buckets at 0 (10 of them), u64 next map at 8
 *   bucket     u64 array of tables at 0: one for each processor with server GC,
 *              else one
 *   table      T times u32, then, aligned to 8, u64 first segment
 *   segment    64 KiB, aligned: 4 KiB of header, then 120 blocks of 64 slots
 *     1560          u8 a block: its handle type
 *     1680          u8 a block: the block of its secondary objects, or 255
 *     1920 + 6 T    u64 next segment
 *     1928 + 6 T    u64 the segment's table, which gives T and validates it
 *     1936 + 6 T    u8 × 6; the fourth is the number of blocks
 *
 * Costs 32 bytes a handle, and reads each segment once.
 */
#include "io/runtime/heaps.h"
#include "model/base/progress.h"
#include "model/heap/memory.h"

/* True for kinds that keep nothing alive; dependent handles are not weak. */
bool clr_handle_is_weak(enum heap_handle_kind kind);

struct clr_handle {
	uint64_t address, object;
	uint64_t second; /* target of a dependent handle; else 0 */
	uint8_t kind;    /* enum heap_handle_kind */
};

struct clr_handles {
	struct clr_handle *items; /* by address, unique */
	size_t count, room;
	uint32_t tables_count;
	uint32_t kinds_count;   /* T; 0: no table was found */
	uint32_t missing_count; /* absent tables, segments and blocks */
};

/*
 * Reads all handles that refer to an object. `map` is the address of the first map. Absent and
 * repeated parts are skipped and counted; false sets `err`: no memory, or cancelled. `progress` may
 * be NULL.
 */
bool clr_handles_read(struct clr_handles *out, struct memory_reader *r, uint64_t map,
		      bool is_server, struct progress *progress, struct error *err) MUST_USE;
/* Finds the first map and reads all handles; an absent map counts as missing.
 */
bool clr_handles_read_all(struct clr_handles *out, const struct clr_heaps *heaps,
			  struct progress *progress, struct error *err) MUST_USE;
void clr_handles_clear(struct clr_handles *handles);
/* The handle at this address, or NULL. */
const struct clr_handle *clr_handles_find(const struct clr_handles *handles, uint64_t address);

#endif
