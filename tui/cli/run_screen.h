#ifndef TUI_CLI_RUN_SCREEN_H
#define TUI_CLI_RUN_SCREEN_H

/* From the open terminal to the last view closed. */
#include "tui/cli/batch.h"
#include "tui/session/snapshots.h"

/* Exit code; what went wrong has been said. */
int run_screen(struct snapshots *all, const struct options *o);

#endif
