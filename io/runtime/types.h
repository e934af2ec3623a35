#ifndef IO_RUNTIME_TYPES_H
#define IO_RUNTIME_TYPES_H

/*
 * The types of the objects of a heap, by their method tables: name, module,
 * flags, and where references are (io/runtime/refs.h).
 *
 * Objects of types that can be unloaded also keep alive what keeps their
 * assembly loaded, without a field that says so: method table → module →
 * loader allocator → a weak handle to the object of the class
 * System.Reflection.LoaderAllocator. Where the handle is no version says, but
 * the object refers back to its allocator, so it can be told from all others.
 *
 * Adding is for one thread; afterwards any number may find. Adding costs some
 * 10 µs a type, finding 5 ns.
 */
#include "model/base/u64_map.h"
#include "io/runtime/names.h"
#include "io/runtime/refs.h"
#include "model/heap/build.h"

struct clr_type {
	uint64_t method_table;
	uint64_t keeper; /* the object it keeps alive without a field; or 0 */
	uint32_t base_bytes, component_bytes;
	uint32_t flags; /* CLR_MT_… */
	type_id id;
	struct clr_refs refs;
};

/* What could not be found out; for sentences. */
struct clr_types_losses {
	uint32_t unnamed; /* types with a number for a name, at least in part */
	uint32_t cut;     /* whose name is too long */
	uint32_t damaged_refs; /* whose references nobody knows, */
	const char *damaged_name, *damaged_why; /* of the first such one */
	uint32_t keepers; /* collectible ones without their hidden reference */
};

struct clr_types;

/* All is borrowed. NULL sets `err`. */
struct clr_types *clr_types_new(const struct clr_layout *layout,
				struct memory_reader *r, struct heap_builder *b,
				struct error *err) MUST_USE;
/* NULL is allowed. */
void clr_types_free(struct clr_types *t);
/* Again, or for the first time. NULL: no memory. */
const struct clr_type *clr_types_add(struct clr_types *t, uint64_t method_table,
				     struct error *err) MUST_USE;
/* NULL: it was never added. */
const struct clr_type *clr_types_find(const struct clr_types *t,
				      uint64_t method_table);
const struct clr_types_losses *clr_types_losses(const struct clr_types *t);
/* For whoever wants names and metadata besides. */
const struct clr_names *clr_types_names(const struct clr_types *t);

/* The last ones found, of one thread: all zero at first. */
enum { CLR_TYPES_NEAR = 256 };
struct clr_types_near {
	const struct clr_type *slots[CLR_TYPES_NEAR];
};
static inline const struct clr_type *
clr_types_find_near(const struct clr_types *t, uint64_t method_table,
		    struct clr_types_near *near)
{
	const struct clr_type **slot =
	    &near->slots[(method_table >> 3 ^ method_table >> 11) %
			 CLR_TYPES_NEAR];

	if (!*slot || (*slot)->method_table != method_table)
		*slot = clr_types_find(t, method_table);
	return *slot;
}

#endif
