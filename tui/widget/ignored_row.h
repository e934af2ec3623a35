#ifndef TUI_WIDGET_IGNORED_ROW_H
#define TUI_WIDGET_IGNORED_ROW_H

/* Rows about ignored objects (tui/session/what_if.h), which are drawn
   dimmed. */
#include "tui/widget/view.h"

/* Whether everything that `x` would ignore at this row is ignored already. */
bool ignored_row_is(const struct view *v, const struct row *row);

#endif
