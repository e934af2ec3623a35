#ifndef TUI_APP_SAVE_SESSION_H
#define TUI_APP_SAVE_SESSION_H

/*
 * Where somebody is, as a script that leads there again: resume.h. Heaps,
 * settings changed and keys mapped at the prompt, what is ignored, marks, and
 * the views that are open with their order, filter, search, open rows and
 * selected row. Every line is
 * read back before it is written: it is one command, and means the same thing.
 * What cannot be said so is named in a comment instead.
 */
#include "tui/app/command.h"

/* ":save-session [FILE]" */
bool save_session(const struct call *call, struct error *err);
/* When the program ends, if `:set resume` wants it. False sets `err`. */
bool save_session_at_end(struct app *app, struct error *err);
/* The text, without a file; free(). NULL sets `err`. */
char *save_session_text(struct app *app, struct error *err) MUST_USE;

/*
 * The commands that open the same view, with its order and filter, of another
 * heap of the same program; of one that is about an object the list of its
 * type, for objects are elsewhere there. free(); NULL: no memory for them.
 */
char *save_session_view(const struct view *v) MUST_USE;

#endif
