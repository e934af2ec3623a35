#ifndef TUI_TABLES_MERGED_OPENING_H
#define TUI_TABLES_MERGED_OPENING_H

/*
 * Opening rows of a merged tree: one, or row after row to a root or while
 * there is only one. Runs on a worker; what it made is put in by the view.
 */
#include "tui/widget/tree.h"
#include "model/graph/merged_way.h"

enum merged_rule { OPEN_ONE, WHILE_ALONE, TO_ROOT };

/* What was found when one row was opened; lives until that is closed. */
struct merged_family {
	uint64_t key; /* of the row that was opened */
	struct merged_row *rows;
	uint32_t count;
	struct merged_way way; /* which of the rows leads to a root */
	struct merged_family *next;
};

/* A row of the screen borrows what the family owns. */
static inline const struct merged_row *
merged_set_of(const struct row *row)
{
	return (const struct merged_row *)(uintptr_t)row->data;
}

/* All that a worker needs; the sets of the path stay until it has ended. */
struct merged_opening {
	const struct heap *heap;
	const struct reverse *reverse;
	const struct reach *reach;
	enum merged_rule rule;
	bool moves;               /* the end becomes the selected row */
	type_id top_type;         /* TYPE_NONE: the top is there already */
	const node_id *top_nodes; /* of that type; NULL: all */
	uint32_t top_nodes_count;
	uint64_t row_key;
	const struct merged_row **path; /* from the top down */
	size_t path_count, path_room;

	/* What came out. */
	struct merged_row top;
	bool has_top;
	struct rows rows;  /* below the row that was opened first */
	size_t rows_added; /* last */
	struct merged_family *families;
	uint64_t end_key;
	struct merged_way end;
	bool is_cut, is_lost; /* as in merged_state */
};

void merged_families_free(struct merged_family **list);
const struct merged_family *
merged_families_find(const struct merged_family *list, uint64_t key);
void merged_families_drop(struct merged_family **list, uint64_t key);

void merged_opening_free(struct merged_opening *o);
/* The sets from the top down to the row that opens. */
bool merged_opening_take_path(struct merged_opening *o, const struct rows *rows,
			      size_t at, struct error *err) MUST_USE;
bool merged_opening_run(void *context, struct progress *progress,
			struct error *err);
struct row merged_row_of_set(const struct merged_row *set, uint64_t parent,
			     uint32_t depth);

/* Among the rows below `at`: the one to go on with, or SIZE_MAX. */
size_t merged_child_of_way(const struct rows *rows, size_t at,
			   const struct merged_family *f);
/* The one row below, if it is the only one. */
size_t merged_only_child(const struct rows *rows, size_t at,
			 const struct merged_family *f);

#endif
