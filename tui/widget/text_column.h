#ifndef TUI_WIDGET_TEXT_COLUMN_H
#define TUI_WIDGET_TEXT_COLUMN_H

/* The contents of strings (model/analysis/object_text.h) as the name column of a list. */
#include "tui/widget/view.h"

/*
 * Gives the view, whose rows are all strings, a copy of its ops in which the column `id` is
 * OBJECT_TEXT and names the rows. The columns in `idle` ("a,b") are useless for strings: only
 * machine-readable output keeps them.
 */
bool text_names_rows(struct view *v, const char *id, const char *idle, struct error *err) MUST_USE;

#endif
