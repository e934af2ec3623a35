#ifndef TUI_WIDGET_PROMPT_H
#define TUI_WIDGET_PROMPT_H

/*
 * The line at the bottom where commands, searches and filters are typed:
 * line_editor.h does the editing, here are completion, ^R and drawing.
 * Histories are kept in $XDG_STATE_HOME/heaptop/, mode 0600.
 */
#include "tui/term/screen.h"
#include "tui/widget/past.h"

struct prompt;

/* What to offer after `line`'s cursor: calls `add` with whole words. */
typedef void prompt_complete(void *context, const char *line, size_t cursor,
			     void (*add)(void *to, const char *word), void *to);

/*
 * Of the history no more than `lines_max` are kept, at most PAST_LINES_MAX.
 * `history_file`: a path, or a name in $XDG_STATE_HOME/heaptop; NULL: kept in
 * memory only. NULL comes back if there can be no prompt; if only the file
 * cannot be used, `err` says why and the prompt works without it.
 */
struct prompt *prompt_new(const char *history_file, size_t lines_max,
			  struct error *err) MUST_USE;
/*
 * Without a file, and without ~/.editrc: a key that it names may start a
 * program, as libedit's vi-histedit does.
 */
struct prompt *prompt_new_secure(struct error *err) MUST_USE;
void prompt_free(struct prompt *p);

enum prompt_state { PROMPT_EDITING, PROMPT_DONE, PROMPT_CANCELLED };
void prompt_begin(struct prompt *p, const char *sign, const char *initial,
		  prompt_complete *complete, void *context);
/*
 * ^R searches the history for what is typed then, or stands before the cursor;
 * ^R again goes to an older line, ^S to a newer one, Enter takes it.
 * One key of enum key; the line is prompt_line() when it returns PROMPT_DONE.
 */
enum prompt_state prompt_key(struct prompt *p, int key);
const char *prompt_line(const struct prompt *p);
/*
 * A line that was of use, as it shall be found again in the next run; others
 * are remembered until then. False as for prompt_new(), once.
 */
bool prompt_keep(struct prompt *p, const char *line, struct error *err);
/* Neither a list nor a search is open: there is room for something above. */
bool prompt_is_plain(const struct prompt *p);
/* Draws the line, and completions above it if there are several. */
void prompt_draw(const struct prompt *p, struct screen *s, int row);

#endif
