#ifndef TUI_TERM_LINE_H
#define TUI_TERM_LINE_H

/* A line of the screen that is written from left to right. */
#include "tui/term/screen.h"

struct line {
	struct screen *screen;
	int row, column;
};
/* Truncated at the edge of the screen. */
void line_add(struct line *l, enum style style, const char *format, ...) PRINTF_LIKE(3, 4);
/* As many words as fit, and "…" if there are more; leaves the last column free.
 */
void line_add_words(struct line *l, enum style style, const char *text);
/* Repeats a sign. */
void line_fill(struct line *l, enum style style, const char *sign, int times);

#endif
