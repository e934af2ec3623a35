#ifndef TUI_APP_APP_H
#define TUI_APP_APP_H

/*
 * The program on the screen: a stack of views with back and forward, the lines
 * around them, keys to commands. Runs without a terminal in tests: app_key()
 * and app_draw() are all that tui/term/term.c is needed for in app_run().
 */
#include "tui/term/term.h"
#include "tui/widget/view.h"

struct app;
struct rc;
struct resume;

/*
 * Opens the type table; of an empty session, the processes. The session, and
 * the snapshots that it belongs to, stay the caller's.
 */
struct app *app_new(struct session *s, struct error *err) MUST_USE;
/* Opens this view first. */
struct app *app_new_on(struct session *s, const struct view_ops *first,
		       struct error *err) MUST_USE;
void app_free(struct app *app);
/* Commands, as in tui/base/script.h, to be run as soon as the heap is there. */
void app_set_startup(struct app *app, const char *lines);
/* After those: where somebody was. Borrowed. */
void app_set_resume(struct app *app, struct resume *resume);
/* Before those: what files say, and what is wrong with them. Borrowed. */
void app_set_rc(struct app *app, const struct rc *rc);
/* For the status line while it is free, until the first key. Borrowed. */
void app_set_hint(struct app *app, const char *sentence);
/* Keep what was typed at the prompts across runs. */
void app_keep_histories(struct app *app);

/*
 * Until the user quits, or wants lines instead. False sets `err`: the heap
 * could not be read, or ERROR_CANCELLED if reading it was stopped.
 */
bool app_run(struct app *app, struct term *term, struct error *err);

/* One key of enum key; TK_WAKE and TK_TIMEOUT too. False: the user quit. */
bool app_key(struct app *app, int key);
/* One command, as typed after `:`. */
bool app_command(struct app *app, const char *line, struct error *err);
void app_draw(struct app *app, struct screen *s);

/* The one that the current view shows. */
struct session *app_session(struct app *app);
struct view *app_view(const struct app *app);
/* Opens a view on top of the current one; those that were forward go. */
bool app_open(struct app *app, const struct view_ops *ops,
	      const struct target *target, struct error *err);
/* The same on another of the heaps that are open. */
bool app_open_in(struct app *app, struct session *s, const struct view_ops *ops,
		 const struct target *target, struct error *err);
/* Closes the current view and those ahead of it; never the first. */
void app_close(struct app *app);
/* The line at the bottom, until the next key. */
void app_message(struct app *app, enum style style, const char *format, ...)
    PRINTF_LIKE(3, 4);

#endif
