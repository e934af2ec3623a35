#ifndef TUI_TERM_LINE_TERM_H
#define TUI_TERM_LINE_TERM_H

/*
 * A terminal that is only written line by line: it gets nothing but text and line ends, whatever
 * $TERM is. Keys are read one by one, lines with the terminal's own editing.
 */
#include "model/base/error.h"
#include <stddef.h>

struct line_term;
/* Reads keys from /dev/tty if stdin is no terminal; stdout may be any file. */
struct line_term *line_term_open(struct error *err) MUST_USE;
/* Restores the terminal; NULL is allowed. */
void line_term_close(struct line_term *t);
/* Waits for a key (enum key), as term_key() does. */
int line_term_key(struct line_term *t, int timeout_ms);
/* May be called from any thread. */
void line_term_wake(struct line_term *t);
/* Prints a line without unsafe characters, in ASCII if the locale requires it.
 */
void line_term_say(const struct line_term *t, const char *text);
/*
 * Prompts with `sign` and reads a line, without its line end; "" if the user gave up. Returns the
 * key that ended it: TK_ENTER, TK_ESCAPE, TK_QUIT.
 */
int line_term_ask(struct line_term *t, const char *sign, char *out, size_t out_size);
/* The size of the terminal; 24 by 80 if unknown. */
void line_term_size(const struct line_term *t, int *rows, int *columns);

#endif
