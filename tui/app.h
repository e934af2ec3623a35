#ifndef TUI_APP_H
#define TUI_APP_H

/*
 * The program on the screen: a stack of views with back and forward, the lines
 * around them, keys to commands. Runs without a terminal in tests: app_key()
 * and app_draw() are all that term.c is needed for in app_run().
 */
#include "tui/term.h"
#include "tui/view.h"

struct app;

/* The session stays the caller's. `history_folder` NULL: none is kept. */
struct app *app_new(struct session *s, bool is_ascii,
		    struct error *err) MUST_USE;
void app_free(struct app *app);
/* Until the user quits. 0, or 130 after SIGINT while loading. */
int app_run(struct app *app, struct term *term, struct error *err);

/* One key of enum key; TK_WAKE and TK_TIMEOUT too. False: the user quit. */
bool app_key(struct app *app, int key);
/* A line as typed after `:`; errors go to the status line as well. */
bool app_command(struct app *app, const char *line, struct error *err);
void app_draw(struct app *app, struct screen *s);

struct session *app_session(struct app *app);
struct view *app_view(struct app *app);
/* Opens a view on top of the current one; those that were forward go. */
bool app_open(struct app *app, const struct view_ops *ops,
	      const struct target *target, struct error *err);
/* The line at the bottom, until the next key. */
void app_message(struct app *app, enum style style, const char *format, ...)
    PRINTF_LIKE(3, 4);

#endif
