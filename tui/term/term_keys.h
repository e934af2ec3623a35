#ifndef TUI_TERM_TERM_KEYS_H
#define TUI_TERM_TERM_KEYS_H

/*
 * Decodes keyboard input: keys known to curses, sequences unknown to it, UTF-8 characters, the
 * mouse, pasted text. Truncated, endless or unknown sequences are consumed and ignored. Over a slow
 * line, a sequence may arrive in parts: the wait for the rest is at most a second; $ESCDELAY of
 * curses decides when Escape is a key.
 */
#include "tui/term/mouse.h"
#include <curses.h>
#include <stdbool.h>
#include <stdint.h>

enum { PASTE_BYTES = 4096 };

struct term_keys {
	WINDOW *pad;        /* reading from it neither draws nor waits */
	int fd;             /* its descriptor */
	unsigned *events;   /* events during a key are added, see tty.h */
	bool has_mouse;     /* otherwise mouse events are ignored */
	struct mouse mouse; /* of the last TK_MOUSE */
	/* The first line of the last TK_PASTE, and whether there are more or it is longer. */
	char paste[PASTE_BYTES];
	size_t paste_len;
	bool paste_has_more;
	bool has_escaped;   /* Escape was the last key */
	int64_t escaped_ns; /* start of the wait for the next; 0: not yet */
};

/* A pending key, or KEY_NONE_; *is_empty: there was no input at all. */
int term_keys_take(struct term_keys *k, bool *is_empty);

#endif
