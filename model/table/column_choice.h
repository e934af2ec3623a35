#ifndef MODEL_TABLE_COLUMN_CHOICE_H
#define MODEL_TABLE_COLUMN_CHOICE_H

/*
 * Columns as they are typed: "count,size:12,type", from left to right, each
 * perhaps with the width it shall have. For --columns, the setting and the
 * screen. Each call costs a look at all columns of the table.
 */
#include "model/table/table.h"

enum { COLUMN_WIDTH_LEAST = 2, COLUMN_WIDTH_MAX = 500 };

struct column_choice {
	const char *id; /* as typed: `id_len` bytes of the text */
	size_t id_len;
	int column; /* index into the table's columns; -1: there is none */
	int width;  /* 0: what it needs */
};

/*
 * Takes the next one off `*at`. False at the end, or, with `err` set, where
 * the width is none.
 */
bool column_choice_next(const char **at, const struct table *t,
			struct column_choice *out, struct error *err);

/*
 * The column with this id of a table, or else with this title, in
 * capitals or not, with _ for blanks, or with a title that alone begins with
 * this word: pause of "Pause ms". -1: there is none, or several.
 */
int column_choice_find(const struct table *t, const char *id, size_t len);
/*
 * The column that an id names in a table: its own, or, of "size_3",
 * "size_1" if the table has as many of these as it has heaps. -1: there is
 * none.
 */
int column_choice_kind(const struct table *t, const char *id, size_t len);

/* "; perhaps: count" where a column has nearly the name that was typed and is
   none; else "". */
enum { COLUMN_MEANT_BYTES = 64 };
const char *column_choice_meant(const struct table *t, const char *id,
				size_t len, char out[COLUMN_MEANT_BYTES]);

/* All columns of a table for people: first those that are shown, in order. */
struct column_item {
	int column; /* index into of->columns */
	bool is_shown;
	int width; /* 0: what it needs */
};
struct column_list {
	const struct table *of; /* perhaps an open view's own */
	const char *name_id;    /* of the column of names, in settings */
	struct column_item items[COLUMNS_MAX];
	size_t count;
};
/* Fills the items from the text; skips wrong parts. Set `of` and `name_id`. */
void column_list_read(struct column_list *list, const char *text);
/* The text again; "" if they are as at first. False: it does not fit. */
bool column_list_write(const struct column_list *list, char *out,
		       size_t out_size);

#endif
