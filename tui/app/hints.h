#ifndef TUI_APP_HINTS_H
#define TUI_APP_HINTS_H

/*
 * What stands above the prompt while a command is typed: the commands that
 * begin so, with their arguments and help; of a name that is complete the one
 * alone. Made from the tables of commands for the line as it is: it keeps
 * nothing and costs one look at each row of the tables.
 */
#include "tui/app/command.h"
#include "tui/term/screen.h"

/*
 * Above `row`; on a narrow or low screen one line. `view`: where the line will
 * be run.
 */
void hints_draw(const struct view_ops *view, const char *line, struct screen *s,
		int row);

#endif
