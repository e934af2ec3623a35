#ifndef TUI_TABLES_OBJECT_LIST_H
#define TUI_TABLES_OBJECT_LIST_H

/*
 * The rows of a view of objects: which these are, those that the filter lets
 * through, in order. 4 bytes an object, made by a job of the view: linear in
 * what is looked at, of a type or of all that is the heap.
 */
#include "tui/widget/view.h"
#include "model/heap/order.h"

enum object_list_kind {
	LIST_ALL,
	LIST_OF_TYPE,
	LIST_REFERRERS,
	LIST_REFERENCES,
	LIST_OF_THESE,
	LIST_OF_CALLS,    /* those of the target */
	LIST_OF_COMPARED, /* of the target, too */
};

struct object_list {
	enum object_list_kind what; /* of what the view's target says */
	node_id *these;             /* of LIST_OF_THESE; in the view's arena */
	uint32_t these_count;
	struct id_list list; /* the view's: id_list_free() */
};

/*
 * For rows(): begins the job, whose end replaces l->list and sets
 * v->rows_count; of one that is stopped or fails both stay. An order whose
 * column has not what it needs is by address. `l` lives as long as the view.
 */
bool object_list_make(struct view *v, struct object_list *l,
		      struct error *err) MUST_USE;

#endif
