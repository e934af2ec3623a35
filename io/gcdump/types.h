#ifndef IO_GCDUMP_TYPES_H
#define IO_GCDUMP_TYPES_H

/*
 * The type table of a .gcdump, with the types of native programs whose names are left to a symbol
 * file ("deferred"; their name in the table is null):
 *
 *   i32  forward reference: end of this region
 *   i32  n, then n times, for type 0, 1, …:
 *          i32 type id, object Graphs.Module, string suffix
 *   06
 *
 * Graphs.Module: string path, u64 base, SIZE, i64 build time, string pdb, 16 bytes, i32. SIZE has 8
 * or 4 bytes, which only the following fields reveal.
 */
#include "io/gcdump/graph.h"

struct gcdump_types {
	struct arena *scratch; /* for the two arrays and all strings */
	size_t at;             /* offset of the table's entries */
	uint32_t types_count;
	struct gcdump_type *types;
	struct deferred *deferred;
	uint32_t deferred_count;
};

/* Finds the end of the table. */
void gcdump_types_skip(struct gcdump_types *t, struct serialization *s);
/* Skips the deferred types. */
bool gcdump_deferred_skip(struct serialization *s);
/*
 * Reads the table and the deferred types at `deferred_at` (0: none) into the builder. Does not move
 * `s`.
 */
bool gcdump_types_read(struct gcdump_types *t, const struct serialization *s, size_t deferred_at,
		       struct heap_builder *b, struct progress *progress,
		       struct error *err) MUST_USE;

#endif
