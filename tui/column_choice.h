#ifndef TUI_COLUMN_CHOICE_H
#define TUI_COLUMN_CHOICE_H

/*
 * Columns as they are typed: "count,size:12,type", from left to right, each
 * perhaps with the width it shall have. For --columns, the setting and the
 * screen. Each call costs a look at all columns of the view.
 */
#include "tui/view.h"

enum { COLUMN_WIDTH_MAX = 500 };

struct column_choice {
	const char *id; /* as typed: `id_len` bytes of the text */
	size_t id_len;
	int column; /* index into ops->columns; -1: there is none */
	int width;  /* 0: what it needs */
};

/*
 * Takes the next one off `*at`. False at the end, or, with `err` set, where
 * the width is none.
 */
bool column_choice_next(const char **at, const struct view_ops *ops,
			struct column_choice *out, struct error *err);

/*
 * The column that an id names in the table of a view: its own, or, of "size_3",
 * "size_1" if the view has as many of these as it has heaps. -1: there is none.
 */
int column_choice_kind(const struct view_ops *ops, const char *id, size_t len);

#endif
