#ifndef TUI_TABLES_DIFF_COLUMNS_H
#define TUI_TABLES_DIFF_COLUMNS_H

/*
 * The columns of `diff`, as many as there are heaps, and what stands in their
 * cells. tui/views/diff.c has the rest of that view.
 */
#include "tui/session/comparison.h"
#include "tui/widget/view.h"

/* What of a session may be replaced by another. */
struct made_with {
	uint32_t reach_version;
	const struct retention *retention;
	/* Of heaps from memory: what no root reaches. */
	bool knows_dead;
	uint64_t dead_bytes;
};

struct diff_view {
	struct view_ops ops; /* with columns for these heaps */
	struct table table;
	struct comparison c;
	bool has_turned_equal; /* `a` was pressed, and not twice */
	struct column *columns;
	struct diff diff; /* perhaps by something else than c.by */
	bool is_made;
	/* Of each heap those that `diff` was made with. */
	const struct heap **heaps;
	struct made_with *made_with;
	struct diff_sum first, last; /* all rows: the whole heaps */
	uint32_t *shown;
	uint32_t equal_count; /* rows that are left out */
};

/* What help says of them; ends with {0}. */
extern const struct table diff_table;
/* Gives the view a copy of its ops with columns for its heaps. */
bool diff_columns_make(struct view *v, struct error *err);
/* Other heaps are compared, fewer than before: titles anew. */
bool diff_columns_rename(struct view *v, struct error *err);
/* What is compared has changed, or was compared: title, and which columns have
 * a meaning. */
void diff_columns_tell(struct view *v);

#endif
