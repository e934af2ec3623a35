#ifndef IO_RUNTIME_TYPES_H
#define IO_RUNTIME_TYPES_H

/*
 * The types of a heap's objects, by method table: name, module, flags, and the layout of references
 * (io/runtime/refs.h).
 *
 * An object of a collectible type keeps its assembly loaded through a reference that is not a
 * field: method table → module → loader allocator → weak handle to a
 * System.Reflection.LoaderAllocator object. No version documents the handle's place, but the object
 * refers back to its allocator, which identifies it.
 *
 * One thread adds types; afterwards any number of threads may look them up. Adding costs some 10 µs
 * a type, a look-up 5 ns.
 */
#include "model/base/u64_map.h"
#include "io/runtime/names.h"
#include "io/runtime/refs.h"
#include "model/heap/build.h"

struct clr_type {
	uint64_t method_table;
	uint64_t loader_allocator; /* its LoaderAllocator object, or 0 */
	uint32_t base_bytes, component_bytes;
	uint32_t flags; /* CLR_MT_… */
	type_id id;
	bool is_continuation; /* objects have types by their methods: see clr_types_add_call() */
	struct clr_refs refs;
};

/* Data that could not be found, for messages. */
struct clr_types_losses {
	uint32_t unnamed;                       /* types named by a number, at least in part */
	uint32_t nameless_calls;                /* places where suspended calls of unknown
						   methods wait */
	uint32_t cut;                           /* types whose name was cut */
	uint32_t damaged_refs;                  /* types with unknown references, */
	const char *damaged_name, *damaged_why; /* and the first of them */
	uint32_t loader_allocators;             /* collectible types without a loader_allocator */
};

struct clr_types;

/* `layout`, `r` and `b` are borrowed. NULL sets `err`. */
struct clr_types *clr_types_new(const struct clr_layout *layout, struct memory_reader *r,
				struct heap_builder *b, struct error *err) MUST_USE;
/* The types are those of a Native AOT program: call before adding any. */
struct clr_native;
void clr_types_set_native(struct clr_types *t, const struct clr_native *n);
/* The runtime in which methods of suspended calls are found; borrowed. Without it they are
 * unknown. */
struct clr_runtime;
void clr_types_set_runtime(struct clr_types *t, const struct clr_runtime *rt);
/* Accepts NULL. */
void clr_types_free(struct clr_types *t);
/* Finds or adds a type. NULL sets `err`: no memory. */
const struct clr_type *clr_types_add(struct clr_types *t, uint64_t method_table,
				     struct error *err) MUST_USE;
/* NULL: the type was never added. */
const struct clr_type *clr_types_find(const struct clr_types *t, uint64_t method_table);
/* The same for a suspended call (io/runtime/continuations.h), by its ResumeInfo: its type in the
 * heap is that of its method. With a ResumeInfo of 0, or one whose method is unknown, it is the
 * type of the method table. */
const struct clr_type *clr_types_add_call(struct clr_types *t, uint64_t method_table,
					  uint64_t resume_info, struct error *err) MUST_USE;
const struct clr_type *clr_types_find_call(const struct clr_types *t, uint64_t method_table,
					   uint64_t resume_info);
const struct clr_types_losses *clr_types_losses(const struct clr_types *t);
/* The names and modules of the types; borrowed. */
const struct clr_names *clr_types_names(const struct clr_types *t);

/* A cache of the last types that one thread found; starts as all zero. */
enum { CLR_TYPES_NEAR = 256 };
struct clr_types_near {
	const struct clr_type *slots[CLR_TYPES_NEAR];
};
static inline const struct clr_type *
clr_types_find_near(const struct clr_types *t, uint64_t method_table, struct clr_types_near *near)
{
	const struct clr_type **slot =
	    &near->slots[(method_table >> 3 ^ method_table >> 11) % CLR_TYPES_NEAR];

	if (!*slot || (*slot)->method_table != method_table)
		*slot = clr_types_find(t, method_table);
	return *slot;
}

#endif
