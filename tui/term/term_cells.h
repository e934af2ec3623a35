#ifndef TUI_TERM_TERM_CELLS_H
#define TUI_TERM_TERM_CELLS_H

/*
 * Cells as curses has them: styles as attributes and pairs of colours, of which
 * it sends what changes. Between newterm() and endwin(), of the terminal that
 * is current. A row that is as before costs a comparison.
 */
#include "tui/term/screen.h"
#include "tui/term/theme.h"
#include <curses.h>

struct term_cells {
	struct theme theme, plain; /* `plain` where there are no colours */
	bool is_ascii;
	int colours; /* so many it has; 0: none, or none are wanted */
	/* Since term_cells_dress(). */
	attr_t attrs[STYLE_COUNT];
	short pairs[STYLE_COUNT]; /* 0: none */
	struct screen *shown; /* as curses has it, for screen_free(); or NULL */
};

/* Finds what the styles look like; after all above was set. */
void term_cells_dress(struct term_cells *c);
void term_cells_show(struct term_cells *c, const struct screen *s);
/* Something else has written on the terminal: everything is sent anew. */
void term_cells_forget(struct term_cells *c);

#endif
