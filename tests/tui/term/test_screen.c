/* The grid of cells: widths, edges, and texts that mean harm. */
#include "tests/drive/run_tests.h"
#include "model/base/arena.h"
#include "tui/term/screen.h"
#include "model/base/text.h"
#include <string.h>

static struct error err;

static void
assert_dump(const struct screen *s, bool with_styles, const char *wanted)
{
	char *dump = screen_dump(s, with_styles, &err);

	assert_non_null(dump);
	assert_string_equal(dump, wanted);
	memory_free(dump);
}

struct put_row {
	const char *text;
	int column, width, used;
	const char *wanted; /* of a screen of one row and eight columns */
};

static void
check_puts(const struct put_row *rows, size_t count, bool is_ascii)
{
	for (size_t i = 0; i < count; i++) {
		struct screen *s = screen_new(1, 8, &err);
		char wanted[128];
		int used;

		assert_non_null(s);
		s->is_ascii = is_ascii;
		used = screen_put(s, 0, rows[i].column, rows[i].width, STYLE_NORMAL, rows[i].text);
		snprintf(wanted, sizeof(wanted), "%s%s\n", rows[i].wanted[0] ? " " : "",
			 rows[i].wanted);
		if (used != rows[i].used)
			print_error("row %zu\n", i);
		assert_int_equal(used, rows[i].used);
		assert_dump(s, false, wanted);
		screen_free(s);
	}
}

#define FFFD "\xef\xbf\xbd"

TEST(text_is_clipped_and_made_harmless)
{
	/* clang-format off */
	static const struct put_row rows[] = {
		{ "abc",            0, 8, 3, "abc" },
		{ "abc",            2, 8, 3, "  abc" },
		{ "abc",            6, 8, 2, "      ab" },
		{ "abc",            8, 8, 0, "" },
		{ "abcdef",         1, 3, 3, " abc" },
		{ "abc",            0, 0, 0, "" },
		{ "abc",            0, -1, 0, "" },
		{ "abc",            -1, 8, 3, "bc" },
		{ "abc",            0, INT32_MAX, 3, "abc" },
		{ "abcdefghij",     -2, INT32_MAX, 10, "cdefghij" },
		/* wide: whole or blank */
		{ "日本",           0, 8, 4, "日本" },
		{ "日本",           0, 3, 3, "日" },
		{ "日本x",          5, 8, 3, "     日" },
		{ "日本",           -1, 8, 4, " 本" },
		{ "a日",            0, 2, 2, "a" },
		/* joining: in the cell before, and not past the edge */
		{ "e\u0301a",       0, 8, 2, "e\u0301a" },
		{ "e\u0301",        7, 8, 1, "       e\u0301" },
		{ "日\u0301",       7, 8, 1, "" },
		{ "日\u0301x",      0, 8, 3, "日\u0301x" },
		{ "\u0301a",        0, 8, 2, FFFD "a" },
		/* controls and what reorders or hides text */
		{ "\x1b]0;x\a",     0, 8, 6, FFFD "]0;x" FFFD },
		{ "a\tb\nc\x7f",    0, 8, 6, "a" FFFD "b" FFFD "c" FFFD },
		{ "a\xc2\x9b" "2J", 0, 8, 4, "a" FFFD "2J" },
		{ "\u202e" "txt",   0, 8, 4, FFFD "txt" },
		{ "a\u2066\u200f",  0, 8, 3, "a" FFFD FFFD },
		{ "a\u200bb\ufeff", 0, 8, 4, "a" FFFD "b" FFFD },
		{ "a\u00adb",       0, 8, 3, "a" FFFD "b" },
		{ "a\u2028b",       0, 8, 3, "a" FFFD "b" },
		/* broken UTF-8: one sign a byte */
		{ "a\xff" "b",      0, 8, 3, "a" FFFD "b" },
		{ "\xe6\x97",       0, 8, 2, FFFD FFFD },
		{ "\xc0\xaf",       0, 8, 2, FFFD FFFD },
		{ "\xe0\x80\xaf",   0, 8, 3, FFFD FFFD FFFD },
		{ "\xed\xa0\x80",   0, 8, 3, FFFD FFFD FFFD },
		{ "\xf4\x90\x80\x80", 0, 8, 4, FFFD FFFD FFFD FFFD },
		{ "\xf0\x9f\x98\x80x", 0, 8, 3, "\xf0\x9f\x98\x80x" },
	};
	/* clang-format on */

	check_puts(rows, COUNT_OF(rows), false);
}

TEST(ascii_has_twins)
{
	/* clang-format off */
	static const struct put_row rows[] = {
		{ "a→b",      0, 8, 4, "a->b" },
		{ "├─ └│",    0, 8, 5, "|- `|" },
		{ "ab…",      0, 8, 5, "ab..." },
		/* where the long twins do not fit, all are short */
		{ "ab…cdef",  0, 7, 7, "ab~cdef" },
		/* a lone > would be a part of the name */
		{ "abcdefg→", 0, 8, 8, "ab~efg->" },
		{ "a<b> → c", 0, 8, 8, "a<~ -> c" },
		{ "▸ ▾",      0, 8, 3, "+ -" },
		{ "é日本",    0, 8, 3, "???" },
		{ "e\u0301",  0, 8, 1, "e" },
		{ "\x1b[m",   0, 8, 3, "?[m" },
		{ "\xff",     0, 8, 1, "?" },
		{ "█▌░ ×",    0, 8, 5, "#=. x" },
	};
	/* clang-format on */

	check_puts(rows, COUNT_OF(rows), true);
}

TEST(halves_of_wide_characters_never_stay)
{
	struct screen *s = screen_new(1, 8, &err);

	assert_non_null(s);
	screen_put(s, 0, 0, 8, STYLE_NORMAL, "日本日本");
	screen_put(s, 0, 1, 1, STYLE_NORMAL, "x");
	assert_dump(s, false, "  x本日本\n");
	screen_put(s, 0, 4, 1, STYLE_NORMAL, "y");
	assert_dump(s, false, "  x本y 本\n");
	screen_put(s, 0, 3, 2, STYLE_NORMAL, "中");
	assert_dump(s, false, "  x 中 本\n");
	screen_put(s, 0, 5, 2, STYLE_NORMAL, "中");
	assert_dump(s, false, "  x 中中\n");
	screen_free(s);
}

TEST(joining_is_bounded)
{
	struct screen *s = screen_new(1, 3, &err);
	char text[2 + 2 * 500 + 1] = "a";

	assert_non_null(s);
	for (int i = 0; i < 500; i++)
		strcat(text, "\u0300");
	strcat(text, "b");
	assert_int_equal(screen_put(s, 0, 0, 3, STYLE_NORMAL, text), 2);
	assert_true(strlen(s->cells[0].text) < CELL_BYTES);
	assert_int_equal(s->cells[0].text[CELL_BYTES - 1], '\0');
	assert_string_equal(s->cells[1].text, "b");
	assert_int_equal(text_width(text), 2);
	screen_free(s);
}

TEST(nothing_outside_is_touched)
{
	struct screen *s = screen_new(2, 2, &err);

	assert_non_null(s);
	assert_int_equal(screen_put(s, -1, 0, 2, STYLE_DIM, "x"), 0);
	assert_int_equal(screen_put(s, 2, 0, 2, STYLE_DIM, "x"), 0);
	screen_restyle(s, 2, 0, 2, STYLE_DIM);
	screen_restyle(s, -1, 0, 2, STYLE_DIM);
	screen_restyle(s, 1, -5, 6, STYLE_BAR);
	screen_put_right(s, 0, -3, 4, STYLE_DIM, "xyz");
	s->cursor_row = 1;
	assert_dump(s, true, " z\n>\n d\n b\n");
	screen_free(s);
	assert_null(screen_new(0, 80, &err));
	assert_null(screen_new(24, 1 << 20, &err));
}

TEST(styles_and_columns)
{
	struct screen *s = screen_new(2, 12, &err);

	assert_non_null(s);
	screen_put_right(s, 0, 0, 6, STYLE_NUMBER, "1,234");
	screen_printf(s, 0, 7, 5, STYLE_TYPE, "%s[%d]", "日", 7);
	screen_put_right(s, 1, 0, 3, STYLE_NORMAL, "12345");
	screen_restyle(s, 1, 1, 1, STYLE_MATCH);
	assert_dump(s, true, "  1,234 日[7]\n 123\n  nnnnn ttttt\n  m\n");
	screen_clear(s);
	assert_dump(s, true, "\n\n\n\n");
	for (int i = 0; i < STYLE_COUNT; i++)
		assert_true(strlen(style_name((enum style)i)) > 2);
	screen_free(s);
}

TEST(fitting_keeps_both_ends)
{
	/* clang-format off */
	static const struct { const char *text; int width; const char *wanted; } rows[] = {
		{ "Dictionary<int, String>[]", 25, "Dictionary<int, String>[]" },
		{ "Dictionary<int, String>[]", 16, "Dictio…String>[]" },
		{ "abcdef", 5, "a…def" },
		{ "abcdef", 3, "…ef" },
		{ "abcdef", 2, "…f" },
		{ "abcdef", 1, "…" },
		{ "abcdef", 0, "" },
		{ "abcdef", -4, "" },
		{ "",       4, "" },
		{ "日本日本", 8, "日本日本" },
		{ "日本日本", 7, "日…日本" },
		{ "日本日本", 6, "日…本" },
		{ "日本日本", 4, "…本" },
		{ "日本日本", 2, "…" },
		{ "ae\u0301bcde\u0301f", 5, "a…de\u0301f" },
		{ "abce\u0301f", 3, "…e\u0301f" },
	};
	/* clang-format on */
	char out[64];

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const char *got = text_fit(rows[i].text, rows[i].width, out, sizeof(out));

		assert_string_equal(got, rows[i].wanted);
		assert_true(text_width(got) <= rows[i].width || rows[i].width < 0);
	}
	for (size_t size = 1; size < sizeof(out); size++) {
		text_fit("日本Dictionary<int, String>[]", 20, out, size);
		assert_true(strlen(out) < size);
		text_fit("日本Dictionary<int, String>[]", 40, out, size);
		assert_true(strlen(out) < size);
	}
}

TEST(cleaning_is_for_stdout)
{
	char out[16];

	assert_string_equal(text_clean("a\x1b[0m\xff", out, sizeof(out)), "a" FFFD "[0m" FFFD);
	assert_string_equal(text_clean("日本", out, 6), "日");
	assert_string_equal(text_clean("abc", out, 1), "");
	assert_string_equal(text_clean("e\u0301", out, sizeof(out)), "e\u0301");
}

static void
expect_lines(const char *text, int width, const char *const *lines)
{
	char out[64];
	int n = 0;

	for (; text_line(text, width, n, out, sizeof out); n++) {
		assert_non_null(lines[n]);
		assert_string_equal(out, lines[n]);
	}
	assert_null(lines[n]);
}

TEST(lines_break_at_blanks)
{
	expect_lines("653 objects dead", 5,
		     (const char *const[]){ "653", "objec", "ts", "dead", NULL });
	expect_lines("live, 653 B dead", 9,
		     (const char *const[]){ "live,", "653 B", "dead", NULL });
	expect_lines("in 12 µs, 5 GiB.", 8,
		     (const char *const[]){ "in", "12 µs,", "5 GiB.", NULL });
	expect_lines("1 22 333", 4, (const char *const[]){ "1 22", "333", NULL });
	expect_lines("653 B", 4, (const char *const[]){ "653 ", "B", NULL });
}
