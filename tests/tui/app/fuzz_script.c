/*
 * Any bytes as commands: what script_next() gives stands in the text where it says, begins and ends
 * with no blank, and taken apart again is itself; files of the same bytes give the same or are
 * refused with a place.
 */
#include "tests/drive/fuzz.h"
#include "tui/app/command.h"
#include "tui/app/script.h"
#include "tui/base/quoting.h"
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { TEXT_BYTES = 3 * SCRIPT_COMMAND_BYTES };

/* Does it stand there? Bytes that are no character have no column. */
static bool
stands_at(const char *text, uint32_t line, uint32_t column, const char *command)
{
	uint32_t at_line = 1, at_column = 1;

	for (; *text && at_line <= line; text++) {
		if (at_line == line && at_column == column &&
		    !strncmp(text, command, strlen(command)))
			return true;
		if (*text == '\n') {
			at_line++;
			at_column = 1;
		} else {
			at_column += ((unsigned char)*text & 0xc0) != 0x80;
		}
	}
	return false;
}

static void
check_command(const char *text, const struct script *s, const char *command)
{
	char again[SCRIPT_COMMAND_BYTES];
	struct script one;
	struct error err;

	if (!*command || strchr(" \t\r\n:;", *command) ||
	    strchr(" \t\r\n", command[strlen(command) - 1]))
		fuzz_fail("blanks around a command", NULL);
	if (!stands_at(text, s->line, s->column, command))
		fuzz_fail("it stands somewhere else", NULL);
	if (*command == '#')
		return; /* behind a ';', but alone a comment */
	error_clear(&err);
	script_init(&one, command);
	if (!script_next(&one, again, &err) || strcmp(again, command) != 0 ||
	    script_next(&one, again, &err))
		fuzz_fail("one command is not one", NULL);
}

/* How many there are. */
static uint32_t
take_apart(struct script *s, const char *text)
{
	char command[SCRIPT_COMMAND_BYTES];
	struct error err;
	uint32_t count = 0;

	for (;;) {
		error_clear(&err);
		if (script_next(s, command, &err))
			check_command(text, s, command);
		else if (err.kind == ERROR_NONE)
			break;
		if (s->number != ++count)
			fuzz_fail("the commands are not counted", NULL);
		error_set(&err, ERROR_USAGE, "why");
		script_blame(s, &err);
	}
	return count;
}

static void
take_file(const char *path, const uint8_t *data, size_t size, uint32_t count)
{
	bool is_text = !memchr(data, 0, size);
	bool has_mark = size >= 3 && !memcmp(data, "\xef\xbb\xbf", 3);
	FILE *file = fopen(path, "w");
	struct script s;
	struct error err;

	if (!file || fwrite(data, 1, size, file) != size || fclose(file))
		fuzz_fail("no file to read", NULL);
	error_clear(&err);
	if (!script_read(&s, path, TEXT_FILE_ANY, &err)) {
		if (err.kind != ERROR_USAGE || !strstr(err.message, "expected"))
			fuzz_fail(err.message, NULL);
		return;
	}
	if (!is_text)
		fuzz_fail("a byte 0 is no text", NULL);
	if (take_apart(&s, s.begin) != count && !has_mark)
		fuzz_fail("in a file there are others", NULL);
	script_clear(&s);
}

/* Any text between quotes is one argument of one command, and comes back. */
static void
quote(const char *text)
{
	static const char verb[] = "mark-at ";
	char line[SCRIPT_COMMAND_BYTES], quoted[SCRIPT_COMMAND_BYTES - 16];
	char again[SCRIPT_COMMAND_BYTES], back[SCRIPT_COMMAND_BYTES];
	const char *rest;
	struct script s;
	struct error err;

	if (!quoting_encode(text, quoted, sizeof quoted)) {
		if (strlen(text) < sizeof quoted / 4 - 2)
			fuzz_fail("no room for a short text between quotes", NULL);
		return;
	}
	snprintf(line, sizeof line, "%s%s", verb, quoted);
	error_clear(&err);
	script_init(&s, line);
	if (!script_next(&s, again, &err) || strcmp(again, line) != 0 ||
	    script_next(&s, again, &err))
		fuzz_fail("an argument between quotes is no argument", NULL);
	rest = line + strlen(verb);
	if (!quoting_argument(&rest, back, sizeof back) || *rest || strcmp(back, text) != 0)
		fuzz_fail("an argument between quotes is another one", NULL);
	if (!quoting_decode(quoted, back, sizeof back) || strcmp(back, text) != 0)
		fuzz_fail("what stands between quotes is another text", NULL);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char path[64];
	char text[TEXT_BYTES], full[SCRIPT_COMMAND_BYTES];
	struct script s;
	struct error err;
	uint32_t count;

	if (!*path)
		snprintf(path, sizeof path, "/tmp/heaptop-fuzz-script-%ld", (long)getpid());
	size = size < sizeof text ? size : sizeof text - 1;
	if (size)
		memcpy(text, data, size);
	text[size] = '\0';
	script_init(&s, text);
	count = take_apart(&s, text);
	if (size)
		take_file(path, data, size, count);
	unlink(path);
	error_clear(&err);
	if (quoting_path(text, full, sizeof full, &err) != (err.kind == ERROR_NONE))
		fuzz_fail("neither a path nor an error, or both", NULL);
	quote(text);
	(void)quoting_strip(text);
	return 0;
}
