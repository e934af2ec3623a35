#ifndef MODEL_ANALYSIS_TYPE_MATCH_H
#define MODEL_ANALYSIS_TYPE_MATCH_H

/*
 * Which types of several heaps are the same type, whatever the heaps were read
 * from. One is known by its raw name and its module:
 *
 *   1. the same name in a module of the same path;
 *   2. in a module of the same file name, where no heap has two of those: what
 *      is deployed elsewhere is still the same program;
 *   3. where a source names no module: the one type of that name that all the
 *      other heaps have. Of several nobody can say which it is, so it stays
 *      alone;
 *   4. a nested type of which one source tells the innermost name only, as the
 *      runtime's events do ("Entry<A,B>[]"), and another all of it
 *      ("Dictionary<A,B>+Entry[]"), where only one can be meant. See
 *      type_spelling.h.
 *
 * Suffixes for sizes are folded by heap_builder_type() before. Never by
 * address or by the number of a type. Sorts all types: n log n.
 */
#include "model/heap/heap.h"

#define MATCH_NONE UINT32_MAX

struct type_match {
	uint32_t heaps_count, rows_count;
	/* [row][heap]: TYPE_NONE where a heap has no objects of it. */
	type_id *types;
	/* rows[heap][type]: MATCH_NONE for types without objects. */
	uint32_t **rows;
	uint32_t guessed_count;   /* rows that rule 3 put together */
	uint32_t ambiguous_count; /* …and those that it could not */
	uint32_t spelled_count;   /* rows that rule 4 put together */
	struct arena arena;
};

/* Rows are in order of name, then module. */
bool type_match_init(struct type_match *m, const struct heap *const *heaps,
		     uint32_t heaps_count, struct error *err) MUST_USE;
void type_match_clear(struct type_match *m);
/* The type that stands for a row: that of the last heap that has it. */
const struct type *type_match_type(const struct type_match *m,
				   const struct heap *const *heaps,
				   uint32_t row, uint32_t *heap);

#endif
