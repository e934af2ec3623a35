#include "io/runtime/doubt.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { DOUBT_BYTES = 200 };

void
clr_doubt(struct clr_runtime *rt, const char *format, ...)
{
	char text[DOUBT_BYTES];
	struct error err;
	va_list args;
	const char *copy;

	if (rt->doubts_count == CLR_DOUBTS_MAX)
		return;
	error_clear(&err);
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	copy = arena_strndup(&rt->arena, text, strlen(text), &err);
	if (copy)
		rt->doubts[rt->doubts_count++] = copy;
}
