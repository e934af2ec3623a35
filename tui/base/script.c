#include "tui/base/script.h"
#include "model/base/arena.h"
#include "tui/base/text_file.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_BYTES = 4096, NAME_SHOWN = 80 };

/* --- splitting ----------------------------------------------------------- */

void
script_init(struct script *s, const char *text, script_takes_line *takes_line)
{
	*s = (struct script){
		.takes_line = takes_line, .begin = text, .at = text, .at_line = 1, .at_column = 1
	};
}

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static void
advance(struct script *s, size_t len)
{
	for (; len; len--, s->at++) {
		if (*s->at == '\n') {
			s->at_line++;
			s->at_column = 1;
		} else {
			s->at_column += ((unsigned char)*s->at & 0xc0) != 0x80;
		}
	}
}

static size_t
line_len(const char *text)
{
	return strcspn(text, "\n");
}

/* Skips blanks, colons, separators and comments before a command. */
static void
skip_to_command(struct script *s)
{
	/* Only the first command of a line can be a comment. */
	bool is_line_begin = s->at == s->begin || s->at[-1] == '\n';

	while (*s->at) {
		if (*s->at == '#' && is_line_begin)
			advance(s, line_len(s->at));
		else if (is_blank(*s->at) || strchr("\n:;", *s->at))
			is_line_begin = *s->at == '\n' || (is_line_begin && *s->at != ';');
		else
			return;
		if (*s->at)
			advance(s, 1);
	}
}

/* The length of a quoted part that begins here, quotes included; 0: none. */
static size_t
quoted_len(const char *text, size_t at, size_t len)
{
	const char *end;

	if ((text[at] != '\'' && text[at] != '"') || (at && !strchr(" \t(=~<>!,", text[at - 1])))
		return 0;
	end = memchr(text + at + 1, text[at], len - at - 1);
	return end ? (size_t)(end - text) + 1 - at : 0;
}

static bool
is_plain_note(const char *text, size_t len)
{
	size_t name_len = strcspn(text, " \t\n;");

	return ((name_len == 4 && !strncmp(text, "mark", 4)) ||
		(name_len == 7 && !strncmp(text, "mark-at", 7))) &&
	       strchr(" \t", text[name_len]) && !memchr(text, '"', len);
}

static size_t
command_len(const struct script *s, const char *text)
{
	size_t len = line_len(text), quoted;

	if (s->takes_line(text) || (s->is_typed && is_plain_note(text, len)))
		return len;
	for (size_t at = 0; at < len; at += quoted ? quoted : 1) {
		quoted = quoted_len(text, at, len);
		if (text[at] == ';')
			return at;
	}
	return len;
}

/* Takes the next command; NULL: there is none. */
static const char *
take_command(struct script *s, size_t *len)
{
	const char *text;

	skip_to_command(s);
	text = s->at;
	if (!*text)
		return NULL;
	s->number++;
	s->line = s->at_line;
	s->column = s->at_column;
	*len = command_len(s, text);
	advance(s, *len);
	while (is_blank(text[*len - 1]))
		--*len;
	return text;
}

bool
script_next(struct script *s, char out[SCRIPT_COMMAND_BYTES], struct error *err)
{
	size_t len;
	const char *text = take_command(s, &len);

	if (!text)
		return false;
	if (len < SCRIPT_COMMAND_BYTES) {
		memcpy(out, text, len);
		out[len] = '\0';
		return true;
	}
	error_set(err, ERROR_USAGE, "the command is longer than %d bytes: it has %zu",
		  SCRIPT_COMMAND_BYTES - 1, len);
	script_blame(s, err);
	return false;
}

/* --- positions in errors -------------------------------------------------- */

static uint32_t
commands_count(const struct script *s)
{
	struct script all;
	size_t len;

	script_init(&all, s->begin, s->takes_line);
	while (take_command(&all, &len))
		;
	return all.number;
}

/* The end of a long path is more telling than its beginning. */
static const char *
name_end(const char *name)
{
	size_t len = strlen(name);

	if (len <= NAME_SHOWN)
		return name;
	name += len - NAME_SHOWN;
	while (((unsigned char)*name & 0xc0) == 0x80)
		name++;
	return name;
}

void
script_blame(const struct script *s, struct error *err)
{
	struct error why = *err;
	char place[160] = "";
	uint32_t count;

	if (why.kind == ERROR_NONE || why.kind == ERROR_CANCELLED)
		return;
	count = s->name ? 0 : commands_count(s);
	if (s->name)
		snprintf(place, sizeof place, "%s:%u:%u", name_end(s->name), s->line, s->column);
	else if (count > 1)
		snprintf(place, sizeof place, "%scommand %u of %u", s->option ? s->option : "",
			 s->number, count);
	if (!*place || strlen(place) + 2 + strlen(why.message) >= sizeof why.message)
		return;
	error_clear(err);
	error_set(err, why.kind, "%s: %s", place, why.message);
	err->offset = why.offset;
}

/* --- files ---------------------------------------------------------------- */

/* Finds a byte that does not belong in text; -1: none. */
static int
strange_byte(const char *text, size_t len, size_t *at)
{
	for (*at = 0; *at < len; ++*at) {
		unsigned char c = (unsigned char)text[*at];

		if ((c < 0x20 && !strchr("\t\n\r", c)) || c == 0 || c == 0x7f)
			return c;
	}
	return -1;
}

static bool
check_text(const struct script *s, size_t len, struct error *err)
{
	struct script place = *s;
	size_t at;
	int c = strange_byte(s->begin, len, &at);

	if (c < 0)
		return true;
	advance(&place, at);
	return error_set(err, ERROR_USAGE, "%s:%u:%u: expected text, not a byte 0x%02x",
			 name_end(s->name), place.at_line, place.at_column, (unsigned)c);
}

bool
script_read(struct script *s, const char *path, script_takes_line *takes_line, struct error *err)
{
	static const char mark[] = "\xef\xbb\xbf"; /* byte order mark */
	char full[PATH_BYTES];
	size_t len, skipped;

	*s = (struct script){ .takes_line = takes_line, .name = path };
	if (!script_path(path, full, sizeof full, err))
		return false;
	s->text = text_file_read(full, SCRIPT_FILE_BYTES, TEXT_FILE_ANY, &len, err);
	if (!s->text)
		return error_sys(err, ENOENT, "cannot read %.160s", full);
	skipped = strncmp(s->text, mark, 3) ? 0 : 3;
	s->begin = s->at = s->text + skipped;
	s->at_line = s->at_column = 1;
	if (check_text(s, len - skipped, err))
		return true;
	script_clear(s);
	return false;
}

void
script_clear(struct script *s)
{
	memory_free(s->text);
	*s = (struct script){ 0 };
}

/* --- arguments ------------------------------------------------------------ */

char *
script_unquote(char *argument)
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
script_quote(const char *text, char *out, size_t out_size)
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
script_unquote_bytes(const char *argument, char *out, size_t out_size)
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
script_argument(const char **arguments, char *out, size_t out_size)
{
	const char *text = *arguments + strspn(*arguments, " \t");
	size_t len = quoted_len(text, 0, strlen(text));
	char word[SCRIPT_COMMAND_BYTES];

	if (!len)
		len = strcspn(text, " \t");
	if (!len || len >= sizeof word)
		return false;
	memcpy(word, text, len);
	word[len] = '\0';
	*arguments = text + len;
	return script_unquote_bytes(word, out, out_size);
}

bool
script_enter(struct script_nesting *n, const char *path, struct error *err)
{
	if (n->depth == SCRIPT_DEPTH_MAX)
		return error_set(err, ERROR_USAGE,
				 "%.100s is not read: files may be nested %d deep at most", path,
				 SCRIPT_DEPTH_MAX);
	if (n->count == SCRIPT_FILES_MAX)
		return error_set(err, ERROR_USAGE,
				 "%.100s is not read: at most %d files may be read by others", path,
				 SCRIPT_FILES_MAX);
	n->depth++;
	n->count++;
	return true;
}

void
script_leave(struct script_nesting *n)
{
	n->depth--;
}

bool
script_path(const char *argument, char *out, size_t out_size, struct error *err)
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
