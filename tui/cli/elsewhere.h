#ifndef TUI_CLI_ELSEWHERE_H
#define TUI_CLI_ELSEWHERE_H

/* Processes elsewhere: --via and HOST:PID. */
#include "tui/cli/options.h"
#include "model/heap/live.h"

/* Returns whether the processes of the command line are elsewhere. */
bool elsewhere_is_meant(const struct options *o);
/*
 * Connects; may ask for a password on the terminal. `version`: the first lines of --version;
 * `is_exact`: a heaptop there that prints the same may be used. Close it even after a failure.
 */
bool elsewhere_open(const struct options *o, const char *version, bool is_exact,
		    struct error *err) MUST_USE;
void elsewhere_close(void);
/* Names the other side in the error that no process, or several, have the name given. */
void elsewhere_explain(const struct options *o, struct error *err);

#endif
