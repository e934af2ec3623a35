#ifndef TUI_APP_SAVE_SESSION_H
#define TUI_APP_SAVE_SESSION_H

/*
 * Saves the state of the screen as a script that restores it (resume.h): heaps, settings and keys
 * changed at the prompt, ignored items, marks, and the open views with their order, filter, search,
 * unfolded rows and selected row. Every line is parsed again before it is written, to check that it
 * is one command and means the same. State that no command can restore is listed in a comment.
 */
#include "tui/app/command.h"

/* Runs ":save-session [FILE]". */
bool save_session(const struct call *call, struct error *err);
/* Saves at the end if the setting `resume` is on. False sets `err`. */
bool save_session_at_end(struct app *app, struct error *err);
/* Returns the text of the session, to be freed with free(). NULL sets `err`. */
char *save_session_text(struct app *app, struct error *err) MUST_USE;

/*
 * Returns the commands that open the same view with its order and filter in another heap of the
 * same program. For a view of one object they open the list of its type: in another heap addresses
 * differ. free(); NULL without memory.
 */
char *save_session_view(const struct view *v) MUST_USE;

#endif
