#ifndef TUI_WIDGET_SEEK_H
#define TUI_WIDGET_SEEK_H

/*
 * ^R at the prompt: looks through what was typed before, from the newest line
 * on, while what is sought is typed. Knows nothing of how a line is edited.
 * Each key looks at all lines: there are at most PAST_LINES_MAX.
 */
#include "tui/widget/past.h"
#include <stdbool.h>

enum { SEEK_BYTES = 256 };

struct seek {
	bool is_on, is_found;
	char sought[SEEK_BYTES];
	char last[SEEK_BYTES]; /* what was sought before: ^R^R */
	size_t at;             /* the line found */
	size_t number, count;  /* it is this one, from 1, of those with it */
};

/* `typed`: what is sought at first, `len` bytes of it. */
void seek_begin(struct seek *s, const struct past *past, const char *typed,
		size_t len);
enum seek_answer {
	SEEK_GOES_ON, /* s->is_found: past->lines[s->at] is to be shown */
	SEEK_UNDONE,  /* the line as it was before */
	SEEK_TAKEN,   /* and the key is for the line that was found */
};
/* ^R and Up: an older line, ^S and Down: a newer one. */
enum seek_answer seek_key(struct seek *s, const struct past *past, int key);

#endif
