#ifndef TUI_CLI_SAVE_H
#define TUI_CLI_SAVE_H

/*
 * Writes files: heaps (-o, convert, :save), and what is printed from the
 * screen. A file gets its name when it is complete.
 */
#include "tui/cli/options.h"
#include "tui/session/snapshots.h"

/* Returns whether the suffix names a format for heaps. */
bool save_has_format(const char *path);
/* Checks that all output can be written, before a process is captured. */
bool save_can_write(const struct options *o, struct error *err) MUST_USE;
/* Saves the first heap. Returns an exit code. */
int save_run(struct snapshots *all, const struct options *o);
/* Captures a process only to keep its events, for -o FILE.nettrace without a screen. */
int save_trace_run(struct snapshots *all, const struct options *o);
/* Lets the commands of the screen write files. */
void save_set_writers(struct snapshots *all);

#endif
