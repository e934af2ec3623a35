#ifndef TUI_WIDGET_LINE_HISTORY_H
#define TUI_WIDGET_LINE_HISTORY_H

/*
 * The prompt's history, oldest line first, kept across runs in a file of mode
 * 0600. Several programs may share the file: each appends its lines and reads
 * those of the others. Repeated and too old lines are removed from the file at the next start.
 * Without a usable file, lines are remembered until the program ends.
 */
#include "model/base/error.h"
#include <stddef.h>

enum { HISTORY_LINES_MAX = 1000, HISTORY_LINE_BYTES = 4096 };

struct line_history {
	char *path; /* NULL: no file */
	char **lines;
	size_t count, lines_max;
	size_t file_lines; /* lines in the file when it was read */
};

/*
 * `where`: a path, a name in $XDG_STATE_HOME/heaptop, or NULL. The oldest lines beyond `lines_max`
 * are dropped. Returns false with an error if the file cannot be used; the history then works
 * without it.
 */
bool line_history_open(struct line_history *history, const char *where, size_t lines_max,
		       struct error *err);
void line_history_close(struct line_history *history);
/* Adds the newest line in memory only; the next line_history_add() reads the file again and drops
   it. */
void line_history_note(struct line_history *history, const char *line);
/* Adds the newest line, also to the file. False as for line_history_open(), once. */
bool line_history_add(struct line_history *history, const char *line, struct error *err);

#endif
