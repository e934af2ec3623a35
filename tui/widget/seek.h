#ifndef TUI_WIDGET_SEEK_H
#define TUI_WIDGET_SEEK_H

/*
 * The search of ^R at the prompt: finds history lines that contain the typed
 * text, newest first. It does not edit the line. Each key reads all lines:
 * there are at most PAST_LINES_MAX.
 */
#include "tui/widget/past.h"
#include <stdbool.h>

enum { SEEK_BYTES = 256 };

struct seek {
	bool is_on, is_found;
	char sought[SEEK_BYTES];
	char last[SEEK_BYTES]; /* the previous search text, for ^R^R */
	size_t at;             /* index of the matching line */
	size_t number, count;  /* it is match `number` of `count`, from 1 */
};

/* Start searching for the first `len` bytes of `typed`. */
void seek_begin(struct seek *s, const struct past *past, const char *typed,
		size_t len);
enum seek_answer {
	SEEK_GOES_ON, /* if s->is_found, show past->lines[s->at] */
	SEEK_UNDONE,  /* restore the line as it was before ^R */
	SEEK_TAKEN,   /* keep the matching line and handle the key there */
};
/* ^R and Up go to an older line, ^S and Down to a newer one. */
enum seek_answer seek_key(struct seek *s, const struct past *past, int key);

#endif
