/*
 * Growth of live bytes over collections of generation 2: of leaks whose samples come by chance, of
 * caches that fill up, and of recordings that are too long for all their points. Real programs:
 * tests/io/events/test_allocation_events.c.
 */
#include "model/allocations/alive.h"
#include "tests/drive/run_tests.h"
#include <math.h>
#include <string.h>

enum { EACH = 102400 }; /* bytes that a sample stands for */

struct followed {
	struct allocation_points points;
	struct allocation_alive alive;
};

static void
add_point(struct followed *f, double seconds, double samples)
{
	bool dropped;
	uint32_t at = allocation_points_next(&f->points, seconds, &dropped);

	if (dropped)
		allocation_alive_drop_points(&f->alive);
	f->alive.turnover_bytes += fabs(samples * EACH - f->alive.sum.bytes);
	f->alive.bytes_at[at] = (float)(samples * EACH);
	f->alive.sum.samples = (uint64_t)samples;
	f->alive.sum.bytes = samples * EACH;
}

static struct allocation_growth
growth(const struct followed *f)
{
	return allocation_growth(&f->points, &f->alive);
}

static void
assert_rises(const struct followed *f, double bytes_a_minute)
{
	struct allocation_growth g = growth(f);

	assert_true(g.is_known);
	assert_true(g.low > 0);
	assert_true(g.low <= bytes_a_minute && bytes_a_minute <= g.high);
}

TEST(three_collections_are_needed)
{
	struct followed f = { 0 };

	assert_false(growth(&f).is_known);
	add_point(&f, 1, 100);
	add_point(&f, 2, 200);
	assert_false(growth(&f).is_known);
	add_point(&f, 3, 305);
	assert_rises(&f, 100.0 * EACH * 60);
}

TEST(time_that_stands_still)
{
	struct followed f = { 0 };

	for (int i = 0; i < 3; i++)
		add_point(&f, 1, 100);
	assert_false(growth(&f).is_known);
}

/* One sample more is no leak. */
TEST(few_samples)
{
	struct followed f = { 0 };

	for (int i = 0; i < 8; i++)
		add_point(&f, i, i < 4 ? 0 : 1);
	assert_true(growth(&f).low < 0);
}

/* The values of a cache that is emptied now and then end anywhere. */
TEST(a_cache_that_is_emptied)
{
	struct followed f = { 0 };

	for (int i = 0; i < 12; i++)
		add_point(&f, i, i % 4 * 100);
	assert_true(growth(&f).low < 0);
	assert_true(growth(&f).high > 0);
}

TEST(a_cache_that_is_full)
{
	struct followed f = { 0 };

	for (int i = 0; i < 15; i++)
		add_point(&f, i, i < 4 ? i * 100 : 400);
	assert_true(growth(&f).low <= 0);
	assert_true(growth(&f).bytes < 1);
}

/* A leak of 10 samples a second for an hour, collected each second. */
TEST(points_span_the_whole_recording)
{
	enum { HOUR = 3600 };
	struct followed f = { 0 };
	uint32_t most = 0;

	for (int i = 1; i <= HOUR; i++) {
		add_point(&f, i, i * 10);
		most = f.points.count > most ? f.points.count : most;
		assert_true(f.points.seconds[f.points.count - 1] == i);
	}
	assert_int_equal(most, ALLOCATION_POINTS);
	assert_true(f.points.count > ALLOCATION_POINTS / 2);
	assert_true(f.points.seconds[0] == 1);
	for (uint32_t i = 0; i < f.points.count; i++) {
		double seconds = f.points.seconds[i];

		assert_true(!i || seconds > f.points.seconds[i - 1]);
		assert_true(f.alive.bytes_at[i] == (float)(seconds * 10 * EACH));
	}
	assert_rises(&f, 600.0 * EACH);
}

TEST(merged_series_and_ages)
{
	struct followed f = { 0 }, other = { 0 };
	struct allocation_alive all = { 0 };

	for (int i = 0; i < 3; i++) {
		add_point(&f, i, i * 100);
		add_point(&other, i, 300 - i * 100);
	}
	f.alive.oldest_ns = 7;
	other.alive.oldest_ns = 5;
	other.alive.unconfirmed_bytes = EACH;
	other.alive.unknown_bytes = 2 * EACH;
	allocation_alive_merge(&all, &f.alive);
	assert_int_equal(all.oldest_ns, 7);
	allocation_alive_merge(&all, &other.alive);
	assert_int_equal(all.oldest_ns, 5);
	assert_true(all.unconfirmed_bytes == EACH);
	assert_true(all.unknown_bytes == 2 * EACH);
	assert_int_equal(all.sum.samples, 300);
	assert_true(allocation_growth(&f.points, &all).bytes == 0);
	/* Nothing is alive there, so its age is none. */
	allocation_alive_merge(&all, &(struct allocation_alive){ 0 });
	assert_int_equal(all.oldest_ns, 5);
}

/* ---- by chance ----------------------------------------------------------- */

/* xorshift64*, so that every run draws the same samples. */
static double
draw(uint64_t *random)
{
	*random ^= *random >> 12;
	*random ^= *random << 25;
	*random ^= *random >> 27;
	return (double)(*random * UINT64_C(0x2545f4914f6cdd1d) >> 11) * 0x1.0p-53;
}

/* A number of independent events: Poisson. */
static double
events(double expected, uint64_t *random)
{
	double count = 0, left = expected;

	while ((left += log(1 - draw(random))) > 0)
		count++;
	return count;
}

static const struct leak {
	const char *name;
	double born, dying; /* samples a second */
	int collections;
} leaks[] = {
	{ "a slow leak, 3 collections", 1, 0, 3 },
	{ "a slow leak, 12 collections", 1, 0, 12 },
	{ "a fast leak", 50, 0, 6 },
	{ "a leak among much that dies", 60, 50, 12 },
	{ "a leak among much that dies, 3 collections", 60, 50, 3 },
	{ "no leak", 50, 50, 12 },
	{ "no leak, 3 collections", 50, 50, 3 },
	{ "an hour", 5, 1, 360 },
};

/* Collections come 5 to 15 s apart. */
TEST_ROWS(intervals_cover_the_leak, leaks)
{
	enum { RUNS = 1000 };
	const struct leak *leak = *state;
	uint64_t random = 88172645463325252u;
	double truth = (leak->born - leak->dying) * EACH * 60;
	int covered = 0, rising = 0;

	for (int i = 0; i < RUNS; i++) {
		struct followed f = { 0 };
		struct allocation_growth g;
		double seconds = 0, alive = 10000;
		float turnover = 0;

		for (int n = 0; n < leak->collections; n++) {
			double step = 5 + 10 * draw(&random);

			seconds += step;
			double born = events(leak->born * step, &random);
			double died = events(leak->dying * step, &random);

			alive += born - died;
			add_point(&f, seconds, alive);
			turnover += (float)((born + died) * EACH);
			f.alive.turnover_bytes = turnover;
		}
		g = growth(&f);
		covered += g.low <= truth && truth <= g.high;
		rising += g.low > 0;
	}
	printf("%s: %d of %d intervals cover it, %d rise\n", leak->name, covered, RUNS, rising);
	assert_true(covered >= RUNS * 93 / 100);
	if (truth > 0 && leak->collections > 4)
		assert_true(rising > RUNS / 2);
	if (truth == 0)
		assert_true(rising < RUNS * 5 / 100);
}
