/*
 * Terminals of every kind and size, names of every kind, and long jobs: on a real terminal. HEAPTOP
 * names the program.
 */
#include "model/base/clock.h"
#include "tests/made/dump_writer.h"
#include "tests/drive/home.h"
#include "tests/drive/run_tests.h"
#include "tests/drive/screens.h"
#include "tests/drive/started.h"
#include "tui/app/views.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DUMP "tests/data/leaky-10.gcdump"

/* --- terminals ------------------------------------------------------------ */

static bool
has_only_ascii(const struct pty *p)
{
	for (const char *at = pty_sent(p); *at; at++)
		if ((unsigned char)*at >= 0x80)
			return false;
	return true;
}

/* A list, a key of the terminal's own, and a view from it. */
TEST_AT_HOME(kinds_of_terminals)
{
	/* clang-format off */
	static const struct {
		const char *term, *locale;
		int rows, columns;
		bool has_colours;
	} kinds[] = {
		{ "TERM=xterm",           "LC_CTYPE=C.UTF-8", 24,  80,  true },
		{ "TERM=xterm-16color",   "LC_CTYPE=C.UTF-8", 24,  80,  true },
		{ "TERM=xterm-256color",  "LC_CTYPE=C.UTF-8", 100, 400, true },
		{ "TERM=xterm-256color",  "LC_CTYPE=C.UTF-8", 10,  40,  true },
		{ "TERM=xterm-direct",    "LC_CTYPE=C.UTF-8", 24,  80,  true },
		{ "TERM=screen",          "LC_CTYPE=C.UTF-8", 24,  80,  true },
		{ "TERM=tmux-256color",   "LC_CTYPE=C.UTF-8", 60,  200, true },
		{ "TERM=linux",           "LC_CTYPE=C.UTF-8", 24,  80,  true },
		{ "TERM=vt220",           "LANG=C",           24,  80,  false },
		{ "TERM=linux",           "LANG=C",           10,  40,  true },
		{ "TERM=xterm",           "LANG=C",           100, 400, true },
		{ "TERM=xterm-of-no-one", "LC_CTYPE=C.UTF-8", 24,  80,  true },
		{ "TERM=of-no-one",       "LANG=C",           24,  80,  false },
	};
	/* clang-format on */
	const char *const arguments[] = { DUMP, NULL };

	for (size_t i = 0; i < COUNT_OF(kinds); i++) {
		const char *const variables[] = { kinds[i].term, kinds[i].locale, NULL };
		struct pty *p = started(arguments, variables, kinds[i].rows, kinds[i].columns);
		bool is_ascii = !strcmp(kinds[i].locale, "LANG=C");

		assert_true(pty_wait_text(p, "Session"));
		assert_true(pty_wait_text(p, " 1/163"));
		pty_types(p, "\033[B", " 2/163");
		pty_types(p, "\r", " 1/5,001");
		assert_int_equal(pty_has_colours(p), kinds[i].has_colours);
		assert_int_equal(has_only_ascii(p), is_ascii);
		pty_quits(p);
	}
}

/* Bare containers have none of them: the entries built in do it. */
TEST_AT_HOME(terminals_without_a_database)
{
	static const struct {
		const char *term;
		const char *end; /* what the key End sends there */
		bool has_colours;
	} kinds[] = {
		{ "TERM=xterm-256color", "\033OF", true },
		{ "TERM=tmux-256color", "\033[4~", true },
		{ "TERM=screen", "\033[4~", true },
		{ "TERM=linux", "\033[4~", true },
		{ "TERM=putty", "\033[4~", true },
		{ "TERM=xterm-kitty", "\033OF", true },
		{ "TERM=vt220", "\033[4~", false },
		{ "TERM=vt100", "\033OF", false },
	};
	char command[512];
	const char *const argv[] = { "/usr/bin/unshare", "-rm", "/bin/sh", "-c", command, NULL };

	if (system("unshare -rm mount -t tmpfs none /mnt 2>/dev/null")) {
		print_message("skipped: namespaces are not allowed here\n");
		return;
	}
	snprintf(command, sizeof command,
		 "for d in /etc/terminfo /lib/terminfo /usr/share/terminfo; do [ ! -d $d ] || "
		 "mount -t tmpfs none $d || exit 1; done; exec %s " DUMP,
		 program_path());
	for (size_t i = 0; i < COUNT_OF(kinds); i++) {
		const char *const env[] = { "PATH=/usr/sbin:/usr/bin:/bin", "LC_CTYPE=C.UTF-8",
					    kinds[i].term, home_variable(), NULL };
		struct pty *p = pty_start(argv, env, 24, 80);

		assert_non_null(p);
		assert_true(pty_wait_text(p, " 1/163"));
		pty_types(p, kinds[i].end, " 163/163");
		pty_types(p, "\033[A", " 162/163");
		assert_int_equal(pty_has_colours(p), kinds[i].has_colours);
		pty_quits(p);
	}
}

/* The screen where only ASCII can be shown. */
TEST_AT_HOME(ascii_screen)
{
	const char *const arguments[] = { "-x", "set nometer", DUMP, NULL };
	const char *const variables[] = { "TERM=vt220", "LANG=C", NULL };
	struct pty *p = started(arguments, variables, 24, 80);
	char text[24 * 82] = "";
	size_t len = 0;

	assert_true(pty_wait_text(p, "48.0%"));
	pty_types(p, "j", " 2/163");
	for (int row = 0; row < 24; row++)
		len += (size_t)snprintf(text + len, sizeof text - len, "%s\n", pty_row(p, row));
	expect_text(text, "terminal-ascii.screen");
	assert_true(has_only_ascii(p));
	pty_quits(p);
}

/* --- names ---------------------------------------------------------------- */

#define TEN  "\346\227\245\346\234\254\350\252\236\345\236\213\345\220\215"
#define LONG TEN TEN TEN TEN TEN TEN TEN TEN

/* As the format has them: halves of what is above U+FFFF. */
static const char *const hostile[] = {
	"Plain.Name",
	"\346\227\245\346\234\254\350\252\236.\345\236\213", /* wide */
	LONG,
	"Emoji.\355\240\275\355\262\251",
	"Join.\355\240\275\355\261\251\342\200\215\355\240\275\355\262\273",
	"Flag.\355\240\274\355\267\251\355\240\274\355\267\252",
	"Combining.e\314\201\314\201\314\201\314\201\314\201\314\201\314\201",
	"\314\201Begins.With.One",
	"Right.\342\200\256tfeL",
	"Hebrew.\327\251\327\234\327\225\327\235",
	"Esc.\033[31mRED\033[2J\033[H",
	"Title.\033]0;evil\007",
	"Eight.\302\233[31m\302\235;evil\302\234",
	"Clip.\033]52;c;ZXZpbA==\007",
	"Lines.\r\nTwo\tTab\b\b\b\177",
	"Zero.\342\200\213\342\200\213\342\201\240\357\273\277Width",
	"Half.\355\240\275",
	"Mouse.\033[?1000h\033[?1049l\033c",
};

static void
write_hostile(const char *path)
{
	struct dump_type types[COUNT_OF(hostile)];
	struct dump_node nodes[COUNT_OF(hostile)];
	uint32_t refs[COUNT_OF(hostile)];
	struct dump d = dump_tiny;
	struct blob b = { 0 };

	for (uint32_t i = 0; i < COUNT_OF(hostile); i++) {
		types[i] = (struct dump_type){ hostile[i], 24, hostile[i] };
		nodes[i] = (struct dump_node){ .type = i,
					       .size = 1000 - (int64_t)i,
					       .address = 0x1000 + i * 1000 };
		refs[i] = i;
	}
	nodes[0].refs = refs + 1;
	nodes[0].refs_count = COUNT_OF(hostile) - 1;
	d.types = types;
	d.types_count = COUNT_OF(hostile);
	d.nodes = nodes;
	d.nodes_count = COUNT_OF(hostile);
	d.root = 0;
	d.machine = d.process = d.log = d.tool = "\033]0;evil\007\033[31mRED";
	dump_write(&d, &b, NULL);
	file_write(path, b.data, b.len);
	blob_free(&b);
}

static const char *const forbidden[] = {
	"\033[31mRED", "\033[2J\033[H", "\033]0;evil", "\033]2;\033", "\033]52;c;ZX",
	"\302\233",    "\302\235",      "\302\234",    "\033[?1000h", "\033c",
	"\355\240",    "Two\tTab",      "\b\b\b\177",
};
/* They turn what stands behind them around, or are not seen. In what is for programs they are a
 * part of the name like any other. */
static const char *const misleading[] = { "\342\200\256", "\357\273\277" };

/* Where the first of the cells with this text is, or -1. */
static int
column_of(struct pty *p, int row, const char *text)
{
	struct pty_cell cell;

	for (int i = 0; i < 80 && pty_cell(p, row, i, &cell); i++)
		if (!strcmp(cell.text, text))
			return i;
	return -1;
}

/* Whatever the names are, what stands behind them is in one column. */
static void
assert_aligned(struct pty *p)
{
	int first = pty_find(p, "1,000 B"), column, rows = 0;
	struct pty_cell cell;

	assert_true(first > 0);
	column = column_of(p, first - 1, "\342\226\274"); /* behind "Size" */
	assert_true(column > 0);
	for (int row = first; strstr(pty_row(p, row), " B "); row++, rows++) {
		assert_true(pty_cell(p, row, column, &cell));
		if (strcmp(cell.text, "B") != 0)
			fail_msg("row %d: %s", row, pty_row(p, row));
	}
	assert_int_equal(rows, COUNT_OF(hostile));
}

static void
assert_harmless(const struct pty *p, const char *where)
{
	for (size_t i = 0; i < COUNT_OF(forbidden); i++)
		if (pty_has_sent(p, forbidden[i]))
			fail_msg("%s: %zu of those forbidden was sent", where, i);
}

static void
assert_honest(const struct pty *p, const char *where)
{
	for (size_t i = 0; i < COUNT_OF(misleading); i++)
		if (pty_has_sent(p, misleading[i]))
			fail_msg("%s: %zu of those misleading was sent", where, i);
}

static void
be_quiet(struct pty *p)
{
	assert_true(pty_wait_quiet(p, 100));
}

#define HOSTILE_NAME "\033]0;evil\007.gcdump"

/* Opened, walked through, copied, plain, and offered at the prompt. */
TEST_AT_HOME(names_of_every_kind)
{
	static const char *const keys[] = { "jj", "y", "i", "\033", "Y", " " };
	const char *path = in_folder(HOSTILE_NAME);
	const char *const arguments[] = { path, NULL };
	struct pty *p;
	char line[96];

	write_hostile(path);
	p = started(arguments, NULL, 30, 80);
	assert_true(pty_wait_text(p, "Plain.Name"));
	assert_true(pty_wait_text(p, " 1/18"));
	assert_aligned(p);
	assert_true(pty_find(p, "\346\227\245\346\234\254") > 0);
	pty_types(p, "jj", " 3/18"); /* the long one: cut, and whole below */
	assert_true(pty_find(p, "\342\200\246") > 0);
	for (size_t i = 0; all_views[i]; i++) {
		const char *name = all_views[i]->command.name;

		snprintf(line, sizeof line, ":%s\r", name);
		pty_send(p, line);
		for (size_t k = 0; k < COUNT_OF(keys); k++) {
			be_quiet(p);
			pty_send(p, keys[k]);
		}
		snprintf(line, sizeof line, ":%s \t\t\t", name);
		pty_send(p, line);
		/* Its list, and itself: ^C would overtake what is typed. */
		for (int k = 0; k < 2; k++) {
			be_quiet(p);
			pty_send(p, "\033");
		}
		be_quiet(p);
		assert_harmless(p, name);
		assert_honest(p, name);
	}
	/* An Escape and a key that are read in one piece are Alt and the key.
	 */
	pty_send(p, "g");
	be_quiet(p);
	pty_quits(p);
	unlink(path);
}

/* What is printed for people, on a terminal, and what is wrong with it. */
TEST_AT_HOME(names_in_batch)
{
	static const char *const ways[][2] = {
		{ "types", NULL },    { "objects", NULL },   { "summary", NULL },
		{ "findings", NULL }, { "types", "--md" },   { "types", "--tsv" },
		{ "types", "--csv" }, { "types", "--json" }, { "no-such", NULL },
	};
	const char *path = in_folder(HOSTILE_NAME);

	write_hostile(path);
	for (size_t i = 0; i < COUNT_OF(ways); i++) {
		const char *const arguments[] = { "-b", ways[i][0], path, ways[i][1], NULL };
		struct pty *p = started(arguments, NULL, 30, 80);

		assert_int_not_equal(pty_wait_end(p), -1);
		assert_true(pty_sent_count(p) > 0);
		assert_harmless(p, ways[i][1] ? ways[i][1] : ways[i][0]);
		if (!ways[i][1])
			assert_honest(p, ways[i][0]);
		pty_free(p);
	}
	unlink(path);
}

/* --- long jobs ------------------------------------------------------------ */

/* A pipe that gives no more: only the rate changes, four times a second. */
TEST_AT_HOME(progress_is_quiet)
{
	enum { TICKS = 12, TICKS_MAX = 480, TICK_MS = 250, BYTES_A_TICK = 60 };
	char command[512];
	const char *const argv[] = { "/bin/sh", "-c", command, NULL };
	size_t before, ticks = 0;
	struct pty *p;
	int64_t begun;

	snprintf(command, sizeof command, "(head -c 200000 " DUMP "; exec sleep 600) | %s -",
		 program_path());
	p = started_other(argv, NULL, 24, 80);
	assert_true(pty_wait_text(p, "B/s  Esc stops"));
	be_quiet(p);
	begun = clock_ns();
	before = pty_sent_count(p);
	/* On a busy machine it may sleep longer than that. */
	while (ticks < TICKS || pty_sent_count(p) == before) {
		assert_true(ticks < TICKS_MAX);
		pty_sends_within(p, 100);
		ticks = (size_t)((clock_ns() - begun) / 1000000 / TICK_MS);
	}
	assert_true(pty_sent_count(p) - before <= (ticks + 1) * BYTES_A_TICK);
	pty_free(p);
}
