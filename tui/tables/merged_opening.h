#ifndef TUI_TABLES_MERGED_OPENING_H
#define TUI_TABLES_MERGED_OPENING_H

/* Opens rows of a merged tree: one row, or row after row to a root or while there is only one. It
   runs on a worker; the view adds the rows it made. */
#include "tui/widget/tree.h"
#include "model/analysis/keeper.h"
#include "model/graph/merged_way.h"

/* The rows below one row, or the top row. */
struct merged_family {
	struct branch branch;
	struct merged_row *rows;
	uint32_t count;
	struct merged_way way; /* the row that leads to a root */
};

/* Returns a row's set, which its family owns. */
static inline const struct merged_row *
merged_set_of(const struct row *row)
{
	return (const struct merged_row *)(uintptr_t)row->data;
}

/* The worker's input; the sets of the path stay valid until it ends. */
struct merged_opening {
	struct expansion expansion;
	const struct heap *heap;
	const struct reverse *reverse;
	const struct reach *reach;
	enum tree_rule rule;
	type_id top_type;         /* TYPE_NONE: the top row exists */
	const node_id *top_nodes; /* objects of that type; NULL: all */
	uint32_t top_nodes_count;
	bool stops_at_keeper;           /* leaves out the links behind it */
	const struct merged_row **path; /* from the top down */
	size_t path_count, path_room;

	/* Results, in addition to rows and branches. */
	size_t rows_added; /* by the last step */
	struct merged_way end;
	bool is_lost;         /* see merged_state */
	struct keeper keeper; /* where the path stopped */
	uint32_t links;       /* behind the keeper; 0: it did not stop there */
};

static inline const struct merged_family *
merged_family_find(const struct tree *t, uint64_t key)
{
	return (const struct merged_family *)branch_find(t->branches, key);
}
void merged_family_free(struct branch *b);

/* Functions for a struct expansion_kind. */
bool merged_opening_run(void *expansion, struct progress *progress, struct error *err);
void merged_opening_clear(void *expansion);
/* Stores the sets from the top down to the opening row as the path. */
bool merged_opening_take_path(struct merged_opening *o, const struct rows *rows, size_t at,
			      struct error *err) MUST_USE;
/* Returns the row below `at` that continues the path to a root, or SIZE_MAX. */
size_t merged_child_of_way(const struct rows *rows, size_t at, const struct merged_family *f);
/* Returns the only child of a row, or SIZE_MAX. */
size_t merged_only_child(const struct rows *rows, size_t at, const struct merged_family *f);

#endif
