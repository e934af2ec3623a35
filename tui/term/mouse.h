#ifndef TUI_TERM_MOUSE_H
#define TUI_TERM_MOUSE_H

/*
 * What terminals tell of the mouse, in the form of xterm's SGR mode: numbers in
 * decimal, so that no terminal is too wide for it.
 */
#include <stdbool.h>
#include <stddef.h>

/* Presses and releases, moves while a button is held, and their form. A
 * terminal that does not know one of them leaves it out. */
#define MOUSE_ON  "\033[?1000;1002;1006h"
#define MOUSE_OFF "\033[?1000;1002;1006l"

enum mouse_kind {
	MOUSE_PRESS,
	MOUSE_DRAG, /* moved with the button held */
	MOUSE_RELEASE,
	MOUSE_WHEEL_UP,
	MOUSE_WHEEL_DOWN,
};
struct mouse {
	enum mouse_kind kind;
	int row, column; /* from 0; perhaps not on the screen any more */
};

/*
 * The event of a sequence, `bytes` being what came after Escape: "[<0;12;5M".
 * False: no such sequence, or it is not of the first button or the wheel.
 */
bool mouse_parse(const char *bytes, size_t len, struct mouse *out);

#endif
