#ifndef TUI_TERM_TERMINFO_H
#define TUI_TERM_TERMINFO_H

/*
 * The library below curses that knows the kinds of terminals. In a file of its
 * own because <term.h> defines a `struct term`, too.
 */
#include <stdbool.h>

/* Is there a description of terminals of this type on the machine? */
bool terminfo_has(const char *type);

/*
 * Which terminal curses works for is one global variable, and libedit changes
 * it when it asks about a terminal of its own: whoever lets it do so keeps the
 * old one and puts it back. NULL: none yet.
 */
void *terminfo_current(void);
void terminfo_use(void *terminal);

#endif
