#ifndef IO_RUNTIME_LOADED_H
#define IO_RUNTIME_LOADED_H

/*
 * All modules that a runtime has loaded, and their types, also those without an
 * object: what has
 * static variables mostly has none. From the list of assemblies to modules,
 * and in each from two tables to method tables:
 *
 *   assemblies   u32 count at 0, first block at 8; a block: u64 next at 0,
 *                u32 how many at 8, pointers from 16 on. Each leads to a
 *                module: .NET 8 at 24, later through a pointer at 0, at 16
 *   definitions  a map: u64 next at 0, u64 entries at 8, u32 how many at 16,
 *                u64 at 24: bits of an entry that are no part of the pointer
 *   instances    a hash table: u64 buckets at 16; word 0 is their number,
 *                they begin at word 3; a bucket is a chain of u64 type, u64
 *                next, which ends where bit 0 of next is set
 *
 * Costs a few reads a type: some 10 ms for a program of ordinary size.
 */
#include "io/runtime/runtime.h"
#include "model/base/progress.h"

struct clr_loaded {
	uint64_t *tables; /* method tables, by address, each once */
	size_t count, room;
	uint64_t *modules; /* records of modules, in the order of loading */
	size_t modules_count, modules_room;
	/* Tables and chains that end too early, or lead back. */
	uint32_t missing_count;
};

/*
 * What is absent is counted and left out; false only without memory, or if
 * cancelled. `progress` may be NULL.
 */
bool clr_loaded_read(struct clr_loaded *out, const struct clr_runtime *rt,
		     struct progress *progress, struct error *err) MUST_USE;
void clr_loaded_clear(struct clr_loaded *loaded);

#endif
