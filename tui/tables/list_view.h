#ifndef TUI_TABLES_LIST_VIEW_H
#define TUI_TABLES_LIST_VIEW_H

/*
 * A view of a table whose rows are an array in the heap (table->count) needs no
 * code: its ops say LIST_VIEW beside its table, commands and words.
 */
#include "tui/widget/view.h"

#define LIST_VIEW                                                              \
	.open = list_view_open, .rows = list_view_rows,                        \
	.item_row = list_view_row

bool list_view_open(struct view *v, struct error *err);
bool list_view_rows(struct view *v, struct error *err);
void list_view_row(const struct view *v, uint32_t item, struct row *out);

#endif
