#ifndef TUI_APP_SHELL_H
#define TUI_APP_SHELL_H

/*
 * `!COMMAND` and `w !COMMAND`: $SHELL, or /bin/sh, runs what was typed and has
 * the terminal until it ends, as in less. What the screen shows is told to it
 * in the environment alone: names come from the target, and no shell ever
 * reads one as part of a command.
 *
 *   HEAPTOP_FILE      the file that the heap was read from
 *   HEAPTOP_PID       the process that it was captured from, or is selected
 *   HEAPTOP_TYPE      the type of the selected row
 *   HEAPTOP_ADDRESS   its object: 7fe01c001d70
 *
 * What there is none of is not set. Control characters in them are replaced,
 * as on the screen: a script may well print them.
 */
#include "tui/app/app.h"
#include "model/table/table_writer.h"

/* "" is the shell itself, until it is left. */
bool shell_run(struct app *app, const char *command,
	       struct error *err) MUST_USE;
/*
 * With the rows of the current view on its standard input, as they are now: the
 * terminal is given away at once. What was not computed yet is told afterwards.
 */
bool shell_pipe(struct app *app, const char *command, enum table_format format,
		struct error *err) MUST_USE;

#endif
