#ifndef IO_GCDUMP_TABLE_H
#define IO_GCDUMP_TABLE_H

/*
 * The type table of a .gcdump to be written, and which of its types an object
 * has. That of the file the heap was read from, if there is an origin; else
 * made as dotnet-gcdump does: a type for its objects up to 1,000 bytes, others
 * for larger ones, each with the size of its first object.
 */
#include "io/gcdump/origin.h"
#include "io/gcdump/serializer.h"

struct gcdump_table {
	const struct heap *heap;
	const struct gcdump_origin *origin; /* NULL: made */
	const struct gcdump_type *types;    /* the first is UNDEFINED */
	uint32_t types_count;
	struct gcdump_type *made;
	/* Types by the heap's: those of t are rows[starts[t]] and so on. */
	uint32_t *starts, *rows;
};

/* `largest`: the largest object there may be. */
bool gcdump_table_init(struct gcdump_table *t, const struct heap *h,
		       const struct gcdump_origin *origin, uint64_t largest,
		       struct progress *progress, struct error *err) MUST_USE;
void gcdump_table_clear(struct gcdump_table *t);
/* Of a made table: name, size, module of each. */
void gcdump_table_put(const struct gcdump_table *t, struct serializer *s);
/* The name's two parts; its module, or "". Of a made table. */
const char *gcdump_table_name(const struct gcdump_table *t, uint32_t type,
			      const char **suffix, const char **module);

uint32_t gcdump_table_odd(const struct gcdump_table *t, node_id n,
			  uint32_t otherwise);

static inline uint32_t
gcdump_table_of(const struct gcdump_table *t, node_id n, int32_t size)
{
	const uint32_t *row = &t->rows[t->starts[heap_type_of(t->heap, n)]];

	while (size > t->types[*row].high)
		row++;
	return t->origin && t->origin->odd_count ? gcdump_table_odd(t, n, *row)
						 : *row;
}

#endif
