#ifndef TUI_TERM_TERM_KEYS_H
#define TUI_TERM_TERM_KEYS_H

/*
 * Keys out of what a terminal sends: those that curses knows, sequences that
 * it does not know, characters in UTF-8, the mouse. What is cut, endless or
 * means nothing is read to its end and is no key. A slow line may tear one
 * apart: the wait for the rest is a second at most, and Escape alone is decided
 * by curses, see $ESCDELAY.
 */
#include "tui/term/mouse.h"
#include <curses.h>
#include <stdbool.h>
#include <stdint.h>

struct term_keys {
	WINDOW *pad;        /* reading from it draws nothing, nor waits */
	int fd;             /* what it reads from */
	unsigned *events;   /* what happens within a key is added, see tty.h */
	bool has_mouse;     /* else what a mouse sends is no key */
	struct mouse mouse; /* of the last TK_MOUSE */
	bool has_escaped;   /* Escape was the last key */
	int64_t escaped_ns; /* since when another is waited for; 0: not yet */
};

/* A key already there, or KEY_NONE_; *is_empty: there was nothing at all. */
int term_keys_take(struct term_keys *k, bool *is_empty);

#endif
