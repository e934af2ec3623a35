#ifndef TUI_TERM_MOUSE_H
#define TUI_TERM_MOUSE_H

/* Mouse events in xterm's SGR mode, whose decimal numbers work for terminals of any width. */
#include <stdbool.h>
#include <stddef.h>

/* Enables presses and releases, drags, and the SGR form. Terminals ignore modes that they do not
 * know. */
#define MOUSE_ON  "\033[?1000;1002;1006h"
#define MOUSE_OFF "\033[?1000;1002;1006l"

enum mouse_kind {
	MOUSE_PRESS,
	MOUSE_DRAG, /* moved with the button pressed */
	MOUSE_RELEASE,
	MOUSE_WHEEL_UP,
	MOUSE_WHEEL_DOWN,
};
struct mouse {
	enum mouse_kind kind;
	int row, column; /* from 0; may be outside the screen after a resize */
};

/*
 * Parses an event; `bytes` follow Escape: "[<0;12;5M". False: not such a sequence, or not of the
 * first button or the wheel.
 */
bool mouse_parse(const char *bytes, size_t len, struct mouse *out);

#endif
