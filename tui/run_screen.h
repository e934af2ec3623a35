#ifndef TUI_RUN_SCREEN_H
#define TUI_RUN_SCREEN_H

/* From the open terminal to the last view closed. */
#include "tui/batch.h"
#include "tui/snapshots.h"

/* Exit code; what went wrong has been said. */
int run_screen(struct snapshots *all, const struct options *o);

#endif
