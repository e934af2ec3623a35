#ifndef TUI_CLI_RUN_TEXT_H
#define TUI_CLI_RUN_TEXT_H

/*
 * Runs without a screen. Each function prints its result and its errors and returns an exit code.
 * Tables are drawn in ASCII unless the locale uses UTF-8.
 */
#include "tui/cli/batch.h"
#include "tui/session/snapshots.h"

/* -b, on the first heap */
int run_text_batch(struct snapshots *all, struct options *o);
/* -l; reads no heap */
int run_text_list(struct snapshots *all, struct options *o);
/* check; writes the JUnit file by all->write() */
int run_text_check(struct snapshots *all, const struct options *o);
/* Returns whether -g prints text even on a terminal: some option needs text. */
bool run_text_prints_gcs(const struct options *o);
/* -g, as collections end */
int run_text_gcs(const struct options *o, const struct loader *from);

#endif
