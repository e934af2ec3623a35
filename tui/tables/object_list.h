#ifndef TUI_TABLES_OBJECT_LIST_H
#define TUI_TABLES_OBJECT_LIST_H

/*
 * The sorted and filtered rows of a view of objects. 4 bytes an object, made by a job of the view,
 * in time linear in the objects considered: those of a type or the whole heap.
 */
#include "tui/widget/view.h"
#include "model/heap/order.h"

enum object_list_kind {
	LIST_ALL,
	LIST_OF_TYPE,
	LIST_REFERRERS,
	LIST_REFERENCES,
	LIST_OF_THESE,
	LIST_OF_CALLS,    /* see target.calls */
	LIST_OF_COMPARED, /* see target.compared */
	LIST_OF_HELD,     /* see target.held; then LIST_OF_THESE */
};

struct object_list {
	enum object_list_kind what; /* how the view's target selects objects */
	node_id *these;             /* for LIST_OF_THESE; in the view's arena */
	uint32_t these_count;
	struct id_list list; /* owned by the view: id_list_free() */
	/* Different objects in it, and their bytes: references may repeat. */
	uint32_t objects_count;
	uint64_t objects_bytes;
};

/*
 * Starts the job that replaces l->list and sets v->rows_count, for rows(); if it is stopped or
 * fails, both stay. If the sort column's needs are not met, the order is by address. `l` must live
 * as long as the view.
 */
bool object_list_make(struct view *v, struct object_list *l, struct error *err) MUST_USE;

#endif
