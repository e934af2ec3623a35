#ifndef IO_RUNTIME_REFS_H
#define IO_RUNTIME_REFS_H

/*
 * Where the references of an object are. The runtime stores that before each method table, growing
 * downwards (GCDesc); it is decoded once per type.
 *
 *   mt - 8    i64  n > 0: number of series, each 16 bytes below the other:
 *   mt - 24   i64  bytes of references, less the size of the object
 *   mt - 16   u64  offset of the first reference
 *
 *             n < 0: an array of structs; -n runs lead from the first reference
 *             of an element to that of the next:
 *   mt - 16   u64  offset of the first element's first reference
 *   mt - 24   u32  number of references, u32 bytes to skip after them; the next
 *             run is 8 bytes below
 *
 * Whatever the memory holds, decoded references lie inside the object and do not overlap, so an
 * object never has more of them than it has room for.
 */
#include "io/memory/memory.h"
#include "model/base/arena.h"

struct clr_run {
	uint32_t offset, count; /* in bytes; in references */
};

enum clr_refs_kind {
	CLR_REFS_NONE,
	CLR_REFS_FIXED,    /* runs, at offsets in the object */
	CLR_REFS_ARRAY,    /* every word from `start` to the end */
	CLR_REFS_ELEMENTS, /* runs, at offsets in each element */
};

struct clr_refs {
	enum clr_refs_kind kind;
	uint32_t runs_count;
	uint32_t data;   /* of arrays: offset of the first element */
	uint32_t start;  /* and of its first reference */
	uint32_t stride; /* CLR_REFS_ELEMENTS: bytes of an element */
	const struct clr_run *runs;
};

/* The method table's sizes; component_bytes 0: not an array. */
struct clr_shape {
	uint64_t method_table;
	uint32_t base_bytes, component_bytes;
};

/* Decodes the references of a type that has some, into `a`. False: the data is damaged (`why`), or
 * `err` is set: no memory. */
bool clr_refs_decode(struct clr_refs *out, struct memory_reader *r, const struct clr_shape *shape,
		     struct arena *a, const char **why, struct error *err) MUST_USE;

/* An iterator over the runs of one object. */
struct clr_refs_walk {
	const struct clr_refs *refs;
	uint64_t at, elements_left, end;
	uint32_t run;
};
/* `object_bytes` is the object's full size, including its length. */
void clr_refs_begin(struct clr_refs_walk *w, const struct clr_refs *refs, uint64_t object_bytes);
/* `*count` references at offset `*offset` in the object. False: no more. */
bool clr_refs_next(struct clr_refs_walk *w, uint64_t *offset, uint64_t *count);

#endif
