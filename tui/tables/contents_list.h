#ifndef TUI_TABLES_CONTENTS_LIST_H
#define TUI_TABLES_CONTENTS_LIST_H

/*
 * What is in an object, a page at a time, for the views that show it: the
 * elements of a collection, or the fields of anything, also of a value that is
 * in no box.
 */
#include "tui/widget/view.h"
#include "model/analysis/collection.h"

struct contents_list {
	struct content *items; /* texts are in the view's arena */
	size_t count, room;
	uint64_t total;
	struct collection *collection; /* NULL: fields */
	uint64_t table, address;       /* of a value; or 0 */
	bool is_whole;   /* all items are there, `count` of them shown */
	bool is_cut;     /* there may be more, which are not read */
	bool has_failed; /* its only item says why */
};

/* From the start. Of what is no collection, or with `are_raw`, the fields. */
bool contents_list_start(struct contents_list *l, const struct view *v,
			 bool are_raw, struct error *err) MUST_USE;
/* The same of a value: the method table of its type, and where it is. */
void contents_list_start_value(struct contents_list *l, uint64_t table,
			       uint64_t address);
/* Static variables of the object's type; some hundred are read at once. */
bool contents_list_start_statics(struct contents_list *l, struct view *v,
				 struct error *err) MUST_USE;
/* `page` more, behind those that are there. A collection that makes no sense
 * becomes its fields. */
bool contents_list_read(struct contents_list *l, struct view *v, size_t page,
			struct error *err) MUST_USE;
/* Shows `err` as what is in it, and clears it. */
bool contents_list_fail(struct contents_list *l, struct view *v,
			struct error *err) MUST_USE;
void contents_list_clear(struct contents_list *l);
/* "3 elements, room for 4"; "" of fields. */
void contents_list_describe(const struct contents_list *l, char *out,
			    size_t size);

#endif
