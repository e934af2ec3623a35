#ifndef TUI_APP_HINTS_H
#define TUI_APP_HINTS_H

/*
 * Hints above the prompt while a command is typed: the commands that begin with the typed letters,
 * or the command whose arguments are being typed, with usage and help. Computed from the tables of
 * commands for each line; keeps no state.
 */
#include "tui/app/command.h"
#include "tui/term/screen.h"

/* Draws hints above `row`: a list, or one line on a small screen. */
void hints_draw(const struct view_ops *view, const char *line, struct screen *s, int row);

#endif
