#ifndef TUI_CLI_START_H
#define TUI_CLI_START_H

/*
 * Applies settings at the start: rc files, the environment, the command line.
 */
#include "tui/cli/options.h"

/*
 * Later sources override earlier ones. Mistakes in rc files are printed; others
 * return false and set `err`.
 */
bool start_settings(struct options *o, struct error *err) MUST_USE;

#endif
