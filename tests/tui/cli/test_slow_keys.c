/*
 * Keys that a slow line tears apart, and what terminals send without being asked. HEAPTOP names the
 * program.
 */
#include "model/base/clock.h"
#include "tests/drive/started.h"
#include <signal.h>
#include <string.h>

enum {
	TORN_MS = 80,   /* longer than a lone Esc is waited for */
	REST_MS = 1000, /* as long as the program waits for the rest of a key */
	TRIES = 20,
};

static struct pty *
start(const char *variable)
{
	struct pty *p = started_on_dump(variable, 24, 80);

	assert_true(pty_wait_text(p, "48.0%")); /* nothing is left to stop */
	assert_true(pty_wait_text(p, " 1/163"));
	assert_true(pty_wait_text(p, "kept by static Sessions")); /* the last finding above them */
	pty_types(p, ":objects Leaky.Session\r", " 1/5,001");
	return p;
}

/*
 * In two pieces, the first being all that comes for a while. A signal is as good as work that is
 * done meanwhile: the program is woken. False: it took this machine so long that they need not be
 * one.
 */
static bool
send_torn(struct pty *p, const char *const pieces[2], bool is_woken)
{
	int64_t begun_ns = clock_ns();

	pty_send(p, pieces[0]);
	for (int waits = 0; waits < 1 + is_woken; waits++) {
		if (waits)
			pty_signal(p, SIGWINCH);
		while (pty_sends_within(p, TORN_MS))
			;
	}
	pty_send(p, pieces[1]);
	return (clock_ns() - begun_ns) / 1000000 < REST_MS * 3 / 4;
}

/* Each is the key Down, or nothing; the `j` behind it is one. */
static const struct {
	const char *pieces[2];
	int rows;       /* moved */
	bool is_answer; /* only the program with a screen knows them */
} torn[] = {
	{ { "\033[", "B" }, 1, false },
	{ { "\033O", "B" }, 1, false },
	{ { "\033[1;", "5B" }, 1, false },
	{ { "\033[1;5", "B" }, 1, false },
	{ { "\033[", "<65;10;10M" }, 0, false }, /* the mouse is off */
	{ { "\033[<65", ";10;10M" }, 0, false },
	{ { "\033[", "?62;1;6c" }, 0, false },
	{ { "\033[M", " !!" }, 0, false },
	{ { "\033]11;rgb:ffff/", "ffff/ffff\033\\" }, 0, true },
	{ { "\033]11;rgb:ffff/ffff", "/ffff\a" }, 0, true },
	{ { "\033P1+r436f=", "323536\033\\" }, 0, true },
	{ { "\033_Gi=1;", "OK\033\\" }, 0, true },
	{ { "\303", "\244" }, 0, false }, /* a letter that is no key */
};

/* From *next on. `before` and `behind` the number stand where it says which row is selected. False:
 * *next did not arrive as it was to be torn. */
static bool
send_all_torn(struct pty *p, size_t *next, bool knows_answers, const char *before,
	      const char *behind)
{
	char place[32];
	int row = 1;

	for (; *next < COUNT_OF(torn); ++*next) {
		size_t i = *next;

		if (torn[i].is_answer && !knows_answers)
			continue;
		if (!send_torn(p, torn[i].pieces, i % 2 == 0))
			return false;
		pty_send(p, "j");
		row += torn[i].rows + 1;
		snprintf(place, sizeof place, "%s%d%s", before, row, behind);
		if (!pty_wait_text(p, place))
			fail_msg("row %zu", i);
		snprintf(place, sizeof place, "%s%d%s", before, row + 1, behind);
		assert_int_equal(pty_find(p, place), -1);
	}
	return true;
}

TEST_AT_HOME(torn_keys_are_whole)
{
	struct pty *p = start("ESCDELAY=25");
	size_t next = 0;

	for (int i = 0; !send_all_torn(p, &next, true, " ", "/5,001"); i++) {
		assert_true(i < TRIES);
		pty_free(p);
		p = start("ESCDELAY=25");
	}
	pty_quits(p);
}

static struct pty *
start_without_a_screen(void)
{
	const char *const arguments[] = { "--linear", "tests/data/leaky-10.gcdump", NULL };
	struct pty *p = started(arguments, NULL, 48, 80);

	assert_true(pty_wait_text(p, "row 1 of 163"));
	pty_types(p, ":objects Leaky.Session\r", "row 1 of 5,001");
	return p;
}

TEST_AT_HOME(torn_keys_are_whole_without_a_screen)
{
	struct pty *p = start_without_a_screen();
	size_t next = 0;

	for (int i = 0; !send_all_torn(p, &next, false, "row ", " of 5,001"); i++) {
		assert_true(i < TRIES);
		pty_free(p);
		p = start_without_a_screen();
	}
	pty_quits(p);
}

/* No terminal answers so: Alt and a letter, and Down as often as it is there.
 */
TEST_AT_HOME(alt_is_no_answer)
{
	static const struct {
		const char *sent, *place;
	} rows[] = {
		{ "\033Xjjjj", " 5/5,001" }, { "\033^jj", " 7/5,001" },  { "\033]jj", " 9/5,001" },
		{ "\033Pjj", " 11/5,001" },  { "\033_jj", " 13/5,001" },
	};
	struct pty *p = start("ESCDELAY=25");

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		pty_send(p, rows[i].sent);
		if (!pty_wait_text(p, rows[i].place))
			fail_msg("row %zu", i);
	}
	pty_quits(p);
}

/* Keys work again soon after an answer of the terminal that never ends. */
TEST_AT_HOME(a_cut_answer_ends)
{
	enum { TYPED_MAX = 200 }; /* an answer has more bytes at most */
	struct pty *p = start("ESCDELAY=25");
	int typed = 0;

	pty_send(p, "\033P1");
	for (; typed < TYPED_MAX && pty_find(p, " 1/5,001") >= 0; typed++) {
		pty_send(p, "j");
		pty_sends_within(p, TORN_MS);
	}
	assert_in_range(typed, 1, TYPED_MAX - 1);
	pty_quits(p);
}

/* Torn behind Escape itself: that is a key by then, the rest is not typed. */
static const struct {
	const char *rest, *place; /* after a `j` behind it */
} late[] = {
	{ "[6~", " 17/163" },
	{ "[<65;10;10M", " 2/163" },
	{ "OB", " 3/163" },
	{ "[I", " 2/163" },
};

/* From *next on. False: the rest of *next came so late that it may be typed. */
static bool
send_all_late(struct pty *p, size_t *next)
{
	for (; *next < COUNT_OF(late); ++*next) {
		int64_t begun_ns = clock_ns();

		pty_types(p, "\033", " 1/163");
		pty_send(p, late[*next].rest);
		if ((clock_ns() - begun_ns) / 1000000 >= REST_MS * 3 / 4)
			return false;
		pty_types(p, "j", late[*next].place);
		pty_types(p, "g", " 1/163");
		pty_types(p, ":objects Leaky.Session\r", " 1/5,001");
	}
	return true;
}

TEST_AT_HOME(the_late_rest_is_a_key)
{
	struct pty *p = start("ESCDELAY=wrong");
	size_t next = 0;

	for (int i = 0; !send_all_late(p, &next); i++) {
		assert_true(i < TRIES);
		pty_free(p);
		p = start("ESCDELAY=wrong");
	}
	/* What is typed by hand is what it says. */
	pty_types(p, "\033", "/163");
	pty_types(p, "O", "types \342\200\272 objsize");
	pty_quits(p);
}

TEST_AT_HOME(the_wait_is_ones_own)
{
	static const char *const down[] = { "\033", "[B" };
	struct pty *p = start("ESCDELAY=5000");

	send_torn(p, down, false);
	assert_true(pty_wait_text(p, " 2/5,001"));
	pty_quits(p);
}

/* Two views in a hurry: the count that they look like ends, and says so. */
TEST_AT_HOME(two_number_keys_do_not_hang)
{
	struct pty *p = start(NULL);

	pty_types(p, "19", "19 is a count, but no motion");
	pty_types(p, "1", "/163");
	pty_types(p, "12j", " 13/163");
	pty_quits(p);
}
