#ifndef TUI_WIDGET_TREE_H
#define TUI_WIDGET_TREE_H

/*
 * Views that are trees. A tree holds its open rows one after another, and which of them the filter
 * lets through. A row that does not match stays if a row below it does, so that every row shown has
 * its parents above it.
 *
 * A view names a source: how its first rows are made, and those below a row. Its state begins with
 * a struct tree, made by tree_new(); its view_ops name tree_rows(), tree_view_row(), tree_fold()
 * and tree_close(). Rows that may take long are made by a worker, as an expansion.
 */
#include "tui/widget/view.h"

/* Which rows open below a row. */
enum tree_rule {
	TREE_ONE,         /* the rows right below it */
	TREE_MORE,        /* the rows that a ROW_MORE stands for */
	TREE_WHILE_ALONE, /* row after row, while each has a single child */
	TREE_TO_ROOT,     /* row after row, along a path to a root */
};

/* Data that rows borrow, stored under the key of their parent row. It is the first member of the
   source's own struct. Closing the parent frees it. */
struct branch {
	uint64_t key; /* 0: of the top rows */
	struct branch *next;
};
struct branch *branch_find(struct branch *list, uint64_t key); /* or NULL */

struct tree_source {
	/* Makes the first rows, or starts an expansion for them. */
	bool (*begin)(struct view *v, struct error *err);
	/* Opens the row at this index of all rows, mostly by an expansion. */
	bool (*expand)(struct view *v, size_t at, enum tree_rule rule, struct error *err);
	/*
	 * These two are for tree_to_root() and tree_follow(), and NULL in views without them.
	 * `start` returns the row where the path for the selected row `at` starts, or SIZE_MAX and
	 * sets `err`. `next` returns the child where the path continues below an open row, or
	 * SIZE_MAX.
	 */
	size_t (*start)(struct view *v, size_t at, enum tree_rule rule, struct error *err);
	size_t (*next)(const struct view *v, size_t at, enum tree_rule rule);
	/* The rest may be NULL. `closed` is called after a row has closed, `shown` when rows are
	   shown and none are being made. */
	void (*closed)(struct view *v, size_t at);
	bool (*shown)(struct view *v, struct error *err);
	/* Frees the state outside the tree, before rows are made anew and when the view closes. */
	void (*forget)(struct view *v);
	void (*branch_free)(struct branch *b); /* NULL: there are no branches */
	bool is_lasting;                       /* the rows stay when distances change */
};

/* A tree view's state begins with this. */
struct tree {
	const struct tree_source *source;
	struct rows rows;
	size_t *shown; /* indexes into `rows` */
	size_t shown_count, shown_room;
	struct branch *branches;
	uint32_t reach_version; /* of the rows' distances; 0: no rows */
	bool is_cut;            /* the last path stopped before its end */
	bool is_expanding;      /* a job is making rows */
	bool filters_top;       /* top rows must match as well */
};

/* Makes v->state in the view's arena: `size` bytes that begin with a tree. */
void *tree_new(struct view *v, const struct tree_source *source, size_t size,
	       struct error *err) MUST_USE;
/* Functions for view_ops. */
void tree_close(struct view *v);
bool tree_rows(struct view *v, struct error *err);
void tree_view_row(const struct view *v, size_t index, struct row *out);
bool tree_fold(struct view *v, size_t index, bool open, struct error *err);

/* Commands that open row after row from the selected one. */
bool tree_to_root(const struct call *call, struct error *err);
bool tree_follow(const struct call *call, struct error *err);
/* Opens a list of the objects that a row about a type stands for: those that the view's selection()
   returns, else all. */
bool tree_list_objects(const struct call *call, const struct row *row);
/* Replaces the selected ROW_MORE by the rows it stands for. */
bool tree_more(struct view *v, struct error *err);

void tree_clear(struct tree *t);
/* Frees rows and state, so that rows can be made anew. */
void tree_forget(struct view *v);
/* Updates the shown rows and v->rows_count; to be called after every change of rows or filter. */
bool tree_show(struct tree *t, struct view *v, struct error *err) MUST_USE;
static inline const struct row *
tree_row(const struct tree *t, size_t shown)
{
	return &t->rows.items[t->shown[shown]];
}
/* Returns the selected row as an index into all rows; there must be one. */
static inline size_t
tree_selected(const struct view *v)
{
	return ((const struct tree *)v->state)->shown[v->cursor];
}

/* Returns an index into all rows; SIZE_MAX: none has this key. */
size_t tree_find(const struct tree *t, uint64_t key);
/* Returns the index among the shown rows of this row, or of the next one that is shown. */
size_t tree_shown_at(const struct tree *t, size_t index);

/*
 * Puts sorted rows into the view's tree and shows them: below the row `at`, replacing its children,
 * or, if `replaces`, in place of that row, which must have no children.
 */
bool tree_put(struct view *v, size_t at, const struct rows *fresh, bool replaces,
	      struct error *err) MUST_USE;

/* --- rows that are made by a worker -------------------------------------- */

struct expansion_kind {
	const char *what; /* names the job: "finding referrers" */
	size_t size;      /* of a struct that begins with a struct expansion */
	/* Makes the rows, on a worker unless `is_short`. */
	bool (*make)(void *expansion, struct progress *progress, struct error *err);
	/* Takes results other than rows and branches, before these are added. May be NULL. */
	bool (*take)(struct view *v, void *expansion, struct error *err);
	/* Frees results that were not taken. May be NULL. */
	void (*clear)(void *expansion);
};

struct expansion {
	const struct expansion_kind *kind;
	const char *what; /* the kind's, which may be replaced */
	void (*branch_free)(struct branch *b);
	uint64_t row_key; /* of the opening row */
	bool is_top;      /* all rows are made anew */
	bool replaces;    /* the new rows replace the row */
	bool moves;       /* the row `end_key` becomes the selected one */
	bool is_short;    /* needs no job */
	uint32_t reach_version;

	/* Results. */
	struct rows rows;
	struct branch *branches;
	uint64_t end_key;
	bool is_cut;
};

/* Makes an expansion of the row `at`; SIZE_MAX: of all rows. Its fields may be set until it
   starts. */
void *expansion_new(const struct view *v, const struct expansion_kind *kind, size_t at,
		    struct error *err) MUST_USE;
void expansion_free(void *expansion);
/* Makes the rows, adds them and frees the expansion. No job of the view may be reading rows: see
   view_rows_change(). */
bool expansion_start(void *expansion, struct view *v, struct error *err) MUST_USE;
/* Adds a branch of `size` bytes for the rows below this key. */
void *expansion_branch(void *expansion, uint64_t key, size_t size, struct error *err) MUST_USE;

#endif
