#ifndef TUI_WIDGET_TREE_H
#define TUI_WIDGET_TREE_H

/*
 * What views of trees have in common: all rows that are open, and which of
 * them the filter lets through. A row that does not match stays if one below
 * it does, so that every row shown hangs on something.
 */
#include "tui/widget/view.h"

struct tree {
	struct rows rows;
	size_t *shown; /* indexes into rows */
	size_t shown_count, shown_room;
	bool is_cut; /* the last climb (tui/tables/referrer_expansion.h) stopped
			before its end */
	bool filters_top; /* rows on top must match as well */
};
void tree_clear(struct tree *t);

/* After every change of rows or filter: what is shown, and v->rows_count. */
bool tree_show(struct tree *t, struct view *v, struct error *err) MUST_USE;
static inline const struct row *
tree_row(const struct tree *t, size_t shown)
{
	return &t->rows.items[t->shown[shown]];
}

/* Among all rows; SIZE_MAX if there is none. */
size_t tree_find(const struct tree *t, uint64_t key);
/* Among those shown: this row, or the next one that is. */
size_t tree_shown_at(const struct tree *t, size_t index);

/* A key for `what` under the row with key `parent`: the same thing at two
 * places of a tree is two rows. */
uint64_t tree_key(uint64_t parent, uint64_t what);

/* Replaces the rows below `at` by these, which are in order; opens it. */
bool tree_put_below(struct tree *t, size_t at, const struct rows *fresh,
		    struct error *err) MUST_USE;
/* Replaces the row `at`, which has nothing below it. */
bool tree_put_instead(struct tree *t, size_t at, const struct rows *fresh,
		      struct error *err) MUST_USE;

/*
 * For a key that opens rows, after it: `why_not` for the user, where it opened
 * none of them, went to none and has nothing to wait for.
 */
#define TREE_PARTS "here it is not one alone: + opens the row"
void tree_tell_same(const struct call *call, size_t rows_before,
		    size_t cursor_before, const char *why_not);
/* For one that follows the selected row: false at a root. */
bool tree_goes_on(const struct view *v, struct error *err);

#endif
