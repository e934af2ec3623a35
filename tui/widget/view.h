#ifndef TUI_WIDGET_VIEW_H
#define TUI_WIDGET_VIEW_H

/*
 * A view that is open: a table, its rows in an order and through a filter, the
 * selected one, and where all of it is on the screen. tui/widget/view_ops.h
 * says what a view is declared by.
 *
 * key → command → changes the view → view_layout() → view_draw(), which takes
 * the view as const and touches only the rows on screen.
 */
#include "model/base/arena.h"
#include "model/table/filter.h"
#include "model/table/listing.h"
#include "model/table/pattern.h"
#include "tui/widget/view_ops.h"

/* Of the columns that add up; all 0: there are none. */
struct view_sum {
	uint64_t count, bytes, whole; /* whole: what shares are of */
};

struct area {
	int row, column, height, width;
	bool is_unseen; /* rows are read out: no line of theirs is broken */
};

/* The orders and filters that a view was shown with, for undo and redo. */
struct view_step {
	int sort;
	bool is_descending;
	const char *filter; /* "": none; in the view's arena */
};
enum { VIEW_STEPS_MAX = 64 }; /* the oldest go */
struct view_past {
	struct view_step steps[VIEW_STEPS_MAX];
	unsigned count, at; /* steps[at] is what is shown */
};

/* A row, and on which line of the screen it was. */
struct row_place {
	bool has_key;
	uint64_t key;
	size_t line;
};

struct view {
	const struct view_ops *ops;
	struct session *session;
	struct target target;
	/* The objects that the pass of its table is about; NULL: all. */
	node_id *nodes;
	uint32_t nodes_count;
	void *state; /* the view's own, in `arena` if possible */
	/* What the pass of its table made, for cells and heading; NULL: not
	   yet. */
	void *made;
	uint32_t made_version; /* of the results that it was made of */
	/* What its rows are made of, by a job of that one, and updated with it;
	   set by open(), open as long as this one. NULL: no view. */
	struct view *source;
	struct arena arena; /* freed after close() */
	char title[256];    /* for the breadcrumb: "objects Leaky.Session" */
	uint64_t number;    /* of all that were opened on the stack; else 0 */
	/* The command that opened it, without an argument, at the row with this
	   key of the view below; NULL: it was opened otherwise. */
	const char *opened_by;
	uint64_t opened_at;

	size_t rows_count;
	/* The items that are its rows, in order, and how many there are without
	   a filter: see view_show_items(). NULL: it has rows of its own. */
	uint32_t *items;
	size_t items_count;
	uint32_t rows_version; /* changes with the rows */
	/* Of each column's bytes, for their unit: see view_measure(). */
	struct {
		uint32_t rows_version, session_version;
		uint64_t bytes[COLUMNS_MAX];
	} largest;
	struct view_sum sum; /* made with it */
	size_t cursor, top;  /* top: the first row on screen */
	int left;            /* columns that long names are scrolled by */
	const char *wanted;  /* see column_choice.h; NULL or "": all columns */
	bool is_bare;        /* as text only these, without their titles */
	int sort;            /* index into columns; -1: the rows' own order */
	bool is_descending;
	struct filter *filter;     /* NULL: none */
	const char *opened_with;   /* a filter that is what it shows; or NULL */
	struct pattern *search;    /* NULL: none */
	struct view_search *found; /* see view_search.h; NULL: nothing */
	/* The order that is wanted as soon as its column has what it needs. */
	struct {
		bool is_set, is_descending;
		int sort;
	} awaited;
	/* What the rows on screen were made with, to go back to on Esc. */
	struct {
		int sort;
		bool is_descending;
		struct filter *filter; /* perhaps the same as `filter` */
	} shown;
	struct view_past past;
	bool has_moved; /* the user chose the selected row, which stays so */
	/* To find the selected row again where rows are made anew: what it was;
	   what it was before that one went, with a filter perhaps; and which
	   was selected in its place. */
	struct row_place anchor, gone, instead;

	bool is_waiting;  /* for the session to have what it needs */
	bool is_stale;    /* rows() must run when it becomes possible */
	bool was_stopped; /* before the rows were made */
	bool was_awaited; /* by keys, since it was opened: see tui/app/app.c */
	/* Why they could not be made; "": they could, or were not yet. */
	char trouble[sizeof(((struct error *)0)->message)];
	uint32_t session_version;
	struct view_job *job; /* NULL: none */

	/* Set by view_layout(), used by view_draw(). */
	struct area area;
	bool is_picture;
	int heading_lines, rows_shown; /* of a picture: its lines */
	int row_lines;           /* of each row: 1, or more of VIEW_BREAKS */
	int widths[COLUMNS_MAX]; /* 0: left out */
	int chosen_widths[COLUMNS_MAX];      /* 0: none was */
	int order[COLUMNS_MAX], order_count; /* columns from left to right */
	int longest_name;                    /* so far: cells */
	int fitted; /* what VIEW_FITS has room for: cells, INT_MAX where nobody
		       sees it; 0: not known yet */
	size_t laid_top, laid_rows; /* when that was last asked */
	/* Where it was scrolled to with this row selected: a screen that gets
	   smaller and larger again shows the same rows. */
	struct {
		size_t cursor, top, rows_count;
	} scrolled;
};

/* By name: it may have a copy of its ops. */
static inline bool
view_is(const struct view *v, const struct view_ops *ops)
{
	return v->ops->command.name == ops->command.name;
}

/* Opening and closing: tui/app/app.h does it; tests and batch mode too. */
/* Without which it is not opened; before order and filter. */
unsigned view_own_needs(const struct view_ops *ops, const struct session *s);
struct view *view_open(const struct view_ops *ops, struct session *s,
		       const struct target *target, struct error *err) MUST_USE;
/* The objects that the view was opened for, from its target into its arena. */
bool view_take_nodes(struct view *v, node_id **nodes, uint32_t *count,
		     struct error *err) MUST_USE;
void view_close(struct view *v); /* NULL is allowed */
/*
 * To be called after session_poll() and when a job ended: makes rows that can
 * be made now. False sets `err`; the view stays as it was.
 */
bool view_update(struct view *v, struct error *err);
/* Makes the rows anew, the selected one stays selected if it is still there. */
bool view_reload(struct view *v, struct error *err);

/* A long computation of a view's own; one at a time, a new one stops the old.
 */
typedef bool view_work(void *context, struct progress *progress,
		       struct error *err); /* on a worker */
typedef void view_done(struct view *v, void *context,
		       bool ok); /* on the screen's thread; frees context */
/*
 * `done` is called exactly once, also when cancelled or when this fails. The
 * worker may read the heap and what `context` holds, nothing that the screen's
 * thread changes; so none runs before there is a heap. Without a waker (tests,
 * batch) all happens at once.
 */
bool view_run(struct view *v, const char *what, view_work *work,
	      view_done *done, void *context, struct error *err) MUST_USE;
/* The same for what only reads the rows that are shown; rows() may begin it. */
bool view_run_on_rows(struct view *v, const char *what, view_work *work,
		      view_done *done, void *context,
		      struct error *err) MUST_USE;
/* The same for what adds to rows that are shown: rows() begins it last. */
bool view_run_for_more(struct view *v, const char *what, view_work *work,
		       view_done *done, void *context,
		       struct error *err) MUST_USE;
/* False: the screen's thread changes rows beneath a worker, or a loader does.
 */
bool view_can_run_on_rows(const struct view *v);
/* These three: its own job, else its source's. */
bool view_is_busy(const struct view *v);
const struct job *view_job(const struct view *v); /* NULL: none */
bool view_cancel(struct view *v); /* false: nothing was running */
/* The rows are those that will stay: order and filter have what they need, too.
 */
bool view_has_settled(const struct view *v);
/*
 * Some of the rows will be others, as those of a tree that opens: nobody may be
 * reading them, and what was searched in them is searched again.
 */
void view_rows_change(struct view *v);
/*
 * Stops the job, because what it reads is about to go. Rows being made, with
 * the order and filter that are wanted, and a search begin again with the next
 * view_update(); rows that were opening stay closed.
 */
void view_restart(struct view *v);

/* Columns. */
bool view_has_column(const struct view *v, const struct column *c,
		     bool for_machines);
/* Whether this heap has what the column says, wanted or not. */
bool view_knows_column(const struct view *v, const struct column *c,
		       bool for_machines);
int view_column_by_id(const struct view_ops *ops, const char *id); /* or -1 */
/* The column that names a row: the one that FILLs; search and filter use it. */
const struct column *view_name_column(const struct view_ops *ops);
/* Its rows, to be filtered and written; good until rows or results change. */
struct listing view_listing(const struct view *v);
/* The listing of a view that is not open: no rows, and no facts. */
struct listing view_listing_unopened(const struct view_ops *ops);
/* What the cells of its table read. */
struct cells view_cells(const struct view *v, struct facts *facts);
void view_cell(const struct view *v, const struct column *c,
	       const struct row *row, struct value *out);
/* The same with all of the text that it may be the beginning of, in `a`. */
void view_whole_cell(const struct view *v, const struct column *c,
		     const struct row *row, struct arena *a, struct value *out);
/* The row at a place. */
void view_row(const struct view *v, size_t index, struct row *out);
/* The row that an item makes: see items. */
void view_item_row(const struct view *v, uint32_t item, struct row *out);

/* Changing the view. */
void view_move_to(struct view *v, size_t index);
void view_move_by(struct view *v, long long rows);
bool view_selected(const struct view *v, struct row *out);
/* What the selected row is about, else what the view is about. */
struct target view_target(const struct view *v);
bool view_fold(struct view *v, size_t index, bool open, struct error *err);
/* The same for the selected row, as commands of views that are trees. */
bool view_command_unfold(const struct call *call, struct error *err);
bool view_command_fold(const struct call *call, struct error *err);
/* The same column again turns the order round. */
bool view_sort(struct view *v, int column, struct error *err);
bool view_sort_to(struct view *v, int column, bool is_descending,
		  struct error *err);
/* "size", "+size": as the column sorts at first; "-size": the other way round.
 */
bool view_find_sort(const struct view *v, const char *text, int *column,
		    bool *is_descending, struct error *err);
/* enum need: the needs of a filter, before the view is open. */
unsigned view_filter_needs(const struct view_ops *ops, const char *text);
/* Only rows that this lets through; "": all. See filter.h. */
bool view_filter(struct view *v, const char *text, struct error *err);
/* The filter that makes it what it is, as a row's Enter opened it. */
bool view_filter_opening(struct view *v, const char *text, struct error *err);
/* Back to that, or to none. False without an error: it is there already. */
bool view_filter_less(struct view *v, struct error *err);
/* The same; a text that is no expression is an error and no pattern. */
bool view_where(struct view *v, const char *text, struct error *err);
/* The order and the filter before the last change; and again after it. */
bool view_undo(struct view *v, struct error *err);
bool view_redo(struct view *v, struct error *err);
/*
 * The last order whose column has what it needs, else the rows' own: -1. That
 * is the view's when nobody computes any more what its order is by.
 */
int view_order_left(const struct view *v, bool *is_descending);
/* To be called when what was wanted is shown, or did not come about. */
void view_past_note(struct view *v);
/* What -s and -f say; NULL: nothing. */
bool view_sort_and_filter(struct view *v, const char *sort, const char *filter,
			  struct error *err);
/*
 * Looks at the cells of the rows, where there are many at those that come
 * first, so that all bytes of a column can be shown in one unit. Not on a
 * worker; does nothing until rows or session change. view_update() calls it
 * (view_measure.c).
 */
void view_measure(struct view *v);
/*
 * What all rows are together, where a filter lets not all through or shares are
 * not of the whole heap; else false. view_measure() adds up, of all rows; the
 * line stands behind those of the view: view_heading() has both
 * (view_sum.c).
 */
void view_sum_up(struct view *v);
bool view_tell_sum(const struct view *v, struct value *out);
bool view_heading(const struct view *v, unsigned line, struct value *out);
/* Without that line; "…" until the pass of the view's table has ended. */
bool view_own_heading(const struct view *v, unsigned line, struct value *out);
bool view_has_heading(const struct view *v);

/*
 * For views whose rows are items 0, 1, 2 …, each of which item_row() makes a
 * row of: takes out of items[] what the filter does not want and sorts the rest
 * by v->sort, using the view's own cells; equal ones stay in order. They become
 * the rows of the view, which owns `items` then; without memory the rows stay
 * and `items` is freed. This and what follows is arrange.c.
 */
bool view_show_items(struct view *v, uint32_t *items, size_t count,
		     struct error *err) MUST_USE;
/* All items from 0 on. */
bool view_show_all(struct view *v, size_t count, struct error *err) MUST_USE;
/*
 * Both of them where there may be many items: those are arranged by view_run(),
 * so that rows() may call it and the `done` of another job may not (that sets
 * v->is_stale). Cells and what makes rows must do on a worker.
 */
bool view_list_items(struct view *v, uint32_t *items, size_t count,
		     struct error *err) MUST_USE;
bool view_list_all(struct view *v, size_t count, struct error *err) MUST_USE;
/* All rows of the view's table that the filter lets through (view_list.c). */
bool view_list_table(struct view *v, struct error *err) MUST_USE;
/* False sets `err`: the table cannot be made of this heap, or not for this
   target. */
bool view_accepts(struct view *v, struct error *err) MUST_USE;
/* The view's target, as the subject that its table is asked about. */
struct subject view_subject(const struct view *v);
/* Runs the table's pass, if it has one, and then rows(): for view.c. */
bool view_make_rows(struct view *v, struct error *err) MUST_USE;
bool view_made_is_current(const struct view *v);
/* The argument has changed: the pass runs again with the next rows. */
void view_make_again(struct view *v);
void view_made_free(struct view *v);
/*
 * rows() of a view that lists what a job of its own finds: `look` begins that
 * job, whose end sets v->is_stale; once it `is_there`, `list` shows it.
 */
bool view_after(struct view *v, bool is_there,
		bool (*look)(struct view *v, struct error *err),
		bool (*list)(struct view *v, struct error *err),
		struct error *err) MUST_USE;
/* The same for part of the rows of a view that has rows of its own. */
bool view_arrange(const struct view *v, uint32_t *items, size_t *count,
		  view_row_of_item *row_of_item, struct error *err) MUST_USE;
/* The numbers from 0 on; free with memory_free(). */
uint32_t *view_all_items(size_t count, struct error *err) MUST_USE;
/* True if the filter lets this row through; for trees and the like. */
bool view_lets_through(const struct view *v, const struct row *row);

/*
 * Lines of the screen that the heading may take: HEADING_MAX, more where the
 * rows leave some free, fewer on a small screen; 0 before view_layout().
 */
int view_heading_room(const struct view *v);
/* Sizes, columns that fit, scroll position (view_layout.c); then drawing
   (view_draw.c). */
void view_layout(struct view *v, struct area area);
void view_draw(const struct view *v, struct screen *s, bool has_focus);
/*
 * Where there are no rows (view_empty.c): why, and what to do next. A sentence
 * of the view's, the session's or in `out`.
 */
const char *view_empty_text(const struct view *v, char out[VALUE_TEXT_BYTES]);
/* enum need: of rows in this order and with this filter. */
unsigned view_row_needs(const struct view *v);
/* The same in a few words, for a key that needs one. */
const char *view_no_rows(const struct view *v);
/* Rows will not come by themselves, for somebody stopped what makes them. */
bool view_was_stopped(const struct view *v);
bool view_begin_again(struct view *v, struct error *err);
/* False if names that were cut are not, or not further. */
bool view_move_names(struct view *v, int columns);
/* As value_for_people(), but of a type the name with namespaces and all. */
const char *view_whole_text(const struct value *value,
			    char out[VALUE_TEXT_BYTES]);
/* The selected row's name if it is cut on screen, for the status line. */
bool view_cut_name(const struct view *v, struct value *out);

#endif
