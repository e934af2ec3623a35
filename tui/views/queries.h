#ifndef TUI_VIEWS_QUERIES_H
#define TUI_VIEWS_QUERIES_H

/* The list of named queries, which `sql` shows without an argument. */
#include "tui/widget/view_ops.h"

extern const struct view_ops view_queries;

#endif
