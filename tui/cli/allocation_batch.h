#ifndef TUI_CLI_ALLOCATION_BATCH_H
#define TUI_CLI_ALLOCATION_BATCH_H

/*
 * `heaptop -b allocations`: records what a process allocates, or reads a trace,
 * then prints the view. ^C ends the recording early; its rows are printed.
 */
#include "tui/cli/options.h"
#include "tui/session/snapshots.h"

/*
 * `target` is a process; without one the file of `o` is read. Returns an exit
 * code and reports errors.
 */
int allocation_batch_run(struct snapshots *all, struct options *o,
			 const struct live_target *target, const char *file);

#endif
