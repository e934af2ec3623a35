#ifndef MODEL_SQL_MADE_H
#define MODEL_SQL_MADE_H

/* Rows and indexes that are made once for a query, and kept until its end. */
#include "model/graph/reverse.h"
#include "model/sql/connection.h"

/* The types of a heap, sorted by name or by the name that the source has (struct type, `raw`); of
   one name by number. */
struct sql_names {
	const struct heap *heap;
	type_id *types, *raw;
	uint32_t *ranks; /* of each type in `types` */
};
const struct sql_names *sql_names(struct sql *s, uint32_t heap, struct error *err) MUST_USE;
/* Finds the types with this name: ranks from `first` to before `end`. */
void sql_types_named(const struct sql_names *names, const char *name, uint32_t *first,
		     uint32_t *end);
/* Returns the first type with this name in either spelling, or TYPE_NONE. */
type_id sql_type_spelled(const struct sql_names *names, const char *name);

/* The objects of a heap by type: a counting sort, about 10 ns an object. */
struct sql_by_type {
	const struct sql_names *names;
	/* `starts[rank]` is the index in `ids` of the first object of a
	   type. */
	uint32_t *starts;
	node_id *ids;
};
const struct sql_by_type *sql_by_type(struct sql *s, uint32_t heap, struct error *err) MUST_USE;

/* Returns the rows that a table makes of a heap. */
const void *sql_made_rows(struct sql *s, const struct table *t, uint32_t heap,
			  struct error *err) MUST_USE;
/* The same with an argument, as typed after the command of the table's view: made anew, and freed
   by sql_rows_free(). */
void *sql_make_rows(struct sql *s, const struct table *t, uint32_t heap, const char *argument,
		    struct error *err) MUST_USE;
void sql_rows_free(const struct table *t, void *rows); /* NULL is allowed */
/* Returns the referrers of all objects of a heap. */
const struct reverse *sql_reverse(struct sql *s, uint32_t heap, struct error *err) MUST_USE;
void sql_made_free(struct sql *s);

#endif
