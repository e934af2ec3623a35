/*
 * Findings that need values, beside what was put into random heaps: what is told, about which
 * objects, and nothing else.
 */
#include "model/analysis/findings.h"
#include "tests/made/made_contents.h"
#include "model/table/table.h"
#include "tests/drive/run_tests.h"
#include <stdlib.h>
#include <string.h>

enum { THINGS_MAX = 20000, TEXTS = 6, LARGE_UNITS = 45000, MUCH_MIN = 16384 };

/* One object, and what somebody who put it there knows of it. */
struct thing {
	uint64_t address, size;
	enum made_kind kind;
	bool is_live;
	uint32_t text;   /* of MADE_TEXT: which */
	bool is_telling; /* all zeros; empty, or nearly so */
	uint64_t unused; /* of MADE_LIST: bytes of room */
	bool is_empty;
};

struct world {
	struct made_contents *made;
	struct thing *things;
	size_t count;
	const struct heap *heap;
	const struct reverse *reverse;
	const struct reach *reach;
	struct findings *findings;
	uint64_t much;
};

/* --- making it ------------------------------------------------------------ */

static uint32_t
random_below(struct world *w, uint32_t limit)
{
	return (uint32_t)made_contents_random(w->made, limit);
}

static struct thing *
put(struct world *w, enum made_kind kind, const void *bytes, uint32_t count)
{
	struct thing *t = &w->things[w->count++];

	assert_true(w->count <= THINGS_MAX);
	*t = (struct thing){ .kind = kind, .is_live = random_below(w, 5) };
	t->address = made_contents_put(w->made, kind, bytes, count, t->is_live);
	return t;
}

/* Text i begins with the letter i; the last is large. */
static void
put_texts(struct world *w)
{
	uint16_t *units = calloc(LARGE_UNITS, sizeof(*units));

	assert_non_null(units);
	for (uint32_t i = 0; i < TEXTS; i++) {
		bool is_large = i == TEXTS - 1;
		uint32_t len = is_large ? LARGE_UNITS : 10 + 10 * i;
		uint32_t count = random_below(w, is_large ? 3 : 900);

		units[0] = (uint16_t)('a' + i);
		while (count--)
			put(w, MADE_TEXT, units, len)->text = i;
	}
	free(units);
}

static void
put_arrays(struct world *w)
{
	uint32_t count = random_below(w, 60);
	int32_t *numbers = calloc(40000, sizeof(*numbers));

	assert_non_null(numbers);
	while (count--) {
		uint32_t len = random_below(w, 40) ? random_below(w, 600) : 40000;
		bool is_zero = random_below(w, 4);

		if (!is_zero && len)
			numbers[random_below(w, len)] = 7;
		put(w, MADE_NUMBERS, numbers, len)->is_telling =
		    (is_zero || !len) && 24 + 4 * len >= 1024;
		memset(numbers, 0, 40000 * sizeof(*numbers));
	}
	free(numbers);
}

static void
put_lists(struct world *w)
{
	static const int32_t ones[200] = { 1 };
	uint32_t count = random_below(w, 400);

	while (count--) {
		uint32_t room = random_below(w, 200);
		uint32_t used = random_below(w, 3) ? random_below(w, room + 1) : 0;
		struct {
			uint64_t items;
			uint32_t used, version;
		} fields = { 0, used, 9 };
		struct thing *list;

		fields.items = put(w, MADE_NUMBERS, ones, room)->address;
		list = put(w, MADE_LIST, &fields, sizeof(fields));
		list->unused = 4 * (uint64_t)(room - used);
		list->is_empty = !used;
		list->is_telling = !used || (room >= 16 && used < room / 4);
	}
}

static void
make(struct world *w, uint64_t seed)
{
	struct error err = { 0 };
	uint32_t boxes;

	*w = (struct world){ .made = made_contents_new(seed) };
	w->things = calloc(THINGS_MAX, sizeof(*w->things));
	assert_non_null(w->things);
	put_texts(w);
	put_arrays(w);
	put_lists(w);
	for (boxes = random_below(w, 1200); boxes--;)
		put(w, MADE_BOX, &boxes, sizeof(boxes));
	w->heap = made_contents_heap(w->made);
	w->reverse = reverse_compute(w->heap, NULL, &err);
	w->reach = reach_compute(w->heap, true, NULL, &err);
	assert_non_null(w->reverse);
	assert_non_null(w->reach);
	w->findings = findings_find(
	    &(struct findings_input){ .heap = w->heap, .reverse = w->reverse, .reach = w->reach },
	    NULL, &err);
	assert_ok(w->findings, &err);
	w->much = w->heap->bytes_count / 100;
	w->much = w->much > MUCH_MIN ? w->much : MUCH_MIN;
	for (size_t i = 0; i < w->count; i++)
		w->things[i].size = heap_size(w->heap, heap_find(w->heap, w->things[i].address));
}

static void
unmake(struct world *w)
{
	findings_free(w->findings);
	reach_free(w->reach);
	reverse_free(w->reverse);
	made_contents_free(w->made);
	free(w->things);
}

/* --- what must be told ---------------------------------------------------- */

/* The evidence must be those things, in the order that they were put. */
struct expected {
	const struct finding_kind *kind;
	uint32_t count;
	uint64_t bytes; /* that are compared with `much` */
	uint64_t added; /* to the sizes of the evidence */
	node_id nodes[THINGS_MAX];
};

static void
expected_add(struct expected *e, const struct world *w, const struct thing *t, uint64_t bytes)
{
	e->nodes[e->count++] = heap_find(w->heap, t->address);
	e->bytes += bytes;
}

static bool
is_it(const struct finding *f, const struct expected *e)
{
	return f->kind == e->kind && f->nodes_count == e->count &&
	       !memcmp(f->nodes, e->nodes, e->count * sizeof(*e->nodes));
}

/* How many findings tell it: 0 or 1. */
static uint32_t
check(const struct world *w, const struct expected *e)
{
	uint64_t bytes = e->added;
	uint32_t told = 0;

	for (uint32_t i = 0; i < e->count; i++)
		bytes += heap_size(w->heap, e->nodes[i]);
	for (uint32_t i = 0; e->count && i < w->findings->count; i++)
		if (is_it(&w->findings->items[i], e)) {
			assert_int_equal(w->findings->items[i].bytes +
					     w->findings->items[i].unused_bytes,
					 bytes);
			told++;
		}
	if (told != (e->count && e->bytes >= w->much))
		fail_msg("%s told %u times: %u objects, %llu B", e->kind->id, told, e->count,
			 (unsigned long long)e->bytes);
	return told;
}

static int
compare_nodes(const void *x, const void *y)
{
	const node_id *a = x, *b = y;

	return (*a > *b) - (*a < *b);
}

static uint32_t
check_texts(const struct world *w, struct expected *e, struct expected *rest)
{
	uint32_t told = 0;

	*rest = (struct expected){ .kind = &finding_duplicate };
	for (uint32_t text = 0; text < TEXTS; text++) {
		*e = (struct expected){ .kind = &finding_duplicate };
		for (size_t i = 0; i < w->count; i++) {
			const struct thing *t = &w->things[i];

			if (t->kind == MADE_TEXT && t->is_live && t->text == text)
				expected_add(e, w, t, e->count ? t->size : 0);
		}
		told += check(w, e);
		for (uint32_t i = 1; e->bytes < w->much && i < e->count; i++) {
			rest->nodes[rest->count++] = e->nodes[i];
			rest->bytes += heap_size(w->heap, e->nodes[i]);
		}
	}
	qsort(rest->nodes, rest->count, sizeof(*rest->nodes), compare_nodes);
	return told + check(w, rest);
}

static uint32_t
check_things(const struct world *w, struct expected *e, const struct finding_kind *kind)
{
	*e = (struct expected){ .kind = kind };
	for (size_t i = 0; i < w->count; i++) {
		const struct thing *t = &w->things[i];

		if (!t->is_live)
			continue;
		if (kind == &finding_large_string && t->kind == MADE_TEXT && t->size >= 85000)
			expected_add(e, w, t, t->size);
		if (kind == &finding_boxed && t->kind == MADE_BOX)
			expected_add(e, w, t, t->size);
		if (kind == &finding_zeros && t->kind == MADE_NUMBERS && t->is_telling)
			expected_add(e, w, t, t->size);
		if (kind == &finding_empty && t->kind == MADE_LIST && t->is_telling) {
			expected_add(e, w, t, t->unused + (t->is_empty ? t->size : 0));
			e->added += t->unused;
		}
	}
	return check(w, e);
}

TEST(tells_what_was_put)
{
	static const struct finding_kind *const kinds[] = {
		&finding_large_string,
		&finding_empty,
		&finding_zeros,
		&finding_boxed,
	};
	struct expected *e = calloc(2, sizeof(*e));
	uint32_t told_of_kind[5] = { 0 };

	assert_non_null(e);
	for (uint64_t seed = 1; seed <= 40; seed++) {
		struct world w;
		uint32_t told, all = 0;

		make(&w, seed);
		told = check_texts(&w, &e[0], &e[1]);
		told_of_kind[4] += told;
		for (int i = 0; i < 4; i++) {
			uint32_t one = check_things(&w, e, kinds[i]);

			told_of_kind[i] += one;
			told += one;
		}
		for (uint32_t i = 0; i < w.findings->count; i++)
			all += w.findings->items[i].kind->heaps != OF_ANY_HEAP;
		assert_int_equal(all, told);
		unmake(&w);
	}
	/* Sometimes there is one, sometimes none. */
	for (int i = 0; i < 4; i++)
		assert_in_range(told_of_kind[i], 1, 39);
	assert_in_range(told_of_kind[4], 40, 199);
	free(e);
}
