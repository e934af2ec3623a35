/*
 * Equal strings put together, compared with every string beside every other; and the number that
 * stands for a text, with its published values.
 */
#include "model/analysis/strings.h"
#include "model/base/keyed_hash.h"
#include "tests/made/made_contents.h"
#include "tests/drive/run_tests.h"
#include <stdlib.h>
#include <string.h>

enum { STRINGS = 1500, LONG_UNITS = 70000 };

/* --- the number ----------------------------------------------------------- */

/* From the authors' own vectors: key and text are 0, 1, 2, … */
TEST(has_the_published_values)
{
	static const struct {
		size_t len;
		uint64_t first, second; /* little endian */
	} vectors[] = {
		{ 0, 0xe6a825ba047f81a3, 0x930255c71472f66d },
		{ 1, 0x44af996bd8c187da, 0x45fc229b11597634 },
		{ 2, 0xc75da4a48d227781, 0xe4ff0af6de8ba3fc },
		{ 8, 0x61f55862baa9623b, 0xb49714f364e2830f },
	};
	static const uint64_t key[2] = { 0x0706050403020100, 0x0f0e0d0c0b0a0908 };

	for (size_t i = 0; i < COUNT_OF(vectors); i++) {
		uint8_t text[8];
		struct keyed_hash h;
		uint64_t out[2];

		for (uint8_t k = 0; k < 8; k++)
			text[k] = k;
		keyed_hash_begin(&h, key);
		keyed_hash_add(&h, text, vectors[i].len);
		keyed_hash_end(&h, text, vectors[i].len % 8, out);
		assert_int_equal(out[0], vectors[i].first);
		assert_int_equal(out[1], vectors[i].second);
	}
}

/* --- against all pairs ---------------------------------------------------- */

struct made_text {
	uint64_t address;
	uint16_t *units;
	uint32_t count;
	bool is_readable, is_kept;
};

/* Mostly short, of two letters; some longer than what is read at once. */
static void
choose_text(struct made_contents *m, struct made_text *t)
{
	bool is_long = made_contents_random(m, 200) == 0;

	t->count = (uint32_t)(is_long ? LONG_UNITS - made_contents_random(m, 2)
				      : made_contents_random(m, 7));
	t->units = calloc(t->count + 1UL, sizeof(*t->units));
	assert_non_null(t->units);
	for (uint32_t i = 0; i < t->count && !is_long; i++)
		t->units[i] = (uint16_t)('a' + made_contents_random(m, 2));
	if (is_long)
		t->units[LONG_UNITS - 10] = (uint16_t)made_contents_random(m, 2);
	t->is_kept = made_contents_random(m, 4) != 0;
}

static bool
is_equal(const struct made_text *a, const struct made_text *b)
{
	return a->is_readable && b->is_readable && a->count == b->count &&
	       !memcmp(a->units, b->units, a->count * sizeof(*a->units));
}

/* How often the text is there, and how often dead; whether this is the first
   of them. */
static bool
count_equal(const struct made_text *texts, size_t which, bool only_live, uint32_t *count,
	    uint32_t *dead)
{
	bool is_first = true;

	*count = *dead = 0;
	for (size_t i = 0; i < STRINGS; i++) {
		if (!is_equal(&texts[i], &texts[which]) || (only_live && !texts[i].is_kept))
			continue;
		is_first = is_first && (*count || i == which);
		++*count;
		*dead += !texts[i].is_kept;
	}
	return is_first;
}

/* The first of them that lives; where none does, this one. */
static const struct made_text *
subject_of(const struct made_text *texts, size_t which)
{
	for (size_t i = 0; i < STRINGS; i++)
		if (is_equal(&texts[i], &texts[which]) && texts[i].is_kept)
			return &texts[i];
	return &texts[which];
}

static uint32_t
group_at(const struct heap *h, const struct strings *s, const struct made_text *t)
{
	node_id n = heap_find(h, t->address);
	uint32_t i = 0;

	while (i < s->groups_count && s->groups[i].subject != n)
		i++;
	assert_true(i < s->groups_count);
	return i;
}

static void
check_nodes(const struct heap *h, const struct strings *s, uint32_t group,
	    const struct made_text *texts, size_t which, bool only_live)
{
	struct error err = { 0 };
	node_id *nodes = strings_of_group(s, group, &err);
	uint32_t at = 0;

	assert_non_null(nodes);
	for (size_t i = 0; i < STRINGS; i++)
		if (is_equal(&texts[i], &texts[which]) && !(only_live && !texts[i].is_kept))
			assert_int_equal(nodes[at++], heap_find(h, texts[i].address));
	assert_int_equal(at, s->groups[group].count);
	memory_free(nodes);
}

static void
check_groups(const struct heap *h, const struct reach *reach, const struct made_text *texts,
	     bool only_live)
{
	struct error err = { 0 };
	struct strings *s = strings_find(h, reach, only_live, NULL, &err);
	uint32_t groups = 0, unread = 0;

	assert_non_null(s);
	for (size_t i = 0; i < STRINGS; i++) {
		const struct string_group *g;
		uint32_t count, dead, number;
		uint64_t each = 22 + 2 * (uint64_t)texts[i].count;

		if (only_live && !texts[i].is_kept)
			continue;
		unread += !texts[i].is_readable;
		if (!texts[i].is_readable || !count_equal(texts, i, only_live, &count, &dead))
			continue;
		groups++;
		number = group_at(h, s, subject_of(texts, i));
		g = &s->groups[number];
		assert_int_equal(g->count, count);
		assert_int_equal(g->dead_count, dead);
		assert_int_equal(g->units, texts[i].count);
		assert_int_equal(string_group_bytes(h, g), count * each);
		assert_int_equal(string_group_garbage(h, g), dead * each);
		assert_int_equal(string_group_wasted(h, g),
				 count > dead ? (count - dead - 1) * each : 0);
		check_nodes(h, s, number, texts, i, only_live);
	}
	assert_int_equal(s->groups_count, groups);
	assert_int_equal(s->unread_count, unread);
	strings_free(s);
}

static void
check_heap(uint64_t seed)
{
	struct made_contents *m = made_contents_new(seed);
	struct made_text *texts = calloc(STRINGS, sizeof(*texts));
	size_t lost = STRINGS - made_contents_random(m, 3);
	struct error err = { 0 };
	const struct reach *reach;
	const struct heap *h;

	assert_non_null(texts);
	for (size_t i = 0; i < STRINGS; i++) {
		struct made_text *t = &texts[i];

		choose_text(m, t);
		t->address = made_contents_put(m, MADE_TEXT, t->units, t->count, t->is_kept);
		t->is_readable = made_contents_random(m, 50) && i < lost;
		if (!t->is_readable && i < lost)
			made_contents_damage(m);
		if (i == lost)
			made_contents_lose(m, t->address + 8);
		if (!made_contents_random(m, 3))
			made_contents_put(m, MADE_POINT, "12345678", 8, true);
	}
	h = made_contents_heap(m);
	reach = reach_compute(h, true, NULL, &err);
	assert_non_null(reach);
	check_groups(h, reach, texts, false);
	check_groups(h, reach, texts, true);
	reach_free(reach);
	for (size_t i = 0; i < STRINGS; i++)
		free(texts[i].units);
	free(texts);
	made_contents_free(m);
}

TEST(agrees_with_all_pairs)
{
	for (uint64_t seed = 1; seed <= 20; seed++)
		check_heap(seed);
}

/* --- stopped -------------------------------------------------------------- */

TEST(can_be_stopped)
{
	struct made_contents *m = made_contents_new(1);
	struct progress progress = { 0 };
	struct error err = { 0 };
	const struct heap *h;

	made_contents_put(m, MADE_TEXT, "a\0b", 2, true);
	h = made_contents_heap(m);
	progress_cancel(&progress);
	assert_null(strings_find(h, NULL, false, &progress, &err));
	assert_int_equal(err.kind, ERROR_CANCELLED);
	made_contents_free(m);
}
