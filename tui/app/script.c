#include "tui/app/script.h"
#include "model/base/arena.h"
#include "tui/app/command.h"
#include "tui/base/quoting.h"
#include "tui/base/text_file.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { PATH_BYTES = 4096, NAME_SHOWN = 80 };

/* --- splitting ----------------------------------------------------------- */

void
script_init(struct script *s, const char *text)
{
	*s = (struct script){ .begin = text, .at = text, .at_line = 1, .at_column = 1 };
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

	if (command_is_for_shell(text) || (s->is_typed && is_plain_note(text, len)))
		return len;
	for (size_t at = 0; at < len; at += quoted ? quoted : 1) {
		quoted = quoting_len(text, at, len);
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

	script_init(&all, s->begin);
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
script_read(struct script *s, const char *path, enum text_file_trust trust, struct error *err)
{
	static const char mark[] = "\xef\xbb\xbf"; /* byte order mark */
	char full[PATH_BYTES];
	size_t len, skipped;

	*s = (struct script){ .name = path };
	if (!quoting_path(path, full, sizeof full, err))
		return false;
	s->text = text_file_read(full, SCRIPT_FILE_BYTES, trust, &len, err);
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

/* --- nested files -------------------------------------------------------- */

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
