#ifndef TUI_WIDGET_TEXT_COLUMN_H
#define TUI_WIDGET_TEXT_COLUMN_H

/*
 * Columns with the texts of strings (model/analysis/object_text.h): search and
 * filter look at all of a text, and in lists of strings it names the rows.
 */
#include "tui/widget/view.h"

/* view_ops.whole, of the column OBJECT_TEXT. */
bool text_whole(const struct view *v, const struct column *c,
		const struct row *row, struct arena *a, const char **text);
/*
 * In a copy of its ops the column `id` is OBJECT_TEXT and names the rows of the
 * view, which are all strings; the columns `idle`, "a,b", say nothing of those
 * and are for machines alone.
 */
bool text_names_rows(struct view *v, const char *id, const char *idle,
		     struct error *err) MUST_USE;

#endif
