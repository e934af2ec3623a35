#ifndef TUI_VIEWS_QUERIES_H
#define TUI_VIEWS_QUERIES_H

/* The list of named queries, which `sql` shows without an argument. */
#include "tui/widget/view.h"

/* Makes a view that has just been opened this list. */
bool queries_show_in(struct view *v, struct error *err);

#endif
