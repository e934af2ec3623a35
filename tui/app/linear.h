#ifndef TUI_APP_LINEAR_H
#define TUI_APP_LINEAR_H

/*
 * The program without a screen, for screen readers and for lines that cannot
 * do more: each key is answered with a line. The views, keys and commands are
 * those of the screen; what is selected is said with the columns that would be
 * shown.
 */
#include "tui/app/app.h"
#include "tui/term/line_term.h"

/* As app_run(). */
bool linear_run(struct app *app, struct line_term *term,
		struct error *err) MUST_USE;

#endif
