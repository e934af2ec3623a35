#ifndef TUI_WIDGET_PAST_H
#define TUI_WIDGET_PAST_H

/*
 * What was typed before, oldest first, across runs: a file of lines, 0600.
 * Several programs may share it: each adds its lines at the end, and reads what
 * the others have added. Lines that are there again, or too old, are removed
 * from the file at the next start. Without a file, or with one that cannot be
 * written, lines are remembered until the program ends.
 */
#include "model/base/error.h"
#include <stddef.h>

enum { PAST_LINES_MAX = 1000, PAST_LINE_BYTES = 4096 };

struct past {
	char *path; /* NULL: no file */
	char **lines;
	size_t count, lines_max;
	size_t file_lines; /* that the file had when it was read */
};

/*
 * `where`: a path, or a name in $XDG_STATE_HOME/heaptop, or NULL. Of more than
 * `lines_max` lines the oldest go. False with an error if the file cannot be
 * used; the history works all the same.
 */
bool past_open(struct past *past, const char *where, size_t lines_max,
	       struct error *err);
void past_close(struct past *past);
/* Becomes the newest line, until the next past_add(). */
void past_note(struct past *past, const char *line);
/* Becomes the newest line. False as above, the first time only. */
bool past_add(struct past *past, const char *line, struct error *err);

#endif
