#ifndef MODEL_TABLES_CONTENTS_LIST_H
#define MODEL_TABLES_CONTENTS_LIST_H

/*
 * The contents of an object, a page at a time, for the table of fields and views: the elements of a
 * collection, or the fields of any object or unboxed value.
 */
#include "model/analysis/collection.h"

enum { CONTENTS_PAGE = 2000 }; /* items that views and queries read at once */

struct contents_list {
	const struct heap *heap;
	node_id node;        /* NODE_NONE: an unboxed value */
	struct arena *texts; /* of the items; the caller's */
	struct content *items;
	size_t count, room;
	uint64_t total;
	struct collection *collection; /* NULL: fields */
	uint64_t table, address;       /* of an unboxed value; or 0 */
	bool is_whole;                 /* all items are read, `count` of them shown */
	bool is_cut;                   /* there may be more that are not read */
	bool has_failed;               /* its only item is the error */
};

/* Starts with the elements of a collection; with `are_raw`, and for other objects, with the
   fields. */
bool contents_list_start(struct contents_list *l, const struct heap *h, node_id node,
			 struct arena *texts, bool are_raw, struct error *err) MUST_USE;
/* Starts with the fields of an unboxed value, given its type's method table and its address. */
void contents_list_start_value(struct contents_list *l, const struct heap *h, struct arena *texts,
			       uint64_t table, uint64_t address);
/* Starts with the static variables of the object's type; up to some hundred are read at once. */
bool contents_list_start_statics(struct contents_list *l, const struct heap *h, node_id node,
				 struct arena *texts, struct error *err) MUST_USE;
/* Reads `page` more items. A collection whose data makes no sense is shown as its fields. */
bool contents_list_read(struct contents_list *l, size_t page, struct error *err) MUST_USE;
/* Shows `err` as the only item, and clears it. */
bool contents_list_fail(struct contents_list *l, struct arena *texts, struct error *err) MUST_USE;
void contents_list_clear(struct contents_list *l);
/* Writes "3 elements, room for 4"; "" for fields. */
void contents_list_describe(const struct contents_list *l, char *out, size_t size);

#endif
