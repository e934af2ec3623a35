#ifndef TUI_APP_APP_H
#define TUI_APP_APP_H

/*
 * The interactive program: a stack of views with back and forward, the lines around them, and keys.
 * Tests run it without a terminal through app_key() and app_draw(); only app_run() needs
 * tui/term/term.c.
 */
#include "tui/term/term.h"
#include "tui/widget/view.h"

struct app;
struct rc;
struct resume;

/*
 * Opens the table of types, or of processes for an empty session. The session and its snapshots
 * stay the caller's.
 */
struct app *app_new(struct session *s, struct error *err) MUST_USE;
/* The same with another first view. */
struct app *app_new_on(struct session *s, const struct view_ops *first, struct error *err) MUST_USE;
void app_free(struct app *app);
/* Sets commands (tui/app/script.h) to run once the heap is loaded. Borrowed. */
void app_set_startup(struct app *app, const char *lines);
/* Sets a saved session to resume after these commands. Borrowed. */
void app_set_resume(struct app *app, struct resume *resume);
/* Sets heaptoprc commands, which run before those, and errors. Borrowed. */
void app_set_rc(struct app *app, const struct rc *rc);
/* Sets a hint for the status line, shown until the first key. Borrowed. */
void app_set_hint(struct app *app, const char *sentence);
/* Saves the prompts' histories across runs. */
void app_keep_histories(struct app *app);

/*
 * Runs until the user quits or switches to linear mode. False sets `err`: the heap could not be
 * read, or ERROR_CANCELLED if reading was stopped.
 */
bool app_run(struct app *app, struct term *term, struct error *err);

/* Handles a key of enum key, including TK_WAKE and TK_TIMEOUT. False: quit. */
bool app_key(struct app *app, int key);
/* Runs a command as typed after `:`. */
bool app_command(struct app *app, const char *line, struct error *err);
void app_draw(struct app *app, struct screen *s);

/* Returns the session of the current view. */
struct session *app_session(struct app *app);
struct view *app_view(const struct app *app);
/* Opens a view above the current one, in place of those ahead of it. */
bool app_open(struct app *app, const struct view_ops *ops, const struct target *target,
	      struct error *err);
/* The same for another open heap. */
bool app_open_in(struct app *app, struct session *s, const struct view_ops *ops,
		 const struct target *target, struct error *err);
/* Closes the current view, unless it is the first, and those ahead of it. */
void app_close(struct app *app);
/* Sets the message in the status line, shown until the next key. */
void app_message(struct app *app, enum style style, const char *format, ...) PRINTF_LIKE(3, 4);

#endif
