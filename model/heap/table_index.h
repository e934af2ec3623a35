#ifndef MODEL_HEAP_TABLE_INDEX_H
#define MODEL_HEAP_TABLE_INDEX_H

/*
 * Which of heap->memory->tables an object has: two load contexts, or two
 * versions of an assembly, have types of one name whose fields lie elsewhere.
 * Made in one pass over the tables; 4 bytes a type. Most types have one table,
 * and their objects are not read for it.
 */
#include "model/heap/contents.h"

#define TABLE_NONE UINT32_MAX

struct table_index {
	const struct heap *heap;
	uint32_t *firsts; /* of each type its first table, then of all */
};

bool table_index_init(struct table_index *t, const struct heap *h,
		      struct error *err) MUST_USE;
void table_index_clear(struct table_index *t);
/* The number of a method table of that type; TABLE_NONE: it has no such. */
uint32_t table_index_find(const struct table_index *t, type_id type,
			  uint64_t address);
/* The same of an object; TABLE_NONE as well: it is absent. */
uint32_t table_index_of(const struct table_index *t, node_id n);

#endif
