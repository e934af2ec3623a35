#ifndef TUI_SESSION_COMPARISON_H
#define TUI_SESSION_COMPARISON_H

/*
 * Parses the arguments of `diff`:
 *
 *   [type|namespace|module|generation|kind|root|path|dominator] [all] [mine]
 *   [HEAP…]
 *
 * HEAP is a number of :snapshots or a range such as 1-3; `all` also shows rows that are equal;
 * `mine` counts only my code, as `set mine` does. The default is the marked heaps, if there are two
 * or more; else, for a captured process, the current capture and the one before it; else all heaps,
 * in the order they were opened. Files that were opened later (`open FILE`) are always among them,
 * in the order of time.
 */
#include "model/analysis/diff.h"
#include "tui/session/snapshots.h"

struct comparison {
	enum diff_by by;
	bool shows_equal, shows_mine;
	struct session **sessions; /* in the order of comparison */
	uint32_t *numbers;         /* of each session, as in :snapshots */
	uint32_t count, left_out;  /* open heaps that are not compared */
};

enum {
	COMPARISON_MAX = 200,                /* heaps */
	COMPARISON_BY_COUNT = DIFF_DOMINATOR /* groupings before this */
};

/* `current` is the session on the screen. The arrays are allocated from `a`. */
bool comparison_parse(struct comparison *c, struct session *current, const char *text,
		      struct arena *a, struct error *err) MUST_USE;
/* Parses a grouping, which may be abbreviated. False: there is none. */
bool comparison_parse_by(const char *word, size_t len, enum diff_by *by);
/* Returns what each heap needs to be grouped like this (enum need). */
unsigned comparison_needs(enum diff_by by);
/* The same for the arguments as typed, without looking at heaps. */
unsigned comparison_needs_of(const char *text);
/* Removes heaps that could not be read. Returns whether there were any. */
bool comparison_drop_failed(struct comparison *c);
/* Returns the first open heap that could not be read, with its number, or NULL. */
const struct session *comparison_unread(const struct snapshots *all, uint32_t *number);
/* Returns a title: "diff 2 heaps by type". */
const char *comparison_title(const struct comparison *c, char *out, size_t out_size);

#endif
