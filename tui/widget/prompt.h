#ifndef TUI_WIDGET_PROMPT_H
#define TUI_WIDGET_PROMPT_H

/*
 * The line at the bottom where commands, searches and filters are typed: line_editor.h edits it;
 * completion, ^R and drawing are here. Histories are kept in $XDG_STATE_HOME/heaptop/, mode 0600.
 */
#include "tui/term/screen.h"
#include "tui/widget/line_history.h"

struct prompt;

/* Offers completions for `line` at the cursor: calls `add` with whole words. */
typedef void prompt_complete(void *context, const char *line, size_t cursor,
			     void (*add)(void *to, const char *word), void *to);

/*
 * Keeps at most `lines_max` lines of history, up to HISTORY_LINES_MAX. `history_file`: a path, or a
 * name in $XDG_STATE_HOME/heaptop; NULL: history in memory only. Returns NULL if there can be no
 * prompt; if only the file cannot be used, sets `err` and the prompt works without it.
 */
struct prompt *prompt_new(const char *history_file, size_t lines_max, struct error *err) MUST_USE;
/* A prompt without a history file and without ~/.editrc, whose keys may start programs, as
   libedit's vi-histedit does. */
struct prompt *prompt_new_secure(struct error *err) MUST_USE;
void prompt_free(struct prompt *p);

enum prompt_state { PROMPT_EDITING, PROMPT_DONE, PROMPT_CANCELLED };
void prompt_begin(struct prompt *p, const char *sign, const char *initial,
		  prompt_complete *complete, void *context);
/*
 * Handles one enum key; after PROMPT_DONE the line is prompt_line().
 *
 * ^R searches the history for the text before the cursor and what is typed next; ^R again goes to
 * an older line, ^S to a newer one, Enter takes it.
 */
enum prompt_state prompt_key(struct prompt *p, int key);
const char *prompt_line(const struct prompt *p);
/*
 * Keeps a line for the next run, in the form in which it should be found again; other lines are
 * remembered until the program ends. False as for prompt_new(), once.
 */
bool prompt_keep(struct prompt *p, const char *line, struct error *err);
/* True if neither completions nor a history search is open, so the rows above are free. */
bool prompt_is_plain(const struct prompt *p);
/* Draws the line, and completions above it if there are several. */
void prompt_draw(const struct prompt *p, struct screen *s, int row);

#endif
