#ifndef TUI_WIDGET_TEXT_COLUMN_H
#define TUI_WIDGET_TEXT_COLUMN_H

/*
 * The text of strings (model/analysis/object_text.h) as the column that names
 * the rows of a list.
 */
#include "tui/widget/view.h"

/*
 * In a copy of its ops the column `id` is OBJECT_TEXT and names the rows of the
 * view, which are all strings; the columns `idle`, "a,b", say nothing of those
 * and are for machines alone.
 */
bool text_names_rows(struct view *v, const char *id, const char *idle,
		     struct error *err) MUST_USE;

#endif
