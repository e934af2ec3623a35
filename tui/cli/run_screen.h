#ifndef TUI_CLI_RUN_SCREEN_H
#define TUI_CLI_RUN_SCREEN_H

/* Runs the screen until the last view is closed. */
#include "tui/cli/batch.h"
#include "tui/session/snapshots.h"

/* Returns an exit code; errors have been printed. */
int run_screen(struct snapshots *all, const struct options *o);

#endif
