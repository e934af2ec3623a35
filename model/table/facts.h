#ifndef MODEL_TABLE_FACTS_H
#define MODEL_TABLE_FACTS_H

/*
 * What is known of one heap, for the cells of tables: the heap itself and what
 * has been computed about it so far. Everything is borrowed; a pointer is NULL
 * until its computation has ended.
 */
#include "model/heap/heap.h"
#include "model/table/value.h"

struct retention;
struct reach;
struct reverse;
struct root_index;

/* Tables and columns name what must be there before they show anything. */
enum need {
	NEED_TYPES = 1 << 0,     /* the type table, complete */
	NEED_OBJECTS = 1 << 1,   /* the whole heap */
	NEED_REVERSE = 1 << 2,   /* who refers to whom */
	NEED_REACH = 1 << 3,     /* distances and ways to the roots */
	NEED_SNAPSHOTS = 1 << 4, /* the other heaps that are open, too */
	NEED_RETAINED = 1 << 5,  /* dominators and retained sizes */
};

struct facts {
	const struct heap *heap; /* NULL while it is loaded */
	/* The heap's types, or as many as were counted so far. */
	const struct type *types;
	uint32_t types_count;
	const struct reverse *reverse;
	const struct reach *reach;
	const struct root_index *roots;
	const struct retention *retention;
	uint32_t results_version; /* changes with `reach` and `retention` */
	unsigned has;             /* enum need: what is there */
	bool shows_short_names;   /* names of types without their namespaces */
};

/* The name of a type as it is shown now. */
const char *facts_type_name(const struct facts *f, type_id type);
/* The same as a cell, with the raw name for searching. */
void facts_type_cell(const struct facts *f, type_id type, struct value *out);

#endif
