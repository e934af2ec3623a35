#ifndef TUI_TABLES_LIST_H
#define TUI_TABLES_LIST_H

/*
 * A view of a table whose rows are an array in the heap (table->count) needs no
 * code: its ops say LIST_VIEW beside its table, commands and words.
 */
#include "tui/widget/view.h"

#define LIST_VIEW .open = list_open, .rows = list_rows, .item_row = list_row

bool list_open(struct view *v, struct error *err);
bool list_rows(struct view *v, struct error *err);
void list_row(const struct view *v, uint32_t item, struct row *out);

#endif
