#ifndef TUI_TABLES_OBJECT_CELLS_H
#define TUI_TABLES_OBJECT_CELLS_H

/*
 * Cells about the object of a row, blank where it has none, and the command
 * that opens it: for lists of what is around objects.
 */
#include "model/analysis/object_columns.h"
#include "tui/widget/view.h"
#include "model/heap/memory.h"

/* A field's value; of a reference to what has no text what is there. */
void object_content_value(const struct facts *f, const struct content *c,
			  struct value *out);

/*
 * False: no heap but one from memory has `what`, and how to get at such a one.
 * True while there is no heap yet.
 */
bool object_memory_known(const struct view *v, const char *what,
			 struct error *err);
/* The same where objects have to be looked into. */
bool object_contents_known(const struct view *v, const char *what,
			   struct error *err);

/* The method table that a view is about: by its address, or that of an object
 * or a type. Contents must be known. */
bool object_table_address(const struct view *v, uint64_t *address,
			  struct error *err);

/* Commands that open these views about the object of the selected row. */
bool object_inspect(const struct call *call, struct error *err);
bool object_fields(const struct call *call, struct error *err);

/* A command of lists: of each object its address and no more. */
#define OBJECT_SHORT                                                           \
	{                                                                      \
		"short", "", "", "addresses alone, as text without titles",    \
		    .run = object_short                                        \
	}
bool object_short(const struct call *call, struct error *err);

#endif
