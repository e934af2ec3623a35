#ifndef TUI_CUR_TERM_H
#define TUI_CUR_TERM_H

/*
 * Which terminal curses works for is one global variable of terminfo's, and
 * libedit changes it when it asks about a terminal of its own. In a file of
 * its own because <term.h> defines a `struct term`, too.
 */
void *cur_term_get(void); /* NULL: none yet */
void cur_term_set(void *terminal);

#endif
