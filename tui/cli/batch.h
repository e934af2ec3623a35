#ifndef TUI_CLI_BATCH_H
#define TUI_CLI_BATCH_H

/*
 * `heaptop -b`: what commands would show, printed. Each of them opens its view,
 * the commands of -x are run in it, and what is then shown is printed. Loads no
 * more than needed.
 */
#include "tui/cli/options.h"
#include "tui/session/session.h"

enum exit_code {
	EXIT_OK = 0,
	EXIT_NOTHING = 1, /* nothing matched; or verify has found something */
	EXIT_USAGE = 2,
	EXIT_ATTACH = 3,     /* no heap can be had from that process */
	EXIT_INCOMPLETE = 4, /* printed, but the file was cut or damaged */
	EXIT_BAD_FILE = 5,
	EXIT_FAILED = 6, /* the system refused: no memory, output is full */
	EXIT_INTERRUPTED = 130,
};

/*
 * Exit code; for all but EXIT_OK and EXIT_INCOMPLETE `err` says why, unless
 * there are no rows.
 */
int batch_run(struct session *s, const struct options *o, FILE *to,
	      struct error *err);
/* `heaptop -l`: the .NET processes; no heap is loaded. As batch_run(). */
int batch_list(struct session *s, const struct options *o, FILE *to,
	       struct error *err);
/* The exit code for a heap that could not be read. */
int exit_code_of_load(const struct error *err);

#endif
