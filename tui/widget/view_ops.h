#ifndef TUI_WIDGET_VIEW_OPS_H
#define TUI_WIDGET_VIEW_OPS_H

/*
 * The declaration of a view: the command that opens it, a table, commands for its rows, and texts
 * for an empty view. A view that lists the rows of its table needs no code: see tui/views/lists.c.
 * Others have a struct view_code: copy tui/views/summary.c (rows of its own), tui/views/objects.c
 * (millions of rows) or tui/views/ways.c (a tree). Add one line to tui/app/views.h: key, `:` name,
 * `-b`, help, completion and key bar all come from the struct view_ops.
 *
 * Life of a view: open() once; rows() whenever the rows must be made anew (at first, after sorting
 * or filtering, or when a result that it needs arrives); row() and the cells for what is on screen,
 * as often as needed; close().
 */
#include "model/table/table.h"
#include "tui/term/screen.h"
#include "tui/widget/call.h"

enum { HEADING_MAX = 4 };
enum { COLUMN_GAP = 1 }; /* blanks between two columns */
/* A page of rows reads all rows shown so far: 0.3 s for this many. */
enum { MORE_ROWS_MAX = 131072 };

typedef void view_row_of_item(const struct view *v, uint32_t item, struct row *out);
/* Receives a command; NULL: something was done that no command repeats. */
typedef void replay_fn(void *to, const char *command);

enum view_flag {
	VIEW_PLAIN = 1 << 0,          /* text output: "name value", no titles */
	VIEW_LIVE = 1 << 1,           /* run rows() whenever the session changes */
	VIEW_HIDDEN = 1 << 2,         /* not in batch mode: help and the like */
	VIEW_PRINTS_HEADING = 1 << 3, /* as part of the text output */
	VIEW_TOP = 1 << 4,            /* text output has the first rows only; -n 0: all */
	VIEW_OBJECTS = 1 << 5,        /* a list of objects, which totals can sum up */
	VIEW_NAMES_SELECTED = 1 << 6, /* the heading names the selected row */
	VIEW_GROWS = 1 << 7,          /* rows come and go, so no worker may read them */
	/* If its first rows cannot be made as it was asked for, it closes, and the message line
	   says why. */
	VIEW_CLOSES_ON_ERROR = 1 << 8,
	VIEW_FITS = 1 << 9,   /* run rows() when v->fitted changes */
	VIEW_MARKS = 1 << 10, /* rows are marks: call rows() when marks change */
	/* Opens if the heap has only types, regardless of its other needs. */
	VIEW_OF_TYPES = 1 << 11,
	/* Saved sessions do not query running processes. */
	VIEW_QUERIES_PROCESSES = 1 << 12,
	/* `set mine` changes the rows. */
	VIEW_MINE = 1 << 13,
	/* In batch mode it takes several files and shows the last. */
	VIEW_LAST_FILE = 1 << 14,
	/* All columns of bytes show the unit of the largest value. */
	VIEW_ONE_UNIT = 1 << 15,
	VIEW_WITHOUT_HEAP = 1 << 16, /* -b needs no file for it */
};

/* Texts in place of missing rows and columns. */
struct view_words {
	const char *no_rows;  /* why there are none, and a command that helps */
	const char *no_roots; /* the same if roots are missing; NULL: no_rows */
	/* Columns ("a,b") that are empty in this view, and why. They are not shown, and cannot be
	   sorted or filtered by. NULL: none. */
	const char *unavailable, *unavailable_why;
};

/* How a view lists its rows. All fields may be 0. */
struct view_list {
	unsigned flags;        /* enum view_flag */
	const char *sort;      /* column of the initial order; NULL: the rows' own */
	const char *sorted_by; /* column that the rows are always sorted by */
	unsigned needs;        /* enum need, in addition to the table's */
	/* Needs that change the rows when they arrive. Batch mode requests them and restored
	   sessions wait for them. */
	unsigned wants;
	unsigned takes_also; /* enum takes, in addition to its command's */
};

/* The code of a tree view, whose rows can be unfolded. */
struct view_tree {
	/* Opens or closes a row and updates v->rows_count. */
	bool (*fold)(struct view *v, size_t index, bool open, struct error *err);
	/* Returns the command that opened this row; NULL: it was unfolded. */
	const char *(*opened_by)(const struct view *v, size_t index);
};

/* The code of a view that can be a picture. */
struct view_picture {
	/* Places the rows below the heading in a form of its own, from v->top on, with the selected
	   one visible. Returns false if they are to be a table now. */
	bool (*layout)(struct view *v);
	/* Draws them, and the line in place of the column titles. */
	void (*draw)(const struct view *v, struct screen *s, bool has_focus);
	/* Returns the row at a line, where 0 is that of the column titles, and a screen column;
	   SIZE_MAX: none. */
	size_t (*pick)(const struct view *v, int line, int column);
};

/* The code of a view that does more than list its table's rows. Each function may be NULL. */
struct view_code {
	/*
	 * Sets title and state from v->target; must be fast. It runs before the first rows(),
	 * perhaps before v->session->heap exists: `needs` are met in rows(), not here. A view with
	 * varying columns gives v->ops a copy in v->arena with its own columns; a view about
	 * another heap sets v->session to that heap's.
	 */
	bool (*open)(struct view *v, struct error *err);
	void (*close)(struct view *v); /* frees everything outside v->arena */
	/* Returns further needs (enum need) for this argument. */
	unsigned (*needs_for)(const char *argument);
	/* Chooses columns, and requests results that change the rows, before they are made. */
	bool (*prepare)(struct view *v, struct error *err);
	/*
	 * Makes the rows for v->sort and v->filter and sets v->rows_count: at once or, for a pass
	 * over the heap, by view_run(). If it must wait for something not in `needs`, it sets
	 * v->is_stale. If the rows of the table were made, they are v->made. NULL: all rows of the
	 * table.
	 */
	bool (*rows)(struct view *v, struct error *err);
	/* Reads only the heap and what rows() stored; it may be called when the session's results
	   have changed and rows() comes next. */
	void (*row)(const struct view *v, size_t index, struct row *out);
	/* Returns the row of an item, in place of row(), if rows are stored as items:
	   view_show_items(). NULL: the table's row of that number. */
	view_row_of_item *item_row;
	/* Prepares data shared by the cells of several rows, after rows() and when the session has
	   changed. Never runs on a worker. */
	void (*add_up)(struct view *v);
	/* Makes the lines above the table, the most important first, at most HEADING_MAX; returns
	   false if there is no such line. NULL: the table's heading. */
	bool (*heading)(const struct view *v, unsigned line, struct value *out);
	/* The command that a click on a line of the heading runs; its count is the number of the
	   line, from 1. NULL: none. */
	const char *heading_command;
	unsigned (*heading_command_lines)(const struct view *v); /* how many of the first lines */
	/* Returns the row with this key, or SIZE_MAX. NULL: all rows are searched. */
	size_t (*find)(const struct view *v, uint64_t key);
	/* Leaves one level of a view that can be entered, on Esc. Returns false without an error if
	   there is none. */
	bool (*step_out)(struct view *v, struct error *err);
	/* Sets the target to the objects of a row that stands for some objects of a type
	   (target.nodes, borrowed); `title` names them. */
	bool (*selection)(const struct view *v, const struct row *row, struct target *out,
			  char *title, size_t title_size);
	/* Lists what `x` excludes at a row that names neither a root nor an object; or,
	   `as_reference`, the one reference that the row stands for. Returns how many entries were
	   filled, at most `max`. */
	uint32_t (*exclusions)(const struct view *v, const struct row *row, bool as_reference,
			       struct ignored_entry *entries, uint32_t max);
	/* Passes to `add`, for a saved session, the commands that repeat what was done here, before
	   order, filter and open rows. */
	void (*replay)(const struct view *v, replay_fn *add, void *to);
	/* Returns whether a check has failed, for the exit code. */
	bool (*is_wrong)(const struct view *v);
	const struct view_tree *tree;
	const struct view_picture *picture;
	bool has_own_rows; /* rows() does not list those of the table */
};

/* The declaration of a view. */
struct view_ops {
	struct command command; /* the one that opens it; its run is NULL */
	const struct table *table;
	const struct command *commands; /* ends with {0}; or NULL */
	struct view_words words;
	struct view_list list;
	const struct view_code *code; /* NULL: lists the table's rows */
};

/* Returns the view's code, never NULL. */
static inline const struct view_code *
view_code(const struct view_ops *ops)
{
	static const struct view_code none;

	return ops->code ? ops->code : &none;
}

/* Returns how the rows that the view lists are made; NULL: by its code. */
static inline const struct row_source *
view_source(const struct view_ops *ops)
{
	return view_code(ops)->has_own_rows ? NULL : ops->table->rows;
}

/* Returns whether a job makes them. */
static inline bool
view_makes_rows(const struct view_ops *ops)
{
	return view_source(ops) && view_source(ops)->make;
}

/* Returns, as enum takes, which targets the view accepts. */
static inline unsigned
view_takes(const struct view_ops *ops)
{
	return command_takes(&ops->command) | ops->list.takes_also;
}

/* Returns, as enum need, what the view needs before it has rows. */
static inline unsigned
view_needs(const struct view_ops *ops)
{
	return ops->list.needs | ops->table->needs;
}

#endif
