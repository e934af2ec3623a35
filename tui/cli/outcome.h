#ifndef TUI_CLI_OUTCOME_H
#define TUI_CLI_OUTCOME_H

/*
 * What is told after a run on standard error, and the exit code that follows:
 * what is missing in the heaps, what they did cost, what could not be kept.
 */
#include "tui/cli/batch.h"
#include "tui/session/snapshots.h"

/* No file was bad where there is none. */
int outcome_of_live(const struct session *s, int code, const struct error *err);
/* Of every heap that was printed: what is missing, and what it did cost. */
int outcome_tell_heaps(const struct snapshots *all, const struct options *o,
		       int code);
/* After all: what was asked for besides the heaps. */
int outcome_tell_kept(const struct snapshots *all, int code);
/* The one that an error is about. */
const char *outcome_failed_path(const struct snapshots *all);

#endif
