#ifndef TUI_CLI_RUN_TEXT_H
#define TUI_CLI_RUN_TEXT_H

/*
 * What is printed instead of shown, from the open heaps to the exit code, which
 * each returns; what went wrong has been said. Drawn in ASCII where LANG and
 * the like do not name UTF-8.
 */
#include "tui/cli/batch.h"
#include "tui/session/snapshots.h"

/* -b, of the first heap. */
int run_text_batch(struct snapshots *all, struct options *o);
/* -l: no heap is read. */
int run_text_list(struct snapshots *all, struct options *o);
/* check; its file for build servers is written by all->write(). */
int run_text_check(struct snapshots *all, const struct options *o);
/* What only text can do asks for text, also on a terminal. */
bool run_text_wants_gcs(const struct options *o);
/* -g, as the collections come. */
int run_text_gcs(const struct options *o, const struct loader *from);

#endif
