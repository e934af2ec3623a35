#ifndef TUI_TABLES_DIFF_COLUMNS_H
#define TUI_TABLES_DIFF_COLUMNS_H

/* The columns and cells of `diff`, whose number depends on the number of heaps. tui/views/diff.c
   has the rest of that view. */
#include "model/analysis/survival.h"
#include "tui/session/comparison.h"
#include "tui/widget/view.h"

/* The results of a session that may be replaced. */
struct made_with {
	uint32_t reach_version;
	const struct retention *retention;
	bool counts_mine;
	const char *my_modules; /* the session's, if counts_mine */
	/* Unreachable bytes, if the heap has its memory. */
	bool knows_dead;
	uint64_t dead_bytes;
};

struct diff_view {
	struct view_ops ops; /* with columns for these heaps */
	struct table table;
	struct comparison c;
	enum diff_by opened_by; /* the grouping to which Esc goes back */
	bool has_turned_equal;  /* `a` was pressed an odd number of times */
	struct column *columns;
	struct diff diff; /* may be grouped otherwise than c.by */
	bool is_made;
	/* The heaps and results that `diff` was made from, one of each per heap. */
	const struct heap **heaps;
	struct made_with *made_with;
	struct diff_sum first, last; /* all rows: the whole heaps */
	uint32_t equal_count;        /* rows that are left out */
	/* Compares the first heap with the last, by type. has_survival: its job has ended; the
	   result may still be unknown. */
	struct survival survival;
	bool has_survival;
};

/* The columns as help describes them; ends with {0}. */
extern const struct table diff_table;
/* Gives the view a copy of its ops with columns for its heaps. */
bool diff_columns_make(struct view *v, struct error *err);
/* Renames the columns after the number of heaps has shrunk. */
bool diff_columns_rename(struct view *v, struct error *err);
/* Returns whether new objects can be told from older ones, now or as soon as the heaps have their
   objects. */
bool diff_can_tell_new(const struct diff_view *state);
/* Updates the title and which columns are shown; to be called when the comparison has changed or
   ended. */
void diff_columns_tell(struct view *v);
/* Puts what grew most first or, if the heap has shrunk, what shrank most, unless the user chose an
   order. */
void diff_columns_order(struct view *v);

#endif
