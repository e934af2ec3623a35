#ifndef TUI_APP_SHELL_H
#define TUI_APP_SHELL_H

/*
 * `!COMMAND` and `w !COMMAND` run a command in $SHELL, or /bin/sh, which has the terminal until it
 * ends, as in less. The command learns about the selection only from environment variables. Names
 * come from the target process, so they never become part of a command line.
 *
 *  HEAPTOP_FILE      the file that the heap was read from
 *  HEAPTOP_PID       the selected process, or the one that was captured
 *  HEAPTOP_TYPE      the type of the selected row
 *  HEAPTOP_ADDRESS   its object: 7fe01c001d70
 *
 * Variables without a value are not set. Control characters are replaced, as on the screen, since a
 * script may print the values.
 */
#include "tui/app/app.h"
#include "model/table/table_writer.h"

/* Runs a command; "" runs the shell interactively. */
bool shell_run(struct app *app, const char *command, struct error *err) MUST_USE;
/*
 * Runs a command with the rows of the current view on its standard input. Does not wait for values
 * that are being computed, since the terminal is given away at once; reports afterwards if some
 * were missing.
 */
bool shell_pipe(struct app *app, const char *command, enum table_format format,
		struct error *err) MUST_USE;

#endif
