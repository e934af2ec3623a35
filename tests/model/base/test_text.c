/* Texts that are built piece by piece: in a buffer, and in an arena. */
#include "model/base/text.h"
#include "tests/drive/run_tests.h"

/* clang-format off */
static const struct building {
	const char *name;
	size_t size; /* of the buffer */
	const char *first, *second, *want;
} buildings[] = {
	/* name           size first     second    want */
	{ "fits",         8,   "abc",    "defg",   "abcdefg" },
	{ "one too many", 8,   "abc",    "defgh",  "abcd…" },
	{ "all at once",  8,   "",       "abcdefghijkl", "abcd…" },
	{ "into the first piece", 8, "abcdefg", "h", "abcd…" },
	{ "no half character", 8, "abcä", "öü",   "abc…" },
	{ "a whole one",  9,   "abcä",   "öü",     "abcä…" },
	{ "three bytes",  8,   "a←",     "←←",     "a←…" },
	{ "cut before",   8,   "abcdefghi", "j",   "abcd…" },
	{ "only that",    4,   "abc",    "d",      "…" },
	{ "no room for it", 3, "ab",     "c",      "ab" },
	{ "nothing",      1,   "",       "",       "" },
};
/* clang-format on */

TEST_ROWS(test_building, buildings)
{
	const struct building *b = *state;
	char buffer[32];
	struct text t = text_in(buffer, b->size);

	text_add(&t, b->first);
	text_addf(&t, "%s", b->second);
	assert_string_equal(buffer, b->want);
	assert_ptr_equal(t.bytes, buffer);
	assert_int_equal(t.len, strlen(b->want));
}

TEST(test_growing)
{
	struct arena a = { 0 };
	struct text t = text_in_arena(&a);

	assert_string_equal(t.bytes, "");
	for (int i = 0; i < 1000; i++)
		text_addf(&t, "%d,", i);
	assert_int_equal(t.len, 10 * 2 + 90 * 3 + 900 * 4);
	assert_int_equal(strlen(t.bytes), t.len);
	assert_string_equal(t.bytes + t.len - 8, "998,999,");
	assert_false(t.is_cut);
	arena_clear(&a);
}

/* An arena without memory leaves what there is. */
TEST(test_no_memory)
{
	struct arena a;
	struct text t;

	arena_init(&a, 1);
	t = text_in_arena(&a);
	text_add(&t, "abc");
	assert_string_equal(t.bytes, "");
	assert_true(t.is_cut);
	arena_clear(&a);
}

TEST(test_shortening)
{
	char buffer[8];
	struct text t = text_in(buffer, sizeof buffer);

	text_add(&t, "abcdefghi");
	text_shorten(&t, 20);
	assert_string_equal(buffer, "abcd…");
	text_shorten(&t, 2);
	text_add(&t, "x");
	assert_string_equal(buffer, "abx");
}
