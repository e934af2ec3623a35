/* The program without a screen, on terminals that can only write lines. */
#include "tests/drive/screens.h"
#include "tests/drive/started.h"
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define DUMP "tests/data/leaky-10.gcdump"

static char rc_variable[300];

/* Nothing that may or may not be computed by the time of a key. */
static int
rc_make(void **state)
{
	static const char rc[] = "set nofacts columns.types=count,size "
				 "columns.objects=address,size\n";

	if (home_make(state))
		return -1;
	file_write(in_folder("rc"), rc, strlen(rc));
	snprintf(rc_variable, sizeof rc_variable, "HEAPTOP_RC=%s", in_folder("rc"));
	return 0;
}

static int
rc_remove(void **state)
{
	return unlink(in_folder("rc")) || home_remove(state) ? -1 : 0;
}
#define TEST_WITH_RC(name) TEST_BETWEEN(name, rc_make, rc_remove)

static struct pty *
start(const char *const argv[], const char *locale, const char *variable)
{
	const char *const variables[] = { "TERMINFO=/nonexistent", locale, rc_variable, variable,
					  NULL };

	return started_other(argv, variables, 24, 80);
}

static struct pty *
program_start(const char *variable)
{
	const char *const argv[] = { program_path(), "--linear", DUMP, NULL };
	struct pty *p = start(argv, "LC_CTYPE=C.UTF-8", variable);

	assert_true(pty_wait_text(p, "row 1 of 163"));
	return p;
}

static void
assert_ends(struct pty *p)
{
	pty_send(p, "Q");
	assert_int_equal(pty_wait_end(p), 0);
	assert_true(pty_modes_are_kept(p));
	/* Nothing but lines: no sequence, no cursor that goes back. */
	assert_false(pty_has_sent(p, "\033"));
	assert_false(pty_has_sent(p, "\b"));
	pty_free(p);
}

static bool
ends_so(const char *line, size_t len, const char *end)
{
	size_t end_len = strlen(end);

	return len >= end_len && !memcmp(line + len - end_len, end, end_len);
}

/* Leaves out lines that appear only on a slow machine. */
static void
expect_transcript(const char *sent, const char *name)
{
	static char text[65536];
	size_t len = 0;

	while (*sent) {
		size_t line = strcspn(sent, "\r\n");

		if (!ends_so(sent, line, " …; Esc stops") && !ends_so(sent, line, ": done")) {
			assert_true(len + line + 2 < sizeof text);
			memcpy(text + len, sent, line);
			len += line;
			text[len++] = '\n';
		}
		sent += line;
		sent += *sent == '\r';
		sent += *sent == '\n';
	}
	text[len] = '\0';
	expect_text(text, name);
}

static const struct {
	const char *keys, *answer;
} session[] = {
	/* Once these are there, nothing is computed that an Esc could stop. */
	{ ":", ":" },
	{ "dominators\r", "row 1 of" },
	{ "q", "types, 163 rows" },
	{ "j", "row 2 of 163" },
	{ "j", "row 3 of 163" },
	{ "10j", "row 13 of 163" },
	{ "k", "row 12 of 163" },
	{ "g", "row 1 of 163" },
	{ "k", "this is the first row" },
	{ "20j", "row 21 of 163" },
	{ "G", "row 163 of 163" },
	{ "g\033[B", "Session, Count 5,001" },
	{ "s", "sort by Size" },
	{ "k", "sort by Count" },
	{ "\033", "row 2 of 163" },
	{ "C", "by Count, greatest first" },
	{ ":", ":" },
	{ "objects Leaky.Link\r", "row 1 of 10,000" },
	{ "+", "has no command" },
	{ "j", "row 2 of 10,000" },
	{ "q", "types, 163 rows" },
	{ "&", "&" },
	{ "Leaky\\.L\r", "filter Leaky" },
	{ "\033", "types, 163 rows, by Count" },
	{ "/", "/" },
	{ "WeakRef\r", "WeakReference" },
	{ ":", ":" },
	{ "nonsense\r", "--help keys\r\n" }, /* all of the last line */
};

TEST_WITH_RC(each_key_is_a_line)
{
	struct pty *p = program_start("TERM=dumb");

	for (size_t i = 0; i < COUNT_OF(session); i++) {
		size_t before = pty_sent_count(p);

		pty_send(p, session[i].keys);
		assert_true(pty_wait_sent(p, before, session[i].answer));
	}
	expect_transcript(pty_sent(p), "linear.txt");
	assert_ends(p);
}

/* Shares in place of blocks, and the numbers that a picture is of. */
TEST_WITH_RC(pictures_are_numbers)
{
	struct pty *p = program_start("TERM=dumb");

	pty_send(p, ":histogram\r");
	assert_true(pty_wait_bytes(p, "row 1 of 14"));
	pty_send(p, "j");
	assert_true(pty_wait_bytes(p, "Objects 18,515, Share 58.1%, Bytes 615,638 B, Share 26.6%, "
				      "row 2 of 14"));
	assert_false(pty_has_sent(p, "\xe2\x96")); /* blocks */
	pty_send(p, "q:treemap\r");
	assert_true(pty_wait_bytes(p, "4,704 × Session, closed"));
	assert_ends(p);
}

/* No key is pressed: it is said as soon as it is known. */
TEST_WITH_RC(what_was_missing_is_said_later)
{
	const char *const argv[] = { program_path(), "--linear",
				     "-x",           "set columns.types=count,retained",
				     DUMP,           NULL };
	struct pty *p = start(argv, "LC_CTYPE=C.UTF-8", "TERM=dumb");

	assert_true(pty_wait_bytes(p, "byte[], Count 1,262, Retained 600,177 B, row 1 of 163"));
	assert_ends(p);
}

TEST_WITH_RC(help_is_read_out)
{
	struct pty *p = program_start("TERM=dumb");

	pty_send(p, "?");
	assert_true(pty_wait_bytes(p, "In this view\r\n"));
	assert_true(pty_wait_bytes(p, "j Down ^N, :down, to the next row"));
	assert_true(pty_wait_bytes(p, "Commands of SOS"));
	/* An entry is a line, however long. */
	assert_true(pty_wait_bytes(p, "wheel, three rows up or down, as with Up and Down\r\n"));
	pty_send(p, "q");
	assert_true(pty_wait_bytes(p, "Q"));
	assert_ends(p);
}

/* At once: what stands behind the Enter of a line are keys again. */
TEST_WITH_RC(keys_behind_a_line_count)
{
	struct pty *p = program_start("TERM=dumb");

	pty_types(p, ":set bar\rj", "row 2 of 163");
	assert_ends(p);
}

/* A heap on standard input, keys from the terminal, lines into a pipe. */
TEST_WITH_RC(works_in_a_pipeline)
{
	char command[512];
	const char *const argv[] = { "/bin/sh", "-c", command, NULL };
	struct pty *p;

	snprintf(command, sizeof command, "cat %s | %s --linear - | cat", DUMP, program_path());
	p = start(argv, "LC_CTYPE=C.UTF-8", "TERM=dumb");
	assert_true(pty_wait_text(p, "row 1 of 163"));
	pty_types(p, "j", "row 2 of 163");
	assert_ends(p);
}

TEST_WITH_RC(nothing_but_ascii_where_the_locale_says_so)
{
	const char *const argv[] = { program_path(), DUMP, NULL };
	struct pty *p = start(argv, "LC_ALL=C", "HEAPTOP_LINEAR=1");

	assert_true(pty_wait_text(p, "row 1 of 163"));
	pty_types(p, ":tree Leaky.Session\r", "open");
	for (const char *at = pty_sent(p); *at; at++)
		assert_true((unsigned char)*at < 0x80);
	assert_ends(p);
}

/* ^C gives up a line; twice it ends the program_path(), and the modes are back.
 */
TEST_WITH_RC(interrupts_and_signals)
{
	struct pty *p = program_start("TERM=dumb");
	int status;

	pty_send(p, ":");
	assert_true(pty_wait_bytes(p, "\r\n:"));
	pty_send(p, "types\003");
	pty_types(p, "j", "row 2 of 163");
	pty_signal(p, SIGTERM);
	status = pty_wait_end(p);
	assert_true(WIFEXITED(status));
	assert_true(pty_modes_are_kept(p));
	pty_free(p);
}

/* Each step prints the text of the screen's panel once, and the key. */
TEST_WITH_RC(the_tour_is_read_out)
{
	const char *const argv[] = { program_path(), "--linear", "--tour", NULL };
	struct pty *p = start(argv, "LC_CTYPE=C.UTF-8", "TERM=dumb");
	size_t before;

	assert_true(pty_wait_text(p, "1/14 A service grows."));
	assert_true(pty_wait_bytes(p, "\r\npress j\r\n"));
	before = pty_sent_count(p);
	pty_send(p, "k");
	assert_true(pty_wait_sent(p, before, "that was k; press j\r\n"));
	before = pty_sent_count(p);
	pty_send(p, "j");
	assert_true(pty_wait_sent(p, before, "row 2 of 163"));
	assert_true(pty_wait_sent(p, before, "2/14 A fifth of the heap"));
	assert_true(pty_wait_sent(p, before, "\r\npress P\r\n"));
	before = pty_sent_count(p);
	pty_send(p, ":"); /* Esc would stop what is computed, if it is */
	assert_true(pty_wait_sent(p, before, ":"));
	pty_send(p, "tour off\r");
	assert_true(pty_wait_sent(p, before, "the tour has ended"));
	before = pty_sent_count(p);
	pty_send(p, "j");
	assert_true(pty_wait_sent(p, before, "row 3 of 163"));
	assert_null(strstr(pty_sent(p) + before, "/14"));
	assert_ends(p);
}

/* The row stays; what cannot be has a reason. */
TEST_WITH_RC(lines_and_screen_take_turns)
{
	const char *const argv[] = { program_path(), DUMP, NULL };
	struct pty *p = start(argv, "LC_CTYPE=C.UTF-8", "TERM=xterm-256color");
	size_t before;

	assert_true(pty_wait_text(p, "1/163"));
	pty_send(p, "jj:set linear\r");
	assert_true(pty_wait_bytes(p, "row 3 of 163"));
	assert_false(pty_is_alternate(p));
	before = pty_sent_count(p);
	pty_send(p, "j");
	assert_true(pty_wait_sent(p, before, "row 4 of 163"));
	assert_null(strchr(pty_sent(p) + before, '\033'));
	pty_send(p, ":");
	assert_true(pty_wait_sent(p, before, "\r\n:"));
	pty_types(p, "set nolinear\r", "4/163");
	assert_true(pty_is_alternate(p));
	pty_quits(p);
}

TEST_WITH_RC(stays_with_lines_where_no_screen_can_be)
{
	struct pty *p = program_start("TERM=dumb");
	size_t before = pty_sent_count(p);

	pty_send(p, ":");
	assert_true(pty_wait_sent(p, before, ":"));
	pty_send(p, "set nolinear\r");
	assert_true(pty_wait_sent(p, before, "TERM"));
	assert_true(pty_wait_sent(p, before, "row 1 of 163"));
	pty_send(p, "j");
	assert_true(pty_wait_sent(p, before, "row 2 of 163"));
	assert_ends(p);
}
