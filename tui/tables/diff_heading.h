#ifndef TUI_TABLES_DIFF_HEADING_H
#define TUI_TABLES_DIFF_HEADING_H

/*
 * The lines above `diff`: the heaps and their change in total, how rows were matched, and why
 * numbers may be wrong or columns missing.
 */
#include "tui/widget/view.h"

/* The heading() of a view whose state is a struct diff_view. */
bool diff_heading(const struct view *v, unsigned line, struct value *out);

#endif
