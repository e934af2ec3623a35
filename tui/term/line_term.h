#ifndef TUI_TERM_LINE_TERM_H
#define TUI_TERM_LINE_TERM_H

/*
 * A terminal that need not do more than write one line after another: nothing
 * but text and line ends is sent to it, whatever $TERM is. Keys come one by
 * one, lines with the terminal's own editing.
 */
#include "model/base/error.h"
#include <stddef.h>

struct line_term;
/* Keys come from /dev/tty where stdin is no terminal; stdout may be any. */
struct line_term *line_term_open(struct error *err) MUST_USE;
/* The terminal is as it was; NULL is allowed. */
void line_term_close(struct line_term *t);
/* Waits for one of enum key, as term_key() does. */
int line_term_key(struct line_term *t, int timeout_ms);
/* From any thread. */
void line_term_wake(struct line_term *t);
/* One line, made harmless, as ASCII where the locale says so. */
void line_term_say(const struct line_term *t, const char *text);
/*
 * Lets a line be typed behind `sign`; without its end, empty if it was given
 * up. Returns the key that ends it: TK_ENTER, TK_ESCAPE, TK_QUIT.
 */
int line_term_ask(struct line_term *t, const char *sign, char *out,
		  size_t out_size);
/* As the terminal says, or 24 and 80. */
void line_term_size(const struct line_term *t, int *rows, int *columns);

#endif
