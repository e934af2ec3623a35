#ifndef TUI_CLI_BATCH_H
#define TUI_CLI_BATCH_H

/*
 * `heaptop -b`: open the view of each command, run the commands of -x in it and print it. Only what
 * these commands need is loaded and computed.
 */
#include "tui/cli/options.h"
#include "tui/session/session.h"

enum exit_code {
	EXIT_OK = 0,
	EXIT_NOTHING = 1, /* nothing matched, or verify found a defect */
	EXIT_USAGE = 2,
	EXIT_ATTACH = 3,     /* the process cannot be captured */
	EXIT_INCOMPLETE = 4, /* printed, but data is missing or damaged */
	EXIT_BAD_FILE = 5,
	EXIT_FAILED = 6, /* a system error: no memory, disk full */
	EXIT_INTERRUPTED = 130,
};

/*
 * Returns an exit code. `err` is set unless it is EXIT_OK, EXIT_INCOMPLETE, or EXIT_NOTHING of a
 * view that prints its own result.
 */
int batch_run(struct session *s, const struct options *o, FILE *to, struct error *err);
/* Returns whether the first command of -b needs a heap; :schema does not. */
bool batch_needs_heap(const char *commands);
/* Returns whether the first command of -b shows what only memory has, and no capture by events. */
bool batch_needs_memory(const char *commands);
/* `heaptop -l`: print the .NET processes; loads no heap. As batch_run(). */
int batch_list(struct session *s, const struct options *o, FILE *to, struct error *err);
/* Returns the exit code for a heap that could not be loaded. */
int exit_code_of_load(const struct error *err);

#endif
