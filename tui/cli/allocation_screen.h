#ifndef TUI_CLI_ALLOCATION_SCREEN_H
#define TUI_CLI_ALLOCATION_SCREEN_H

/*
 * `heaptop -a`: what a process allocates, on the screen while it is recorded, or what a trace has.
 */
#include "tui/cli/options.h"
#include "tui/session/snapshots.h"

/* `target` is a process; without a pid `file` is read. Returns an exit code and reports errors. */
int allocation_screen_run(struct snapshots *all, const struct options *o,
			  const struct live_target *target, const struct loader *file);

#endif
