#ifndef TUI_WIDGET_TEXT_COLUMN_H
#define TUI_WIDGET_TEXT_COLUMN_H

/*
 * What the string of a row says, where contents are known: a cell has its
 * beginning, search and filter look at all of it. Each reads the
 * memory of that one string; any thread may ask.
 */
#include "tui/widget/view.h"

/* As C# writes it; "(not in memory)"; blank: it is no string. */
void text_cell(const struct view *v, const struct row *row, struct value *out);
/* view_ops.whole, of columns with that cell. */
bool text_whole(const struct view *v, const struct column *c,
		const struct row *row, struct arena *a, const char **text);
/*
 * In a copy of its ops the column `id` has that cell and names the rows of the
 * view, which are all strings; the columns `idle`, "a,b", say nothing of those
 * and are for machines alone.
 */
bool text_names_rows(struct view *v, const char *id, const char *idle,
		     struct error *err) MUST_USE;

#endif
