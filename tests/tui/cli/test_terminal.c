/*
 * The real program on a real terminal. Few tests, for what only this can show:
 * keys arrive, the screen is drawn, and the terminal is given back whatever
 * happens. HEAPTOP names the program.
 */
#include "tests/drive/home.h"
#include "tests/drive/run_tests.h"
#include "tests/drive/started.h"
#include "tui/app/tour.h"
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define DUMP "tests/data/leaky-10.gcdump"

static const char *program;
static char asan_variable[256];

/* With a home of its own, and one variable more. */
static struct pty *
program_start(const char *variable, int rows, int columns)
{
	const char *const argv[] = { program, DUMP, NULL };
	const char *const env[] = { "PATH=/usr/bin:/bin",
				    "TERM=xterm-256color",
				    "LC_CTYPE=C.UTF-8",
				    home_variable(),
				    asan_variable,
				    variable,
				    NULL };
	struct pty *p = pty_start(argv, env, rows, columns);

	assert_non_null(p);
	return p;
}

static void
assert_given_back(const struct pty *p)
{
	assert_true(pty_modes_are_kept(p));
	assert_false(pty_is_alternate(p));
	assert_true(pty_cursor_is_visible(p));
}

static void
assert_quits(struct pty *p)
{
	int status;

	pty_send(p, "Q");
	status = pty_wait_end(p);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	assert_given_back(p);
}

/* `y` is sent, `Y` lends the terminal until a key. */
TEST(copies_and_shows_plain)
{
	struct pty *p = program_start(NULL, 24, 80);

	assert_true(pty_wait_text(p, "Leaky.Session[]"));
	pty_send(p, ":copy name\r");
	assert_true(pty_wait_bytes(p, "\033]52;c;Ynl0ZVtd\a")); /* byte[] */
	assert_true(pty_wait_text(p, "sent to the terminal's clipboard"));
	pty_send(p, "Y");
	assert_true(pty_wait_text(p, "heaptop: press any key to return"));
	assert_false(pty_is_alternate(p));
	assert_int_not_equal(pty_find(p, "System.Private.CoreLib.dll"), -1);
	pty_send(p, "x");
	assert_true(pty_wait_text(p, "? help"));
	assert_true(pty_is_alternate(p));
	assert_quits(p);
	pty_free(p);
}

/* Types, objects of one, who holds it, up to a root in words. */
TEST(walks_to_a_root)
{
	struct pty *p = program_start(NULL, 24, 80);

	assert_true(pty_wait_text(p, "Leaky.Session[]"));
	assert_true(pty_is_alternate(p));
	assert_false(pty_modes_are_kept(p));
	pty_send(p, "\033[B\r");
	assert_true(pty_wait_text(p, "objects Leaky.Session"));
	assert_true(pty_wait_text(p, "5,001 objects"));
	pty_send(p, "r");
	assert_true(pty_wait_text(p, "› tree"));
	pty_send(p, "*");
	assert_true(pty_wait_text(p, "static "));
	assert_quits(p);
	pty_free(p);
}

TEST(prompt_remembers)
{
	struct pty *p = program_start(NULL, 24, 80);

	assert_true(pty_wait_text(p, "Leaky.Session[]"));
	pty_send(p, ":objects Leaky.Lin");
	assert_true(pty_wait_text(p, ":objects Leaky.Lin"));
	assert_true(pty_wait_cursor(p));
	pty_send(p, "k\r");
	assert_true(pty_wait_text(p, "› objects Leaky.Link"));
	assert_quits(p);
	pty_free(p);

	p = program_start(NULL, 24, 80);
	assert_true(pty_wait_text(p, "Leaky.Session[]"));
	pty_send(p, ":\033OA");
	assert_true(pty_wait_text(p, ":objects Leaky.Link"));
	pty_send(p, "\r");
	assert_true(pty_wait_text(p, "› objects Leaky.Link"));
	pty_send(p, ":nonsen");
	assert_true(pty_wait_text(p, ":nonsen"));
	pty_send(p, "\033");
	assert_true(pty_wait_no_text(p, ":nonsen"));
	assert_quits(p);
	pty_free(p);
}

/* What is for -b alone is refused, the rest holds for the type table. */
TEST(options_hold_on_the_screen)
{
	const char *const argv[] = { program, "-f",   "ession$", "-s", "-size",
				     "-x",    "last", DUMP,      NULL };
	const char *const refused[] = { program, "-n", "3", DUMP, NULL };
	const char *const env[] = { "TERM=xterm-256color", "LC_CTYPE=C.UTF-8",
				    home_variable(), asan_variable, NULL };
	struct pty *p = pty_start(argv, env, 24, 80);
	int status;

	assert_non_null(p);
	assert_true(pty_wait_text(p, "&ession$  1/1"));
	assert_int_equal(pty_find(p, "Leaky.Session[]"), -1);
	assert_true(pty_find(p, "Size▲") > 0);
	assert_quits(p);
	pty_free(p);

	p = pty_start(refused, env, 24, 80);
	assert_non_null(p);
	assert_true(pty_wait_text(p, "want -b"));
	status = pty_wait_end(p);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 2);
	pty_free(p);
}

static void
rc_write(char path[128], const char *text)
{
	FILE *file;

	snprintf(path, 128, "%s/rc", home_folder());
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

/* Settings, keys and commands of a file; what is wrong in it is told once. */
TEST(rc_is_honoured)
{
	const char *const argv[] = { program, "--theme", "mono", DUMP, NULL };
	char path[128], variable[160];
	const char *const env[] = {
		"TERM=xterm-256color", "LC_CTYPE=C.UTF-8", home_variable(),
		asan_variable,         variable,           NULL
	};
	struct pty *p;

	rc_write(path, "set nobar theme=light sort.objects=-address\n"
		       "map F5 summary\nset colour\nsort -count\n");
	snprintf(variable, sizeof variable, "HEAPTOP_RC=%s", path);
	p = pty_start(argv, env, 24, 80);
	assert_non_null(p);
	assert_true(pty_wait_text(p, "/rc:3:5: there is no setting"));
	assert_true(pty_wait_text(p, "Count▲"));
	assert_int_equal(pty_find(p, "? help"), -1);
	pty_send(p, ":objects Leaky.Session\r");
	assert_true(pty_wait_text(p, "Address▼"));
	pty_send(p, "\033[15~"); /* F5 */
	assert_true(pty_wait_text(p, "› summary"));
	pty_send(p, ":set theme?\r");
	assert_true(pty_wait_text(p, "theme=mono (command line)"));
	pty_send(p, ":set bar?\r");
	assert_true(pty_wait_text(p, "bar=off (~/rc:1)"));
	pty_send(p, ":theme light\r");
	assert_true(pty_wait_text(p, "theme=light"));
	assert_true(pty_has_colours(p));
	assert_quits(p);
	pty_free(p);
	unlink(path);
}

/* What a key or a file is told to do is forbidden all the same. */
TEST(rc_does_not_undo_secure)
{
	const char *const argv[] = { program, "--secure", DUMP, NULL };
	char path[128], variable[160];
	const char *const env[] = {
		"TERM=xterm-256color", "LC_CTYPE=C.UTF-8", home_variable(),
		asan_variable,         variable,           NULL
	};
	struct pty *p;

	rc_write(path, "set nobar\nmap X !touch /tmp/forbidden\n"
		       "map Y w x.csv\n");
	snprintf(variable, sizeof variable, "HEAPTOP_RC=%s", path);
	p = pty_start(argv, env, 24, 80);
	assert_non_null(p);
	assert_true(pty_wait_text(p, "Leaky.Session[]"));
	assert_int_equal(pty_find(p, "? help"), -1);
	pty_send(p, "X");
	assert_true(pty_wait_text(p, "because --secure forbids it"));
	pty_send(p, "k");
	assert_true(pty_wait_no_text(p, "forbids it"));
	pty_send(p, "Y");
	assert_true(pty_wait_text(p, "because --secure forbids it"));
	pty_send(p, ":set secure\r");
	assert_true(pty_wait_text(p, "there is no setting"));
	assert_quits(p);
	pty_free(p);
	unlink(path);
}

/* Nothing hangs on the history; but nobody shall look for it in vain. */
TEST(says_when_nothing_is_kept)
{
	const char *const argv[] = { program, DUMP, NULL };
	const char *const env[] = { "TERM=xterm-256color", "LC_CTYPE=C.UTF-8",
				    asan_variable, NULL };
	struct pty *p = pty_start(argv, env, 24, 80);

	assert_non_null(p);
	assert_true(pty_wait_text(p, "Leaky.Session[]"));
	pty_send(p, ":objects Leaky.Link\r");
	assert_true(pty_wait_text(p, "the history is not saved: HOME is not"));
	pty_send(p, "/xyzzy\r");
	assert_true(pty_wait_text(p, "is in no row"));
	pty_send(p, ":types\r");
	assert_true(pty_wait_no_text(p, "is in no row"));
	assert_int_equal(pty_find(p, "the history is not saved"), -1);
	assert_quits(p);
	pty_free(p);
}

/* What others write on the terminal goes with ^L. */
TEST(draws_anew)
{
	struct pty *p = program_start(NULL, 24, 80);

	assert_true(pty_wait_text(p, "Leaky.Session[]"));
	pty_spoil(p, "\033[5;10Hnoise");
	assert_true(pty_wait_text(p, "noise"));
	pty_send(p, "\f");
	assert_true(pty_wait_no_text(p, "noise"));
	assert_quits(p);
	pty_free(p);
}

/* The row that was selected still is. */
TEST(resizes)
{
	static const int sizes[][2] = { { 10, 40 }, { 60, 200 }, { 24, 80 } };
	struct pty *p = program_start(NULL, 24, 80);
	char last[64];

	assert_true(pty_wait_text(p, "Leaky.Session[]"));
	pty_send(p, "\033[B");
	for (size_t i = 0; i < COUNT_OF(sizes); i++) {
		pty_resize(p, sizes[i][0], sizes[i][1]);
		/* the place in the list stands at the right edge */
		snprintf(last, sizeof(last), "%*s", sizes[i][1], "2/163");
		assert_true(pty_wait_text(p, last + 20));
		assert_true(pty_wait_text(p, "Leaky.Session"));
	}
	pty_resize(p, 4, 15); /* of no use, but no reason to fall over */
	pty_resize(p, 24, 80);
	pty_send(p, "\r");
	assert_true(pty_wait_text(p, "› objects Leaky.Session"));
	assert_quits(p);
	pty_free(p);
}

/* A shell with job control, as people have it. */
TEST(suspends)
{
	struct pty *p = started_in_shell(DUMP);

	assert_true(pty_wait_text(p, "Leaky.Session[]"));
	pty_send(p, "\032");
	assert_true(pty_wait_text(p, "Stopped"));
	assert_false(pty_is_alternate(p));
	assert_true(pty_wait_cursor(p));
	pty_send(p, "fg\n");
	assert_true(pty_wait_text(p, "Leaky.Session[]"));
	assert_true(pty_is_alternate(p));
	pty_send(p, "Q");
	assert_true(pty_wait_cursor(p));
	pty_send(p, "echo status=$?; exit\n");
	assert_true(pty_wait_text(p, "status=0"));
	assert_int_equal(pty_wait_end(p), 0);
	assert_given_back(p);
	pty_free(p);
}

TEST(signals_give_the_terminal_back)
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
		struct pty *p = program_start(NULL, 24, 80);
		int status;

		assert_true(pty_wait_text(p, "Leaky.Session[]"));
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

TEST(a_cut_connection_ends_it)
{
	struct pty *p = program_start(NULL, 24, 80);

	assert_true(pty_wait_text(p, "Leaky.Session[]"));
	pty_hang_up(p);
	assert_int_not_equal(pty_wait_end(p), -1);
	pty_free(p);
}

TEST(colours_can_be_refused)
{
	static const struct {
		const char *variable;
		bool has_colours;
		const char *told;
	} rows[] = {
		{ "NO_COLOR=1", false,
		  "color=on, without effect: NO_COLOR is set (default)" },
		{ "NO_COLOR=", true, "color=on (default)" },
		{ "COLORTERM=truecolor", true, "color=on (default)" },
		{ "TERM=vt100", false,
		  "color=on, without effect: this terminal has none" },
		{ "TERM=xterm-unheard-of", true, "color=on (default)" },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const char *const argv[] = { program, DUMP, NULL };
		const char *const env[] = { strncmp(rows[i].variable,
						    "TERM=", 5) == 0
						? "UNUSED="
						: "TERM=xterm-256color",
					    "LC_CTYPE=C.UTF-8",
					    home_variable(),
					    asan_variable,
					    rows[i].variable,
					    NULL };
		struct pty *p = pty_start(argv, env, 24, 80);

		assert_non_null(p);
		assert_true(pty_wait_text(p, "Leaky.Session[]"));
		assert_int_equal(pty_has_colours(p), rows[i].has_colours);
		pty_send(p, ":set color?\r");
		assert_true(pty_wait_text(p, rows[i].told));
		pty_send(p, "Q");
		assert_int_equal(pty_wait_end(p), 0);
		assert_true(pty_modes_are_kept(p));
		assert_true(pty_cursor_is_visible(p));
		pty_free(p);
	}
}

/* 24 bits only where the terminal says so; else the nearest of 256. */
TEST(themes_have_true_colours)
{
	static const struct {
		const char *variable, *white;
	} rows[] = {
		{ "COLORTERM=truecolor", "48;2;255;255;255" },
		{ "COLORTERM=", "48;5;231" },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct pty *p = program_start(rows[i].variable, 24, 80);

		assert_true(pty_wait_text(p, "Leaky.Session[]"));
		pty_send(p, ":theme light\r");
		assert_true(pty_wait_bytes(p, rows[i].white));
		assert_quits(p);
		pty_free(p);
	}
}

/* What a theme in true colours becomes where there are fewer, or none. */
TEST(colours_are_the_nearest)
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
		const char *const argv[] = { program, DUMP, NULL };
		const char *const env[] = {
			rows[i].type,  "LC_CTYPE=C.UTF-8",    home_variable(),
			asan_variable, "HEAPTOP_THEME=light", NULL
		};
		struct pty *p = pty_start(argv, env, 24, 80);

		assert_non_null(p);
		assert_true(pty_wait_text(p, "Leaky.Session[]"));
		assert_int_equal(pty_has_colours(p), rows[i].white != NULL);
		if (rows[i].white)
			assert_true(pty_has_sent(p, rows[i].white));
		assert_quits(p);
		pty_free(p);
	}
}

/* Cyan on white is hard to read. */
TEST(a_light_background_has_a_light_theme)
{
	static const struct {
		const char *background, *theme, *told;
	} rows[] = {
		{ "COLORFGBG=0;15", "UNUSED=", "theme=light (environment)" },
		{ "COLORFGBG=0;default;7",
		  "UNUSED=", "theme=light (environment)" },
		{ "COLORFGBG=15;0", "UNUSED=", "theme=default (default)" },
		{ "COLORFGBG=7;8", "UNUSED=", "theme=default (default)" },
		{ "COLORFGBG=15", "UNUSED=", "theme=default (default)" },
		{ "COLORFGBG=0;15", "HEAPTOP_THEME=dark",
		  "theme=dark (environment)" },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const char *const argv[] = { program, DUMP, NULL };
		const char *const env[] = { "TERM=xterm-256color",
					    "LC_CTYPE=C.UTF-8",
					    home_variable(),
					    asan_variable,
					    rows[i].background,
					    rows[i].theme,
					    NULL };
		struct pty *p = pty_start(argv, env, 24, 80);

		assert_non_null(p);
		assert_true(pty_wait_text(p, "Leaky.Session[]"));
		pty_send(p, ":set theme?\r");
		assert_true(pty_wait_text(p, rows[i].told));
		assert_quits(p);
		pty_free(p);
	}
}

/* Without UTF-8 in the locale, nothing but ASCII is sent. */
TEST(ascii_where_the_locale_says_so)
{
	const char *const argv[] = { program, DUMP, NULL };
	const char *const env[] = { "TERM=xterm-256color", "LANG=C",
				    home_variable(), asan_variable, NULL };
	struct pty *p = pty_start(argv, env, 24, 80);
	char byte[2] = "";

	assert_non_null(p);
	assert_true(pty_wait_text(p, "Leaky.Session[]"));
	pty_send(p, "\033[B\r");
	assert_true(pty_wait_text(p, "objects Leaky.Session"));
	pty_send(p, ":h\xc3\xa9lp\r");
	assert_quits(p);
	for (int c = 0x80; c <= 0xff; c++) {
		byte[0] = (char)c;
		assert_false(pty_has_sent(p, byte));
	}
	pty_free(p);
}

TEST(says_what_to_do_without_a_terminal)
{
	static const char *const variables[] = { "TERM=dumb", "TERM=", "X=" };

	for (size_t i = 0; i < COUNT_OF(variables); i++) {
		const char *const argv[] = { program, DUMP, NULL };
		const char *const env[] = { variables[i], home_variable(),
					    asan_variable, NULL };
		struct pty *p = pty_start(argv, env, 24, 80);
		int status;

		assert_non_null(p);
		assert_true(pty_wait_text(p, "-b"));
		status = pty_wait_end(p);
		assert_true(WIFEXITED(status));
		assert_int_equal(WEXITSTATUS(status), 2);
		assert_given_back(p);
		pty_free(p);
	}
}

/* `… | heaptop`: keys come from the terminal all the same. */
TEST(keys_come_from_the_terminal)
{
	char command[512];
	const char *const argv[] = { "/bin/sh", "-c", command, NULL };
	const char *const env[] = { "PATH=/usr/bin:/bin", "TERM=xterm-256color",
				    "LC_CTYPE=C.UTF-8",   home_variable(),
				    asan_variable,        NULL };
	struct pty *p;

	snprintf(command, sizeof(command), "exec %s %s </dev/null", program,
		 DUMP);
	p = pty_start(argv, env, 24, 80);
	assert_non_null(p);
	assert_true(pty_wait_text(p, "Leaky.Session[]"));
	assert_quits(p);
	pty_free(p);
}

/* Who has never been here reads what to press, until he presses something; not
   where nothing may be kept, as that would be each time. */
TEST(newcomers_get_a_hint)
{
	static const struct {
		int rows, columns;
	} sizes[] = { { 24, 80 }, { 10, 40 } };
	static const char hint[] = "? is help, :tour shows a leak";
	struct pty *p;

	for (size_t i = 0; i < COUNT_OF(sizes); i++) {
		home_forget();
		p = program_start("HEAPTOPSECURE=1", sizes[i].rows,
				  sizes[i].columns);
		assert_true(pty_wait_text(p, "/163"));
		assert_false(pty_has_sent(p, ":tour"));
		assert_quits(p);
		pty_free(p);
		p = program_start(NULL, sizes[i].rows, sizes[i].columns);
		assert_true(pty_wait_text(p, hint));
		pty_send(p, "j");
		assert_true(pty_wait_no_text(p, hint));
		assert_quits(p);
		pty_free(p);
		/* He has been here now. */
		p = program_start(NULL, sizes[i].rows, sizes[i].columns);
		assert_true(pty_wait_text(p, "/163"));
		assert_false(pty_has_sent(p, ":tour"));
		assert_quits(p);
		pty_free(p);
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
	const char *const argv[] = { program, "--tour", NULL };
	const char *const env[] = { "PATH=/usr/bin:/bin", "TERM=xterm-256color",
				    "LC_CTYPE=C.UTF-8",   home_variable(),
				    asan_variable,        NULL };
	struct pty *p = pty_start(argv, env, rows, columns);
	unsigned count = 0;
	char place[32];

	assert_non_null(p);
	while (tour_steps[count].in)
		count++;
	assert_true(pty_wait_text(p, "1/163"));
	for (unsigned i = 0; i < count; i++) {
		snprintf(place, sizeof place, "%u/%u ", i + 1, count);
		assert_true(pty_wait_text(p, place));
		assert_true(pty_wait_text(p, "(Esc ends)"));
		keys_send(p, tour_steps[i].keys);
	}
	pty_send(p, "\033");
	assert_true(pty_wait_text(p, "the tour has ended"));
	assert_quits(p);
	pty_free(p);
}

TEST(the_tour_is_walked)
{
	tour_go_through(24, 80);
	tour_go_through(10, 40);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		AT_HOME(walks_to_a_root),
		AT_HOME(copies_and_shows_plain),
		AT_HOME(prompt_remembers),
		AT_HOME(options_hold_on_the_screen),
		AT_HOME(rc_is_honoured),
		AT_HOME(rc_does_not_undo_secure),
		AT_HOME(says_when_nothing_is_kept),
		AT_HOME(draws_anew),
		AT_HOME(resizes),
		AT_HOME(suspends),
		AT_HOME(signals_give_the_terminal_back),
		AT_HOME(a_cut_connection_ends_it),
		AT_HOME(colours_can_be_refused),
		AT_HOME(themes_have_true_colours),
		AT_HOME(a_light_background_has_a_light_theme),
		AT_HOME(colours_are_the_nearest),
		AT_HOME(ascii_where_the_locale_says_so),
		AT_HOME(says_what_to_do_without_a_terminal),
		AT_HOME(keys_come_from_the_terminal),
		AT_HOME(newcomers_get_a_hint),
		AT_HOME(the_tour_is_walked),
	};
	const char *options = getenv("ASAN_OPTIONS");

	program = getenv("HEAPTOP") ? getenv("HEAPTOP") : "build/heaptop";
	/* A sanitizer must leave the signals to die of to the program. */
	snprintf(asan_variable, sizeof(asan_variable),
		 "ASAN_OPTIONS=%s:handle_segv=0:handle_sigbus=0:handle_abort=0",
		 options ? options : "");
	return run_tests(tests);
}
