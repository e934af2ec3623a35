#ifndef TUI_WIDGET_TREE_H
#define TUI_WIDGET_TREE_H

/*
 * Views that are trees. A tree has the rows that are open, one after another,
 * and knows which of them the filter lets through. A row that does not match
 * stays if one below it does, so that every row shown hangs on something.
 *
 * A view names a source: how its rows begin, and how those below a row are
 * made. Its state begins with a struct tree, made by tree_new(); its view_ops
 * name tree_rows(), tree_view_row(), tree_fold() and tree_close(). Rows that
 * may take long are made by a worker, as an expansion.
 */
#include "tui/widget/view.h"

/* The rows that open below a row. */
enum tree_rule {
	TREE_ONE,         /* the rows right below it */
	TREE_MORE,        /* the rows that a ROW_MORE stands for */
	TREE_WHILE_ALONE, /* row after row, while there is only one */
	TREE_TO_ROOT,     /* row after row, on a way to a root */
};

/*
 * Data that rows borrow, under the key of the row that they stand below; first
 * in a struct of the source's. Closing that row frees it.
 */
struct branch {
	uint64_t key; /* 0: of the rows on top */
	struct branch *next;
};
struct branch *branch_find(struct branch *list, uint64_t key); /* or NULL */

struct tree_source {
	/* Makes the first rows, or starts an expansion for them. */
	bool (*begin)(struct view *v, struct error *err);
	/* Opens the row at this index of all rows, mostly by an expansion. */
	bool (*expand)(struct view *v, size_t at, enum tree_rule rule,
		       struct error *err);
	/* These two serve tree_to_root() and tree_follow(), and are NULL where
	   the view has neither. `start` returns the row that a way starts at
	   if the row `at` is selected; SIZE_MAX sets `err`. `next` returns the
	   row that the way goes on with below an open one; SIZE_MAX: none. */
	size_t (*start)(struct view *v, size_t at, enum tree_rule rule,
			struct error *err);
	size_t (*next)(const struct view *v, size_t at, enum tree_rule rule);
	/* All that follow may be NULL. `closed` is called when a row has
	   closed, `shown` when rows are shown and no others are being made. */
	void (*closed)(struct view *v, size_t at);
	bool (*shown)(struct view *v, struct error *err);
	/* Frees what the state has beside the tree, before rows begin anew and
	   when the view closes. */
	void (*forget)(struct view *v);
	void (*branch_free)(struct branch *b); /* NULL: there are no branches */
	bool is_lasting; /* the rows stay when distances change */
};

/* The state of a view that is a tree begins with it. */
struct tree {
	const struct tree_source *source;
	struct rows rows;
	size_t *shown; /* indexes into rows */
	size_t shown_count, shown_room;
	struct branch *branches;
	uint32_t reach_version; /* that the rows were made with; 0: none */
	bool is_cut;            /* the last way stopped before its end */
	bool is_expanding;      /* by a job */
	bool filters_top;       /* rows on top must match as well */
};

/* Makes v->state in the view's arena: `size` bytes that begin with a tree. */
void *tree_new(struct view *v, const struct tree_source *source, size_t size,
	       struct error *err) MUST_USE;
/* These are of view_ops. */
void tree_close(struct view *v);
bool tree_rows(struct view *v, struct error *err);
void tree_view_row(const struct view *v, size_t index, struct row *out);
bool tree_fold(struct view *v, size_t index, bool open, struct error *err);

/* Commands: open row after row, from the selected one on. */
bool tree_to_root(const struct call *call, struct error *err);
bool tree_follow(const struct call *call, struct error *err);
/* Opens a list of the objects of a row about a type: those that the view's
   selection() says, or all. */
bool tree_list_objects(const struct call *call, const struct row *row);
/* Replaces the selected ROW_MORE by the rows that it stands for. */
bool tree_more(struct view *v, struct error *err);

void tree_clear(struct tree *t);
/* Frees rows and state, so that the tree can begin anew. */
void tree_forget(struct view *v);
/* After every change of rows or filter: what is shown, and v->rows_count. */
bool tree_show(struct tree *t, struct view *v, struct error *err) MUST_USE;
static inline const struct row *
tree_row(const struct tree *t, size_t shown)
{
	return &t->rows.items[t->shown[shown]];
}
/* The selected row, as an index into all rows. There must be one. */
static inline size_t
tree_selected(const struct view *v)
{
	return ((const struct tree *)v->state)->shown[v->cursor];
}

/* Among all rows; SIZE_MAX if there is none. */
size_t tree_find(const struct tree *t, uint64_t key);
/* Among those shown: this row, or the next one that is. */
size_t tree_shown_at(const struct tree *t, size_t index);

/* A key for `what` under the row with key `parent`: the same thing at two
 * places of a tree is two rows. */
uint64_t tree_key(uint64_t parent, uint64_t what);

/*
 * Puts rows, which are in order, into the view's tree and shows them: below the
 * row `at`, instead of those that are there, or in place of that row, which has
 * none below it.
 */
bool tree_put(struct view *v, size_t at, const struct rows *fresh,
	      bool replaces, struct error *err) MUST_USE;

/* --- rows that are made by a worker -------------------------------------- */

struct expansion_kind {
	const char *what; /* names the job: "finding referrers" */
	size_t size;      /* of a struct that begins with a struct expansion */
	/* On a worker, unless it is short. */
	bool (*make)(void *expansion, struct progress *progress,
		     struct error *err);
	/* Takes what it made besides rows and branches, before these are put
	   in. NULL: nothing. */
	bool (*take)(struct view *v, void *expansion, struct error *err);
	/* Frees what was not taken. NULL: nothing. */
	void (*clear)(void *expansion);
};

struct expansion {
	const struct expansion_kind *kind;
	const char *what; /* the kind's; may be changed */
	void (*branch_free)(struct branch *b);
	uint64_t row_key; /* of the row that opens */
	bool is_top;      /* no row opens: all rows are made anew */
	bool replaces;    /* the row goes, for it stood for the new ones */
	bool moves;       /* the row `end_key` becomes the selected one */
	bool is_short;    /* needs no job */
	uint32_t reach_version;

	/* What is made. */
	struct rows rows;
	struct branch *branches;
	uint64_t end_key;
	bool is_cut;
};

/* Makes an expansion of the row `at`; SIZE_MAX: of all rows. Its fields may be
   changed until it starts. */
void *expansion_new(const struct view *v, const struct expansion_kind *kind,
		    size_t at, struct error *err) MUST_USE;
void expansion_free(void *expansion);
/* Makes the rows, puts them in and frees the expansion. No job of the view's
   may be reading rows: see view_rows_change(). */
bool expansion_start(void *expansion, struct view *v,
		     struct error *err) MUST_USE;
/* Adds a branch of `size` bytes for the rows below this key. */
void *expansion_branch(void *expansion, uint64_t key, size_t size,
		       struct error *err) MUST_USE;

#endif
