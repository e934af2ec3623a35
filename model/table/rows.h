#ifndef MODEL_TABLE_ROWS_H
#define MODEL_TABLE_ROWS_H

/*
 * Rows of a table. Every tree is a table with depth: the rows that are open
 * stand one after another, children behind their parent and one deeper.
 * Flat tables of millions do not keep rows; they make one when asked.
 */
#include "model/heap/heap.h"

enum row_kind {
	ROW_PLAIN,
	ROW_OBJECT,
	ROW_TYPE,
	ROW_ROOT,
	ROW_GROUP, /* a heading that others stand under */
	ROW_CYCLE, /* already on the way up: not followed */
	ROW_MORE,  /* stands for rows that were not fetched yet */
	ROW_SKIP,  /* …for steps on the way to what stands below it */
	ROW_NOTE,  /* a remark */
	ROW_FIELD, /* of an object */
};
enum row_fold { FOLD_NONE, FOLD_CLOSED, FOLD_OPEN };

#define ROOT_NONE UINT32_MAX
struct row {
	uint8_t kind; /* enum row_kind */
	uint8_t fold; /* enum row_fold */
	bool goes_on; /* with the entry above: a search goes to its first row */
	uint32_t depth;
	node_id node;  /* NODE_NONE if the row is not about an object */
	type_id type;  /* TYPE_NONE if it is not about a type either */
	uint32_t root; /* index into heap->roots, or ROOT_NONE */
	uint64_t key;  /* the same thing has the same key after sorting and
			  filtering; unique among rows that exist together */
	uint64_t data; /* the view's own */
};
/* A row of this kind about nothing; key 0. */
struct row row_of(enum row_kind kind);
struct row row_of_node(const struct heap *h, node_id node);
struct row row_of_type(type_id type);

/*
 * Is it about its object? A root, a heading and what stands for rows that are
 * left out may name one too, for the commands that are given there.
 */
static inline bool
row_is_object(const struct row *row)
{
	return row->node != NODE_NONE && row->kind != ROW_ROOT &&
	       row->kind != ROW_GROUP && row->kind != ROW_SKIP &&
	       row->kind != ROW_NOTE;
}

/* An array of rows that trees open and close in. */
struct rows {
	struct row *items; /* borrowed until the next change */
	size_t count, capacity;
};
void rows_clear(struct rows *rows);
/* Makes room for `count` rows at `at`; NULL sets `err`. Fill them all. */
struct row *rows_insert(struct rows *rows, size_t at, size_t count,
			struct error *err) MUST_USE;
bool rows_append(struct rows *rows, const struct row *row,
		 struct error *err) MUST_USE;
void rows_remove(struct rows *rows, size_t at, size_t count);
/* The first row behind everything below `at`. */
size_t rows_end_of(const struct rows *rows, size_t at);
/* The row that `at` stands under; `at` itself if it is on top. */
size_t rows_parent_of(const struct rows *rows, size_t at);
/* Takes away everything below `at` and marks it closed. */
void rows_close(struct rows *rows, size_t at);

#endif
