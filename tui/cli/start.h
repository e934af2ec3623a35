#ifndef TUI_CLI_START_H
#define TUI_CLI_START_H

/* Settings at the start: files, then the environment, then the command line. */
#include "tui/cli/options.h"

/* The last one counts. Mistakes in files are said; false sets `err`. */
bool start_settings(struct options *o, struct error *err) MUST_USE;

#endif
