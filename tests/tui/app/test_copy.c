/*
 * `y`: what is sent to the terminal for its clipboard, and what stands in it. The sequences are
 * taken apart here by other code than what made them.
 */
#include "tests/drive/run_tests.h"
#include "tests/drive/screens.h"
#include "tui/app/copy.h"
#include "tui/term/clipboard.h"
#include "tui/app/views.h"
#include <stdlib.h>
#include <string.h>

enum { PIECE_MAX = 256 }; /* what GNU screen takes of one string */

static int
digit_value(char c)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				     "abcdefghijklmnopqrstuvwxyz0123456789+/";
	const char *at = c ? strchr(digits, c) : NULL;

	return at ? (int)(at - digits) : -1;
}

/* Returns the decoded text of "\033]52;c;BASE64\a"; `behind` gets what
   follows. */
static char *
take_out(const char *sequence, const char **behind)
{
	static const char begin[] = "\033]52;c;";
	char *text = calloc(strlen(sequence) + 1, 1);
	unsigned bits = 0, count = 0;
	size_t len = 0;

	assert_non_null(text);
	assert_memory_equal(sequence, begin, sizeof begin - 1);
	for (sequence += sizeof begin - 1; digit_value(*sequence) >= 0; sequence++) {
		bits = bits << 6 | (unsigned)digit_value(*sequence);
		count += 6;
		if (count >= 8) {
			count -= 8;
			text[len++] = (char)(bits >> count);
		}
	}
	sequence += strspn(sequence, "=");
	assert_int_equal(*sequence, '\a');
	*behind = sequence + 1;
	return text;
}

static void
assert_sends(const char *text, enum clipboard_way way, char *unwrap(const char *))
{
	struct error err = { 0 };
	char *sequence = clipboard_sequence(text, way, &err), *plain, *kept;
	const char *behind;

	assert_non_null(sequence);
	plain = unwrap ? unwrap(sequence) : strdup(sequence);
	kept = take_out(plain, &behind);
	assert_string_equal(kept, text);
	assert_string_equal(behind, "");
	free(kept);
	free(plain);
	memory_free(sequence);
}

/* Once for tmux; the same for the terminal, wrapped, with its escape doubled.
 */
static char *
unwrap_tmux(const char *sequence)
{
	const char *wrapped = strstr(sequence, "\033Ptmux;\033");
	size_t plain_len = (size_t)(wrapped - sequence);

	assert_non_null(wrapped);
	wrapped += strlen("\033Ptmux;\033");
	assert_memory_equal(wrapped, sequence, plain_len);
	assert_string_equal(wrapped + plain_len, "\033\\");
	return strndup(sequence, plain_len);
}

static char *
unwrap_screen(const char *sequence)
{
	char *plain = calloc(strlen(sequence) + 1, 1);

	assert_non_null(plain);
	while (*sequence) {
		const char *end = strstr(sequence, "\033\\");

		assert_non_null(end);
		assert_memory_equal(sequence, "\033P", 2);
		assert_in_range(end - sequence, 3, PIECE_MAX);
		strncat(plain, sequence + 2, (size_t)(end - sequence) - 2);
		sequence = end + 2;
	}
	return plain;
}

TEST(texts_arrive)
{
	static const char *const texts[] = {
		"", "f", "fo", "foo", "foob", "static Caf\xc3\xa9 \xe2\x86\x92", "two\nlines\n"
	};
	char all[1024];

	for (size_t i = 0; i < sizeof all - 1; i++)
		all[i] = (char)(i % 255 + 1);
	all[sizeof all - 1] = '\0';
	for (size_t i = 0; i < COUNT_OF(texts); i++) {
		assert_sends(texts[i], CLIPBOARD_PLAIN, NULL);
		assert_sends(texts[i], CLIPBOARD_TMUX, unwrap_tmux);
		assert_sends(texts[i], CLIPBOARD_SCREEN, unwrap_screen);
	}
	assert_sends(all, CLIPBOARD_PLAIN, NULL);
	assert_sends(all, CLIPBOARD_TMUX, unwrap_tmux);
	assert_sends(all, CLIPBOARD_SCREEN, unwrap_screen);
}

TEST(too_much_is_refused)
{
	char *text = calloc(CLIPBOARD_TEXT_MAX + 2, 1);
	struct error err = { 0 };

	assert_non_null(text);
	memset(text, 'x', CLIPBOARD_TEXT_MAX);
	assert_sends(text, CLIPBOARD_TMUX, unwrap_tmux);
	text[CLIPBOARD_TEXT_MAX] = 'x';
	assert_null(clipboard_sequence(text, CLIPBOARD_PLAIN, &err));
	assert_non_null(strstr(err.message, ":w FILE"));
	free(text);
}

TEST(the_way_is_found)
{
	setenv("TMUX", "/tmp/tmux-0/default,1,0", 1);
	setenv("TERM", "screen-256color", 1);
	assert_int_equal(clipboard_way(), CLIPBOARD_TMUX);
	unsetenv("TMUX");
	assert_int_equal(clipboard_way(), CLIPBOARD_SCREEN);
	setenv("TERM", "xterm-256color", 1);
	assert_int_equal(clipboard_way(), CLIPBOARD_PLAIN);
	unsetenv("TERM");
	assert_int_equal(clipboard_way(), CLIPBOARD_PLAIN);
}

/* --- what stands in it ---------------------------------------------------- */

static int
count_lines(const char *text)
{
	int count = 0;

	for (; *text; text++)
		count += *text == '\n';
	return count;
}

static void
assert_copies(const struct view *v, enum copy_what what, const char *expected)
{
	char text[4096];

	assert_true(copy_text(v, what, text, sizeof text));
	assert_string_equal(text, expected);
}

/* The first Session of the reference dump: a list holds it, a static that. */
TEST(rows_stand_alone)
{
	struct waker nobody = { 0 };
	struct error err = { 0 };
	struct session *s = session_new_of_heap(leaky_heap(), nobody, &err);
	struct target target;
	static const char expected[] = "static longList (leaky-10.gcdump)\n  → Leaky.Link "
				       "7fe019d9f830, 32 B\n"
				       "  → Leaky.Link ";
	struct view *v;
	char text[16 * 1024], address[24], expected_end[80];

	assert_non_null(s);
	assert_true(session_require(s, NEED_REACH | NEED_REVERSE, &err));
	assert_true(target_parse(s, TAKES_TYPE, "Leaky.Link", &target, &err));
	v = view_open(&view_objects, s, &target, &err);
	assert_non_null(v);
	assert_true(view_where(v, "distance = 0", &err));
	assert_copies(v, COPY_NAME, "Leaky.Link");
	assert_copies(v, COPY_ADDRESS, "7fe019d9f830");
	assert_copies(v, COPY_WHY,
		      "Leaky.Link 7fe019d9f830, 32 B, is kept by static longList → Link "
		      "(leaky-10.gcdump)");
	assert_copies(v, COPY_WAY,
		      "static longList (leaky-10.gcdump)\n"
		      "  → Leaky.Link 7fe019d9f830, 32 B\n");
	assert_true(copy_text(v, COPY_ROW, text, sizeof text));
	assert_non_null(strstr(text, "Leaky.Link: Address 7fe019d9f830, "));
	assert_non_null(strstr(text, "Size 32 B, "));
	assert_non_null(strstr(text, "(objects Leaky.Link of "));

	/* Short names are for the screen. */
	s->shows_short_names = true;
	assert_true(copy_text(v, COPY_ROW, text, sizeof text));
	assert_non_null(strstr(text, "Leaky.Link: Address 7fe019d9f830, "));
	assert_true(copy_text(v, COPY_WAY, text, sizeof text));
	assert_non_null(strstr(text, "→ Leaky.Link 7fe019d9f830, 32 B"));
	assert_true(copy_text(v, COPY_WHY, text, sizeof text));
	assert_memory_equal(text, "Leaky.Link ", 11);
	s->shows_short_names = false;

	/* The last of ten thousand: the middle is left out, neither end. */
	assert_true(view_where(v, "distance = 9999", &err));
	assert_true(copy_text(v, COPY_ADDRESS, address, sizeof address));
	assert_true(copy_text(v, COPY_WAY, text, sizeof text));
	assert_memory_equal(text, expected, strlen(expected));
	assert_int_equal(count_lines(text), 1 + 24 + 1 + 24);
	assert_non_null(strstr(text, "\n  … 9,952 steps omitted\n"));
	snprintf(expected_end, sizeof expected_end, "  → Leaky.Link %s, 32 B\n", address);
	assert_string_equal(text + strlen(text) - strlen(expected_end), expected_end);
	assert_true(view_where(v, "distance = 47", &err));
	assert_true(copy_text(v, COPY_WAY, text, sizeof text));
	assert_int_equal(count_lines(text), 1 + 48);
	view_close(v);

	/* A type has neither address nor way. */
	v = view_open(&view_types, s, &target_none, &err);
	assert_non_null(v);
	assert_true(view_update(v, &err));
	assert_false(copy_text(v, COPY_ADDRESS, text, sizeof text));
	assert_false(copy_text(v, COPY_WHY, text, sizeof text));
	assert_false(copy_text(v, COPY_WAY, text, sizeof text));
	assert_copies(v, COPY_NAME, "byte[]");
	view_close(v);
	session_free(s);
}

/* Bytes that would command the terminal never get there. */
TEST(what_is_copied_is_harmless)
{
	struct waker nobody = { 0 };
	struct error err = { 0 };
	struct session *s = session_new_of_heap(awkward_heap(), nobody, &err);
	char text[32 * 1024];
	struct view *v;

	assert_non_null(s);
	v = view_open(&view_types, s, &target_none, &err);
	assert_non_null(v);
	assert_true(view_update(v, &err));
	for (size_t i = 0; i < v->rows_count; i++) {
		view_move_to(v, i);
		assert_true(copy_text(v, COPY_ROW, text, sizeof text));
		for (const char *at = text; *at; at++)
			assert_true((unsigned char)*at >= ' ');
	}
	view_close(v);
	session_free(s);
}
