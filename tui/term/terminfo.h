#ifndef TUI_TERM_TERMINFO_H
#define TUI_TERM_TERMINFO_H

/*
 * Access to terminfo, the library below curses. A separate file because <term.h> also defines a
 * `struct term`.
 */
#include <stdbool.h>

/* Whether the terminfo database has an entry for the type. */
bool terminfo_has(const char *type);

/*
 * The current terminal of curses is a global variable, which libedit changes. Save it before
 * calling libedit and restore it afterwards. NULL: none yet.
 */
void *terminfo_current(void);
void terminfo_use(void *terminal);

#endif
