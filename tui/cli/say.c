#include "tui/cli/say.h"
#include "tui/cli/batch.h"
#include "tui/term/term.h"
#include "model/base/text.h"
#include <stdarg.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>

const char *
say_clean(const char *text, char *out, size_t out_size)
{
	return term_wants_utf8() ? text_clean(text, out, out_size)
				 : text_to_ascii(text, out, out_size);
}

int
say_columns(FILE *to)
{
	struct winsize size;

	return ioctl(fileno(to), TIOCGWINSZ, &size) || !size.ws_col ? INT_MAX : size.ws_col;
}

/* Prints the text, wrapped at blanks on a terminal. */
static void
say_lines(const char *text)
{
	int columns = say_columns(stderr);
	char piece[4096];

	for (int n = 0; text_line(text, columns, n, piece, sizeof piece); n++)
		fprintf(stderr, "%s\n", piece);
}

void
say(const char *file, const char *format, ...)
{
	char text[1024], out[2048], whole[4096];
	int used = snprintf(whole, sizeof whole, "heaptop: ");
	va_list args;

	if (file)
		used += snprintf(whole + used, sizeof whole - (size_t)used,
				 "%.1900s: ", say_clean(file, out, sizeof out));
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	snprintf(whole + used, sizeof whole - (size_t)used, "%s", say_clean(text, out, sizeof out));
	say_lines(whole);
}

/* Returns whether the message begins with FILE:LINE:, as compilers write it. */
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
say_error(const char *file, const struct error *err, int code)
{
	bool is_about_file = code == EXIT_BAD_FILE || err->is_absent;

	if (err->kind == ERROR_NONE || err->kind == ERROR_CANCELLED)
		return code;
	if (is_about_file && is_placed(file, err->message)) {
		say_warning(file, err->message);
		return code;
	}
	/* Some system errors name the file already. */
	if (!is_about_file || (file && is_named(file, err->message)))
		file = NULL;
	say(file, "%s", err->message);
	return code;
}
