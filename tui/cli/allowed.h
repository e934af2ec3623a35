#ifndef TUI_CLI_ALLOWED_H
#define TUI_CLI_ALLOWED_H

/* Secure mode forbids these things on the command line and afterwards. */
#include "tui/cli/options.h"
#include "tui/session/snapshots.h"

/* Checks the command line before anything is opened. False sets `err`. */
bool allowed_check(const struct options *o, struct error *err) MUST_USE;
/*
 * Removes every way to write a file or capture a process, after `live` is set. Callers ask
 * secure_allows() first; this makes a forgotten call harmless. The snapshots borrow `restricted`.
 */
void allowed_restrict(struct snapshots *all, struct live_ops *restricted);

#endif
