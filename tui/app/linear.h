#ifndef TUI_APP_LINEAR_H
#define TUI_APP_LINEAR_H

/*
 * Linear mode, for screen readers and terminals without cursor movement: each key is answered with
 * a line. Views, keys and commands are those of the screen. The selected row is printed with the
 * columns that the screen would show.
 */
#include "tui/app/app.h"
#include "tui/term/line_term.h"

/* The same as app_run(). */
bool linear_run(struct app *app, struct line_term *term, struct error *err) MUST_USE;

#endif
