/* Passes over the bytes of objects: a made-up heap, every text twice. */
#include "tests/speed/bench.h"
#include "tests/made/made_contents.h"
#include "model/analysis/strings.h"
#include "model/analysis/value_search.h"
#include <stdio.h>

enum { STRINGS = 1000000, UNITS = 30 };

static const struct heap *
make_heap(struct made_contents *m)
{
	for (uint32_t i = 0; i < STRINGS; i++) {
		uint16_t units[UNITS] = { 0 };
		int64_t numbers[3] = { i, i, 0 };

		for (uint32_t k = 0, n = i / 2; n; k++, n /= 10)
			units[k] = (uint16_t)('0' + n % 10);
		made_contents_put(m, MADE_TEXT, units, UNITS, false);
		made_contents_put(m, MADE_POINT, numbers, sizeof(numbers), false);
	}
	return made_contents_heap(m);
}

static double
search_ns(const struct heap *h, const char *typed)
{
	struct error err = { 0 };
	struct value_query q;
	double start = bench_now();
	struct value_matches *found;

	if (!value_query_parse(typed, &q, &err))
		bench_fail("a value to find");
	found = value_search(h, &q, NULL, &err);
	if (!found)
		bench_fail("finding a value");
	value_matches_free(found);
	return (bench_now() - start) * 1e9 / STRINGS;
}

void
bench_values(void)
{
	struct made_contents *m = made_contents_new(1);
	const struct heap *h = make_heap(m);
	struct error err = { 0 };
	double start = bench_now(), strings;
	struct strings *s = strings_find(h, NULL, false, NULL, &err);

	if (!s || s->groups_count != STRINGS / 2)
		bench_fail("reading strings");
	strings = (bench_now() - start) * 1e9 / STRINGS;
	strings_free(s);
	printf("\nvalues of %d strings of %d units and as many objects\n", STRINGS, UNITS);
	bench_row("  strings, equal ones together", strings, 300, "ns/string", 0, NULL);
	bench_row("  find a text", search_ns(h, "999999"), 150, "ns/string", 0, NULL);
	bench_row("  find a number", search_ns(h, "42"), 100, "ns/ob", 0, NULL);
	made_contents_free(m);
}
