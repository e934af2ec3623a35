/*
 * What a key costs on a slow line, counted on a real terminal: at 9600 baud a second is 960 bytes.
 */
#include "tests/drive/started.h"
#include <string.h>

#define DUMP "tests/data/leaky-10.gcdump"

/* The last line has the whole name of the selected type, or why it is alive: some 40 bytes. */
enum { BYTES_PER_KEY = 420 };

static struct pty *
program_start(const char *variable, int rows, int columns)
{
	struct pty *p = started_on_dump(*variable ? variable : NULL, rows, columns);

	/* The last that is computed, as far as there is room for it. */
	assert_true(pty_wait_text(p, columns < 80 ? "rootless" : "kept by static Sessions"));
	return p;
}

/* Types so much, until the place at the right end of the line says so. */
static size_t
cost_of(struct pty *p, const char *keys, int row, const char *of)
{
	size_t before = pty_sent_count(p);
	char place[64];

	pty_send(p, keys);
	snprintf(place, sizeof place, " %d/%s", row, of);
	assert_true(pty_wait_text(p, place));
	return pty_sent_count(p) - before;
}

static const struct {
	const char *keys, *title;
	const char *rows; /* how many */
} views[] = {
	{ "", "› types", "163" },
	{ ":objects Leaky.Session\r", "5,001 objects, 4", "5,001" },
	{ ":dominators\r", "Holds", "102" },
};
/* On average of so many keys, one after the other. */
static void
assert_is_cheap(struct pty *p, const char *key, int from, int to, const char *of)
{
	int step = from < to ? 1 : -1;
	size_t sum = 0, keys = 0;

	for (int row = from + step; row != to + step; row += step, keys++)
		sum += cost_of(p, key, row, of);
	if (sum / keys > BYTES_PER_KEY)
		print_error("%s from row %d to %d: %zu bytes a key\n", key, from, to, sum / keys);
	assert_true(sum / keys <= BYTES_PER_KEY);
}

/* Within the screen, and then where each key scrolls it. */
TEST_AT_HOME(moving_is_cheap)
{
	static const int sizes[][2] = { { 24, 80 }, { 60, 200 }, { 10, 40 } };

	for (size_t v = 0; v < COUNT_OF(views); v++)
		for (size_t s = 0; s < COUNT_OF(sizes); s++) {
			struct pty *p = program_start("", sizes[s][0], sizes[s][1]);

			pty_types(p, views[v].keys, views[v].title);
			(void)cost_of(p, "", 1, views[v].rows);
			assert_is_cheap(p, "j", 1, 100, views[v].rows);
			assert_is_cheap(p, "k", 100, 1, views[v].rows);
			pty_quits(p);
		}
}

/* Until nothing comes any more: nothing is drawn by itself. */
static void
be_quiet(struct pty *p)
{
	assert_true(pty_wait_quiet(p, 600));
}

/* Rows that hang on one another, and pictures with a cursor. */
TEST_AT_HOME(trees_and_pictures_are_cheap)
{
	enum { STEPS = 12 };
	/* clang-format off */
	static const struct {
		const char *opens, *of;
		struct { const char *key; int row; } steps[STEPS];
	} walks[] = {
		{ ":inspect 7fe019c05b18\r", "7",
		  { { "j", 2 }, { "j", 3 }, { "j", 4 }, { "j", 5 }, { "j", 6 },
		    { "j", 7 }, { "k", 6 }, { "k", 5 }, { "k", 4 }, { "k", 3 },
		    { "k", 2 }, { "k", 1 } } },
		{ ":tree 7fe019c05b18\r", "6",
		  { { "j", 2 }, { "j", 3 }, { "j", 4 }, { "j", 5 }, { "j", 6 },
		    { "k", 5 }, { "k", 4 }, { "k", 3 }, { "k", 2 }, { "k", 1 },
		    { "G", 6 }, { "g", 1 } } },
		{ ":treemap\r", "105",
		  { { "l", 3 }, { "l", 6 }, { "l", 8 }, { "h", 6 }, { "h", 3 },
		    { "l", 6 }, { "l", 8 }, { "h", 6 }, { "h", 3 }, { "l", 6 },
		    { "l", 8 }, { "h", 6 } } },
	};
	/* clang-format on */

	for (size_t w = 0; w < COUNT_OF(walks); w++) {
		struct pty *p = program_start("", 24, 80);
		size_t sum = 0;

		pty_send(p, walks[w].opens);
		(void)cost_of(p, "", 1, walks[w].of);
		be_quiet(p);
		for (size_t i = 0; i < STEPS; i++)
			sum +=
			    cost_of(p, walks[w].steps[i].key, walks[w].steps[i].row, walks[w].of);
		print_message("%s: %zu bytes a key\n", walks[w].opens, sum / STEPS);
		assert_true(sum / STEPS <= BYTES_PER_KEY);
		pty_quits(p);
	}
}

/* With a background of its own all blanks could have to be sent, too. */
TEST_AT_HOME(backgrounds_cost_little)
{
	struct pty *p = program_start("COLORTERM=truecolor", 24, 80);

	pty_send(p, ":theme light\r");
	assert_true(pty_wait_bytes(p, "48;2;255;255;255"));
	(void)cost_of(p, "", 1, "163");
	assert_is_cheap(p, "j", 1, 100, "163");
	pty_quits(p);
}

/* Hints are drawn again only where they change. */
TEST_AT_HOME(typing_costs_little)
{
	static const struct {
		const char *keys, *wanted;
		size_t bytes_most;
	} typed[] = {
		{ ":", ":", BYTES_PER_KEY },
		{ "s", "more; Tab goes", 2 * BYTES_PER_KEY },
		{ "o", "sort-name", 2 * BYTES_PER_KEY },
		{ "u", "run the commands", 2 * BYTES_PER_KEY },
		{ "rce", ":source", 3 * 40 },
		{ " x", ":source x", 2 * 40 },
	};
	struct pty *p = program_start("", 24, 80);
	size_t sum = 0, keys = 0;

	(void)cost_of(p, "", 1, "163");
	be_quiet(p);
	for (size_t i = 0; i < COUNT_OF(typed); i++) {
		size_t before = pty_sent_count(p), sent;

		pty_types(p, typed[i].keys, typed[i].wanted);
		be_quiet(p);
		sent = pty_sent_count(p) - before;
		if (sent > typed[i].bytes_most)
			print_error("\"%s\": %zu bytes\n", typed[i].keys, sent);
		assert_true(sent <= typed[i].bytes_most);
		sum += sent;
		keys += strlen(typed[i].keys);
	}
	assert_true(sum / keys <= BYTES_PER_KEY);
	pty_send(p, "\033");
	be_quiet(p);
	pty_quits(p);
}

/* What was answered is answered again by how often, and waiting by nothing. */
TEST_AT_HOME(nothing_is_drawn_twice)
{
	enum { AGAIN_BYTES = 60 };
	struct pty *p = program_start("", 24, 80);
	size_t before;

	(void)cost_of(p, "", 1, "163");
	(void)cost_of(p, "j", 2, "163");
	(void)cost_of(p, "kk", 1, "163");
	be_quiet(p);
	assert_non_null(strstr(pty_sent(p), "this is the first row"));
	before = pty_sent_count(p);
	(void)cost_of(p, "k", 1, "163");
	be_quiet(p);
	assert_non_null(strstr(pty_sent(p), "(2×)"));
	assert_in_range(pty_sent_count(p), before + 1, before + AGAIN_BYTES);
	before = pty_sent_count(p);
	be_quiet(p);
	assert_int_equal(pty_sent_count(p), before);
	pty_quits(p);
}

/* A new view is one frame; a key that changes a few rows pays nothing for it. */
TEST_AT_HOME(frames_are_whole)
{
	struct pty *p = program_start("", 24, 80);
	size_t before = pty_sent_count(p);

	pty_send(p, "j");
	assert_true(pty_wait_text(p, " 2/163"));
	be_quiet(p);
	assert_null(strstr(pty_sent(p) + before, "\033[?2026h"));
	before = pty_sent_count(p);
	pty_send(p, ":dominators\r");
	assert_true(pty_wait_sent(p, before, "\033[?2026h"));
	assert_true(pty_wait_sent(p, before, "\033[?2026l"));
	pty_quits(p);
}

TEST_AT_HOME(consoles_get_no_modes_of_xterm)
{
	struct pty *p = program_start("TERM=linux", 24, 80);

	pty_types(p, ":dominators\r", "Holds");
	assert_false(pty_has_sent(p, "\033[?2026"));
	pty_quits(p);
}
