#ifndef MODEL_ANALYSIS_TYPE_MATCH_H
#define MODEL_ANALYSIS_TYPE_MATCH_H

/*
 * Matches the types of several heaps, which may come from different sources. Types are compared by
 * raw name and module, never by address or type id:
 *
 *   1. The same name in a module with the same path.
 *   2. The same name in a module with the same file name, if no heap has two of
 *      them: a program deployed elsewhere is still the same program.
 *   3. The same name, if a source names no module and all other heaps have one
 *      and the same type of that name. Otherwise the type gets its own row.
 *   4. A nested type of which one source gives only the innermost name, as
 *      runtime events do ("Entry<A,B>[]"), and another the full name
 *      ("Dictionary<A,B>+Entry[]"), if it is unambiguous (type_spelling.h).
 *
 * heap_builder_type() has removed suffixes for sizes. Sorts all types: n log n.
 */
#include "model/heap/heap.h"

#define MATCH_NONE UINT32_MAX

struct type_match {
	uint32_t heaps_count, rows_count;
	/* [row][heap]: TYPE_NONE if the heap has no objects of it. */
	type_id *types;
	/* rows[heap][type]: MATCH_NONE for types without objects. */
	uint32_t **rows;
	uint32_t guessed_count;   /* rows joined by rule 3 */
	uint32_t ambiguous_count; /* names that rule 3 could not resolve */
	uint32_t spelled_count;   /* rows joined by rule 4 */
	struct arena arena;
};

/* Rows are sorted by name, then module. */
bool type_match_init(struct type_match *m, const struct heap *const *heaps, uint32_t heaps_count,
		     struct error *err) MUST_USE;
void type_match_clear(struct type_match *m);
/* Returns the type of the last heap that has the row. `heap` may be NULL. */
const struct type *type_match_type(const struct type_match *m, const struct heap *const *heaps,
				   uint32_t row, uint32_t *heap);

#endif
