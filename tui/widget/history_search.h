#ifndef TUI_WIDGET_HISTORY_SEARCH_H
#define TUI_WIDGET_HISTORY_SEARCH_H

/*
 * The search of ^R at the prompt: finds history lines that contain the typed text, newest first. It
 * does not edit the line. Each key reads all lines: there are at most HISTORY_LINES_MAX.
 */
#include "tui/widget/line_history.h"
#include <stdbool.h>

enum { HISTORY_SEARCH_BYTES = 256 };

struct history_search {
	bool is_on, is_found;
	char wanted[HISTORY_SEARCH_BYTES];
	char last[HISTORY_SEARCH_BYTES]; /* the previous search, for ^R^R */
	size_t at;                       /* index of the matching line */
	size_t number, count;            /* it is match `number` of `count`, from 1 */
};

/* Starts searching for the first `len` bytes of `typed`. */
void history_search_begin(struct history_search *s, const struct line_history *history,
			  const char *typed, size_t len);
enum history_search_result {
	HISTORY_SEARCH_CONTINUES, /* if is_found, show history->lines[at] */
	HISTORY_SEARCH_CANCELLED, /* restore the line as it was before ^R */
	HISTORY_SEARCH_ACCEPTED,  /* keep the line and handle the key there */
};
/* ^R and Up go to an older line, ^S and Down to a newer one. */
enum history_search_result history_search_key(struct history_search *s,
					      const struct line_history *history, int key);

#endif
