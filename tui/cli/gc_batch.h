#ifndef TUI_CLI_GC_BATCH_H
#define TUI_CLI_GC_BATCH_H

/*
 * `heaptop -g` without a screen: from where collections are told to gc_lines,
 * until there are no more, enough were printed, nobody reads what is printed,
 * or a signal says so (^C, SIGTERM, SIGHUP): the watched process is left
 * without a session in every case. ^Z stops us, not it.
 */
#include "tui/cli/gc_lines.h"
#include "tui/session/session.h"

/* Exit code; `err` says why, unless it is EXIT_OK or EXIT_INCOMPLETE. */
int gc_batch_run(const struct loader *from, struct gc_lines *lines,
		 struct error *err);

#endif
