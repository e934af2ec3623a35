#include "tui/base/quoting.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t
quoting_len(const char *text, size_t at, size_t len)
{
	const char *end;

	if ((text[at] != '\'' && text[at] != '"') || (at && !strchr(" \t(=~<>!,", text[at - 1])))
		return 0;
	end = memchr(text + at + 1, text[at], len - at - 1);
	return end ? (size_t)(end - text) + 1 - at : 0;
}

char *
quoting_strip(char *argument)
{
	size_t len = strlen(argument);

	if (len < 2 || (*argument != '\'' && *argument != '"') ||
	    strchr(argument + 1, *argument) != argument + len - 1)
		return argument;
	argument[len - 1] = '\0';
	return argument + 1;
}

static bool
is_plain(char c)
{
	return c >= ' ' && c <= '~' && !strchr("\"'\\;!", c);
}

bool
quoting_encode(const char *text, char *out, size_t out_size)
{
	size_t len = 0;

	if (out_size < 3)
		return false;
	out[len++] = '"';
	for (; *text; text++) {
		if (len + sizeof "\\xHH\"" > out_size)
			return false;
		if (is_plain(*text))
			out[len++] = *text;
		else
			len += (size_t)snprintf(out + len, out_size - len, "\\x%02x",
						(unsigned)(unsigned char)*text);
	}
	out[len++] = '"';
	out[len] = '\0';
	return true;
}

static int
hex_digit(char c)
{
	static const char digits[] = "0123456789abcdef";
	const char *at = c ? strchr(digits, c) : NULL;

	return at ? (int)(at - digits) : -1;
}

/* A \ that begins no escape is an ordinary character. */
static size_t
unquote_byte(const char *text, char *out)
{
	int high = text[0] == '\\' && text[1] == 'x' ? hex_digit(text[2]) : -1;
	int low = high < 0 ? -1 : hex_digit(text[3]);

	*out = low < 0 ? *text : (char)(high * 16 + low);
	return low < 0 ? 1 : 4;
}

bool
quoting_decode(const char *argument, char *out, size_t out_size)
{
	size_t len = strlen(argument), at = 0, filled = 0;
	bool is_quoted =
	    len > 1 && argument[0] == '"' && strchr(argument + 1, '"') == argument + len - 1;

	if (is_quoted) {
		at++;
		len--;
	}
	while (at < len && filled + 1 < out_size)
		if (is_quoted)
			at += unquote_byte(argument + at, &out[filled++]);
		else
			out[filled++] = argument[at++];
	out[filled] = '\0';
	return at == len;
}

bool
quoting_argument(const char **arguments, char *out, size_t out_size)
{
	const char *text = *arguments + strspn(*arguments, " \t");
	size_t len = quoting_len(text, 0, strlen(text));
	char word[QUOTING_ARGUMENT_BYTES];

	if (!len)
		len = strcspn(text, " \t");
	if (!len || len >= sizeof word)
		return false;
	memcpy(word, text, len);
	word[len] = '\0';
	*arguments = text + len;
	return quoting_decode(word, out, out_size);
}

bool
quoting_path(const char *argument, char *out, size_t out_size, struct error *err)
{
	const char *home = "";
	int len;

	if (argument[0] == '~' && argument[1] == '/') {
		home = getenv("HOME");
		if (!home || !*home)
			return error_set(err, ERROR_USAGE, "~ cannot be expanded: HOME is not set");
		argument++;
	}
	len = snprintf(out, out_size, "%s%s", home, argument);
	return (len >= 0 && (size_t)len < out_size) ||
	       error_set(err, ERROR_USAGE, "the name of the file is too long");
}
