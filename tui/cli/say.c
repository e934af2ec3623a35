#include "tui/cli/say.h"
#include "tui/cli/batch.h"
#include "tui/term/term.h"
#include "model/base/text.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *
say_clean(const char *text, char *out, size_t out_size)
{
	return term_wants_utf8() ? text_clean(text, out, out_size)
				 : text_to_ascii(text, out, out_size);
}

/* Names of files come from anywhere, as those in a dump do. */
void
say(const char *file, const char *format, ...)
{
	char text[1024], out[2048];
	va_list args;

	fputs("heaptop: ", stderr);
	if (file)
		fprintf(stderr, "%s: ", say_clean(file, out, sizeof out));
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	fprintf(stderr, "%s\n", say_clean(text, out, sizeof out));
}

/* FILE:LINE:COL: as compilers write it, for whoever looks for that. */
static bool
is_placed(const char *file, const char *text)
{
	size_t len = file ? strlen(file) : 0;

	return len && !strncmp(text, file, len) && text[len] == ':' &&
	       strchr("0123456789 ", text[len + 1]);
}

static bool
is_named(const char *file, const char *text)
{
	return strstr(text, strcmp(file, "-") ? file : "standard input");
}

void
say_warning(const char *file, const char *text)
{
	char out[1024];

	if (is_placed(file, text))
		fprintf(stderr, "%s\n", say_clean(text, out, sizeof out));
	else
		say(file, "%s", text);
}

int
tell(const char *file, const struct error *err, int code)
{
	if (err->kind == ERROR_NONE || err->kind == ERROR_CANCELLED)
		return code;
	if (code == EXIT_BAD_FILE && is_placed(file, err->message)) {
		say_warning(file, err->message);
		return code;
	}
	/* Some errors of the system name the file themselves. */
	if (code != EXIT_BAD_FILE || (file && is_named(file, err->message)))
		file = NULL;
	say(file, "%s", err->message);
	return code;
}
