#ifndef TUI_WIDGET_VIEW_H
#define TUI_WIDGET_VIEW_H

/*
 * An open view: a table, its rows sorted and filtered, the selected one, and the place of all that
 * on the screen. tui/widget/view_ops.h has the declaration of a view.
 *
 * key → command → changes the view → view_layout() → view_draw(), which takes the view as const and
 * touches only the rows on screen.
 */
#include "model/base/arena.h"
#include "model/filter/filter.h"
#include "model/table/listing.h"
#include "model/table/pattern.h"
#include "tui/widget/view_ops.h"

/* Sums of the columns that add up; all 0: there are none. */
struct view_sum {
	uint64_t count, bytes, whole; /* whole: 100% of shares */
};

struct area {
	int row, column, height, width;
	bool is_read_aloud; /* for a screen reader: rows are never broken */
};

/* The orders and filters that a view has shown, for undo and redo. */
struct view_step {
	int sort;
	bool is_descending;
	struct filter_value filter; /* its text is in the view's arena */
};
enum { VIEW_STEPS_MAX = 64 }; /* the oldest are dropped */
struct view_undo {
	struct view_step steps[VIEW_STEPS_MAX];
	unsigned count, at; /* steps[at] is shown now */
};

/* A row and its line on the screen. */
struct row_place {
	bool has_key;
	uint64_t key;
	size_t line;
};

struct view {
	const struct view_ops *ops;
	struct session *session;
	struct target target;
	/* The objects that the table's rows are made of; NULL: all. */
	node_id *nodes;
	uint32_t nodes_count;
	void *state; /* the view's own, in `arena` if possible */
	/* The rows made by the table's source, for cells and heading; NULL: not
	   yet. */
	void *made;
	uint32_t made_version; /* version of the results it was made from */
	/* The view whose job makes this view's rows, updated with this one; set by open() and open
	   as long. NULL: none. */
	struct view *source;
	struct arena arena; /* freed after close() */
	char title[256];    /* shown in the breadcrumb: "objects Leaky.Session" */
	uint64_t number;    /* number among the views opened on the stack, or 0 */
	/* The command that opened it, without an argument, and the key of the row below it was run
	   on. NULL: it was opened otherwise. */
	const char *opened_by;
	uint64_t opened_at;

	size_t rows_count;
	/* The items shown as rows, in order, and how many there are without a filter: see
	   view_show_items(). NULL: it has rows of its own. */
	uint32_t *items;
	size_t items_count;
	uint32_t rows_version; /* changes with the rows */
	/* The largest bytes in each column, which choose its unit: see view_measure(). */
	struct {
		uint32_t rows_version, session_version;
		uint64_t bytes[COLUMNS_MAX];
	} largest;
	struct view_sum sum; /* computed with `largest` */
	size_t cursor, top;  /* top: the first row on screen */
	int left;            /* columns by which long names are scrolled */
	const char *wanted;  /* see column_choice.h; NULL or "": all columns */
	bool is_bare;        /* text output has only these, without titles */
	int sort;            /* column index; -1: the rows' own order */
	bool is_descending;
	struct filter *filter;     /* NULL: none */
	const char *opened_with;   /* the filter it was opened with; or NULL */
	struct pattern *search;    /* NULL: none */
	struct view_search *found; /* see view_search.h; NULL: no search */
	/* The order to use as soon as its column has what it needs. */
	struct {
		bool is_set, is_descending;
		int sort;
	} awaited;
	/* The order and filter of the rows on screen, to go back to on Esc. */
	struct {
		int sort;
		bool is_descending;
		struct filter *filter; /* may be the same as `filter` */
	} shown;
	struct view_undo undo;
	bool has_moved; /* the user chose the selected row, so it stays */
	/* The selected row when rows are made anew; the row selected before, if it disappeared
	   (perhaps behind a filter), which is selected again when it is back; and the row selected
	   in its place. */
	struct row_place anchor, gone, instead;

	bool is_waiting;      /* for the session to meet its needs */
	bool is_stale;        /* rows() must run as soon as possible */
	bool is_order_chosen; /* by view_sort_to(); false: the view's own */
	bool was_stopped;     /* making rows was cancelled */
	bool was_awaited;     /* by keys since it was opened: see tui/app/app.c */
	/* Why the rows could not be made; "": no failure so far. */
	char trouble[sizeof(((struct error *)0)->message)];
	uint32_t session_version;
	struct view_job *job; /* NULL: none */

	/* Set by view_layout(), used by view_draw(). */
	struct area area;
	bool is_picture;
	int heading_lines, rows_shown;       /* for a picture: its lines */
	int row_lines;                       /* of each row: 1, or more with COLUMN_BELOW */
	int widths[COLUMNS_MAX];             /* 0: not shown */
	int chosen_widths[COLUMNS_MAX];      /* 0: not chosen */
	int order[COLUMNS_MAX], order_count; /* columns from left to right */
	int longest_name;                    /* longest name so far, in cells */
	int fitted;                          /* width in cells for VIEW_FITS; INT_MAX if nothing is
						drawn; 0: not known yet */
	/* `top` and `rows_count` at the last layout. */
	size_t laid_top, laid_rows;
	/* The scroll position for this selected row: a screen that shrinks and grows again shows
	   the same rows. */
	struct {
		size_t cursor, top, rows_count;
	} scrolled;
};

/* Compares names, because a view may have a copy of its ops. */
static inline bool
view_is(const struct view *v, const struct view_ops *ops)
{
	return v->ops->command.name == ops->command.name;
}

/*
 * Returns the view's own needs, before order and filter add theirs.
 *
 * Views are opened and closed by tui/app/app.h, tests and batch mode.
 */
unsigned view_own_needs(const struct view_ops *ops, const struct session *s);
struct view *view_open(const struct view_ops *ops, struct session *s, const struct target *target,
		       struct error *err) MUST_USE;
/* Moves the objects that the view was opened for from its target into its arena. */
bool view_take_nodes(struct view *v, node_id **nodes, uint32_t *count, struct error *err) MUST_USE;
void view_close(struct view *v); /* NULL is allowed */
/* Makes the rows that can be made now; to be called after session_poll() and when a job has ended.
   False sets `err`; the view is unchanged. */
bool view_update(struct view *v, struct error *err);
/* Makes the rows anew; the selected row stays selected if it still exists. */
bool view_reload(struct view *v, struct error *err);

/* A view's own long computation. There is at most one: a new one stops the
   old. */
typedef bool view_work(void *context, struct progress *progress,
		       struct error *err); /* on a worker */
typedef void view_done(struct view *v, void *context,
		       bool ok); /* on the UI thread; frees context */
/*
 * Runs `work` on a worker, then `done` exactly once, also after cancellation or failure. The worker
 * may read the heap and what `context` holds, but nothing that the UI thread changes; so there must
 * be a heap. Without a waker (tests, batch) everything runs at once.
 */
bool view_run(struct view *v, const char *what, view_work *work, view_done *done, void *context,
	      struct error *err) MUST_USE;
/* The same for work that only reads the shown rows; rows() may start it. */
bool view_run_on_rows(struct view *v, const char *what, view_work *work, view_done *done,
		      void *context, struct error *err) MUST_USE;
/* The same for work that adds to the shown rows; rows() starts it last. */
bool view_run_for_more(struct view *v, const char *what, view_work *work, view_done *done,
		       void *context, struct error *err) MUST_USE;
/* Returns false if the UI thread or a loader changes rows while a worker could read them. */
bool view_can_run_on_rows(const struct view *v);
/* The next three functions concern the view's own job, else its source's. */
bool view_is_busy(const struct view *v);
const struct job *view_job(const struct view *v); /* NULL: none */
bool view_cancel(struct view *v);                 /* false: nothing was running */
/* True if the rows are final: order and filter have what they need, too. */
bool view_has_settled(const struct view *v);
/* Prepares for a change of some rows, as when a tree row opens: stops jobs that read rows, and a
   search starts again. */
void view_rows_change(struct view *v);
/*
 * Stops the job, because its input is about to go. Making rows and searching start again with the
 * next view_update(), with the wanted order and filter; rows that were opening stay closed.
 */
void view_restart(struct view *v);

/* Columns. */
bool view_has_column(const struct view *v, const struct column *c, bool for_machines);
/* True if this heap has the column's data, whether or not the column was chosen. */
bool view_knows_column(const struct view *v, const struct column *c, bool for_machines);
/* Returns the rows for filters and writers; valid until rows or results
   change. */
struct listing view_listing(const struct view *v);
/* Returns the listing of a view that is not open, without rows and facts. */
struct listing view_listing_unopened(const struct view_ops *ops);
/* Returns what the cells of the table read; `facts` holds a part of it. */
struct cells view_cells(const struct view *v, struct facts *facts);
void view_cell(const struct view *v, const struct column *c, const struct row *row,
	       struct value *out);
/* The same, but with the whole text if the cell has only its beginning; in
   `a`. */
void view_whole_cell(const struct view *v, const struct column *c, const struct row *row,
		     struct arena *a, struct value *out);
/* Reads the row at an index. */
void view_row(const struct view *v, size_t index, struct row *out);
/* Makes the row of an item, see `items`. */
void view_item_row(const struct view *v, uint32_t item, struct row *out);

/* Changing the view. */
void view_move_to(struct view *v, size_t index);
void view_move_by(struct view *v, long long rows);
bool view_selected(const struct view *v, struct row *out);
/* Selects the row with this key, else the first; for view_done. */
void view_select_key(struct view *v, uint64_t key);
/* Returns what the selected row is about, else what the view is about. */
struct target view_target(const struct view *v);
bool view_fold(struct view *v, size_t index, bool open, struct error *err);
/* The same for the selected row, as commands of tree views. */
bool view_command_unfold(const struct call *call, struct error *err);
bool view_command_fold(const struct call *call, struct error *err);
/* Sorts by a column; the same column again reverses the order. */
bool view_sort(struct view *v, int column, struct error *err);
bool view_sort_to(struct view *v, int column, bool is_descending, struct error *err);
/* Parses "size" or "+size", the column's usual direction, and "-size", the reverse. */
bool view_find_sort(const struct view *v, const char *text, int *column, bool *is_descending,
		    struct error *err);
/* Returns, as enum need, what a filter needs before the view is open. */
unsigned view_filter_needs(const struct view_ops *ops, const char *text);
/* Shows only the rows that pass this filter; "": all. See filter.h. */
bool view_filter(struct view *v, const char *text, struct error *err);
/* The same for a filter whose language is known. */
bool view_filter_by(struct view *v, struct filter_value value, struct error *err);
/* Sets a filter that Esc does not clear, as Enter on a row does when it opens a filtered view. */
bool view_filter_opening(struct view *v, const char *text, struct error *err);
/* Restores the opening filter, or none. Returns false without an error if it is set already. */
bool view_filter_less(struct view *v, struct error *err);
/* Filters like view_filter(), but the text must be an expression, not a pattern. */
bool view_where(struct view *v, const char *text, struct error *err);
/* Restores the order and filter before the last change, or after it. */
bool view_undo(struct view *v, struct error *err);
bool view_redo(struct view *v, struct error *err);
/* Returns the last order whose column has what it needs, else -1, the rows' own. The view uses it
   if nothing computes any more what its order needs. */
int view_order_left(const struct view *v, bool *is_descending);
/* Records the shown order and filter; to be called when rows were made or failed. */
void view_undo_note(struct view *v);
/* Applies -s and -f; either may be NULL. */
bool view_sort_and_filter(struct view *v, const char *sort, const char *filter, struct error *err);
/*
 * Finds the largest bytes of each column in the first rows, so that a column is shown in one unit.
 * Not on a worker; does nothing until rows or session change. view_update() calls it
 * (view_measure.c).
 */
void view_measure(struct view *v);
/*
 * Describes the sum of all rows, if a filter hides some or shares are not of the whole heap; else
 * returns false. view_measure() computes the sums. view_heading() has the view's own lines, then
 * this one (view_sum.c).
 */
void view_sum_up(struct view *v);
bool view_describe_sum(const struct view *v, struct value *out);
bool view_heading(const struct view *v, unsigned line, struct value *out);
/* The heading without the sum; "…" until the table's rows are made. */
bool view_own_heading(const struct view *v, unsigned line, struct value *out);
bool view_has_heading(const struct view *v);

/*
 * Shows items 0, 1, 2 …, which item_row() turns into rows: removes from items[] what the filter
 * rejects and sorts the rest by v->sort with a stable sort. The view then owns `items`; without
 * memory its rows stay and `items` is freed. This and the following functions are in arrange.c.
 */
bool view_show_items(struct view *v, uint32_t *items, size_t count, struct error *err) MUST_USE;
/* The same for all items from 0 on. */
bool view_show_all(struct view *v, size_t count, struct error *err) MUST_USE;
/*
 * The same two for many items, which are arranged by view_run(): rows() may call them, but the
 * `done` of another job may not (it sets v->is_stale instead). Cells and item_row() must work on a
 * worker.
 */
bool view_list_items(struct view *v, uint32_t *items, size_t count, struct error *err) MUST_USE;
bool view_list_all(struct view *v, size_t count, struct error *err) MUST_USE;
/* Lists all rows of the table that pass the filter (view_list.c). */
bool view_list_table(struct view *v, struct error *err) MUST_USE;
/* Checks that the table can be made from this heap and target. False sets `err`. */
bool view_accepts(struct view *v, struct error *err) MUST_USE;
/* Returns the view's target as the subject of its table. */
struct subject view_subject(const struct view *v);
/* Makes the table's rows, if the heap does not have them, then runs rows(). For view.c. */
bool view_make_rows(struct view *v, struct error *err) MUST_USE;
bool view_made_is_current(const struct view *v);
/* Makes the rows of the table anew with the next rows(), after a change of its
   argument. */
void view_make_again(struct view *v);
void view_made_free(struct view *v);
/* The rows() of a view that lists the results of its own job: `look` starts the job, whose end sets
   v->is_stale; once it `is_there`, `list` shows them. */
bool view_after(struct view *v, bool is_there, bool (*look)(struct view *v, struct error *err),
		bool (*list)(struct view *v, struct error *err), struct error *err) MUST_USE;
/* Filters and sorts part of the rows of a view that has rows of its own. */
bool view_arrange(const struct view *v, uint32_t *items, size_t *count,
		  view_row_of_item *row_of_item, struct progress *progress,
		  struct error *err) MUST_USE;
/* Shows items that are arranged already, of `whole` without a filter; the view then owns them. */
void view_take_items(struct view *v, uint32_t *items, size_t count, size_t whole);
/* Returns the numbers from 0 to count - 1; free with memory_free(). */
uint32_t *view_all_items(size_t count, struct error *err) MUST_USE;
/* True if a row passes the filter. */
bool view_row_passes(const struct view *v, const struct row *row);

/* Returns how many screen lines the heading may take: HEADING_MAX, or a few more if it names the
   selected row; more if rows leave some free, fewer on a small screen; 0 before view_layout(). */
int view_heading_room(const struct view *v);
/* Sets sizes, columns and scroll position (view_layout.c), then draws (view_draw.c). */
void view_layout(struct view *v, struct area area);
void view_draw(const struct view *v, struct screen *s, bool has_focus);
/* Draws a text below a picture in `lines` lines, with … if it is cut. */
void view_draw_summary(const struct view *v, struct screen *s, int line, int lines,
		       const char *text);
/* Explains why there are no rows, and what to do next (view_empty.c). Returns text of the view, the
   session or in `out`. */
const char *view_empty_text(const struct view *v, char out[VALUE_TEXT_BYTES]);
/* Returns, as enum need, what rows in this order and with this filter need. */
unsigned view_row_needs(const struct view *v);
/* The same as view_empty_text() in a few words, for a key that needs a row. */
const char *view_no_rows(const struct view *v);
/* True if rows will not come by themselves, because their job was stopped. */
bool view_was_stopped(const struct view *v);
bool view_begin_again(struct view *v, struct error *err);
/* Scrolls cut names by columns; returns false if nothing moved. */
bool view_move_names(struct view *v, int columns);
/* Like value_for_people(), but a type's name has its namespaces. */
const char *view_whole_text(const struct value *value, char out[VALUE_TEXT_BYTES]);
/* Returns the selected row's name if it is cut on screen, for the status
   line. */
bool view_cut_name(const struct view *v, struct value *out);

#endif
