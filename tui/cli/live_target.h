#ifndef TUI_CLI_LIVE_TARGET_H
#define TUI_CLI_LIVE_TARGET_H

/*
 * The process on the command line: found by name, its capture card printed, and the user asked
 * before it is captured or recorded.
 */
#include "tui/cli/batch.h"
#include "tui/session/snapshots.h"

/* Returns the pid of the only .NET process with this name; 0 sets `err`. */
int32_t live_target_named(const struct live_ops *live, const char *name, struct error *err);
/*
 * Prints what a capture will cost, asks the user, and adds a session for it. The capture has not
 * begun when this returns. Returns an exit code; `err` says why.
 */
int live_target_add(struct snapshots *all, const struct options *o,
		    const struct live_target *target, struct error *err);
/* The same for a recording of allocations, whose events `keep` gets, too, unless it is NULL. */
int live_target_add_recording(struct snapshots *all, const struct options *o,
			      const struct live_target *target, struct output *keep,
			      struct error *err);

#endif
