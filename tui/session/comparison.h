#ifndef TUI_SESSION_COMPARISON_H
#define TUI_SESSION_COMPARISON_H

/*
 * What `diff` was asked to compare, and by what:
 *
 *   [type|namespace|module|generation|kind|root|path|dominator] [all] [HEAP…]
 *
 * HEAP is a number of :snapshots or a stretch such as 1-3; `all` keeps rows
 * that are equal. Without numbers: the heaps that are marked, if there are two
 * or more; else, of a process, the capture on the screen and the one before;
 * else all heaps, in the order they came.
 */
#include "model/analysis/diff.h"
#include "tui/session/snapshots.h"

struct comparison {
	enum diff_by by;
	bool shows_equal;
	struct session **sessions; /* in the order to be compared */
	uint32_t *numbers;         /* of each, as :snapshots counts */
	uint32_t count, left_out;  /* heaps that are open and not compared */
};

enum {
	COMPARISON_MAX = 200,                /* heaps */
	COMPARISON_BY_COUNT = DIFF_DOMINATOR /* groupings, without that */
};

/* Arrays are taken from `a`. `current` is the session on the screen. */
bool comparison_parse(struct comparison *c, const struct session *current,
		      const char *text, struct arena *a,
		      struct error *err) MUST_USE;
/* The grouping that a word means, also if it is only its beginning. */
bool comparison_parse_by(const char *word, size_t len, enum diff_by *by);
/* What must be known of each heap, enum need. */
unsigned comparison_needs(enum diff_by by);
/* The same of what is typed, without looking at heaps. */
unsigned comparison_needs_of(const char *text);
/* Those of which nothing can be read are compared no longer: whether there were
   any. */
bool comparison_drop_failed(struct comparison *c);
/* The first heap that is open and could not be read, and its number; or NULL.
 */
const struct session *comparison_unread(const struct snapshots *all,
					uint32_t *number);
/* "2 heaps by type": for titles. */
const char *comparison_title(const struct comparison *c, char *out,
			     size_t out_size);

#endif
