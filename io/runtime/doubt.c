#include "io/runtime/doubt.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { DOUBT_BYTES = 200 };

void
clr_doubt(struct clr_doubts *doubts, const char *format, ...)
{
	struct error ignored = { 0 };
	char text[DOUBT_BYTES];
	const char *copy;
	va_list args;

	if (doubts->count == CLR_DOUBTS_MAX)
		return;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	copy = arena_strndup(doubts->arena, text, strlen(text), &ignored);
	if (copy)
		doubts->texts[doubts->count++] = copy;
}
