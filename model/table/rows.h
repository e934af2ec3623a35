#ifndef MODEL_TABLE_ROWS_H
#define MODEL_TABLE_ROWS_H

/*
 * Rows of a table. A tree is a table with depth: its open rows are stored one after another,
 * children after their parent and one deeper. Flat tables of millions of rows store none and make
 * each when asked.
 */
#include "model/heap/heap.h"

enum row_kind {
	ROW_PLAIN,
	ROW_OBJECT,
	ROW_TYPE,
	ROW_ROOT,
	ROW_GROUP, /* a heading of other rows */
	ROW_CYCLE, /* already on the path: not followed */
	ROW_MORE,  /* stands for rows not fetched yet */
	ROW_SKIP,  /* stands for omitted steps of a path */
	ROW_NOTE,  /* a remark */
	ROW_FIELD, /* a field of an object */
};
enum row_fold { FOLD_NONE, FOLD_CLOSED, FOLD_OPEN };

#define ROOT_NONE UINT32_MAX
struct row {
	uint8_t kind; /* enum row_kind */
	uint8_t fold; /* enum row_fold */
	bool goes_on; /* continues the row above: searches skip it */
	uint32_t depth;
	node_id node;  /* NODE_NONE if the row is not about an object */
	type_id type;  /* TYPE_NONE if it is not about a type either */
	uint32_t root; /* index into heap->roots, or ROOT_NONE */
	uint64_t key;  /* stable across sorting and filtering; unique among the rows of a view */
	uint64_t data; /* the view's own */
};
/* Returns a row of this kind without a subject; key 0. */
struct row row_of(enum row_kind kind);
struct row row_of_node(const struct heap *h, node_id node);
struct row row_of_type(type_id type);
/* `root`: an index into heap->roots; higher ones continue in heap->weak. The kind of root is in
   `data`; that of weak handles is ROOT_KIND_COUNT. */
struct row row_of_root(const struct heap *h, uint32_t root);

/* Returns a key for `what` below the row with key `parent`: the same thing at two places of a tree
   is two rows. */
uint64_t row_key(uint64_t parent, uint64_t what);

/* True if the row is about its object. Roots, headings and placeholders may also have a node, for
   the commands run on them. */
static inline bool
row_is_object(const struct row *row)
{
	return row->node != NODE_NONE && row->kind != ROW_ROOT && row->kind != ROW_GROUP &&
	       row->kind != ROW_SKIP && row->kind != ROW_NOTE;
}

/* An array of rows, for trees that open and close rows. */
struct rows {
	struct row *items; /* borrowed until the next change */
	size_t count, capacity;
};
void rows_clear(struct rows *rows);
/* Makes room for `count` rows at `at`, which the caller must fill; NULL sets `err`. */
struct row *rows_insert(struct rows *rows, size_t at, size_t count, struct error *err) MUST_USE;
bool rows_append(struct rows *rows, const struct row *row, struct error *err) MUST_USE;
void rows_remove(struct rows *rows, size_t at, size_t count);
/* Returns the first row after everything below `at`. */
size_t rows_end_of(const struct rows *rows, size_t at);
/* Returns the parent of `at`; `at` itself for a top row. */
size_t rows_parent_of(const struct rows *rows, size_t at);
/* Removes everything below `at` and marks it closed. */
void rows_close(struct rows *rows, size_t at);

#endif
