/* Commands as text: where one ends, where it stands, files of them. */
#include "tests/drive/files.h"
#include "tests/drive/run_tests.h"
#include "tests/drive/screens.h"
#include "tui/app/command.h"
#include "tui/app/script.h"
#include "tui/base/quoting.h"
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* clang-format off */
static const struct {
	const char *name, *text;
	const char *commands; /* as LINE:COLUMN{command} */
} texts[] = {
	{ "nothing",            "",                        "" },
	{ "blanks",             " \t\r\n ;;: ; :\n",       "" },
	{ "one",                "sort size",               "1:1{sort size}" },
	{ "colons and blanks",  "  :sort size \t",         "1:4{sort size}" },
	{ "two",                "types; sort count",       "1:1{types}1:8{sort count}" },
	{ "lines",              "types\n\n sort count\r\n", "1:1{types}3:2{sort count}" },
	{ "a comment",          "# a; b\n \t# c\nd # e",   "3:1{d # e}" },
	{ "no comment",         "a;#b",                    "1:1{a}1:3{#b}" },
	{ "in quotes",          "where type = 'a;b'; q",   "1:1{where type = 'a;b'}1:21{q}" },
	{ "in others",          "w \"a;'b\"; q",           "1:1{w \"a;'b\"}1:11{q}" },
	{ "behind =",           "where a='b;c';d",         "1:1{where a='b;c'}1:15{d}" },
	{ "inside a word",      "filter it's; filter b's", "1:1{filter it's}1:14{filter b's}" },
	{ "without its like",   "filter 'a; b",            "1:1{filter 'a}1:12{b}" },
	{ "not over lines",     "filter 'a; b\nc'; d",     "1:1{filter 'a}1:12{b}2:1{c'}2:5{d}" },
	{ "characters",         "filter \303\244\303\266;b", "1:1{filter \303\244\303\266}1:11{b}" },
	{ "a shell",            "a; !ls; pwd\nb",          "1:1{a}1:4{!ls; pwd}2:1{b}" },
	{ "by its name",        "shell ls; pwd ",          "1:1{shell ls; pwd}" },
	{ "a pipe",             "w !sort; head",           "1:1{w !sort; head}" },
	{ "no pipe",            "w! x; q",                 "1:1{w! x}1:7{q}" },
	{ "no shell",           "!gcroot 7f; q",           "1:1{!gcroot 7f}1:13{q}" },
	{ "nor that",           "!objsize 7f; q",          "1:1{!objsize 7f}1:14{q}" },
	{ "but that",           "!objsizes 7f; q",         "1:1{!objsizes 7f; q}" },
};
/* clang-format on */

static void
take_apart(struct script *s, char *out, size_t out_size)
{
	char line[SCRIPT_COMMAND_BYTES];
	struct error err = { 0 };
	size_t len = 0;

	*out = '\0';
	while (script_next(s, line, &err))
		len += (size_t)snprintf(out + len, out_size - len, "%u:%u{%s}", s->line, s->column,
					line);
	assert_int_equal(err.kind, ERROR_NONE);
}

TEST(test_texts)
{
	char got[1024];
	struct script s;

	for (size_t i = 0; i < COUNT_OF(texts); i++) {
		script_init(&s, texts[i].text);
		take_apart(&s, got, sizeof got);
		if (strcmp(got, texts[i].commands) != 0)
			fail_msg("%s: %s", texts[i].name, got);
	}
}

TEST(test_too_long)
{
	static char text[SCRIPT_COMMAND_BYTES + 100];
	char line[SCRIPT_COMMAND_BYTES];
	struct script s;
	struct error err = { 0 };

	memset(text, 'x', SCRIPT_COMMAND_BYTES);
	strcpy(text + SCRIPT_COMMAND_BYTES, "; types");
	script_init(&s, text);
	assert_false(script_next(&s, line, &err));
	assert_string_equal(err.message,
			    "command 1 of 2: the command is longer than 4095 bytes: it has 4096");
	error_clear(&err);
	assert_true(script_next(&s, line, &err));
	assert_string_equal(line, "types");
	/* One byte less fits. */
	script_init(&s, text + 1);
	assert_true(script_next(&s, line, &err));
	assert_int_equal(strlen(line), SCRIPT_COMMAND_BYTES - 1);
}

static void
expect_blame(struct script *s, int number, const char *expected)
{
	char line[SCRIPT_COMMAND_BYTES];
	struct error err = { 0 };

	while (number--)
		assert_true(script_next(s, line, &err));
	error_set(&err, ERROR_SYSTEM, "why");
	script_blame(s, &err);
	assert_string_equal(err.message, expected);
	assert_int_equal(err.kind, ERROR_SYSTEM);
}

TEST(test_blame)
{
	struct script s;
	struct error err = { 0 };

	script_init(&s, "one");
	expect_blame(&s, 1, "why");
	script_init(&s, "one; two; three");
	expect_blame(&s, 2, "command 2 of 3: why");
	script_init(&s, "one; two; three");
	s.option = "-x ";
	expect_blame(&s, 3, "-x command 3 of 3: why");
	script_init(&s, "one\n two");
	s.name = "x.rc";
	expect_blame(&s, 2, "x.rc:2:2: why");
	/* The message counts more than its place. */
	error_set(&err, ERROR_USAGE, "%0235d", 1);
	script_blame(&s, &err);
	assert_int_equal(strlen(err.message), 235);
	/* Nothing went wrong, or somebody stopped it. */
	error_clear(&err);
	script_blame(&s, &err);
	assert_string_equal(err.message, "");
}

/* --- files ---------------------------------------------------------------- */

static int
home_make(void **state)
{
	return folder_make(state) || setenv("HOME", folder_path(), 1);
}
#define TEST_IN_HOME(name) TEST_BETWEEN(name, home_make, folder_remove)

/* clang-format off */
static const struct {
	const char *text;
	size_t len;
	const char *commands, *message;
} files[] = {
	{ "a; b\n# c\nd", 10,      "1:1{a}1:4{b}3:1{d}", NULL },
	{ "\357\273\277# a\nb", 8, "2:1{b}", NULL },
	{ "", 0,                   "", NULL },
	{ "a\nb \0c", 6,           NULL, "/f:2:3: expected text, not a byte 0x00" },
	{ "\177ELF", 4,            NULL, "/f:1:1: expected text, not a byte 0x7f" },
	{ "\357\273\277a\033", 5,  NULL, "/f:1:2: expected text, not a byte 0x1b" },
};
/* clang-format on */

TEST_IN_HOME(test_files)
{
	const char *path = in_folder("f");
	char got[256];
	struct script s;
	struct error err;

	for (size_t i = 0; i < COUNT_OF(files); i++) {
		file_write(path, files[i].text, files[i].len);
		error_clear(&err);
		if (script_read(&s, path, TEXT_FILE_ANY, &err)) {
			assert_non_null(files[i].commands);
			take_apart(&s, got, sizeof got);
			assert_string_equal(got, files[i].commands);
			script_clear(&s);
		} else {
			assert_non_null(files[i].message);
			assert_non_null(strstr(err.message, files[i].message));
		}
	}
	unlink(path);
}

static void
expect_refused(const char *name, const char *why)
{
	struct script s;
	struct error err = { 0 };

	assert_false(script_read(&s, name, TEXT_FILE_ANY, &err));
	assert_ok(strstr(err.message, why), &err);
}

TEST_IN_HOME(test_refused)
{
	const char *path = in_folder("f");
	FILE *file;

	expect_refused("/nowhere/f", "cannot read /nowhere/f: No such file");
	expect_refused(folder_path(), "is not a regular file: it is not read");
	expect_refused("/dev/zero", "is not a regular file");
	assert_int_equal(mkfifo(path, 0600), 0);
	expect_refused(path, "is not a regular file");
	unlink(path);
	file = fopen(path, "w");
	assert_non_null(file);
	assert_int_equal(ftruncate(fileno(file), SCRIPT_FILE_BYTES + 1), 0);
	fclose(file);
	expect_refused(path, "is larger than 1024 KiB: it is not read");
	unlink(path);
}

TEST_IN_HOME(test_arguments)
{
	static const struct {
		const char *typed, *meant;
	} rows[] = {
		{ "a b", "a b" },     { "'a b'", "a b" },
		{ "\"a;b\"", "a;b" }, { "'a' 'b'", "'a' 'b'" },
		{ "'", "'" },         { "'a\"", "'a\"" },
		{ "", "" },           { "''", "" },
	};
	char argument[64], out[64], small[8];
	struct error err;

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		strcpy(argument, rows[i].typed);
		assert_string_equal(quoting_strip(argument), rows[i].meant);
	}
	error_clear(&err);
	setenv("HOME", "/home/me", 1);
	assert_true(quoting_path("~/x", out, sizeof out, &err));
	assert_string_equal(out, "/home/me/x");
	assert_true(quoting_path("~x", out, sizeof out, &err));
	assert_string_equal(out, "~x");
	assert_false(quoting_path("~/x", small, sizeof small, &err));
	assert_string_equal(err.message, "the name of the file is too long");
	unsetenv("HOME");
	error_clear(&err);
	assert_false(quoting_path("~/x", out, sizeof out, &err));
	assert_string_equal(err.message, "~ cannot be expanded: HOME is not set");
	setenv("HOME", folder_path(), 1);
}

/* --- running them --------------------------------------------------------- */

/* clang-format off */
static const struct {
	const char *name, *text;
	const char *command;
	const char *message; /* what is said begins so; NULL: it worked */
} sources[] = {
	{ "a file",       "# order\nsort -count\nfilter Node", "source ~/f", NULL },
	{ "in quotes",    "sort -count",         "source '~/f'", NULL },
	{ "a mistake",    "types\n  xyzzy\n",    "source ~/f", "~/f:2:3: no command \"xyzzy\"" },
	{ "itself",       "types;source ~/f\n", "source ~/f", "~/f:1:7: ~/f:1:7: " },
	{ "no file",      "",                    "source ~/g", "cannot read /tmp/" },
	{ "nothing",      "",                    "source", "source needs a file of commands: source FILE" },
};
/* clang-format on */

static void
source_one(struct app *app, size_t i)
{
	const char *message = sources[i].message;
	struct error err = { 0 };
	bool ok;

	file_write(in_folder("f"), sources[i].text, strlen(sources[i].text));
	ok = app_command(app, sources[i].command, &err);
	if (ok != !message || (!ok && strncmp(err.message, message, strlen(message)) != 0))
		fail_msg("%s: %s", sources[i].name, err.message);
	if (ok)
		assert_false(app_view(app)->is_descending);
	assert_int_equal(app->nesting.depth, 0);
	unlink(in_folder("f"));
}

/* Each names the next four times; the last one names none. */
static void
write_many(int depth)
{
	char name[8], text[128];

	for (int i = 0; i <= depth; i++) {
		snprintf(name, sizeof name, "f%d", i);
		snprintf(text, sizeof text, "source ~/f%d;source ~/f%d;source ~/f%d;source ~/f%d",
			 i + 1, i + 1, i + 1, i + 1);
		file_write(in_folder(name), i < depth ? text : "# none",
			   strlen(i < depth ? text : "# none"));
	}
}

TEST_IN_HOME(test_source)
{
	struct app *app = app_on(leaky_heap());
	enum { depth = 4 };
	struct error err;
	char name[8];

	app_enter(app);
	for (size_t i = 0; i < COUNT_OF(sources); i++)
		source_one(app, i);
	/* As deep as it may be, and one deeper. */
	error_clear(&err);
	app->nesting.depth = SCRIPT_DEPTH_MAX;
	assert_false(app_source(app, "f", &err));
	assert_string_equal(err.message, "f is not read: files may be nested 8 deep at most");
	app->nesting.depth = 0;
	/* Not as deep, but too many. */
	write_many(depth);
	error_clear(&err);
	assert_false(app_command(app, "source ~/f0", &err));
	assert_non_null(
	    strstr(err.message, "f3 is not read: at most 50 files may be read by others"));
	assert_int_equal(app->nesting.depth, 0);
	/* The next one starts anew. */
	error_clear(&err);
	assert_true(app_command(app, "source ~/f3", &err));
	for (int i = 0; i <= depth; i++) {
		snprintf(name, sizeof name, "f%d", i);
		unlink(in_folder(name));
	}
	app_leave(app);
	app_end(app);
}
