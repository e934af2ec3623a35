#ifndef MODEL_TABLE_COLUMN_CHOICE_H
#define MODEL_TABLE_COLUMN_CHOICE_H

/*
 * Parses lists of columns as typed: "count,size:12,type", from left to right, each with an optional
 * width. For --columns, the setting and the screen. Each call reads all columns of the table.
 */
#include "model/table/table.h"

enum { COLUMN_WIDTH_LEAST = 2, COLUMN_WIDTH_MAX = 500 };

struct column_choice {
	const char *id; /* as typed, `id_len` bytes of the text */
	size_t id_len;
	int column; /* index into the table's columns; -1: none */
	int width;  /* 0: as needed */
};

/* Parses the next column and advances `*at`. Returns false at the end, or with `err` set if the
   width is invalid. */
bool column_choice_next(const char **at, const struct table *t, struct column_choice *out,
			struct error *err);

/*
 * Returns the column with this id; else the one with this title, ignoring case and with _ for
 * blanks; else the only one whose title begins with this word, such as pause for "Pause ms".
 * Returns -1 if there is none or several.
 */
int column_choice_find(const struct table *t, const char *id, size_t len);
/* Returns the column named by an id that may belong to a table with more heaps: "size_3" finds
   "size_1". -1: none. */
int column_choice_kind(const struct table *t, const char *id, size_t len);

/* Writes "; perhaps: count" if the id is a near miss of a column's id, else
   "". */
enum { COLUMN_SUGGESTION_BYTES = 64 };
const char *column_choice_suggest(const struct table *t, const char *id, size_t len,
				  char out[COLUMN_SUGGESTION_BYTES]);

/* A menu of all columns of a table: first those shown, in their order. */
struct column_item {
	int column; /* index into of->columns */
	bool is_shown;
	int width; /* 0: as needed */
};
struct column_list {
	const struct table *of; /* may be an open view's own */
	const char *name_id;    /* id of the name column in settings */
	struct column_item items[COLUMNS_MAX];
	size_t count;
};
/* Fills the items from the text, skipping invalid parts. `of` and `name_id` must be set. */
void column_list_read(struct column_list *list, const char *text);
/* Writes the items as text; "" for the default. Returns false if it does not fit. */
bool column_list_write(const struct column_list *list, char *out, size_t out_size);

#endif
