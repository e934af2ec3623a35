#ifndef TUI_TERM_SCREEN_H
#define TUI_TERM_SCREEN_H

/*
 * The screen as a grid of cells. Drawing writes here; term_show() sends it to the terminal. Control
 * characters, bidi controls and invalid UTF-8 are replaced on the way in, so that no escape
 * sequence from a dump reaches the terminal.
 */
#include "model/base/error.h"
#include "model/table/style.h"
#include <stddef.h>

const char *style_name(enum style style); /* "normal" … as in theme files */

enum { CELL_BYTES = 24 }; /* a character and its combining characters */
struct cell {
	char text[CELL_BYTES]; /* UTF-8; "" in the second half of a wide cell */
	uint8_t width;         /* 0 (second half), 1, 2 */
	uint8_t style;         /* enum style */
};

struct screen {
	int rows, columns;
	struct cell *cells;          /* row by row */
	int cursor_row;              /* marked in dumps; -1: none */
	int caret_row, caret_column; /* terminal cursor; -1: hidden */
	bool is_ascii;               /* draw in ASCII only: see screen_put() */
	bool draws_patterns;         /* areas look alike without patterns */
};

struct screen *screen_new(int rows, int columns, struct error *err) MUST_USE;
void screen_free(struct screen *s);
void screen_clear(struct screen *s); /* all blank, STYLE_NORMAL */

/*
 * Writes UTF-8 text at `column`, at most `width` columns; returns the columns used. Clips at the
 * edges of the screen. With `is_ascii`, known symbols have ASCII replacements (→ ->, … ..., ├─ |-),
 * others become '?'.
 */
int screen_put(struct screen *s, int row, int column, int width, enum style style,
	       const char *text);
int screen_printf(struct screen *s, int row, int column, int width, enum style style,
		  const char *format, ...) PRINTF_LIKE(6, 7);
/* Right-aligned in `width`. */
void screen_put_right(struct screen *s, int row, int column, int width, enum style style,
		      const char *text);
/* As many whole words as fit, followed by " …". */
enum { MORE_WIDTH = 2 };
int screen_put_part(struct screen *s, int row, int column, int width, enum style style,
		    const char *text);
/* Changes only the style of cells; text stays. */
void screen_restyle(struct screen *s, int row, int column, int width, enum style style);

/*
 * The screen as text: column 0 is '>' on the cursor row and ' ' elsewhere; trailing blanks are
 * removed. With `with_styles`, a second block has one letter per cell. memory_free() the text.
 */
char *screen_dump(const struct screen *s, bool with_styles, struct error *err) MUST_USE;

#endif
