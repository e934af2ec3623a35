#ifndef TUI_WIDGET_VIEW_OPS_H
#define TUI_WIDGET_VIEW_OPS_H

/*
 * What the author of a view writes: a command that opens it, a table, commands
 * for its rows, and words for where there are none. A view that lists the rows
 * of its table needs no code: see tui/views/lists.c. Others have a struct
 * view_code: copy tui/views/summary.c (rows of its own), tui/views/objects.c
 * (millions of rows) or tui/views/ways.c (a tree). Add one line to
 * tui/app/views.h: key, `:` name, `-b`, help, completion and key bar all come
 * from the struct view_ops.
 *
 * Life of a view: open() once; rows() whenever the rows must be made anew
 * (first time, sorted, filtered, a result arrived that it needs); row() and the
 * cells for what is on the screen, as often as needed; close().
 */
#include "model/table/table.h"
#include "tui/term/screen.h"
#include "tui/widget/call.h"

enum { HEADING_MAX = 4 };
enum { COLUMN_GAP = 1 }; /* blanks between two of them */
/* Each page of rows looks at all that are there: 0.3 s for so many. */
enum { MORE_ROWS_MAX = 131072 };

typedef void view_row_of_item(const struct view *v, uint32_t item,
			      struct row *out);
/* Takes a command; NULL: something was done that none brings back. */
typedef void view_keep(void *to, const char *command);

enum view_flag {
	VIEW_PLAIN = 1 << 0,   /* text output is "name value", without header */
	VIEW_LIVE = 1 << 1,    /* rows() again whenever the session changes */
	VIEW_HIDDEN = 1 << 2,  /* not for batch: help and the like */
	VIEW_TELLS = 1 << 3,   /* its heading is part of the text output */
	VIEW_TOP = 1 << 4,     /* as text the first rows; -n 0: all */
	VIEW_OBJECTS = 1 << 5, /* a list of objects: totals adds them up */
	VIEW_SAYS = 1 << 6,  /* its heading has the name of the selected row */
	VIEW_GROWS = 1 << 7, /* rows come and go: no worker may read them */
	/* Names that are cut go on in the lines below, while all rows fit. */
	VIEW_BREAKS = 1 << 8,
	VIEW_FITS = 1 << 9,   /* rows() again when v->fitted changes */
	VIEW_MARKS = 1 << 10, /* its rows are marks: rows() when those change */
	/* Opens with the types alone if a heap has nothing else, whatever it
	   needs otherwise. */
	VIEW_OF_TYPES = 1 << 11,
	VIEW_ASKS = 1 << 12, /* asks running processes: no saved session may */
};

/* Words in the place of missing rows and columns. */
struct view_words {
	const char *no_rows;  /* why there is none, and a command that helps */
	const char *no_roots; /* the same where roots are lost; NULL: no_rows */
	/* Columns "a,b" that are empty in this view: not on the screen, in no
	   order or filter; and why. NULL: none. */
	const char *unavailable, *unavailable_why;
};

/* How a view lists its rows, where it differs from nothing. */
struct view_list {
	unsigned flags;        /* enum view_flag */
	const char *sort;      /* first order, a column; NULL: the rows' own */
	const char *sorted_by; /* a column that the rows are always sorted by */
	unsigned needs;        /* enum need, beside those of its table */
	/* Its rows change when this has been computed. Batch mode asks for it,
	   and sessions that come back wait for it. */
	unsigned wants;
	unsigned takes_besides; /* enum takes, beside those of its command */
};

/* The code of a view of a tree: its rows can be unfolded. */
struct view_tree {
	/* Opens or closes a row and keeps v->rows_count. */
	bool (*fold)(struct view *v, size_t index, bool open,
		     struct error *err);
	/* The command that opened this row just so; NULL: it was unfolded. */
	const char *(*opened_by)(const struct view *v, size_t index);
};

/* The code of a view that can be a picture. */
struct view_picture {
	/* Places rows below the heading otherwise than as lines of a table,
	   from v->top on, so that the selected one is seen. False: they are a
	   table now. */
	bool (*layout)(struct view *v);
	/* Draws them, and what stands in the place of the columns' titles. */
	void (*draw)(const struct view *v, struct screen *s, bool has_focus);
	/* The row at a line, from 0 for those titles, and a column of the
	   screen; SIZE_MAX: none. */
	size_t (*pick)(const struct view *v, int line, int column);
};

/*
 * The code of a view that is more than the list of its table's rows. Each
 * function may be NULL.
 */
struct view_code {
	/*
	 * Sets title and state from v->target; must not take long. Before the
	 * first rows(), and perhaps before v->session->heap is there: what is
	 * in `needs` is there at rows(), not here. A view whose columns are not
	 * always the same gives v->ops a copy in v->arena, with columns of its
	 * own; one that is about another heap sets v->session to that.
	 */
	bool (*open)(struct view *v, struct error *err);
	void (*close)(struct view *v); /* frees what is not in v->arena */
	/* enum need: further needs with this argument. */
	unsigned (*needs_for)(const char *argument);
	/*
	 * Makes the rows for v->sort and v->filter and sets v->rows_count: at
	 * once, or, if it is a pass over the heap, by view_run(). What must
	 * wait for something that is not in `needs` sets v->is_stale. If the
	 * table has a pass, v->made is there. NULL: all rows of the table.
	 */
	bool (*rows)(struct view *v, struct error *err);
	/* Reads only what rows() kept, and the heap; it may be called when the
	   session's results have changed and rows() comes next. */
	void (*row)(const struct view *v, size_t index, struct row *out);
	/* The row of an item, in place of row(), if rows are kept as items:
	   view_show_items(). NULL: the row of the table with that number. */
	view_row_of_item *item_row;
	/* Prepares what cells of several rows read: never on a worker, after
	   rows() and when the session has changed. */
	void (*add_up)(struct view *v);
	/* Lines above the table, the most important first, HEADING_MAX at
	   most; false: no such line. NULL: those of the table. */
	bool (*heading)(const struct view *v, unsigned line, struct value *out);
	/* The row with this key, or SIZE_MAX. NULL: all rows are searched. */
	size_t (*find)(const struct view *v, uint64_t key);
	/* One step out of a view that can be gone into, for Esc. False without
	   an error: there is no step. */
	bool (*step_out)(struct view *v, struct error *err);
	/* The objects that a row stands for, if they are some of a type and
	   not all (target.nodes, borrowed); `title` names them. */
	bool (*selection)(const struct view *v, const struct row *row,
			  struct target *out, char *title, size_t title_size);
	/*
	 * What `x` excludes at a row that names neither a root nor an object;
	 * or, `as_reference`, the one reference that the row stands for. How
	 * many entries were filled, at most `max`.
	 */
	uint32_t (*leaves_out)(const struct view *v, const struct row *row,
			       bool as_reference, struct ignored_entry *entries,
			       uint32_t max);
	/* For a saved session: gives `keep` the commands that bring back what
	   was done here, before order, filter and open rows. */
	void (*kept)(const struct view *v, view_keep *keep, void *to);
	/* A view that is a test says whether it failed, for the exit code. */
	bool (*is_wrong)(const struct view *v);
	const struct view_tree *tree;
	const struct view_picture *picture;
};

/* A view is declared by these. */
struct view_ops {
	struct command command; /* the one that opens it; run is NULL */
	const struct table *table;
	const struct command *commands; /* ends with {0}; NULL: none */
	struct view_words words;
	struct view_list list;
	const struct view_code *code; /* NULL: it lists the table's rows */
};

/* Never NULL. */
static inline const struct view_code *
view_code(const struct view_ops *ops)
{
	static const struct view_code none;

	return ops->code ? ops->code : &none;
}

/* enum takes, for `target`. */
static inline unsigned
view_takes(const struct view_ops *ops)
{
	return command_takes(&ops->command) | ops->list.takes_besides;
}

/* enum need: before it has rows. */
static inline unsigned
view_needs(const struct view_ops *ops)
{
	return ops->list.needs | ops->table->needs;
}

#endif
