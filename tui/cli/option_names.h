#ifndef TUI_CLI_OPTION_NAMES_H
#define TUI_CLI_OPTION_NAMES_H

/* The words of the command line besides options: files, or a process. */
#include "tui/cli/options.h"

bool option_names_is_pid(const char *text);
/* Fills in `host` if the only name is HOST:PID or HOST:NAME and no file. */
bool option_names_find_host(struct options *o, int count, char **names, struct error *err) MUST_USE;
/* Fills in the files or the process. False sets `err` (ERROR_USAGE). */
bool option_names_take(struct options *o, int count, char **names, struct error *err) MUST_USE;

#endif
