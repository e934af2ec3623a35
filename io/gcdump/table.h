#ifndef IO_GCDUMP_TABLE_H
#define IO_GCDUMP_TABLE_H

/*
 * The type table of a .gcdump to be written. As in dotnet-gcdump, objects up to 1,000 bytes have
 * one type and larger ones others, "Foo (Bytes > 1K)", each with the size of its first object.
 */
#include "io/gcdump/serializer.h"
#include "model/heap/heap.h"
#include "model/base/progress.h"

struct gcdump_row {
	type_id id;         /* TYPE_NONE: UNDEFINED */
	int32_t size;       /* of objects whose record has none */
	int32_t high;       /* the largest size of its objects */
	const char *suffix; /* of the name: " (Bytes > 1K)" */
};

struct gcdump_table {
	const struct heap *heap;
	struct gcdump_row *types; /* the first is UNDEFINED */
	uint32_t types_count;
	uint32_t *starts; /* by type of the heap: its first type */
};

/* `largest`: the size of the largest object allowed. */
bool gcdump_table_init(struct gcdump_table *t, const struct heap *h, uint64_t largest,
		       struct progress *progress, struct error *err) MUST_USE;
void gcdump_table_clear(struct gcdump_table *t);
/* Writes name, size and module of each type. */
void gcdump_table_put(const struct gcdump_table *t, struct serializer *s);
/* The two parts of a type's name, and its module or "". */
const char *gcdump_table_name(const struct gcdump_table *t, uint32_t type, const char **suffix,
			      const char **module);

static inline uint32_t
gcdump_table_of(const struct gcdump_table *t, node_id n, int32_t size)
{
	uint32_t row = t->starts[heap_type_of(t->heap, n)];

	while (size > t->types[row].high)
		row++;
	return row;
}

#endif
