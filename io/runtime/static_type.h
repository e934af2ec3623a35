#ifndef IO_RUNTIME_STATIC_TYPE_H
#define IO_RUNTIME_STATIC_TYPE_H

/*
 * The static variables of one loaded type, and where each of them is. Those
 * that are references, and boxes of structures, lie in arrays that handles
 * hold; numbers beside them. Offsets in field records (io/runtime/fields.h)
 * count from where either kind begins:
 *
 *   .NET 9, 10   below the type's auxiliary data: u64 start of its references
 *                at -24 and of its numbers at -16 (bit 0: not initialized), u64
 *                its method table at -8
 *   .NET 8       see io/runtime/statics_8.h
 *
 * Of threads (.NET 9, 10): u32 at -36 says where in what each thread has the
 * references are, u32 at -40 the numbers; the top byte how: 0 an element of its
 * array (from 2 on), 1 a handle, 2 an offset in the thread's data.
 *
 *   a thread's   i32 elements of both kinds at 0 and 4, array at 8, handles at
 *                16, the thread at 24; at 32 a chain of what was made
 *                while a class was being initialized: u64 next, u32 where it
 *                belongs at 8, u64 handle at 16
 *
 * A few small reads each.
 */
#include "io/runtime/fields.h"
#include "io/runtime/statics_8.h"

/* What a thread has; of .NET 8 it is looked for when somebody asks. */
struct clr_static_thread {
	uint64_t thread;
	uint64_t data, array, handles, others;
	uint32_t elements_count, handles_count;
};
/* False: it has none, or what stands there is not the thread's. */
bool clr_static_thread_read(const struct clr_names *names, uint64_t thread,
			    struct clr_static_thread *out) MUST_USE;

struct clr_static_type {
	uint64_t table;
	struct clr_fields fields; /* the instances' own, then static ones */
	struct clr_static_starts of_all;
	uint32_t reference_place, value_place; /* if has_places: of threads */
	bool has_places;
	bool has_storage; /* false: none of these that can be found */
	bool is_initialized, is_collectible;
	struct clr_statics_8 of_8; /* of .NET 8 */
};

/* False: no type of its kind has any, or it is absent. */
bool clr_static_type_open(const struct clr_names *names, uint64_t table,
			  struct clr_static_type *out) MUST_USE;
/* Of all threads, or of one; 0: it has none, or that cannot be said. */
uint64_t clr_static_address(const struct clr_static_type *type,
			    const struct clr_field_record *field);
/* Where a thread has both kinds of a type; some hundred reads at most. */
void clr_static_starts_of(const struct clr_names *names,
			  const struct clr_static_type *type,
			  const struct clr_static_thread *thread,
			  struct clr_static_starts *out);
uint64_t clr_static_address_from(const struct clr_static_starts *starts,
				 const struct clr_field_record *field);
uint64_t clr_static_address_of(const struct clr_names *names,
			       const struct clr_static_type *type,
			       const struct clr_static_thread *thread,
			       const struct clr_field_record *field);

/* Is an object there, its own or the box of a structure? */
static inline bool
clr_static_is_reference(const struct clr_field_record *field)
{
	return field->kind == CLR_FIELD_STRUCT ||
	       field->kind == CLR_FIELD_REFERENCE;
}

#endif
