#ifndef TUI_VIEW_H
#define TUI_VIEW_H

/*
 * A view is a table of columns, a table of commands, and a source of rows. The
 * same rows go to the screen, to CSV and to the golden tests.
 *
 * To add a view: copy view_summary.c (flat and small), view_objects.c (flat
 * and huge) or view_roots.c (a tree), change its tables, and add one line to
 * views.h. Its key, its `:` name, `-b`, help, completion and key bar all come
 * from the struct view_ops at the end of the file.
 *
 * Life of a view: open() once → rows() whenever the rows must be made anew
 * (first time, sorted, filtered, something arrived that it needs) → row() and
 * the cells for what is on screen, as often as needed → close().
 *
 * key → command → changes the view → view_layout() → view_draw(), which takes
 * the view as const and touches only the rows on screen.
 */
#include "model/arena.h"
#include "tui/command.h"
#include "tui/filter.h"
#include "tui/pattern.h"
#include "tui/rows.h"
#include "tui/value.h"

enum { FILL = 0, COLUMNS_MAX = 512, HEADING_MAX = 4 };
enum { COLUMN_GAP = 1 };          /* blanks between two of them */
enum sort { UNSORTED, UP, DOWN }; /* which way a column sorts at first */

enum column_flag {
	COLUMN_MACHINE = 1 << 0, /* in CSV only */
	COLUMN_SCREEN = 1 << 1,  /* on the screen only */
	COLUMN_RANGES = 1 << 2,  /* only if generations are known */
	COLUMN_BLANK = 1 << 3,   /* …but in CSV always, perhaps blank */
	COLUMN_BY_TYPE = 1 << 4, /* the cell looks at row->type alone */
	/* As text only if it is asked for: what it needs takes long. */
	COLUMN_DEAR = 1 << 5,
	COLUMN_MEMORY = 1 << 6,  /* only of heaps made of memory */
	COLUMN_CAPTURE = 1 << 7, /* only of all others */
	COLUMN_BAR = 1 << 8,     /* a share with a bar, where there is room */
};

struct column {
	const char *id; /* in CSV, :sort and filters; never changes */
	const char *title;
	int width; /* on screen, negative: left-aligned; FILL: what is left,
			for the one column that names the row */
	enum sort sort;
	/* NULL: the view's own cell(), of columns made at run time. */
	void (*cell)(const struct view *v, const struct row *row,
		     struct value *out);
	const char *help;
	/* Narrow screens leave out the highest first; 0 always stays. */
	unsigned char rank;
	unsigned short flags; /* enum column_flag */
	unsigned char needs;  /* enum need: "…" without */
};

/* What a filter of a whole heap reads without making cells: see filter.h. */
enum heap_number {
	HEAP_ADDRESS,
	HEAP_SIZE,
	HEAP_GENERATION,
	HEAP_IN,
	HEAP_OUT,
	HEAP_DISTANCE,
};
struct heap_column {
	const char *id; /* of a column that says just this of row->node */
	enum heap_number number;
};

enum view_flag {
	VIEW_PLAIN = 1 << 0,   /* text output is "name value", without header */
	VIEW_LIVE = 1 << 1,    /* rows() again whenever the session changes */
	VIEW_HIDDEN = 1 << 2,  /* not for batch: help and the like */
	VIEW_TELLS = 1 << 3,   /* its heading is part of the text output */
	VIEW_TOP = 1 << 4,     /* as text the first rows; -n 0: all */
	VIEW_OBJECTS = 1 << 5, /* a list of objects: totals adds them up */
};

struct view_ops {
	struct command command; /* the one that opens it; run is NULL */
	/* Said where there is no row: why, and a command that helps. */
	const char *empty;
	const char *empty_unrooted;   /* where roots are lost; NULL: the same */
	const struct column *columns; /* ends with {0} */
	const struct command *commands; /* ends with {0}; NULL: none */
	unsigned needs;                 /* enum need, before rows() */
	/* Better with this, where there is memory for it: batch mode asks. */
	unsigned wants;
	/* What it needs besides with this argument; NULL: nothing. */
	unsigned (*needs_for)(const char *argument);
	unsigned takes;   /* enum takes, for `target` */
	unsigned flags;   /* enum view_flag */
	const char *sort; /* id of a column; NULL: the rows' own order */
	const struct heap_column *heap_columns; /* ends with {0}; or NULL */

	/*
	 * Sets title and state from v->target; must not take long. Before the
	 * first rows(), and perhaps before v->session->heap is there: what is
	 * in `needs` is there at rows(), not here. NULL: nothing to do.
	 * A view whose columns are not always the same gives v->ops a copy
	 * in v->arena, with columns of its own; one that is about another
	 * heap sets v->session to that.
	 */
	bool (*open)(struct view *v, struct error *err);
	void (*close)(struct view *v); /* what is not in v->arena; or NULL */
	/*
	 * Makes the rows for v->sort and v->filter and sets v->rows_count: at
	 * once, or, if it is a pass over the heap, by view_run(). What must
	 * wait for something that is not in `needs` sets v->is_stale.
	 */
	bool (*rows)(struct view *v, struct error *err);
	void (*row)(const struct view *v, size_t index, struct row *out);
	void (*cell)(const struct view *v, const struct column *c,
		     const struct row *row, struct value *out); /* or NULL */
	/* Opens or closes a row of a tree and keeps v->rows_count. Or NULL. */
	bool (*fold)(struct view *v, size_t index, bool open,
		     struct error *err);
	/*
	 * What the cell of the column that names the row is the beginning of:
	 * search and filter look at it, on a worker. In `a`; false: it cannot
	 * be read. NULL: cells say all.
	 */
	bool (*whole_name)(const struct view *v, const struct row *row,
			   struct arena *a, const char **text);
	/* The row with this key, or SIZE_MAX. NULL: all are asked. */
	size_t (*find)(const struct view *v, uint64_t key);
	/*
	 * The objects that the row stands for, if they are some of a type and
	 * not all (target.nodes, borrowed); `title` says which. NULL: never.
	 */
	bool (*selection)(const struct view *v, const struct row *row,
			  struct target *out, char *title, size_t title_size);
	/*
	 * What `x` leaves out at a row that names neither root nor object; or,
	 * `as_reference`, the one reference that the row stands for. How many
	 * entries were filled, at most `max`. NULL: none.
	 */
	uint32_t (*leaves_out)(const struct view *v, const struct row *row,
			       bool as_reference, struct ignored_entry *entries,
			       uint32_t max);
	/* Lines above the table, at most HEADING_MAX; false: no such line. */
	bool (*heading)(const struct view *v, unsigned line, struct value *out);
	/*
	 * Of a view that can be a picture, all three: places rows below the
	 * heading otherwise than as lines of a table, from v->top on, so that
	 * the selected one is seen; false: they are a table now. Then draws
	 * them, and what stands in place of the columns' titles. And says which
	 * is at a place: a line from 0 for those titles, a column of the
	 * screen; SIZE_MAX: none.
	 */
	bool (*layout_picture)(struct view *v);
	void (*draw_picture)(const struct view *v, struct screen *s,
			     bool has_focus);
	size_t (*pick_picture)(const struct view *v, int line, int column);
	/* Of a view that is a test: whether it failed, for the exit code. No
	 * row is nothing bad then. NULL: it is none. */
	bool (*is_wrong)(const struct view *v);
};

struct area {
	int row, column, height, width;
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

struct view {
	const struct view_ops *ops;
	struct session *session;
	struct target target;
	void *state; /* the view's own, in `arena` if possible */
	/* What its rows are made of, by a job of that one, and updated with it;
	   set by open(), open as long as this one. NULL: no view. */
	struct view *source;
	struct arena arena; /* freed after close() */
	char title[256];    /* for the breadcrumb: "objects Leaky.Session" */
	uint64_t number;    /* of all that were opened on the stack; else 0 */

	size_t rows_count;
	uint32_t rows_version; /* changes with the rows */
	size_t cursor, top;    /* top: the first row on screen */
	int left;              /* columns that long names are scrolled by */
	const char *wanted; /* see column_choice.h; NULL or "": all columns */
	bool is_bare;       /* as text only these, without their titles */
	int sort;           /* index into columns; -1: the rows' own order */
	bool is_descending;
	struct filter *filter;   /* NULL: none */
	const char *opened_with; /* a filter that is what it shows; or NULL */
	struct pattern *search;  /* NULL: none */
	/* Of the last search, where not too many rows had to be looked at: true
	   as long as the row and the number of rows are these. */
	struct {
		size_t row, rows_count, number, count; /* count 0: unknown */
	} hits;
	/* What the rows on screen were made with, to go back to on Esc. */
	struct {
		int sort;
		bool is_descending;
		struct filter *filter; /* perhaps the same as `filter` */
	} shown;
	struct view_past past;
	bool has_moved; /* the user chose the selected row */

	bool is_waiting;  /* for the session to have what it needs */
	bool is_stale;    /* rows() must run when it becomes possible */
	bool was_stopped; /* before the rows were made */
	/* Why they could not be made; "": they could, or were not yet. */
	char trouble[sizeof(((struct error *)0)->message)];
	uint32_t session_version;
	struct view_job *job; /* NULL: none */
	/* A search to begin again: see view_restart(). */
	bool is_search_due, is_due_backwards, has_due_begun;

	/* Set by view_layout(), used by view_draw(). */
	struct area area;
	bool is_picture;
	int heading_lines, rows_shown;       /* of a picture: its lines */
	int widths[COLUMNS_MAX];             /* 0: left out */
	int chosen_widths[COLUMNS_MAX];      /* 0: none was */
	int order[COLUMNS_MAX], order_count; /* columns from left to right */
	int name_width;             /* that the longest name so far takes */
	size_t laid_top, laid_rows; /* when that was last asked */
};

/* Opening and closing: app.h does it; tests and batch mode too. */
struct view *view_open(const struct view_ops *ops, struct session *s,
		       const struct target *target, struct error *err) MUST_USE;
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
/* These three: its own job, else its source's. */
bool view_is_busy(const struct view *v);
const struct job *view_job(const struct view *v); /* NULL: none */
bool view_cancel(struct view *v); /* false: nothing was running */
/*
 * Stops the job, because what it reads is about to go. Rows being made, with
 * the order and filter that are wanted, and a search begin again with the next
 * view_update(); rows that were opening stay closed.
 */
void view_restart(struct view *v);

/* Columns. */
/* Is it one of "a,b:12,c"? */
bool view_column_is_wanted(const struct column *c, const char *ids);
bool view_has_column(const struct view *v, const struct column *c,
		     bool for_machines);
int view_column_by_id(const struct view_ops *ops, const char *id); /* or -1 */
/* The column that names a row: the one that FILLs; search and filter use it. */
const struct column *view_name_column(const struct view_ops *ops);
void view_cell(const struct view *v, const struct column *c,
	       const struct row *row, struct value *out);
/* The same with all of the text that it may be the beginning of, in `a`. */
void view_whole_cell(const struct view *v, const struct column *c,
		     const struct row *row, struct arena *a, struct value *out);
/* Fills in a type's name as shown now, its raw name for search. */
void view_type_cell(const struct view *v, type_id type, struct value *out);

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
/* To be called when what was wanted is shown, or did not come about. */
void view_past_note(struct view *v);
/* What -s and -f say; NULL: nothing. */
bool view_sort_and_filter(struct view *v, const char *sort, const char *filter,
			  struct error *err);
/*
 * Finds the next row that shows what matches; a job if there are many rows and
 * a heap. While that is loading the rows belong to the loader: no job.
 */
bool view_search(struct view *v, const char *regex, struct error *err);
bool view_search_again(struct view *v, bool backwards, struct error *err);

/*
 * For views of few rows: takes out of items[] what the
 * filter does not want and sorts the rest by v->sort, using the view's own
 * cells; equal ones stay in order. `row_of_item` says what row an item makes.
 * This and what makes use of it is arrange.c.
 */
typedef void view_row_of_item(const struct view *v, uint32_t item,
			      struct row *out);
bool view_arrange(const struct view *v, uint32_t *items, size_t *count,
		  view_row_of_item *row_of_item, struct error *err) MUST_USE;
/*
 * The same for a view that keeps what it shows in `*shown`: frees what stood
 * there, or `items` if it fails, and sets v->rows_count.
 */
bool view_show_items(struct view *v, uint32_t **shown, uint32_t *items,
		     size_t count, view_row_of_item *row_of_item,
		     struct error *err) MUST_USE;
/* All items from 0 on. */
bool view_show_all(struct view *v, uint32_t **shown, size_t count,
		   view_row_of_item *row_of_item, struct error *err) MUST_USE;
/*
 * Both of them where there may be many items: those are arranged by view_run(),
 * so that rows() may call it and the `done` of another job may not (that sets
 * v->is_stale). Cells and what makes rows must do on a worker.
 */
bool view_list_items(struct view *v, uint32_t **shown, uint32_t *items,
		     size_t count, view_row_of_item *row_of_item,
		     struct error *err) MUST_USE;
bool view_list_all(struct view *v, uint32_t **shown, size_t count,
		   view_row_of_item *row_of_item, struct error *err) MUST_USE;
/*
 * rows() of a view that lists what a job of its own finds: `look` begins that
 * job, whose end sets v->is_stale; once it `is_there`, `list` shows it.
 */
bool view_after(struct view *v, bool is_there,
		bool (*look)(struct view *v, struct error *err),
		bool (*list)(struct view *v, struct error *err),
		struct error *err) MUST_USE;
/* The numbers from 0 on; free with memory_free(). */
uint32_t *view_all_items(size_t count, struct error *err) MUST_USE;
/* True if the filter lets this row through; for trees and the like. */
bool view_lets_through(const struct view *v, const struct row *row);

/* Sizes, columns that fit, scroll position; then drawing (view_draw.c). */
void view_layout(struct view *v, struct area area);
void view_draw(const struct view *v, struct screen *s, bool has_focus);
/*
 * Where there are no rows (view_empty.c): why, and what to do next. A sentence
 * of the view's, the session's or in `out`.
 */
const char *view_empty_text(const struct view *v, char out[VALUE_TEXT_BYTES]);
/* Rows will not come by themselves, for somebody stopped what makes them. */
bool view_was_stopped(const struct view *v);
bool view_begin_again(struct view *v, struct error *err);
/* False if names that were cut are not, or not further. */
bool view_move_names(struct view *v, int columns);
/* The selected row's name if it is cut on screen, for the status line. */
bool view_cut_name(const struct view *v, struct value *out);

#endif
