#ifndef TUI_CLI_TOUR_DUMPS_H
#define TUI_CLI_TOUR_DUMPS_H

/* The dumps of the tour, which are built into the program. */
#include "tui/session/snapshots.h"

/* Sets their loaders; reads nothing. */
void tour_dumps_attach(struct snapshots *all);

#endif
