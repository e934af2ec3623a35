#ifndef TUI_TERM_LINE_H
#define TUI_TERM_LINE_H

/* A line of the screen, written piece by piece from the left. */
#include "tui/term/screen.h"

struct line {
	struct screen *screen;
	int row, column;
};
/* What does not fit is left out. */
void line_add(struct line *l, enum style style, const char *format, ...)
    PRINTF_LIKE(3, 4);
/* As many words as there is room for, and "…" if there are more. The last
   column stays free. */
void line_add_words(struct line *l, enum style style, const char *text);
/* The same sign so many times. */
void line_fill(struct line *l, enum style style, const char *sign, int times);

#endif
