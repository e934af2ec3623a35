#ifndef TUI_WIDGET_IGNORED_ROW_H
#define TUI_WIDGET_IGNORED_ROW_H

/* Rows of what is left out (tui/session/what_if.h), which are drawn
 * differently. */
#include "tui/widget/view.h"

/* Whether what `x` would leave out at this row is left out. For drawing. */
bool ignored_row_is(const struct view *v, const struct row *row);

#endif
