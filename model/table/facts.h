#ifndef MODEL_TABLE_FACTS_H
#define MODEL_TABLE_FACTS_H

/*
 * The facts about one heap that cells of tables read: the heap and the results computed so far.
 * Everything is borrowed; a pointer is NULL until its computation has ended.
 */
#include "model/heap/heap.h"
#include "model/table/value.h"

struct retention;
struct reach;
struct reverse;
struct root_index;
struct samples;

/* Data that tables and columns need before they show anything. */
enum need {
	NEED_TYPES = 1 << 0,     /* the type table, complete */
	NEED_OBJECTS = 1 << 1,   /* the whole heap */
	NEED_REVERSE = 1 << 2,   /* the referrers of each object */
	NEED_REACH = 1 << 3,     /* distances and cheapest paths to the roots */
	NEED_SNAPSHOTS = 1 << 4, /* the other open heaps */
	NEED_RETAINED = 1 << 5,  /* dominators and retained sizes */
	/* Retained sizes by type: facts_type_retained(). A file may have only these. NEED_RETAINED
	   brings them along. */
	NEED_TYPE_RETAINED = 1 << 6,
	/* Threads, their stacks and modules, which a dump without a heap has, too. */
	NEED_PROCESS = 1 << 7,
};

struct facts {
	const struct heap *heap; /* NULL while it is loading */
	/* The heap's types, or those counted so far. */
	const struct type *types;
	uint32_t types_count;
	const struct reverse *reverse;
	const struct reach *reach;
	const struct root_index *roots;
	const struct retention *retention;
	/* Memory of the process in the capture before this; NULL: none. */
	const struct resident *earlier;
	/* The facts of an earlier heap that findings are compared with; NULL: none. */
	const struct facts *before;
	uint32_t results_version; /* changes with `reach` and `retention` */
	unsigned has;             /* enum need: data that is available */
	bool shows_short_names;   /* show type names without namespaces */
	/* These names by type, or NULL: every type's short_name. */
	const char *const *shown_names;
	/* Bits by object: new since, or gone in the heap that this one was compared with
	   (model/analysis/survival.h). NULL: not compared. */
	const uint64_t *is_new, *is_gone;
	/* Samples of allocations (model/table/samples.h). NULL: none. */
	const struct samples *samples;
	/* Tables count only what the application's objects hold (model/graph/mine.h). */
	bool shows_mine;
	const char *my_modules; /* patterns of model/heap/my_code.h, or NULL */
};

/* Returns the name of a type in its current display form. */
const char *facts_type_name(const struct facts *f, type_id type);
/* Returns what single objects of the type retain, in bytes, each byte once. Only with
   NEED_TYPE_RETAINED. */
uint64_t facts_type_retained(const struct facts *f, type_id type);
/* Fills a cell with that name, and the raw name for searching. */
void facts_type_cell(const struct facts *f, type_id type, struct value *out);

#endif
