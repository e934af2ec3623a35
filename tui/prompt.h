#ifndef TUI_PROMPT_H
#define TUI_PROMPT_H

/*
 * The line at the bottom where commands, searches and filters are typed:
 * libedit does the editing (Emacs or vi keys, ~/.editrc, history), we draw.
 * Histories are kept in $XDG_STATE_HOME/heaptop/, mode 0600.
 */
#include "tui/screen.h"

struct prompt;

/* What to offer after `line`'s cursor: calls `add` with whole words. */
typedef void prompt_complete(void *context, const char *line, size_t cursor,
			     void (*add)(void *to, const char *word), void *to);

/* `history_file` NULL: kept in memory only. */
struct prompt *prompt_new(const char *history_file, struct error *err) MUST_USE;
void prompt_free(struct prompt *p);

enum prompt_state { PROMPT_EDITING, PROMPT_DONE, PROMPT_CANCELLED };
void prompt_begin(struct prompt *p, const char *sign, const char *initial,
		  prompt_complete *complete, void *context);
/* One key of enum key; the line is prompt_line() when it returns PROMPT_DONE.
 */
enum prompt_state prompt_key(struct prompt *p, int key);
const char *prompt_line(const struct prompt *p);
/* Draws the line, and completions above it if there are several. */
void prompt_draw(const struct prompt *p, struct screen *s, int row);

#endif
