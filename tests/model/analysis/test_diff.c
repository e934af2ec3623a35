/*
 * Differences between heaps: against tables that other tools wrote, against heaps made up for it,
 * and against the same counted object by object.
 */
#include "io/gcdump/gcdump.h"
#include "model/analysis/diff.h"
#include "model/analysis/type_spelling.h"
#include "tests/drive/heaps.h"
#include "tests/made/graphs.h"
#include "tests/drive/run_tests.h"
#include "tui/session/snapshots.h"
#include "tui/app/views.h"

#include <stdlib.h>
#include <string.h>

#define LEAKY "tests/data/leaky-10"

/* --- heaps --------------------------------------------------------------- */

static const struct dominators *
dominators_of_heap(const struct heap *h)
{
	struct error err = { 0 };
	const struct reverse *rev = reverse_compute(h, NULL, &err);
	const struct dominators *d;

	assert_non_null(rev);
	d = dominators_compute(h, rev, NULL, 0, NULL, &err);
	assert_ok(d, &err);
	reverse_free(rev);
	return d;
}

static void
compute(struct diff *d, const struct heap *const *heaps, uint32_t count, enum diff_by by)
{
	struct diff_heap list[8] = { 0 };
	struct error err = { 0 };

	for (uint32_t i = 0; i < count; i++) {
		list[i].heap = heaps[i];
		if (diff_needs_reach(by) || (by == DIFF_TYPE && heaps[i]->nodes_count))
			list[i].reach = reach_compute(heaps[i], true, NULL, &err);
		if (diff_needs_dominators(by))
			list[i].dominators = dominators_of_heap(heaps[i]);
	}
	assert_ok(diff_compute(d, list, count, by, NULL, &err), &err);
	for (uint32_t i = 0; i < count; i++) {
		reach_free(list[i].reach);
		dominators_free(list[i].dominators);
	}
}

static uint32_t
find_row(const struct diff *d, const char *raw, const char *module)
{
	uint32_t found = DIFF_NONE;

	for (uint32_t i = 0; i < d->rows_count; i++)
		if (!strcmp(d->rows[i].raw, raw) &&
		    (!module || !strcmp(d->rows[i].module, module))) {
			if (found != DIFF_NONE)
				fail_msg("two rows of %s", raw);
			found = i;
		}
	return found;
}

/* --- what is known of the reference program ------------------------------ */

/* Every line of a table of types is in the diff, as its n-th heap. */
static uint64_t
expect_table(const struct diff *d, const char *path, uint32_t heap)
{
	unsigned long long count, bytes;
	char type[1024], module[256], line[2048];
	FILE *f = fopen(path, "r");
	uint64_t lines = 0;

	if (!f)
		fail_msg("cannot read %s", path);
	assert_non_null(fgets(line, sizeof line, f)); /* titles */
	while (fgets(line, sizeof line, f)) {
		uint32_t row;

		assert_int_equal(
		    sscanf(line, "%llu\t%llu\t%1023[^\t]\t%255s", &count, &bytes, type, module), 4);
		row = find_row(d, type, module);
		if (row == DIFF_NONE)
			fail_msg("%s: no row %s", path, type);
		assert_int_equal(diff_sums(d, row)[heap].count, count);
		assert_int_equal(diff_sums(d, row)[heap].bytes, bytes);
		lines++;
	}
	fclose(f);
	return lines;
}

static uint64_t
rows_with_objects(const struct diff *d, uint32_t heap)
{
	uint64_t rows = 0;

	for (uint32_t i = 0; i < d->rows_count; i++)
		rows += diff_sums(d, i)[heap].count > 0;
	return rows;
}

TEST(test_reference)
{
	const struct heap *const heaps[] = { heap_of_file(LEAKY ".gcdump"),
					     heap_of_file(LEAKY "-later.gcdump.zst") };
	struct diff d;

	compute(&d, heaps, 2, DIFF_TYPE);
	assert_int_equal(expect_table(&d, LEAKY ".types.tsv", 0), rows_with_objects(&d, 0));
	assert_int_equal(expect_table(&d, LEAKY "-later.types.tsv", 1), rows_with_objects(&d, 1));
	assert_int_equal(d.guessed_count + d.ambiguous_count, 0);
	diff_clear(&d);
	heap_free(heaps[0]);
	heap_free(heaps[1]);
}

/* The growth of one step, as the program says it: 5,000 sessions. */
TEST(test_growth)
{
	/* clang-format off */
	static const struct {
		enum diff_by by;
		const char *name;
		int64_t count, bytes;
	} rows[] = {
		{ DIFF_TYPE, "Leaky.Session",                5000, 440000 },
		{ DIFF_TYPE, "Dictionary<string, List<int>>", 5000, 400000 },
		{ DIFF_TYPE, "Entry<string, List<int>>[]",   500,  48000 },
		{ DIFF_TYPE, "Leaky.Session[]",              0,    65536 },
		{ DIFF_TYPE, "Leaky.Link",                   0,    0 },
		{ DIFF_MODULE, "leaky.dll",                  5000, 505536 },
		{ DIFF_NAMESPACE, "Leaky",                   5000, 505536 },
		{ DIFF_KIND, "stack",                        3,    206 },
		{ DIFF_ROOT, "static longList",              0,    0 },
		{ DIFF_ROOT, "static Sessions",              17000, 1176536 },
		{ DIFF_PATH, "static Sessions → List<Session> → Session[]", 0, 65536 },
		{ DIFF_PATH, "static Sessions → List<Session> → Session[] → Session", 17000, 1111000 },
	};
	/* clang-format on */
	const struct heap *const heaps[] = { heap_of_file(LEAKY ".gcdump"),
					     heap_of_file(LEAKY "-later.gcdump.zst") };
	struct diff d[DIFF_BY_COUNT];

	for (int by = 0; by < DIFF_BY_COUNT; by++)
		compute(&d[by], heaps, 2, (enum diff_by)by);
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const struct diff *of = &d[rows[i].by];
		const struct diff_sum *sums;
		uint32_t row = 0;

		while (row < of->rows_count && strcmp(of->rows[row].name, rows[i].name) != 0)
			row++;
		if (row == of->rows_count)
			fail_msg("no row %s", rows[i].name);
		sums = diff_sums(of, row);
		if ((int64_t)(sums[1].count - sums[0].count) != rows[i].count ||
		    (int64_t)(sums[1].bytes - sums[0].bytes) != rows[i].bytes)
			fail_msg("%s: %+lld objects, %+lld bytes", rows[i].name,
				 (long long)(sums[1].count - sums[0].count),
				 (long long)(sums[1].bytes - sums[0].bytes));
	}
	for (int by = 0; by < DIFF_BY_COUNT; by++)
		diff_clear(&d[by]);
	heap_free(heaps[0]);
	heap_free(heaps[1]);
}

/* --- which types are the same -------------------------------------------- */

/* clang-format off */
enum { MADE_MAX = 8, WANT_MAX = 5 };
static const struct matching_case {
	const char *name;
	unsigned heaps;
	struct made_type made[MADE_MAX];
	struct { const char *raw, *module; unsigned counts[3]; } want[WANT_MAX];
	unsigned guessed, ambiguous, spelled;
} matching_cases[] = {
	{ "the same", 2,
	  { { 0, "A", "/x/a.dll", 2 }, { 1, "A", "/x/a.dll", 3 } },
	  { { "A", "a.dll", { 2, 3 } } }, 0, 0, 0 },
	{ "new and gone", 2,
	  { { 0, "A", "a.dll", 2 }, { 1, "B", "a.dll", 3 } },
	  { { "A", "a.dll", { 2, 0 } }, { "B", "a.dll", { 0, 3 } } }, 0, 0, 0 },
	{ "one name in two modules", 2,
	  { { 0, "A", "a.dll", 1 }, { 0, "A", "b.dll", 2 }, { 1, "A", "b.dll", 4 }, { 1, "A", "a.dll", 3 } },
	  { { "A", "a.dll", { 1, 3 } }, { "A", "b.dll", { 2, 4 } } }, 0, 0, 0 },
	{ "another module", 2,
	  { { 0, "A", "a.dll", 1 }, { 1, "A", "b.dll", 2 } },
	  { { "A", "a.dll", { 1, 0 } }, { "A", "b.dll", { 0, 2 } } }, 0, 0, 0 },
	{ "deployed elsewhere", 2,
	  { { 0, "A", "/old/a.dll", 1 }, { 1, "A", "C:\\new\\a.dll", 2 } },
	  { { "A", "a.dll", { 1, 2 } } }, 0, 0, 0 },
	{ "loaded twice", 2,
	  { { 0, "A", "/1/a.dll", 1 }, { 0, "A", "/2/a.dll", 2 }, { 1, "A", "/2/a.dll", 5 } },
	  { { "A", "a.dll", { 1, 0 } }, { "A", "a.dll", { 2, 5 } } }, 0, 0, 0 },
	{ "a heap without modules", 2,
	  { { 0, "A", "", 1 }, { 1, "A", "/x/a.dll", 2 }, { 0, "B", "", 1 }, { 1, "B", "", 1 } },
	  { { "A", "a.dll", { 1, 2 } }, { "B", "", { 1, 1 } } }, 1, 0, 0 },
	{ "the last without modules", 3,
	  { { 0, "A", "a.dll", 1 }, { 1, "A", "/x/a.dll", 2 }, { 2, "A", "", 3 } },
	  { { "A", "a.dll", { 1, 2, 3 } } }, 1, 0, 0 },
	{ "nobody knows which", 2,
	  { { 0, "A", "", 9 }, { 1, "A", "a.dll", 2 }, { 1, "A", "b.dll", 3 } },
	  { { "A", "", { 9, 0 } }, { "A", "a.dll", { 0, 2 } }, { "A", "b.dll", { 0, 3 } } }, 0, 1, 0 },
	{ "suffixes of sizes", 2,
	  { { 0, "A (Bytes > 10K)", "a.dll", 1 }, { 0, "A", "a.dll", 1 }, { 1, "A (Bytes > 1M)", "a.dll", 5 } },
	  { { "A", "a.dll", { 2, 5 } } }, 0, 0, 0 },
	{ "a nested type, twice spelled", 3,
	  { { 0, "Entry<A,B>[]", "a.dll", 1 }, { 1, "N.Dictionary<A,B>+Entry[]", "/x/a.dll", 2 }, { 2, "Entry<A,B>[]", "a.dll", 3 } },
	  { { "Entry<A,B>[]", "a.dll", { 1, 2, 3 } } }, 0, 0, 1 },
	{ "two that may be meant", 2,
	  { { 0, "Entry<A>[]", "a.dll", 1 }, { 1, "N.Set<A>+Entry[]", "a.dll", 2 }, { 1, "N.Bag<A>+Entry[]", "a.dll", 3 } },
	  { { "Entry<A>[]", "a.dll", { 1, 0 } }, { "N.Set<A>+Entry[]", "a.dll", { 0, 2 } }, { "N.Bag<A>+Entry[]", "a.dll", { 0, 3 } } }, 0, 0, 0 },
	{ "two nested types", 2,
	  { { 0, "N.Set<A>+Entry[]", "a.dll", 1 }, { 1, "N.Bag<A>+Entry[]", "a.dll", 3 } },
	  { { "N.Set<A>+Entry[]", "a.dll", { 1, 0 } }, { "N.Bag<A>+Entry[]", "a.dll", { 0, 3 } } }, 0, 0, 0 },
	{ "both in one heap", 2,
	  { { 0, "Entry[]", "a.dll", 1 }, { 0, "N.Bag+Entry[]", "a.dll", 3 } },
	  { { "Entry[]", "a.dll", { 1, 0 } }, { "N.Bag+Entry[]", "a.dll", { 3, 0 } } }, 0, 0, 0 },
	{ "nested in another module", 2,
	  { { 0, "Entry[]", "a.dll", 1 }, { 1, "N.Bag+Entry[]", "b.dll", 3 } },
	  { { "Entry[]", "a.dll", { 1, 0 } }, { "N.Bag+Entry[]", "b.dll", { 0, 3 } } }, 0, 0, 0 },
	{ "capitals differ", 2,
	  { { 0, "a", "a.dll", 1 }, { 1, "A", "a.dll", 2 } },
	  { { "a", "a.dll", { 1, 0 } }, { "A", "a.dll", { 0, 2 } } }, 0, 0, 0 },
	{ "in one of three", 3,
	  { { 1, "A", "a.dll", 4 }, { 0, "B", "a.dll", 1 } },
	  { { "A", "a.dll", { 0, 4, 0 } }, { "B", "a.dll", { 1, 0, 0 } } }, 0, 0, 0 },
};
/* clang-format on */

static void
expect_made_row(const struct matching_case *c, const struct diff *d, unsigned want)
{
	for (uint32_t i = 0; i < d->rows_count; i++) {
		const struct diff_sum *sums = diff_sums(d, i);
		bool is_same = !strcmp(d->rows[i].raw, c->want[want].raw) &&
			       !strcmp(d->rows[i].module, c->want[want].module);

		for (unsigned h = 0; h < c->heaps; h++)
			is_same = is_same && sums[h].count == c->want[want].counts[h] &&
				  sums[h].bytes == 16 * sums[h].count;
		if (is_same)
			return;
	}
	fail_msg("%s: no such row for %s [%s]", c->name, c->want[want].raw, c->want[want].module);
}

TEST(test_matching)
{
	for (size_t i = 0; i < COUNT_OF(matching_cases); i++) {
		const struct matching_case *c = &matching_cases[i];
		const struct heap *heaps[3];
		unsigned made = 0, wanted = 0;
		struct diff d;

		while (made < MADE_MAX && c->made[made].raw)
			made++;
		while (wanted < WANT_MAX && c->want[wanted].raw)
			wanted++;
		for (unsigned h = 0; h < c->heaps; h++)
			heaps[h] = made_heap(c->made, made, h);
		compute(&d, heaps, c->heaps, DIFF_TYPE);
		if (d.rows_count != wanted)
			fail_msg("%s: %u rows", c->name, d.rows_count);
		for (unsigned k = 0; k < wanted; k++)
			expect_made_row(c, &d, k);
		assert_int_equal(d.guessed_count, c->guessed);
		assert_int_equal(d.ambiguous_count, c->ambiguous);
		assert_int_equal(d.spelled_count, c->spelled);
		diff_clear(&d);
		for (unsigned h = 0; h < c->heaps; h++)
			heap_free(heaps[h]);
	}
}

TEST(test_event_names)
{
	static const struct {
		const char *raw, *want;
	} rows[] = {
		{ "System.String", "System.String" },
		{ "A.B<C.D,E.F+G>", "A.B<C.D,E.F+G>" },
		{ "A.B<C>+D[]", "D<C>[]" },
		{ "A.B<C>+D<E>+F[][]", "F<C,E>[][]" },
		{ "A.B<C<D>,E>+F<G>", "F<C<D>,E,G>" },
		{ "A.B+C", "C" },
		{ "P+<>c__DisplayClass1_0", "[]c__DisplayClass1_0" },
		{ "P<X>+<>c", "[]c<X>" },
		{ "P+<Run>d__5<X>", "<Run>d__5<X>" },
		{ "P+<<Foo>b__0_0>d", "<<Foo>b__0_0>d" },
		{ "[]c<X>[]", "[]c<X>[]" },
		{ "Box<V,P+<>c>", "Box<V,P+[]c>" },
		{ "System.Int32[,]", "System.Int32<,>" },
		{ "System.Int32<,,>[]", "System.Int32<,,>[]" },
		{ "L<System.Int32[,]>[]", "L<System.Int32<,>>[]" },
		/* Texts that no user would write. */
		{ "", "" },
		{ "+", "" },
		{ "A+", "" },
		{ "A<", "A" },
		{ "A<B", "A<B>" },
		{ "A>B+C", "C" },
		{ "<", "<" },
		{ "<+>+<", "<" },
		{ "[", "[" },
		{ "A[+B", "A[+B" },
	};
	struct error err = { 0 };
	struct arena a;

	arena_init(&a, 0);
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const char *got = type_event_name(rows[i].raw, &a, &err);

		if (!got || strcmp(got, rows[i].want) != 0)
			fail_msg("%s: %s, not %s", rows[i].raw, got, rows[i].want);
	}
	arena_clear(&a);
}

/* --- states -------------------------------------------------------------- */

TEST(test_states)
{
	/* clang-format off */
	static const struct {
		unsigned counts[4], heaps;
		enum diff_state want;
	} rows[] = {
		{ { 1, 1 },       2, DIFF_EQUAL },   { { 0, 1 },       2, DIFF_NEW },
		{ { 1, 0 },       2, DIFF_GONE },    { { 1, 2 },       2, DIFF_GROWS },
		{ { 2, 1 },       2, DIFF_SHRINKS }, { { 5, 5, 5, 5 }, 4, DIFF_EQUAL },
		{ { 1, 2, 3, 4 }, 4, DIFF_GROWS },   { { 1, 2, 2, 4 }, 4, DIFF_GROWS },
		{ { 4, 3, 2, 1 }, 4, DIFF_SHRINKS }, { { 1, 2, 1, 1 }, 4, DIFF_VARIES },
		{ { 0, 2, 3, 4 }, 4, DIFF_NEW },     { { 0, 0, 0, 4 }, 4, DIFF_NEW },
		{ { 4, 3, 2, 0 }, 4, DIFF_GONE },    { { 0, 1, 2, 0 }, 4, DIFF_PASSING },
		{ { 1, 0, 0, 1 }, 4, DIFF_VARIES },  { { 2, 2, 2, 3 }, 4, DIFF_GROWS },
		{ { 3, 3, 3, 2 }, 4, DIFF_SHRINKS }, { { 1, 2, 1, 2 }, 4, DIFF_VARIES },
	};
	/* clang-format on */
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct diff_sum sums[4];
		struct diff d = { .heaps_count = rows[i].heaps, .rows_count = 1, .sums = sums };

		for (unsigned h = 0; h < rows[i].heaps; h++)
			sums[h] = (struct diff_sum){ rows[i].counts[h],
						     24 * (uint64_t)rows[i].counts[h] };
		if (diff_state(&d, 0) != rows[i].want)
			fail_msg("row %zu is %s", i, diff_state_ids[diff_state(&d, 0)]);
	}
}

TEST(test_self_and_order)
{
	const struct heap *a = heap_of_file(LEAKY ".gcdump"),
			  *b = heap_of_file(LEAKY "-later.gcdump.zst");
	const struct heap *const self[] = { a, a, a }, *const there[] = { a, b },
				 *const back[] = { b, a };

	for (int by = 0; by < DIFF_BY_COUNT; by++) {
		struct diff d, e;

		compute(&d, self, 3, (enum diff_by)by);
		assert_true(d.rows_count > 0);
		for (uint32_t i = 0; i < d.rows_count; i++)
			assert_int_equal(diff_state(&d, i), DIFF_EQUAL);
		diff_clear(&d);

		compute(&d, there, 2, (enum diff_by)by);
		compute(&e, back, 2, (enum diff_by)by);
		assert_int_equal(d.rows_count, e.rows_count);
		for (uint32_t i = 0; i < d.rows_count; i++) {
			assert_string_equal(d.rows[i].name, e.rows[i].name);
			assert_memory_equal(&diff_sums(&d, i)[0], &diff_sums(&e, i)[1],
					    sizeof(struct diff_sum));
			assert_memory_equal(&diff_sums(&d, i)[1], &diff_sums(&e, i)[0],
					    sizeof(struct diff_sum));
		}
		diff_clear(&d);
		diff_clear(&e);
	}
	heap_free(a);
	heap_free(b);
}

/* --- the same object by object ------------------------------------------- */

enum { PLAIN_NAME = 512 };

static size_t
plain_label(const struct root *root, bool with_name, char out[PLAIN_NAME])
{
	if (with_name && root->name[0])
		return (size_t)snprintf(out, PLAIN_NAME, "%s %s", root_kinds[root->kind].title,
					root->name);
	return (size_t)snprintf(out, PLAIN_NAME, "%s", root_kinds[root->kind].title);
}

/* Writes the name of an object's row as the documentation defines it. */
static void
plain_name(const struct heap *h, const struct reach *reach, const struct dominators *dominators,
	   enum diff_by by, node_id n, char out[PLAIN_NAME])
{
	const struct root *root = reach_root(reach, n);
	node_id way[4096];
	uint32_t steps = 0, count;
	size_t len;

	if (by == DIFF_TYPE) {
		snprintf(out, PLAIN_NAME, "%s", heap_type(h, n)->name);
		return;
	}
	if (!root) {
		snprintf(out, PLAIN_NAME, "no root");
		return;
	}
	for (node_id at = n; by >= DIFF_PATH && at != NODE_NONE;) {
		assert_true(steps < 4096);
		way[steps++] = at;
		if (by == DIFF_DOMINATOR)
			at = dominators_of(dominators, at);
		else
			at = reach->distance[at] ? reach->next[at] : NODE_NONE;
	}
	if (by == DIFF_DOMINATOR)
		root = heap_roots_of(h, way[steps - 1], &count);
	len = root ? plain_label(root, by != DIFF_KIND, out)
		   : (size_t)snprintf(out, PLAIN_NAME, "several roots");
	for (uint32_t i = 0; i < 3 && i < steps; i++)
		len += (size_t)snprintf(out + len, PLAIN_NAME - len, " → %s",
					heap_type(h, way[steps - 1 - i])->short_name);
}

/* Returns the bytes that are dead. */
static uint64_t
expect_plain_sums(const struct diff *d, const struct heap *h, uint32_t heap)
{
	struct error err = { 0 };
	const struct reach *reach = reach_compute(h, true, NULL, &err);
	struct diff_sum *plain = calloc(d->rows_count + 1, sizeof *plain);
	uint64_t *dead = calloc(d->rows_count + 1, sizeof *dead), all_dead = 0;
	const struct dominators *dominators = dominators_of_heap(h);
	uint32_t row = 0;

	assert_true(reach && plain && dead);
	for (node_id n = 0; n < h->nodes_count; n++) {
		char name[PLAIN_NAME];
		uint32_t looked_at = 0;

		plain_name(h, reach, dominators, d->by, n, name);
		while (looked_at++ <= d->rows_count && strcmp(d->rows[row].name, name) != 0)
			row = row + 1 < d->rows_count ? row + 1 : 0;
		if (looked_at > d->rows_count + 1)
			fail_msg("no row %s", name);
		plain[row].count++;
		plain[row].bytes += heap_size(h, n);
		if (reach->distance[n] == DISTANCE_UNREACHABLE)
			dead[row] += heap_size(h, n);
		if (d->nodes && heap + 1 == d->heaps_count)
			assert_int_equal(d->nodes->rows[n], row);
	}
	for (uint32_t i = 0; i < d->rows_count; i++) {
		assert_int_equal(diff_sums(d, i)[heap].count, plain[i].count);
		assert_int_equal(diff_sums(d, i)[heap].bytes, plain[i].bytes);
		if (d->by == DIFF_TYPE)
			assert_int_equal(d->dead_bytes[i * d->heaps_count + heap], dead[i]);
		all_dead += dead[i];
	}
	free(plain);
	free(dead);
	reach_free(reach);
	dominators_free(dominators);
	return all_dead;
}

static const struct heap *
mixed_heap(uint64_t seed)
{
	return heap_of_graph(graph_mixed(seed, 700));
}

TEST(test_against_plain)
{
	static const enum diff_by bys[] = { DIFF_TYPE, DIFF_KIND, DIFF_ROOT, DIFF_PATH,
					    DIFF_DOMINATOR };
	uint64_t dead = 0;

	for (uint64_t seed = 1; seed < 40; seed++) {
		const struct heap *heaps[] = { mixed_heap(seed), mixed_heap(seed + 1),
					       mixed_heap(seed + 100) };

		for (size_t i = 0; i < COUNT_OF(bys); i++) {
			struct diff d;

			compute(&d, heaps, 3, bys[i]);
			for (uint32_t h = 0; h < 3; h++)
				dead += expect_plain_sums(&d, heaps[h], h);
			diff_clear(&d);
		}
		for (uint32_t h = 0; h < 3; h++)
			heap_free(heaps[h]);
	}
	assert_true(dead);
}

/* A static variable, with its class and without. */
TEST(test_static_names)
{
	/* clang-format off */
	static const struct {
		const char *names[2][2];
		const char *want[3];
	} rows[] = {
		{ { { "S" }, { "A.B.S" } },        { "static A.B.S" } },
		{ { { "A.S" }, { "B.S" } },        { "static A.S", "static B.S" } },
		{ { { "S" }, { "A.S", "B.S" } },   { "static A.S", "static B.S", "static S" } },
		{ { { "S", "A.S" }, { "A.S" } },   { "static A.S", "static S" } },
		{ { { "S", "T" }, { "A.S", "T" } }, { "static A.S", "static T" } },
		{ { { "S." }, { "A.S." } },        { "static A.S.", "static S." } },
	};
	/* clang-format on */
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const struct heap *heaps[2];
		struct diff d;

		for (int h = 0; h < 2; h++) {
			struct graph *g = graph_new(2, 1);

			for (node_id n = 0; n < 2; n++)
				graph_root(g, rows[i].names[h][n] ? n : 0, ROOT_STATIC,
					   rows[i].names[h][n] ? rows[i].names[h][n]
							       : rows[i].names[h][0]);
			if (!rows[i].names[h][1])
				graph_ref(g, 0, 1);
			heaps[h] = graph_heap(g);
			graph_free(g);
		}
		compute(&d, heaps, 2, DIFF_ROOT);
		for (uint32_t k = 0; k < 3 && rows[i].want[k]; k++) {
			assert_true(k < d.rows_count);
			assert_string_equal(d.rows[k].name, rows[i].want[k]);
		}
		assert_true(d.rows_count == 3 || !rows[i].want[d.rows_count]);
		diff_clear(&d);
		heap_free(heaps[0]);
		heap_free(heaps[1]);
	}
}

/* A list of millions is one way: nothing may recurse or go along it twice. */
TEST(test_long_way)
{
	struct graph *graph = graph_list(graph_long_list());
	const struct heap *h = graph_heap(graph);
	const struct heap *const heaps[] = { h, h };
	struct diff d;

	compute(&d, heaps, 2, DIFF_PATH);
	assert_int_equal(d.rows_count, 3);
	assert_int_equal(diff_sums(&d, 2)[1].count, h->nodes_count - 2);
	diff_clear(&d);
	heap_free(h);
}

TEST(test_cancelled)
{
	const struct heap *h = heap_of_file(LEAKY ".gcdump");
	struct error err = { 0 };
	const struct reach *reach = reach_compute(h, true, NULL, &err);
	const struct dominators *dom = dominators_of_heap(h);
	const struct diff_heap heap = { .heap = h, .reach = reach, .dominators = dom };
	const struct diff_heap heaps[] = { heap, heap };
	struct progress progress = { 0 };
	struct diff d;

	progress_cancel(&progress);
	for (int by = 0; by < DIFF_BY_COUNT; by++) {
		error_clear(&err);
		assert_false(diff_compute(&d, heaps, 2, (enum diff_by)by, &progress, &err));
		assert_int_equal(err.kind, ERROR_CANCELLED);
		assert_null(d.rows);
	}
	reach_free(reach);
	dominators_free(dom);
	heap_free(h);
}
