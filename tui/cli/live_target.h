#ifndef TUI_CLI_LIVE_TARGET_H
#define TUI_CLI_LIVE_TARGET_H

/*
 * A process of the command line: found by its name, its card printed, and
 * whoever sits at the terminal asked.
 */
#include "tui/cli/batch.h"
#include "tui/session/snapshots.h"

/* The pid of the one process that is called so; 0 sets `err`. */
int32_t live_target_named(const struct live_ops *live, const char *name,
			  struct error *err);
/*
 * Looks at the process, tells what a capture will cost, and asks. Nothing is
 * done to the process yet. Exit code; `err` says why.
 */
int live_target_add(struct snapshots *all, const struct options *o,
		    const struct live_target *target, struct error *err);

#endif
