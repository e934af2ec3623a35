#ifndef TUI_TERM_SCREEN_H
#define TUI_TERM_SCREEN_H

/*
 * A plain grid of cells: what the terminal shall show. Drawing writes here;
 * term_show() sends it. Text from a dump is made harmless on the way in:
 * control characters, bidi controls and broken UTF-8 become a visible
 * substitute, so that no escape sequence reaches the terminal.
 */
#include "model/base/error.h"
#include "model/table/style.h"
#include <stddef.h>

const char *style_name(enum style style); /* "normal" … as in theme files */

enum { CELL_BYTES = 24 }; /* a character and what combines with it */
struct cell {
	char text[CELL_BYTES]; /* UTF-8; "" in the second half of a wide one */
	uint8_t width;         /* 0 (second half), 1, 2 */
	uint8_t style;         /* enum style */
};

struct screen {
	int rows, columns;
	struct cell *cells;          /* row by row */
	int cursor_row;              /* marked in dumps; -1: none */
	int caret_row, caret_column; /* of the prompt; -1: hidden */
	bool is_ascii; /* the terminal cannot show more: see screen_put() */
};

struct screen *screen_new(int rows, int columns, struct error *err) MUST_USE;
void screen_free(struct screen *s);
void screen_clear(struct screen *s); /* all blank, STYLE_NORMAL */

/*
 * Writes UTF-8 text from `column` on, at most `width` columns, and returns the
 * columns used. Nothing outside the screen is touched. With `is_ascii` known
 * signs have ASCII twins (→ ->, … ..., ├─ |-) and the rest becomes '?'.
 */
int screen_put(struct screen *s, int row, int column, int width,
	       enum style style, const char *text);
int screen_printf(struct screen *s, int row, int column, int width,
		  enum style style, const char *format, ...) PRINTF_LIKE(6, 7);
/* Right-aligned in `width`. */
void screen_put_right(struct screen *s, int row, int column, int width,
		      enum style style, const char *text);
/* As many words as there is room for with " …" behind them. */
enum { MORE_WIDTH = 2 };
int screen_put_part(struct screen *s, int row, int column, int width,
		    enum style style, const char *text);
/* Changes only the style of cells; text stays. */
void screen_restyle(struct screen *s, int row, int column, int width,
		    enum style style);

/*
 * The screen as text: column 0 is '>' on the cursor row and ' ' elsewhere, no
 * blanks at line ends. With `with_styles` a second block has one letter a
 * cell. Caller frees with memory_free().
 */
char *screen_dump(const struct screen *s, bool with_styles,
		  struct error *err) MUST_USE;

#endif
