#ifndef TUI_TERM_TERMINFO_BUILTIN_H
#define TUI_TERM_TERMINFO_BUILTIN_H

/*
 * Built-in terminfo entries, for machines without a database (bare containers) or without an entry
 * for a newer terminal. curses reads them from the environment: TERMINFO=`encoded`.
 */
#include <stdbool.h>

struct terminfo {
	const char *name;    /* to use in place of $TERM */
	const char *encoded; /* "b64:…" */
};

/* The entry for a terminal unknown to curses; at least that of a vt100. */
struct terminfo terminfo_builtin(const char *term);
/* xterm with 16 million colours; the first 256 are the palette. */
struct terminfo terminfo_direct(void);
bool terminfo_is_like_xterm(const char *term);

#endif
