#ifndef TUI_TABLES_MERGED_OPENING_H
#define TUI_TABLES_MERGED_OPENING_H

/*
 * Opening rows of a merged tree: one, or row after row to a root or while
 * there is only one. Runs on a worker; what it made is put in by the view.
 */
#include "tui/widget/tree.h"
#include "model/graph/merged_way.h"

/* The rows below one row, or the top row. */
struct merged_family {
	struct branch branch;
	struct merged_row *rows;
	uint32_t count;
	struct merged_way way; /* which of the rows leads to a root */
};

/* A row of the screen borrows what the family owns. */
static inline const struct merged_row *
merged_set_of(const struct row *row)
{
	return (const struct merged_row *)(uintptr_t)row->data;
}

/* All that a worker needs; the sets of the path stay until it has ended. */
struct merged_opening {
	struct expansion expansion;
	const struct heap *heap;
	const struct reverse *reverse;
	const struct reach *reach;
	enum tree_rule rule;
	type_id top_type;         /* TYPE_NONE: the top is there already */
	const node_id *top_nodes; /* of that type; NULL: all */
	uint32_t top_nodes_count;
	const struct merged_row **path; /* from the top down */
	size_t path_count, path_room;

	/* What came out, beside rows and branches. */
	size_t rows_added; /* last */
	struct merged_way end;
	bool is_lost; /* as in merged_state */
};

static inline const struct merged_family *
merged_family_find(const struct tree *t, uint64_t key)
{
	return (const struct merged_family *)branch_find(t->branches, key);
}
void merged_family_free(struct branch *b);

/* These two are of a struct expansion_kind. */
bool merged_opening_run(void *expansion, struct progress *progress,
			struct error *err);
void merged_opening_clear(void *expansion);
/* The sets from the top down to the row that opens. */
bool merged_opening_take_path(struct merged_opening *o, const struct rows *rows,
			      size_t at, struct error *err) MUST_USE;
/* Among the rows below `at`: the one to go on with, or SIZE_MAX. */
size_t merged_child_of_way(const struct rows *rows, size_t at,
			   const struct merged_family *f);
/* The one row below, if it is the only one. */
size_t merged_only_child(const struct rows *rows, size_t at,
			 const struct merged_family *f);

#endif
