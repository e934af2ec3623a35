#ifndef IO_RUNTIME_STATICS_8_H
#define IO_RUNTIME_STATICS_8_H

/*
 * Where .NET 8 keeps static variables: in blocks of each module, one for all
 * threads, and one for each thread that has any. Numbers are in the block
 * itself: their offsets count from its start.
 *
 *   of all       u64 8 table of dynamic types, u64 16 how many it has room for,
 *                u64 32 start of the references of all other types, from 48 on
 *                a byte for each definition, bit 0: initialized
 *   of a thread  a list of blocks, by the module's number: u64 0 table of
 *                dynamic types, u64 8 how many, u64 16 handle of an array
 *   a table      u64 entry, u32 flags (bit 0: initialized), u32: 16 bytes; an
 *                entry: u64 start of the references, of a thread the handle of
 *                an array, then numbers, whose offsets count from its start
 *
 * Dynamic types are instances of generic ones, with a number, and field records
 * of their own. Both stand behind their method table and its slots; there is
 * one slot for each 8 virtual methods, and for each of five flags but the
 * first two. Types that can be unloaded have handles of another kind: they are
 * left out.
 */
#include "io/runtime/names.h"

/* Where a type's variables begin; 0: nowhere. */
struct clr_static_starts {
	uint64_t references, values;
};

struct clr_statics_8 {
	uint64_t module;
	uint64_t fields; /* of a dynamic type: its records; or 0 */
	struct clr_static_starts of_all;
	uint32_t number; /* of a dynamic type */
	bool is_dynamic, is_initialized;
};

/* False: it has none that can be found. */
bool clr_statics_8_find(const struct clr_names *names, uint64_t table,
			uint32_t flags, struct clr_statics_8 *out) MUST_USE;
/* Where a thread has those of that type. */
void clr_statics_8_of_thread(const struct clr_names *names, uint64_t thread,
			     const struct clr_statics_8 *type,
			     struct clr_static_starts *out);

#endif
