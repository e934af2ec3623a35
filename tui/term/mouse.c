#include "tui/term/mouse.h"

enum {
	NUMBER_MAX = 9999, /* no screen has more cells in a row */
	IS_MOVED = 32,     /* flags in the button number */
	WHEEL = 64,
};

/* Parses "12" and the following `end`; -1: not a number, or too large. */
static int
number_take(const char **at, const char *last, char end)
{
	int number = 0, digits = 0;

	for (; *at < last && **at >= '0' && **at <= '9'; ++*at, digits++) {
		number = number * 10 + (**at - '0');
		if (number > NUMBER_MAX)
			return -1;
	}
	if (!digits || *at == last || **at != end)
		return -1;
	++*at;
	return number;
}

/* With Shift, Ctrl or Alt, events belong to the terminal or mean nothing. */
static bool
kind_of(int button, bool is_release, enum mouse_kind *kind)
{
	switch (button) {
	case 0:
		*kind = is_release ? MOUSE_RELEASE : MOUSE_PRESS;
		return true;
	case IS_MOVED:
		*kind = MOUSE_DRAG;
		return !is_release;
	case WHEEL:
	case WHEEL + 1:
		*kind = button == WHEEL ? MOUSE_WHEEL_UP : MOUSE_WHEEL_DOWN;
		return !is_release;
	default:
		return false;
	}
}

bool
mouse_parse(const char *bytes, size_t len, struct mouse *out)
{
	const char *at = bytes + 2, *last = bytes + len;
	int button, column, row;

	if (len < 2 || bytes[0] != '[' || bytes[1] != '<')
		return false;
	button = number_take(&at, last, ';');
	column = number_take(&at, last, ';');
	row = number_take(&at, last, last[-1]);
	if (button < 0 || column < 1 || row < 1 || at != last)
		return false;
	out->row = row - 1;
	out->column = column - 1;
	return (last[-1] == 'M' || last[-1] == 'm') && kind_of(button, last[-1] == 'm', &out->kind);
}
