#ifndef TUI_IGNORED_ROW_H
#define TUI_IGNORED_ROW_H

/* Rows of what is left out (tui/what_if.h), which are drawn differently. */
#include "tui/view.h"

/* Whether what `x` would leave out at this row is left out. For drawing. */
bool ignored_row_is(const struct view *v, const struct row *row);

#endif
