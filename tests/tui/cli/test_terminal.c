/*
 * The real program on a real terminal. Few tests, for what only this can show: keys arrive, the
 * screen is drawn, and the terminal is given back whatever happens. HEAPTOP names the program.
 */
#include "tests/drive/started.h"
#include "tui/app/tour.h"
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define DUMP "tests/data/leaky-10.gcdump"

static const char *const dump[] = { DUMP, NULL };

static void
assert_given_back(const struct pty *p)
{
	assert_true(pty_modes_are_kept(p));
	assert_false(pty_is_alternate(p));
	assert_true(pty_cursor_is_visible(p));
}

/* `y` is sent, `Y` lends the terminal until a key. */
TEST_AT_HOME(copies_and_shows_plain)
{
	struct pty *p = started_on_dump(NULL, 24, 80);

	assert_true(pty_wait_text(p, "Session[]"));
	pty_send(p, ":copy name\r");
	assert_true(pty_wait_bytes(p, "\033]52;c;Ynl0ZVtd\a")); /* byte[] */
	assert_true(pty_wait_text(p, "sent to the terminal's clipboard"));
	pty_types(p, "Y", "heaptop: press any key to return");
	assert_false(pty_is_alternate(p));
	assert_int_not_equal(pty_find(p, "System.Private.CoreLib.dll"), -1);
	pty_types(p, "x", "? help");
	assert_true(pty_is_alternate(p));
	pty_quits(p);
}

/* Types, objects of one, who holds it, up to a root in words. */
TEST_AT_HOME(walks_to_a_root)
{
	struct pty *p = started_on_dump(NULL, 24, 80);

	assert_true(pty_wait_text(p, "Session[]"));
	assert_true(pty_is_alternate(p));
	assert_false(pty_modes_are_kept(p));
	pty_types(p, "\033[B\r", "objects Session");
	assert_true(pty_wait_text(p, "5,001 objects"));
	pty_types(p, "r", "› tree");
	pty_types(p, "*", "static ");
	pty_quits(p);
}

TEST_AT_HOME(prompt_remembers)
{
	struct pty *p = started_on_dump(NULL, 24, 80);

	assert_true(pty_wait_text(p, "Session[]"));
	pty_types(p, ":objects Leaky.Lin", ":objects Leaky.Lin");
	assert_true(pty_wait_cursor(p));
	pty_types(p, "k\r", "› objects Link");
	pty_quits(p);

	p = started_on_dump(NULL, 24, 80);
	assert_true(pty_wait_text(p, "Session[]"));
	pty_types(p, ":\033OA", ":objects Leaky.Link");
	pty_types(p, "\r", "› objects Link");
	pty_types(p, ":nonsen", ":nonsen");
	pty_send(p, "\033");
	assert_true(pty_wait_no_text(p, ":nonsen"));
	pty_quits(p);
}

/* Options for -b alone are refused; the others apply to the type table. */
TEST_AT_HOME(options_hold_on_the_screen)
{
	const char *const arguments[] = {
		"-f", "ession$", "-s", "-size", "-x", "last", DUMP, NULL
	};
	const char *const refused[] = { "-n", "3", DUMP, NULL };
	struct pty *p = started(arguments, NULL, 24, 80);

	assert_true(pty_wait_text(p, "&ession$  1/1"));
	assert_int_equal(pty_find(p, "Session[]"), -1);
	assert_true(pty_find(p, "Size▲") > 0);
	pty_quits(p);

	p = started(refused, NULL, 24, 80);
	assert_true(pty_wait_text(p, "need a command to print: -b"));
	pty_exits(p, 2);
}

/* The program with settings of its own; `option` may be NULL. */
static struct pty *
start_with_rc(const char *rc, const char *option, const char *value)
{
	const char *const arguments[] = { DUMP, option, value, NULL };
	const char *path = in_folder("rc");
	char variable[160];
	const char *const variables[] = { variable, NULL };

	file_write(path, rc, strlen(rc));
	snprintf(variable, sizeof variable, "HEAPTOP_RC=%s", path);
	return started(arguments, variables, 24, 80);
}

/* Settings, keys and commands of a file; what is wrong in it is told once. */
TEST_AT_HOME(rc_is_honoured)
{
	struct pty *p = start_with_rc("set nobar theme=light sort.objects=-address\n"
				      "map F5 summary\nset colour\nsort -count\n",
				      "--theme", "mono");

	assert_true(pty_wait_text(p, "/rc:3:5: there is no setting"));
	assert_true(pty_wait_text(p, "Count▲"));
	assert_int_equal(pty_find(p, "? help"), -1);
	pty_types(p, ":objects Leaky.Session\r", "Address▼");
	pty_types(p, "\033[15~", "› summary"); /* F5 */
	pty_types(p, ":set theme?\r", "theme=mono (command line)");
	pty_types(p, ":set bar?\r", "bar=off (~/rc:1)");
	pty_types(p, ":theme light\r", "theme=light");
	assert_true(pty_has_colours(p));
	pty_quits(p);
	unlink(in_folder("rc"));
}

/* Commands of mapped keys and of files are forbidden, too. */
TEST_AT_HOME(rc_does_not_undo_secure)
{
	struct pty *p = start_with_rc("set nobar\nmap X !touch /tmp/forbidden\n"
				      "map Y w x.csv\n",
				      "--secure", NULL);

	assert_true(pty_wait_text(p, "Session[]"));
	assert_int_equal(pty_find(p, "? help"), -1);
	pty_types(p, "X", "because --secure forbids it");
	pty_send(p, "k");
	assert_true(pty_wait_no_text(p, "forbids it"));
	pty_types(p, "Y", "because --secure forbids it");
	pty_types(p, ":set secure\r", "there is no setting");
	pty_quits(p);
	unlink(in_folder("rc"));
}

/* Nothing hangs on the history; but nobody shall look for it in vain. */
TEST_AT_HOME(says_when_nothing_is_kept)
{
	const char *const argv[] = { program_path(), DUMP, NULL };
	const char *const env[] = { "TERM=xterm-256color", "LC_CTYPE=C.UTF-8", NULL };
	struct pty *p = pty_start(argv, env, 24, 80);

	assert_non_null(p);
	assert_true(pty_wait_text(p, "Session[]"));
	pty_types(p, ":objects Leaky.Link\r", "the history is not saved: HOME is not");
	pty_types(p, "/xyzzy\r", "is in no row");
	pty_send(p, ":types\r");
	assert_true(pty_wait_no_text(p, "is in no row"));
	assert_int_equal(pty_find(p, "the history is not saved"), -1);
	pty_quits(p);
}

/* ^L removes what other programs have written on the terminal. */
TEST_AT_HOME(draws_anew)
{
	struct pty *p = started_on_dump(NULL, 24, 80);

	assert_true(pty_wait_text(p, "Session[]"));
	pty_spoil(p, "\033[5;10Hnoise");
	assert_true(pty_wait_text(p, "noise"));
	pty_send(p, "\f");
	assert_true(pty_wait_no_text(p, "noise"));
	pty_quits(p);
}

/* The row that was selected still is. */
TEST_AT_HOME(resizes)
{
	static const int sizes[][2] = { { 10, 40 }, { 60, 200 }, { 24, 80 } };
	struct pty *p = started_on_dump(NULL, 24, 80);

	assert_true(pty_wait_text(p, "Session[]"));
	pty_send(p, "\033[B");
	for (size_t i = 0; i < COUNT_OF(sizes); i++) {
		pty_resize(p, sizes[i][0], sizes[i][1]);
		assert_true(pty_wait_text(p, " 2/163"));
		assert_true(pty_wait_text(p, "Session"));
	}
	pty_resize(p, 4, 15); /* of no use, but no reason to fall over */
	pty_resize(p, 24, 80);
	pty_types(p, "\r", "› objects Session");
	pty_quits(p);
}

/* A shell with job control, as people have it. */
TEST_AT_HOME(suspends)
{
	struct pty *p = started_in_shell(DUMP);

	assert_true(pty_wait_text(p, "Session[]"));
	pty_types(p, "\032", "Stopped");
	assert_false(pty_is_alternate(p));
	assert_true(pty_wait_cursor(p));
	pty_types(p, "fg\n", "Session[]");
	assert_true(pty_is_alternate(p));
	pty_send(p, "Q");
	assert_true(pty_wait_cursor(p));
	pty_types(p, "echo status=$?; exit\n", "status=0");
	pty_exits(p, 0);
}

TEST_AT_HOME(signals_give_the_terminal_back)
{
	/* The program ends itself when asked to, and dies of the others. */
	static const struct {
		int number;
		bool is_fatal;
	} rows[] = {
		{ SIGTERM, false }, { SIGHUP, false }, { SIGSEGV, true },
		{ SIGABRT, true },  { SIGBUS, true },  { SIGQUIT, true },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct pty *p = started_on_dump(NULL, 24, 80);
		int status;

		assert_true(pty_wait_text(p, "Session[]"));
		pty_signal(p, rows[i].number);
		status = pty_wait_end(p);
		assert_int_not_equal(status, -1);
		assert_int_equal(WIFSIGNALED(status), rows[i].is_fatal);
		if (rows[i].is_fatal)
			assert_int_equal(WTERMSIG(status), rows[i].number);
		assert_given_back(p);
		assert_true(pty_has_sent(p, "\033[?1049l"));
		pty_free(p);
	}
}

TEST_AT_HOME(a_cut_connection_ends_it)
{
	struct pty *p = started_on_dump(NULL, 24, 80);

	assert_true(pty_wait_text(p, "Session[]"));
	pty_hang_up(p);
	assert_int_not_equal(pty_wait_end(p), -1);
	pty_free(p);
}

TEST_AT_HOME(colours_can_be_refused)
{
	static const struct {
		const char *variable;
		bool has_colours;
		const char *told;
	} rows[] = {
		{ "NO_COLOR=1", false, "color=on, without effect: NO_COLOR is set (default)" },
		{ "NO_COLOR=", true, "color=on (default)" },
		{ "COLORTERM=truecolor", true, "color=on (default)" },
		{ "TERM=vt100", false, "color=on, without effect: this terminal has none" },
		{ "TERM=xterm-unheard-of", true, "color=on (default)" },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct pty *p = started_on_dump(rows[i].variable, 24, 80);

		assert_true(pty_wait_text(p, "Session[]"));
		assert_int_equal(pty_has_colours(p), rows[i].has_colours);
		pty_types(p, ":set color?\r", rows[i].told);
		pty_quits(p);
	}
}

/* 24 bits only where the terminal says so; else the nearest of 256. */
TEST_AT_HOME(themes_have_true_colours)
{
	static const struct {
		const char *variable, *white;
	} rows[] = {
		{ "COLORTERM=truecolor", "48;2;255;255;255" },
		{ "COLORTERM=", "48;5;231" },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct pty *p = started_on_dump(rows[i].variable, 24, 80);

		assert_true(pty_wait_text(p, "Session[]"));
		pty_send(p, ":theme light\r");
		assert_true(pty_wait_bytes(p, rows[i].white));
		pty_quits(p);
	}
}

/* A theme in true colours on terminals with fewer colours, or none. */
TEST_AT_HOME(colours_are_the_nearest)
{
	static const struct {
		const char *type, *white; /* the background; NULL: none */
	} rows[] = {
		{ "TERM=xterm-256color", "\033[48;5;231m" },
		{ "TERM=xterm-kitty", "\033[48;5;231m" },
		{ "TERM=ms-terminal", "\033[48;5;231m" },
		{ "TERM=tmux-256color", "\033[48;5;231m" },
		{ "TERM=putty-256color", "\033[48;5;231m" },
		{ "TERM=linux", "\033[47m" },
		{ "TERM=vt220", NULL },
		{ "TERM=vt100", NULL },
		{ "TERM=nobody-knows", NULL },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const char *const variables[] = { rows[i].type, "HEAPTOP_THEME=light", NULL };
		struct pty *p = started(dump, variables, 24, 80);

		assert_true(pty_wait_text(p, "Session[]"));
		assert_int_equal(pty_has_colours(p), rows[i].white != NULL);
		if (rows[i].white)
			assert_true(pty_has_sent(p, rows[i].white));
		pty_quits(p);
	}
}

/* Cyan on white is hard to read. */
TEST_AT_HOME(a_light_background_has_a_light_theme)
{
	static const struct {
		const char *background, *theme, *told;
	} rows[] = {
		{ "COLORFGBG=0;15", "UNUSED=", "theme=light (environment)" },
		{ "COLORFGBG=0;default;7", "UNUSED=", "theme=light (environment)" },
		{ "COLORFGBG=15;0", "UNUSED=", "theme=default (default)" },
		{ "COLORFGBG=7;8", "UNUSED=", "theme=default (default)" },
		{ "COLORFGBG=15", "UNUSED=", "theme=default (default)" },
		{ "COLORFGBG=0;15", "HEAPTOP_THEME=dark", "theme=dark (environment)" },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const char *const variables[] = { rows[i].background, rows[i].theme, NULL };
		struct pty *p = started(dump, variables, 24, 80);

		assert_true(pty_wait_text(p, "Session[]"));
		pty_types(p, ":set theme?\r", rows[i].told);
		pty_quits(p);
	}
}

/* Without UTF-8 in the locale, nothing but ASCII is sent. */
TEST_AT_HOME(ascii_where_the_locale_says_so)
{
	struct pty *p = started_on_dump("LANG=C", 24, 80);
	char byte[2] = "";

	assert_true(pty_wait_text(p, "Session[]"));
	pty_types(p, "\033[B\r", "objects Session");
	pty_send(p, ":h\xc3\xa9lp\r");
	pty_send(p, "Q");
	assert_int_equal(pty_wait_end(p), 0);
	assert_given_back(p);
	for (int c = 0x80; c <= 0xff; c++) {
		byte[0] = (char)c;
		assert_false(pty_has_sent(p, byte));
	}
	pty_free(p);
}

TEST_AT_HOME(says_what_to_do_without_a_terminal)
{
	static const char *const variables[] = { "TERM=dumb", "TERM=", "X=" };

	for (size_t i = 0; i < COUNT_OF(variables); i++) {
		const char *const argv[] = { program_path(), DUMP, NULL };
		const char *const env[] = { variables[i], home_variable(), NULL };
		struct pty *p = pty_start(argv, env, 24, 80);

		assert_non_null(p);
		assert_true(pty_wait_text(p, "-b"));
		pty_exits(p, 2);
	}
}

/* `… | heaptop`: keys come from the terminal all the same. */
TEST_AT_HOME(keys_come_from_the_terminal)
{
	char command[512];
	const char *const argv[] = { "/bin/sh", "-c", command, NULL };
	struct pty *p;

	snprintf(command, sizeof(command), "exec %s %s </dev/null", program_path(), DUMP);
	p = started_other(argv, NULL, 24, 80);
	assert_true(pty_wait_text(p, "Session[]"));
	pty_quits(p);
}

/* Who has never been here reads what to press, until he presses something; not where nothing may be
   kept, as that would be each time. */
TEST_AT_HOME(newcomers_get_a_hint)
{
	static const struct {
		int rows, columns;
	} sizes[] = { { 24, 80 }, { 10, 40 } };
	static const char hint[] = "? is help, :tour shows a leak";
	struct pty *p;

	for (size_t i = 0; i < COUNT_OF(sizes); i++) {
		home_forget();
		p = started_on_dump("HEAPTOPSECURE=1", sizes[i].rows, sizes[i].columns);
		assert_true(pty_wait_text(p, "/163"));
		assert_false(pty_has_sent(p, ":tour"));
		pty_quits(p);
		p = started_on_dump(NULL, sizes[i].rows, sizes[i].columns);
		assert_true(pty_wait_text(p, hint));
		pty_send(p, "j");
		assert_true(pty_wait_no_text(p, hint));
		pty_quits(p);
		/* He has been here now. */
		p = started_on_dump(NULL, sizes[i].rows, sizes[i].columns);
		assert_true(pty_wait_text(p, "/163"));
		assert_false(pty_has_sent(p, ":tour"));
		pty_quits(p);
	}
}

/* The keys of a step, as a terminal sends them. */
static void
keys_send(struct pty *p, const char *keys)
{
	for (; *keys; keys += strspn(keys, " ")) {
		size_t len = strcspn(keys, " ");

		pty_send_bytes(p, len == 1 ? keys : "\r", 1);
		keys += len;
	}
}

static void
tour_go_through(int rows, int columns)
{
	const char *const arguments[] = { "--tour", NULL };
	struct pty *p = started(arguments, NULL, rows, columns);
	unsigned count = 0;
	char place[32];

	while (tour_steps[count].in)
		count++;
	assert_true(pty_wait_text(p, "1/163"));
	for (unsigned i = 0; i < count; i++) {
		snprintf(place, sizeof place, "%u/%u ", i + 1, count);
		assert_true(pty_wait_text(p, place));
		assert_true(pty_wait_text(p, "(Esc ends)"));
		keys_send(p, tour_steps[i].keys);
	}
	pty_types(p, "\033", "the tour has ended");
	pty_quits(p);
}

TEST_AT_HOME(the_tour_is_walked)
{
	tour_go_through(24, 80);
	tour_go_through(10, 40);
}
