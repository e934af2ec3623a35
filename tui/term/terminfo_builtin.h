#ifndef TUI_TERM_TERMINFO_BUILTIN_H
#define TUI_TERM_TERMINFO_BUILTIN_H

/*
 * What curses must know of a terminal, for machines without a terminfo
 * database (bare containers) or without an entry for a newer terminal.
 * curses takes it from the environment: TERMINFO=`encoded`.
 */
#include <stdbool.h>

struct terminfo {
	const char *name;    /* to be asked for instead of $TERM */
	const char *encoded; /* "b64:…" */
};

/* For a terminal that curses does not know; at worst what a vt100 can do. */
struct terminfo terminfo_builtin(const char *term);
/* An xterm with 16 million colours, of which the first 256 are its palette. */
struct terminfo terminfo_direct(void);
bool terminfo_is_like_xterm(const char *term);

#endif
