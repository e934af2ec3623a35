#ifndef IO_RUNTIME_REFS_H
#define IO_RUNTIME_REFS_H

/*
 * Where in an object its references are. The runtime keeps that below each
 * method table, growing downwards (its "GCDesc"); it is decoded once a type.
 *
 *   mt - 8    i64  n > 0: so many series, each 16 bytes below the other:
 *   mt - 24   i64  bytes of references, less the size of the object
 *   mt - 16   u64  where in the object they begin
 *
 *             n < 0: an array of structures, -n runs from one element's first
 *             reference to the next one's:
 *   mt - 16   u64  where in the object the first of all begins
 *   mt - 24   u32  so many references, u32 so many bytes to skip behind them;
 *             then 8 bytes below it the next run
 *
 * What comes out is inside the object and nothing of it twice, whatever the
 * memory says: an object never has more references than it has room for.
 */
#include "io/memory/memory.h"
#include "model/base/arena.h"

struct clr_run {
	uint32_t offset, count; /* bytes; references */
};

enum clr_refs_kind {
	CLR_REFS_NONE,
	CLR_REFS_FIXED,    /* runs, from the start of the object */
	CLR_REFS_ARRAY,    /* all from `start` to the end */
	CLR_REFS_ELEMENTS, /* runs, from the first one of each element */
};

struct clr_refs {
	enum clr_refs_kind kind;
	uint32_t runs_count;
	uint32_t data;   /* of arrays: where the first element is, */
	uint32_t start;  /* and where its first reference */
	uint32_t stride; /* CLR_REFS_ELEMENTS: bytes of one */
	const struct clr_run *runs;
};

/* Sizes as the method table has them; a component of 0 bytes: no array. */
struct clr_shape {
	uint64_t method_table;
	uint32_t base_bytes, component_bytes;
};

/*
 * Of a type with references. False: what stands there cannot be (`why` says in
 * what way), or there is no memory (then `err` is set). `out` is in `a`.
 */
bool clr_refs_decode(struct clr_refs *out, struct memory_reader *r,
		     const struct clr_shape *shape, struct arena *a,
		     const char **why, struct error *err) MUST_USE;

/* The runs of one object, one after another. */
struct clr_refs_walk {
	const struct clr_refs *refs;
	uint64_t at, elements_left, end;
	uint32_t run;
};
/* `object_bytes`: all of its size, as its type and length say. */
void clr_refs_begin(struct clr_refs_walk *w, const struct clr_refs *refs,
		    uint64_t object_bytes);
/* `*count` references at `*offset` bytes into the object. False: no more. */
bool clr_refs_next(struct clr_refs_walk *w, uint64_t *offset, uint64_t *count);

#endif
