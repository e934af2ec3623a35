#ifndef TUI_CLI_START_H
#define TUI_CLI_START_H

/* Applies settings at the start: rc files, the environment, the command line. */
#include "tui/cli/options.h"

/* Later sources win. Mistakes in rc files are only printed. */
bool start_settings(struct options *o, struct error *err) MUST_USE;

#endif
