#ifndef TUI_TERM_TERM_CELLS_H
#define TUI_TERM_TERM_CELLS_H

/*
 * Gives a screen to curses: styles become attributes and colour pairs. Valid between newterm()
 * and endwin(), for the current terminal of curses. Unchanged rows cost a comparison.
 */
#include "tui/term/screen.h"
#include "tui/term/theme.h"
#include <curses.h>

struct term_cells {
	struct theme theme, plain; /* `plain`: without colours */
	bool is_ascii;
	int colours; /* of the terminal; 0: none, or none wanted */
	/* Set by term_cells_set_looks(). */
	attr_t attrs[STYLE_COUNT];
	short pairs[STYLE_COUNT]; /* 0: none */
	struct screen *shown;     /* what curses has; owned; or NULL */
};

/* Translates the theme; call it when the members above are set or change. */
void term_cells_set_looks(struct term_cells *c);
/* Gives curses the screen for the next doupdate(). Returns how many rows have changed. */
int term_cells_put(struct term_cells *c, const struct screen *s);
/* Redraws everything, after other programs wrote to the terminal. */
void term_cells_forget(struct term_cells *c);

#endif
