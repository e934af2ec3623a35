#ifndef MODEL_TABLES_TYPE_TABLE_H
#define MODEL_TABLES_TYPE_TABLE_H

/*
 * The table of types: of the heap, of one group of it, or as the application's objects hold them
 * (struct subject). The rows are records of numbers, so that a column is a field of the record and
 * has the right value in all three.
 */
#include "model/analysis/groups.h"
#include "model/table/table.h"

struct types_row {
	type_id type; /* TYPE_NONE: the framework's objects that none of the application holds */
	uint64_t count, bytes, max_bytes;
	uint64_t own_bytes; /* without what the objects hold */
	uint64_t average;
	uint64_t whole; /* bytes of all rows */
	/* Heaps from memory, if knows_dead: */
	uint64_t live_bytes, dead_bytes, dead_count;
};

struct types_made {
	struct types_row *rows;
	uint32_t rows_count;
	bool is_of_group;
	bool has_whole_types; /* see types_are_whole() */
	bool knows_dead;
	bool has_mine; /* the rows are those of `mine`, or the sums of my types in the group */
	struct mine mine;
};

/* Returns false if a group splits types between groups; then only objects and bytes are known. */
bool types_are_whole(const struct group_id *group);

#endif
