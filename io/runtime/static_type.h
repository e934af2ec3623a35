#ifndef IO_RUNTIME_STATIC_TYPE_H
#define IO_RUNTIME_STATIC_TYPE_H

/*
 * The static variables of one loaded type, and their addresses. References, and boxes of structs,
 * lie in arrays that handles hold; primitive values lie elsewhere. The offsets in field records
 * (io/runtime/fields.h) count from the start of either kind:
 *
 *   .NET 9 on    before the type's auxiliary data: u64 start of its references
 *                at -24 and of its values at -16 (bit 0: not initialized), u64
 *                its method table at -8
 *   .NET 8       see io/runtime/statics_8.h
 *
 * For thread statics since .NET 9, u32 at -36 is the index of the
 * references, and u32 at -40 that of the values, in the data of each thread. The top byte is the
 * kind of index: 0 an element of the thread's array (from 2 on), 1 a handle, 2 an offset in the
 * thread's data.
 *
 *   thread data  i32 number of elements at 0 and of handles at 4, array at 8,
 *                handles at 16, the thread at 24; a list of storage made
 *                during class initialization (InFlightData): u64 next, u32
 *                index at 8, u64 handle at 16
 *
 * Costs a few small reads each.
 */
#include "io/runtime/fields.h"
#include "io/runtime/statics_8.h"

/* Where a thread has its statics; in .NET 8 only `thread` is set. */
struct clr_static_thread {
	uint64_t thread;
	uint64_t data, array, handles, others;
	uint32_t elements_count, handles_count;
};
/* False: the thread has no statics, or its data does not point back to it. */
bool clr_static_thread_read(const struct clr_names *names, uint64_t thread,
			    struct clr_static_thread *out) MUST_USE;

struct clr_static_type {
	uint64_t table;
	struct clr_fields fields; /* instance fields, then static ones */
	struct clr_static_starts ordinary;
	uint32_t reference_place, value_place; /* if has_places: thread statics */
	bool has_places;
	bool has_storage; /* false: no statics, or not found */
	bool is_initialized, is_collectible;
	struct clr_statics_8 net8; /* .NET 8 only */
};

/* False: the type cannot have static variables, or it is absent. */
bool clr_static_type_open(const struct clr_names *names, uint64_t table,
			  struct clr_static_type *out) MUST_USE;
/* Where a thread has the variables of a type; at most some hundred reads. */
void clr_static_thread_starts(const struct clr_names *names, const struct clr_static_type *type,
			      const struct clr_static_thread *thread,
			      struct clr_static_starts *out);
/* The address of a variable; 0: none, or unknown. */
uint64_t clr_static_address(const struct clr_static_starts *starts,
			    const struct clr_field_record *field);

/* True if an object is there: the variable's own or a boxed struct. */
static inline bool
clr_static_is_reference(const struct clr_field_record *field)
{
	return field->kind == CLR_FIELD_STRUCT || field->kind == CLR_FIELD_REFERENCE;
}

#endif
