/*
 * Values looked for in random heaps, beside what was put there; and what a value may be typed as.
 */
#include "model/analysis/value_search.h"
#include "model/heap/literal.h"
#include "tests/made/made_contents.h"
#include "tests/drive/run_tests.h"
#include <stdlib.h>
#include <string.h>

enum { OBJECTS = 400, LENGTH_MAX = 40000, FOUND_MAX = 400000 };

/* --- as typed ------------------------------------------------------------- */

/* clang-format off */
static const struct {
	const char *typed;
	enum literal_kind kind;
	const char *wanted; /* that value as it is shown; NULL: it cannot be one */
} typed[] = {
	{ "42",     LITERAL_INT32,  "42" },
	{ "42",     LITERAL_UINT8,  "42" },
	{ "42",     LITERAL_DOUBLE, "42" },
	{ "0x2a",   LITERAL_INT64,  "42" },
	{ "0x2A",   LITERAL_POINTER, "0x2a" },
	{ "0x2a",   LITERAL_DOUBLE, "42" },
	{ "-1",     LITERAL_INT16,  "-1" },
	{ "-1",     LITERAL_UINT16, NULL },
	{ "-128",   LITERAL_INT8,   "-128" },
	{ "-129",   LITERAL_INT8,   NULL },
	{ "127",    LITERAL_INT8,   "127" },
	{ "128",    LITERAL_INT8,   NULL },
	{ "255",    LITERAL_UINT8,  "255" },
	{ "256",    LITERAL_UINT8,  NULL },
	{ "18446744073709551615", LITERAL_UINT64, "18446744073709551615" },
	{ "18446744073709551615", LITERAL_INT64,  NULL },
	{ "18446744073709551616", LITERAL_UINT64, NULL },
	{ "-9223372036854775808", LITERAL_INT64,  "-9223372036854775808" },
	{ "-1.5",   LITERAL_DOUBLE, "-1.5" },
	{ "-1.5",   LITERAL_SINGLE, "-1.5" },
	{ "0.1",    LITERAL_SINGLE, "0.1" },
	{ "-1.5",   LITERAL_INT32,  NULL },
	{ "16777216", LITERAL_SINGLE, "16777216" },
	{ "16777217", LITERAL_SINGLE, NULL },
	{ "-16777217", LITERAL_DOUBLE, "-16777217" },
	{ "true",   LITERAL_BOOL,   "true" },
	{ "false",  LITERAL_BOOL,   "false" },
	{ "1",      LITERAL_BOOL,   NULL },
	{ "'x'",    LITERAL_CHAR,   "'x'" },
	{ "3f2504e0-4f89-11d3-9a0c-0305e82c3301", LITERAL_GUID, "3f2504e0-4f89-11d3-9a0c-0305e82c3301" },
	{ "3f2504e0-4f89-11d3-9a0c-0305e82c330x", LITERAL_GUID, NULL },
	{ "\"42\"", LITERAL_INT32,  NULL },
	{ "1.2.3",  LITERAL_DOUBLE, NULL },
};
/* clang-format on */

TEST(is_what_was_typed)
{
	for (size_t i = 0; i < COUNT_OF(typed); i++) {
		struct error err = { 0 };
		struct value_query q;
		char text[LITERAL_BYTES];

		assert_true(value_query_parse(typed[i].typed, &q, &err));
		if (q.has[typed[i].kind] != (typed[i].wanted != NULL))
			fail_msg("%s as kind %d", typed[i].typed, typed[i].kind);
		if (!typed[i].wanted)
			continue;
		assert_true(literal_write(typed[i].kind, q.bytes[typed[i].kind], text));
		assert_string_equal(text, typed[i].wanted);
	}
}

TEST(is_a_text)
{
	static const char *const texts[] = {
		"\"a b\"", "a b", "'ab'", "-", "0x", "a\"", "\"\"a\""
	};
	static const char *const refused[] = { "",   "\"\"", "\"\xff\"", "''",     "\"ab",
					       "\"", "'ab",  "'",        "\"a\" b" };
	struct error err = { 0 };
	struct value_query q;

	for (size_t i = 0; i < COUNT_OF(texts); i++) {
		assert_true(value_query_parse(texts[i], &q, &err));
		assert_true(q.is_text);
	}
	assert_true(value_query_parse("\"\xf0\x9f\x98\x80\"", &q, &err));
	assert_int_equal(q.units_count, 2);
	assert_int_equal(q.units[0], 0xd83d);
	assert_int_equal(q.units[1], 0xde00);
	for (size_t i = 0; i < COUNT_OF(refused); i++)
		if (value_query_parse(refused[i], &q, &err))
			fail_msg("%s is a text", refused[i]);
}

/* --- against what was put ------------------------------------------------- */

struct point {
	int32_t x, padding;
	int64_t y;
	uint8_t z, rest[7];
};

struct wanted {
	uint64_t address, element;
	const char *field;
};

struct expectation {
	struct wanted *items;
	size_t count;
};

static void
expect(struct expectation *e, uint64_t address, uint64_t element, const char *field)
{
	assert_true(e->count < FOUND_MAX);
	e->items[e->count++] = (struct wanted){ address, element, field };
}

/* Puts 3 into ints, longs, elements and boxes. */
static void
put_numbers(struct made_contents *m, struct expectation *numbers, struct expectation *bools)
{
	int32_t elements[300];
	uint32_t count = (uint32_t)made_contents_random(m, 300);
	struct point p = { .x = (int32_t)made_contents_random(m, 6),
			   .y = (int64_t)made_contents_random(m, 6),
			   .z = (uint8_t)made_contents_random(m, 2) };
	uint64_t address = made_contents_put(m, MADE_POINT, &p, sizeof(p), true);

	if (p.x == 3)
		expect(numbers, address, UINT64_MAX, "X");
	if (p.y == 3)
		expect(numbers, address, UINT64_MAX, "Y");
	if (p.z)
		expect(bools, address, UINT64_MAX, "Z");
	address = made_contents_put(m, MADE_BOX, &p.x, sizeof(p.x), false);
	if (p.x == 3)
		expect(numbers, address, UINT64_MAX, "");
	for (uint32_t i = 0; i < count; i++)
		elements[i] = (int32_t)made_contents_random(m, 9);
	address = made_contents_put(m, MADE_NUMBERS, elements, count, true);
	for (uint32_t i = 0; i < count; i++)
		if (elements[i] == 3)
			expect(numbers, address, i, "");
}

/* "aba", also over the seams of what is read at once. */
static void
put_text(struct made_contents *m, struct expectation *texts)
{
	static uint16_t units[LENGTH_MAX];
	bool is_long = !made_contents_random(m, 20);
	uint32_t count = (uint32_t)made_contents_random(m, 12), at;
	bool has_it = false;
	uint64_t address;

	memset(units, 0, sizeof(units));
	if (is_long) {
		count = LENGTH_MAX;
		at = 32760 + (uint32_t)made_contents_random(m, 12);
		units[at] = units[at + 2] = 'a';
		units[at + 1] = made_contents_random(m, 2) ? 'b' : 'c';
	}
	for (uint32_t i = 0; i < count && !is_long; i++)
		units[i] = (uint16_t)('a' + made_contents_random(m, 2));
	for (uint32_t i = 0; i + 3 <= count; i++)
		has_it = has_it || (units[i] == 'a' && units[i + 1] == 'b' && units[i + 2] == 'a');
	address = made_contents_put(m, MADE_TEXT, units, count, false);
	if (has_it)
		expect(texts, address, UINT64_MAX, "");
}

static void
check(const struct heap *h, const char *what, const struct expectation *e)
{
	struct error err = { 0 };
	struct value_query q;
	struct value_matches *found;

	assert_true(value_query_parse(what, &q, &err));
	found = value_search(h, &q, NULL, &err);
	assert_non_null(found);
	assert_int_equal(found->count, e->count);
	assert_int_equal(found->left_out, 0);
	assert_int_equal(found->unread_count, 0);
	assert_true(e->count > 0);
	for (uint32_t i = 0; i < found->count; i++) {
		assert_int_equal(found->items[i].node, heap_find(h, e->items[i].address));
		assert_int_equal(found->items[i].element, e->items[i].element);
		assert_string_equal(found->items[i].field, e->items[i].field);
	}
	value_matches_free(found);
}

TEST(finds_what_was_put)
{
	struct expectation all[3] = { 0 };

	for (int i = 0; i < 3; i++) {
		all[i].items = calloc(FOUND_MAX, sizeof(*all[i].items));
		assert_non_null(all[i].items);
	}
	for (uint64_t seed = 1; seed <= 10; seed++) {
		struct made_contents *m = made_contents_new(seed);
		const struct heap *h;

		all[0].count = all[1].count = all[2].count = 0;
		for (int i = 0; i < OBJECTS; i++) {
			put_numbers(m, &all[0], &all[1]);
			put_text(m, &all[2]);
		}
		h = made_contents_heap(m);
		check(h, "3", &all[0]);
		check(h, "0x3", &all[0]);
		check(h, "true", &all[1]);
		check(h, "aba", &all[2]);
		check(h, "\"aba\"", &all[2]);
		made_contents_free(m);
	}
	for (int i = 0; i < 3; i++)
		free(all[i].items);
}

/* --- limits --------------------------------------------------------------- */

TEST(says_what_it_leaves_out)
{
	struct made_contents *m = made_contents_new(1);
	int32_t *zeros = calloc(VALUE_MATCHES_MAX + 7, sizeof(*zeros));
	struct progress progress = { 0 };
	struct value_matches *found;
	struct error err = { 0 };
	struct value_query q;
	const struct heap *h;

	assert_non_null(zeros);
	made_contents_put(m, MADE_NUMBERS, zeros, VALUE_MATCHES_MAX + 7, true);
	made_contents_put(m, MADE_NUMBERS, zeros, 1, true);
	made_contents_damage(m);
	h = made_contents_heap(m);
	assert_true(value_query_parse("0", &q, &err));
	found = value_search(h, &q, NULL, &err);
	assert_non_null(found);
	assert_int_equal(found->count, VALUE_MATCHES_MAX);
	assert_int_equal(found->left_out, 7);
	assert_int_equal(found->unread_count, 1);
	value_matches_free(found);
	progress_cancel(&progress);
	assert_null(value_search(h, &q, &progress, &err));
	assert_int_equal(err.kind, ERROR_CANCELLED);
	made_contents_free(m);
	free(zeros);
}

/* Types of the same name take turns: each is read by its own method table. */
TEST(tells_tables_apart)
{
	struct made_contents *m = made_contents_new(1);
	struct expectation wanted = { 0 };
	struct point point = { .x = 42, .y = 7 };
	struct moved {
		int64_t y;
		int32_t x, padding[3];
	} moved = { .x = 42, .y = 7 };

	wanted.items = calloc(FOUND_MAX, sizeof(*wanted.items));
	assert_non_null(wanted.items);
	for (int i = 0; i < 1000; i++) {
		uint64_t address =
		    i % 2 ? made_contents_put(m, MADE_POINT, &point, sizeof(point), true)
			  : made_contents_put(m, MADE_MOVED, &moved, sizeof(moved), true);

		expect(&wanted, address, UINT64_MAX, "X");
	}
	check(made_contents_heap(m), "42", &wanted);
	assert_int_equal(made_contents_asked(m), 2);
	made_contents_free(m);
	free(wanted.items);
}

static void
expect_counts(const struct heap *h, const char *what, uint32_t found_count, uint64_t unread_count)
{
	struct error err = { 0 };
	struct value_query q;
	struct value_matches *found;

	assert_true(value_query_parse(what, &q, &err));
	found = value_search(h, &q, NULL, &err);
	assert_non_null(found);
	assert_int_equal(found->count, found_count);
	assert_int_equal(found->unread_count, unread_count);
	value_matches_free(found);
}

/* A value that is not there is none; nor is what lies behind the elements. */
TEST(stays_inside)
{
	struct made_contents *m = made_contents_new(1);
	const struct heap *h;
	int32_t maybe[] = { 1, 42 }, elements[] = { 42, 7, 42, 7 };

	made_contents_put(m, MADE_MAYBE, maybe, sizeof(maybe), true);
	maybe[0] = 0;
	made_contents_put(m, MADE_MAYBE, maybe, sizeof(maybe), true);
	made_contents_put(m, MADE_NUMBERS, elements, 4, true);
	made_contents_put(m, MADE_NUMBERS, elements, 4, true);
	made_contents_claim(m, 5);
	made_contents_put(m, MADE_WIDE, elements, 4, true);
	h = made_contents_heap(m);
	expect_counts(h, "42", 3, 2);
	made_contents_free(m);
}

/* 256 units, and the last of them may be half a character. */
TEST(takes_texts_that_fit)
{
	char text[300];
	struct error err = { 0 };
	struct value_query q;

	memset(text, 'a', sizeof(text));
	memcpy(text + VALUE_UNITS_MAX - 2, "\xf0\x9f\x98\x80", 5);
	assert_true(value_query_parse(text, &q, &err));
	assert_int_equal(q.units_count, VALUE_UNITS_MAX);
	memset(text, 'a', sizeof(text));
	memcpy(text + VALUE_UNITS_MAX - 1, "\xf0\x9f\x98\x80", 5);
	assert_false(value_query_parse(text, &q, &err));
}
