#ifndef IO_RUNTIME_STATICS_8_H
#define IO_RUNTIME_STATICS_8_H

/*
 * Storage of static variables in .NET 8: each module has one block for ordinary statics, and one
 * for each thread that has thread statics. Values are in the block itself; their offsets count from
 * its start.
 *
 *   ordinary     u64 8 table of dynamic types, u64 16 its capacity, u64 32
 * start of the references of all other types, from 48 on one byte for each type
 * definition, bit 0: initialized thread       a list of blocks, indexed by the
 * module's number: u64 0 table of dynamic types, u64 8 its capacity, u64 16
 * handle of an array table        u64 entry, u32 flags (bit 0: initialized),
 * u32: 16 bytes. An entry: u64 start of the references (of a thread: handle of an array), then
 * values, whose offsets count from its start
 *
 * Dynamic types are generic instances. Their number in the tables and their own field records
 * follow the method table and its slots: one slot for each 8 virtual methods, and one for each of
 * five flags except two. Collectible types have handles of another kind and are not supported.
 */
#include "io/runtime/names.h"

/* Where the variables of a type start; 0: nowhere. */
struct clr_static_starts {
	uint64_t references, values;
};

struct clr_statics_8 {
	uint64_t module;
	uint64_t fields; /* field records of a dynamic type, or 0 */
	struct clr_static_starts ordinary;
	uint32_t number; /* number of a dynamic type */
	bool is_dynamic, is_initialized;
};

/* False: the type has no static variables that can be found. */
bool clr_statics_8_find(const struct clr_names *names, uint64_t table, uint32_t flags,
			struct clr_statics_8 *out) MUST_USE;
/* The storage that a thread has for that type. */
void clr_statics_8_thread(const struct clr_names *names, uint64_t thread,
			  const struct clr_statics_8 *type, struct clr_static_starts *out);

#endif
