#ifndef TUI_CLI_GC_BATCH_H
#define TUI_CLI_GC_BATCH_H

/*
 * `heaptop -g` without a screen: print collections until the source ends, enough rows are printed,
 * the reader of the pipe leaves, or a signal arrives (^C, SIGTERM, SIGHUP). In each case the
 * diagnostics session of the watched process is closed. ^Z stops heaptop, not the process.
 */
#include "tui/cli/gc_lines.h"
#include "tui/session/session.h"

/* Returns an exit code; `err` is set unless it is EXIT_OK or EXIT_INCOMPLETE. */
int gc_batch_run(const struct loader *from, struct gc_lines *lines, struct error *err);

#endif
