#ifndef MODEL_HEAP_TABLE_INDEX_H
#define MODEL_HEAP_TABLE_INDEX_H

/*
 * Finds the method table of an object in heap->memory->tables. A type may have several: in two load
 * contexts or versions of an assembly, types of one name may have different layouts. Made in one
 * pass over the tables; 4 bytes a type. Most types have one table, so that their objects need not
 * be read.
 */
#include "model/heap/contents.h"

#define TABLE_NONE UINT32_MAX

struct table_index {
	const struct heap *heap;
	uint32_t *firsts; /* first table of each type, then their count */
};

bool table_index_init(struct table_index *t, const struct heap *h, struct error *err) MUST_USE;
void table_index_clear(struct table_index *t);
/* Returns the index of a method table of that type, or TABLE_NONE. */
uint32_t table_index_find(const struct table_index *t, type_id type, uint64_t address);
/* Returns the index of an object's method table; TABLE_NONE also if it is absent. */
uint32_t table_index_of(const struct table_index *t, node_id n);

#endif
