#ifndef TUI_WIDGET_PAST_H
#define TUI_WIDGET_PAST_H

/*
 * The prompt's history, oldest line first, kept across runs in a file of mode
 * 0600. Several programs may share the file: each appends its lines and reads
 * those of the others. Repeated and too old lines are removed from the file at
 * the next start. Without a usable file, lines are remembered until the program
 * ends.
 */
#include "model/base/error.h"
#include <stddef.h>

enum { PAST_LINES_MAX = 1000, PAST_LINE_BYTES = 4096 };

struct past {
	char *path; /* NULL: no file */
	char **lines;
	size_t count, lines_max;
	size_t file_lines; /* lines in the file when it was read */
};

/*
 * `where`: a path, a name in $XDG_STATE_HOME/heaptop, or NULL. The oldest lines
 * beyond `lines_max` are dropped. Returns false with an error if the file
 * cannot be used; the history then works without it.
 */
bool past_open(struct past *past, const char *where, size_t lines_max,
	       struct error *err);
void past_close(struct past *past);
/* Adds the newest line in memory only; past_add() replaces it. */
void past_note(struct past *past, const char *line);
/* Adds the newest line, also to the file. False as for past_open(), once. */
bool past_add(struct past *past, const char *line, struct error *err);

#endif
