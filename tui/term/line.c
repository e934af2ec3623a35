#include "model/base/text.h"
#include "tui/term/line.h"
#include <stdarg.h>
#include <stdio.h>

enum { LINE_BYTES = 1024 };

void
line_add(struct line *l, enum style style, const char *format, ...)
{
	char text[LINE_BYTES];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	l->column +=
	    screen_put(l->screen, l->row, l->column, l->screen->columns - l->column, style, text);
}

void
line_add_words(struct line *l, enum style style, const char *text)
{
	int room = l->screen->columns - l->column;

	if (text_width(text) < room)
		line_add(l, style, "%s", text);
	else
		l->column += screen_put_part(l->screen, l->row, l->column, room - 1, style, text);
}

void
line_fill(struct line *l, enum style style, const char *sign, int times)
{
	for (int i = 0; i < times; i++)
		line_add(l, style, "%s", sign);
}
