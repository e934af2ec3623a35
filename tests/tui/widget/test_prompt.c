/* The prompt: editing by libedit, history across runs, completion. */
#include "tests/drive/files.h"
#include "tests/drive/run_tests.h"
#include "model/base/arena.h"
#include "tui/widget/prompt.h"
#include "tui/term/term.h"
#include "model/base/utf8.h"
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void
write_in_home(const char *name, const char *text)
{
	file_write(in_folder(name), text, strlen(text));
}

/* Hides the settings of the user who runs the tests. */
static int
home_make(void **state)
{
	if (folder_make(state))
		return -1;
	setenv("HOME", folder_path(), 1);
	unsetenv("XDG_STATE_HOME");
	unsetenv("EDITRC");
	return 0;
}

static int
home_remove(void **state)
{
	static const char *const made[] = {
		".local/state/heaptop/commands",
		".local/state/heaptop/shared",
		".local/state/heaptop",
		".local/state",
		".local",
		".editrc",
		"past",
		"blocked",
	};

	for (size_t i = 0; i < COUNT_OF(made); i++)
		remove(in_folder(made[i]));
	return folder_remove(state); /* nothing else was left behind */
}
#define TEST_AT_HOME(name) TEST_BETWEEN(name, home_make, home_remove)

static void
words_of_test(void *context, const char *line, size_t cursor,
	      void (*add)(void *to, const char *word), void *to)
{
	static const char *const words[] = { "types",
					     "tree",
					     "roots",
					     "referrers",
					     "objects",
					     "Dictionary<string, int>",
					     "Dictionary<string, long>" };

	(void)context;
	assert_true(cursor <= strlen(line));
	for (size_t i = 0; i < COUNT_OF(words); i++)
		add(to, words[i]);
}

/* Types `keys`: characters, and names of keys in brackets ("[Up]", "[[]"). */
static enum prompt_state
type_keys(struct prompt *p, const char *keys)
{
	enum prompt_state state = PROMPT_EDITING;

	while (*keys && state == PROMPT_EDITING) {
		char name[16] = "";
		size_t used;
		int key;

		if (*keys == '[') {
			used = strcspn(keys + 2, "]") + 3;
			memcpy(name, keys + 1, used - 2);
			key = key_parse(name);
		} else {
			key = (int)utf8_decode(keys, &used);
		}
		assert_int_not_equal(key, 0);
		keys += used;
		state = prompt_key(p, key);
	}
	assert_string_equal(keys, "");
	return state;
}

static struct prompt *
prompt_make(const char *history)
{
	struct error err = { 0 };
	struct prompt *p = prompt_new(history, HISTORY_LINES_MAX, &err);

	assert_non_null(p);
	assert_int_equal(err.kind, ERROR_NONE);
	return p;
}

struct line_row {
	const char *keys;
	enum prompt_state wanted_state;
	const char *wanted;
};

static void
check_lines(const struct line_row *rows, size_t count)
{
	struct prompt *p = prompt_make(NULL);

	for (size_t i = 0; i < count; i++) {
		enum prompt_state got;

		prompt_begin(p, ":", NULL, words_of_test, NULL);
		got = type_keys(p, rows[i].keys);
		if (got != rows[i].wanted_state || strcmp(prompt_line(p), rows[i].wanted) != 0)
			print_error("row %zu: %s\n", i, rows[i].keys);
		assert_int_equal(got, rows[i].wanted_state);
		assert_string_equal(prompt_line(p), rows[i].wanted);
	}
	prompt_free(p);
}

TEST_AT_HOME(lines_are_edited)
{
	/* clang-format off */
	static const struct line_row rows[] = {
		{ "types[Enter]",                     PROMPT_DONE, "types" },
		{ "[Enter]",                          PROMPT_DONE, "" },
		{ "tpyes[Left][Left][Left][Left][Delete][Right]p[Enter]", PROMPT_DONE, "types" },
		{ "abc[Home]x[End]y[Enter]",          PROMPT_DONE, "xabcy" },
		{ "abc[Backspace][Backspace]x[Enter]", PROMPT_DONE, "ax" },
		{ "one two[^W]three[Enter]",          PROMPT_DONE, "one three" },
		{ "one two[^A]x[^E]y[Enter]",         PROMPT_DONE, "xone twoy" },
		{ "one two[M-b][^K]1[Enter]",         PROMPT_DONE, "one 1" },
		{ "one two[M-b][M-Backspace]1[Enter]", PROMPT_DONE, "1two" },
		{ "one two[^U]x[Enter]",              PROMPT_DONE, "x" },
		{ "a日本é[Left][Backspace]x[Enter]",  PROMPT_DONE, "a日xé" },
		{ "æøåÿ€[Enter]",                     PROMPT_DONE, "æøåÿ€" },
		{ "a[Esc]",                           PROMPT_CANCELLED, "" },
		{ "a[^C]",                            PROMPT_CANCELLED, "" },
		{ "a[Backspace][Backspace]",          PROMPT_CANCELLED, "" },
		{ "[^D]",                             PROMPT_CANCELLED, "" },
		{ "ab[F5][PgUp][Insert]c[Enter]",     PROMPT_DONE, "abc" },
		{ "ab[^X][^X]c[Enter]",               PROMPT_DONE, "cab" },
		{ "ab[M-x][M-z]c[^L][^G]d[Enter]",         PROMPT_DONE, "abcd" },
	};
	/* clang-format on */

	check_lines(rows, COUNT_OF(rows));
}

TEST_AT_HOME(any_locale_will_do)
{
	static const struct line_row rows[] = {
		{ "aé日€[Left][Backspace]b[Enter]", PROMPT_DONE, "aéb€" },
	};

	setlocale(LC_CTYPE, "C.UTF-8"); /* where it exists */
	check_lines(rows, 1);
	setlocale(LC_CTYPE, "C");
	check_lines(rows, 1);
}

TEST_AT_HOME(vi_keys_of_editrc)
{
	/* clang-format off */
	static const struct line_row rows[] = {
		{ "one two[Esc]bcwx[Esc]0iy[Enter]", PROMPT_DONE, "yone x" },
		{ "abc[Left]x[Enter]",               PROMPT_DONE, "abxc" },
		{ "abc[Esc]dd[Enter]",               PROMPT_DONE, "" },
		{ "abc[Esc]rz[Enter]",               PROMPT_DONE, "abz" },
		{ "abc[Esc]:[Esc]",                   PROMPT_CANCELLED, "" },
	};
	/* clang-format on */

	write_in_home(".editrc", "bind -v\nother:bind x ed-end-of-file\n");
	check_lines(rows, COUNT_OF(rows));
	write_in_home(".editrc", "bind -e\nedit off\nheaptop:bind ^T ed-insert\n");
	check_lines(rows + 1, 1);
	write_in_home(".editrc", "");
}

TEST_AT_HOME(words_are_completed)
{
	/* clang-format off */
	static const struct line_row rows[] = {
		{ "ty[Tab][Enter]",              PROMPT_DONE, "types " },
		{ "ob[Tab]x[Enter]",             PROMPT_DONE, "objects x" },
		{ "TY[Tab][Enter]",              PROMPT_DONE, "types " },
		{ "r[Tab][Enter]",               PROMPT_DONE, "r" },
		{ "r[Tab][Tab][Enter]",          PROMPT_DONE, "roots" },
		{ "r[Tab][Tab][Tab][Enter]",     PROMPT_DONE, "referrers" },
		{ "r[Tab][Tab][Tab][Tab][Enter]", PROMPT_DONE, "roots" },
		{ "r[Tab][S-Tab][Enter]",        PROMPT_DONE, "referrers" },
		{ "r[Tab][Tab]x[Enter]",         PROMPT_DONE, "rootsx" },
		{ "r[Tab][Tab][Esc]x[Enter]",    PROMPT_DONE, "rx" },
		{ "r[Tab][Esc][Esc]",            PROMPT_CANCELLED, "" },
		/* words with blanks, in the middle of a line */
		{ "tree dict[Tab][Enter]",       PROMPT_DONE, "tree Dictionary<string, " },
		{ "tree dict[Tab]l[Tab][Enter]", PROMPT_DONE, "tree Dictionary<string, long> " },
		{ "x; ty[Tab][Enter]",           PROMPT_DONE, "x; types " },
		{ "tyx[Left][Tab][Enter]",       PROMPT_DONE, "typesx" },
		/* nothing begins so: all that was offered */
		{ "q[Tab][Enter]",               PROMPT_DONE, "q" },
		{ "q[Tab][Tab][Enter]",          PROMPT_DONE, "types" },
		{ "日 ty[Tab][Enter]",           PROMPT_DONE, "日 types " },
	};
	/* clang-format on */

	check_lines(rows, COUNT_OF(rows));
}

static void
type_keep(struct prompt *p, const char *keys)
{
	struct error err = { 0 };

	assert_int_equal(type_keys(p, keys), PROMPT_DONE);
	assert_true(prompt_keep(p, prompt_line(p), &err));
}

TEST_AT_HOME(history_is_searched)
{
	/* clang-format off */
	static const struct line_row rows[] = {
		{ "[^R]obj[Enter]",                PROMPT_DONE, "objects B" },
		{ "[^R]obj[^R][Enter]",            PROMPT_DONE, "objects A" },
		{ "[^R]obj[^R][^R][Enter]",        PROMPT_DONE, "objects A" },
		{ "[^R]obj[^R][^S][Enter]",        PROMPT_DONE, "objects B" },
		{ "[^R]obj[Up][Down][^S][Enter]",  PROMPT_DONE, "objects B" },
		{ "[^R]obj[^R][^G][^R][^R][Enter]", PROMPT_DONE, "objects B" },
		{ "[^R]obj[^G]x[Enter]",           PROMPT_DONE, "x" },
		{ "[^R]s B[Right][Delete][Enter]", PROMPT_DONE, "objectsB" },
		{ "[^R]obX[Backspace]jects A[Enter]", PROMPT_DONE, "objects A" },
		{ "[^R]xyzzy[Enter]",              PROMPT_DONE, "" },
		{ "sos[^R][Enter]",                PROMPT_DONE, "help sos" },
		{ "keep[^R]objects[Esc]me[Enter]", PROMPT_DONE, "keepme" },
		{ "[^R]sos[End]x[Enter]",          PROMPT_DONE, "help sosx" },
		{ "ab[Left][^R][Esc][Enter]",      PROMPT_DONE, "ab" },
		{ "[^R]obj[^C][^C]",               PROMPT_CANCELLED, "" },
	};
	static const char *const past[] = { "objects A", "types", "objects B",
					    "help sos" };
	/* clang-format on */
	struct error err = { 0 };

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct prompt *p = prompt_make(NULL);

		for (size_t j = 0; j < COUNT_OF(past); j++)
			assert_true(prompt_keep(p, past[j], &err));
		prompt_begin(p, ":", NULL, NULL, NULL);
		if (type_keys(p, rows[i].keys) != rows[i].wanted_state ||
		    strcmp(prompt_line(p), rows[i].wanted) != 0)
			fail_msg("%s: \"%s\"", rows[i].keys, prompt_line(p));
		prompt_free(p);
	}
}

TEST_AT_HOME(history_lasts)
{
	const char *path = in_folder(".local/state/heaptop/commands");
	struct stat info;
	struct prompt *p = prompt_make("commands"), *other;

	prompt_begin(p, ":", NULL, NULL, NULL);
	type_keep(p, "one[Enter]");
	prompt_begin(p, ":", NULL, NULL, NULL);
	type_keep(p, "two é[Enter]");
	prompt_begin(p, ":", NULL, NULL, NULL);
	type_keep(p, "one[Enter]");
	assert_int_equal(stat(path, &info), 0);
	assert_int_equal(info.st_mode & 0777, 0600);
	assert_int_equal(info.st_size, strlen("one\ntwo é\none\n"));
	assert_int_equal(stat(in_folder(".local/state/heaptop"), &info), 0);
	assert_int_equal(info.st_mode & 0777, 0700);

	/* another program adds a line; both keep all of them */
	other = prompt_make("commands");
	prompt_begin(other, ":", NULL, NULL, NULL);
	type_keep(other, "[Up][Up]![Enter]");
	assert_string_equal(prompt_line(other), "two é!");
	prompt_begin(p, ":", NULL, NULL, NULL);
	type_keep(p, "three[Enter]");
	prompt_begin(p, ":", NULL, NULL, NULL);
	type_keys(p, "[Up][Up][Enter]");
	assert_string_equal(prompt_line(p), "two é!");
	prompt_begin(p, ":", "tw", NULL, NULL);
	type_keys(p, "[^R][Enter]");
	assert_string_equal(prompt_line(p), "two é!");
	prompt_begin(p, ":", NULL, NULL, NULL);
	type_keys(p, "new[Up][Down][Enter]");
	assert_string_equal(prompt_line(p), "new");
	/* what was of no use can be mended, but is not kept */
	prompt_begin(p, ":", NULL, NULL, NULL);
	type_keys(p, "mistkae[Enter]");
	prompt_begin(p, ":", NULL, NULL, NULL);
	type_keys(p, "[Up][Enter]");
	assert_string_equal(prompt_line(p), "mistkae");
	prompt_free(other);
	prompt_free(p);
	/* the next start removes what is there twice */
	p = prompt_make("commands");
	assert_int_equal(stat(path, &info), 0);
	assert_int_equal(info.st_size, strlen("two é\none\ntwo é!\nthree\n"));
	prompt_begin(p, ":", NULL, NULL, NULL);
	type_keys(p, "[Up][Enter]");
	assert_string_equal(prompt_line(p), "three");
	prompt_free(p);
}

/* Four programs at once, each with lines of its own: none is lost. */
TEST_AT_HOME(history_is_shared)
{
	enum { PROGRAMS = 4, LINES = 50 };
	struct line_history history;
	struct error err = { 0 };
	char line[32];
	int status;

	for (int i = 0; i < PROGRAMS; i++) {
		if (fork() != 0)
			continue;
		if (!line_history_open(&history, "shared", HISTORY_LINES_MAX, &err))
			_exit(1);
		for (int k = 0; k < LINES; k++) {
			snprintf(line, sizeof(line), "%d of %d", k, i);
			if (!line_history_add(&history, line, &err) ||
			    !line_history_add(&history, "of all", &err))
				_exit(2);
			line_history_close(&history);
			/* which removes the others of "of all" */
			if (!line_history_open(&history, "shared", HISTORY_LINES_MAX, &err))
				_exit(1);
		}
		line_history_close(&history);
		_exit(0);
	}
	for (int i = 0; i < PROGRAMS; i++) {
		assert_true(wait(&status) > 0);
		assert_int_equal(status, 0);
	}
	assert_true(line_history_open(&history, "shared", HISTORY_LINES_MAX, &err));
	assert_int_equal(history.count, PROGRAMS * LINES + 1);
	line_history_close(&history);
	/* Of more than one wants the oldest go. */
	assert_true(line_history_open(&history, "shared", 3, &err));
	assert_int_equal(history.count, 3);
	line_history_close(&history);
}

TEST_AT_HOME(history_is_bounded_and_clean)
{
	const char *path = in_folder("past");
	char text[8192] = "";
	struct prompt *p;
	struct error err = { 0 };
	FILE *file;
	int lines = 0;

	memset(text, 'x', 5000);
	strcpy(text + 5000, "\nbad\x1b[31m\n\n\nlast\nfine");
	write_in_home("past", text);
	p = prompt_make(path);
	prompt_begin(p, ":", NULL, NULL, NULL);
	type_keys(p, "[Up][Up][Up][Up][Enter]");
	assert_string_equal(prompt_line(p), "last");

	file = fopen(path, "a");
	assert_non_null(file);
	for (int i = 0; i < 1005; i++)
		fprintf(file, "line %d\n", i);
	fclose(file);
	prompt_begin(p, ":", NULL, NULL, NULL);
	type_keep(p, "one more[Enter]");
	prompt_free(p);
	p = prompt_make(path);
	prompt_free(p);
	file = fopen(path, "r");
	assert_non_null(file);
	while (fgets(text, sizeof(text), file))
		if (lines++ == 0)
			assert_string_equal(text, "line 6\n");
	assert_string_equal(text, "one more\n");
	assert_int_equal(lines, 1000);
	fclose(file);

	/* no file, no harm: the reason is told once */
	write_in_home("blocked", "");
	p = prompt_new(in_folder("blocked/past"), HISTORY_LINES_MAX, &err);
	assert_non_null(p);
	assert_int_equal(err.kind, ERROR_SYSTEM);
	prompt_begin(p, ":", NULL, NULL, NULL);
	type_keys(p, "kept[Enter]");
	prompt_begin(p, ":", NULL, NULL, NULL);
	type_keys(p, "[Up][Enter]");
	assert_string_equal(prompt_line(p), "kept");
	prompt_free(p);
}

TEST_AT_HOME(long_lines_end)
{
	struct prompt *p = prompt_make(NULL);

	prompt_begin(p, ":", "日", NULL, NULL);
	for (int i = 0; i < 3000; i++)
		prompt_key(p, 0x65e5);
	assert_int_equal(strlen(prompt_line(p)), 3000);
	assert_int_equal(prompt_key(p, TK_ENTER), PROMPT_DONE);
	assert_int_equal(prompt_key(p, 'x'), PROMPT_CANCELLED);
	prompt_free(p);
}

static void
assert_drawn(struct prompt *p, int rows, int columns, const char *wanted, int caret)
{
	struct error err = { 0 };
	struct screen *s = screen_new(rows, columns, &err);
	char *dump;

	assert_non_null(s);
	for (int row = 0; row < rows; row++)
		screen_put(s, row, 0, columns, STYLE_NORMAL, "########");
	prompt_draw(p, s, rows - 1);
	dump = screen_dump(s, false, &err);
	assert_non_null(dump);
	assert_string_equal(dump, wanted);
	assert_int_equal(s->caret_row, rows - 1);
	assert_int_equal(s->caret_column, caret);
	memory_free(dump);
	screen_free(s);
}

TEST_AT_HOME(line_and_list_are_drawn)
{
	struct prompt *p = prompt_make(NULL);

	prompt_begin(p, ":", "ab日c", words_of_test, NULL);
	assert_drawn(p, 2, 10, " ########\n :ab日c\n", 6);
	type_keys(p, "[Left][Left]");
	assert_drawn(p, 2, 10, " ########\n :ab日c\n", 3);
	type_keys(p, "[End]defgh");
	assert_drawn(p, 2, 10, " ########\n :…cdefgh\n", 8);
	type_keys(p, "[Esc]");

	prompt_begin(p, "/", "r", words_of_test, NULL);
	type_keys(p, "[Tab]");
	assert_drawn(p, 5, 24,
		     " ########\n ########\n"
		     " 2 words; Tab for the nex\n roots      referrers\n"
		     " /r\n",
		     2);
	type_keys(p, "[Tab]");
	assert_drawn(p, 4, 12, " 2 words; thi\n roots\n referrers\n /roots\n", 6);
	/* hardly any room */
	assert_drawn(p, 3, 12, " 2 words; thi\n roots\n /roots\n", 6);
	type_keys(p, "[Tab]");
	assert_drawn(p, 3, 12, " 2 words; thi\n referrers\n /referrers\n", 10);
	prompt_free(p);
}
