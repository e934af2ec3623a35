/*
 * Samples of allocations through made-up collections: each rule by which one is dead, the states of
 * those that live, and a random heap beside a slow model of it. Real programs:
 * tests/capture/events/test_survivors.c.
 */
#include "model/allocations/survived.h"
#include "tests/drive/run_tests.h"
#include <stdlib.h>
#include <string.h>

enum { GONE_MAX = 16, KB = 1024, MB = 1 << 20 };

struct watched {
	struct survived *s;
	struct survived_sample gone[GONE_MAX];
	size_t gone_count;
	uint64_t time;
	struct error err;
};

static void
note_gone(void *context, const struct survived_sample *sample)
{
	struct watched *w = context;

	assert_true(w->gone_count < GONE_MAX);
	w->gone[w->gone_count++] = *sample;
}

static void
watch_begin(struct watched *w)
{
	*w = (struct watched){ 0 };
	w->s = survived_new((struct survived_sink){ .gone = note_gone, .context = w }, &w->err);
	assert_ok(w->s, &w->err);
}

static void
add(struct watched *w, uint64_t address, uint64_t size, uint32_t owner)
{
	struct survived_sample sample = { .address = address,
					  .size = size,
					  .time = ++w->time,
					  .weight = 100 * KB,
					  .owner = owner };

	assert_ok(survived_add(w->s, &sample, &w->err), &w->err);
}

/* A region of 1 MB for each generation, from 1 MB on. */
static void
regions_of(struct survived_region regions[5])
{
	for (int g = 0; g < 5; g++)
		regions[g] = (struct survived_region){
			.start = (uint64_t)(g + 1) * MB,
			.length = MB,
			.generation = (uint8_t)g,
		};
}

static void
begin(struct watched *w)
{
	struct survived_region regions[5];

	regions_of(regions);
	assert_ok(survived_begin(w->s, regions, 5, &w->err), &w->err);
}

static void
judge(struct watched *w, uint32_t number, uint8_t generation, bool is_background)
{
	struct survived_collection c = { .time = ++w->time,
					 .number = number,
					 .generation = generation,
					 .is_background = is_background };

	assert_ok(survived_judge(w->s, &c, &w->err), &w->err);
}

static void
plug(struct watched *w, uint64_t from, uint64_t to, uint64_t length)
{
	struct survived_plug p = { from, to, length };

	survived_plugs(w->s, &p, 1);
}

static void
end(struct watched *w, bool is_background)
{
	struct survived_region regions[5];

	regions_of(regions);
	assert_ok(survived_end(w->s, regions, is_background ? 0 : 5, &w->err), &w->err);
}

static const struct survived_sample *
only_sample(const struct watched *w)
{
	size_t count;
	const struct survived_sample *samples = survived_samples(w->s, &count);

	assert_int_equal(count, 1);
	return samples;
}

static void
check_dead(const struct watched *w, uint32_t owner)
{
	assert_int_equal(w->gone_count, 1);
	assert_int_equal(w->gone[0].owner, owner);
	assert_int_equal(w->gone[0].state, SURVIVED_DEAD);
	assert_int_equal(survived_totals(w->s)->dead, 1);
}

/* ---- one rule each --------------------------------------------------------
 */

TEST(survivors_move)
{
	const struct survived_sample *s;
	struct watched w;

	watch_begin(&w);
	add(&w, MB + 0x100, 64, 7);
	assert_int_equal(only_sample(&w)->state, SURVIVED_NEW);
	begin(&w);
	judge(&w, 5, 0, false);
	plug(&w, MB + 0x80, 2 * MB, 0x200);
	end(&w, false);
	s = only_sample(&w);
	assert_int_equal(s->address, 2 * MB + 0x80);
	assert_int_equal(s->generation, 1);
	assert_int_equal(s->state, SURVIVED_ALIVE);
	assert_int_equal(s->judge_number, 5);
	assert_int_equal(s->judge_generation, 0);
	assert_int_equal(s->owner, 7);
	assert_int_equal(s->weight, 100 * KB);
	assert_int_equal(w.gone_count, 0);
	survived_free(w.s);
}

TEST(only_condemned_samples_are_judged)
{
	struct watched w;

	watch_begin(&w);
	add(&w, 2 * MB + 0x100, 64, 1);
	add(&w, MB + 0x100, 64, 0);
	begin(&w);
	judge(&w, 1, 0, false);
	end(&w, false);
	check_dead(&w, 0);
	assert_int_equal(only_sample(&w)->state, SURVIVED_NEW);
	survived_free(w.s);
}

TEST(full_collections_judge_all)
{
	struct watched w;

	watch_begin(&w);
	for (uint32_t g = 0; g < 6; g++) /* the last is in no region */
		add(&w, (g + 1) * MB + 0x100, 64, g);
	begin(&w);
	judge(&w, 1, 2, false);
	plug(&w, 5 * MB, 5 * MB, 0x1000);
	end(&w, false);
	assert_int_equal(w.gone_count, 5);
	assert_int_equal(only_sample(&w)->owner, 4);
	assert_int_equal(survived_totals(w.s)->full_collections, 1);
	survived_free(w.s);
}

TEST(a_plug_that_ends_early_is_another_object)
{
	struct watched w;

	watch_begin(&w);
	add(&w, MB + 0x100, 0x1000, 0);
	begin(&w);
	judge(&w, 1, 0, false);
	plug(&w, MB + 0x100, MB + 0x100, 0x800);
	end(&w, false);
	check_dead(&w, 0);
	survived_free(w.s);
}

TEST(a_plug_moves_onto_a_dead_sample)
{
	struct watched w;

	watch_begin(&w);
	add(&w, 3 * MB + 0x100, 0x1000, 0);
	begin(&w);
	judge(&w, 1, 1, false);
	plug(&w, MB + 0x100, 3 * MB + 0x800, 0x40);
	end(&w, false);
	check_dead(&w, 0);
	survived_free(w.s);
}

/* The place that a survivor has left may be used at once. */
TEST(a_plug_moves_to_where_a_survivor_was)
{
	struct watched w;
	size_t count;

	watch_begin(&w);
	add(&w, 3 * MB + 0x800, 64, 0);
	add(&w, MB + 0x100, 64, 1);
	begin(&w);
	judge(&w, 1, 0, false);
	plug(&w, MB + 0x100, 3 * MB + 0x100, 64);
	plug(&w, MB + 0x8000, MB + 0x100, 64);
	end(&w, false);
	begin(&w);
	judge(&w, 2, 0, false);
	plug(&w, MB + 0x8000, 3 * MB + 0x800, 64);
	end(&w, false);
	check_dead(&w, 0);
	survived_samples(w.s, &count);
	assert_int_equal(count, 1);
	survived_free(w.s);
}

TEST(a_newer_sample_takes_the_place)
{
	struct watched w;

	watch_begin(&w);
	add(&w, 4 * MB, 0x10000, 0);
	begin(&w);
	add(&w, 4 * MB + 0x8000, 0x10000, 1);
	judge(&w, 1, 0, false);
	check_dead(&w, 0);
	assert_int_equal(only_sample(&w)->owner, 1);
	survived_free(w.s);
}

TEST(neighbours_do_not_overlap)
{
	struct watched w;
	size_t count;

	watch_begin(&w);
	/* AllocationTick says 8 bytes too many. */
	add(&w, 4 * MB, 0x10008, 0);
	add(&w, 4 * MB + 0x10000, 0x10008, 1);
	begin(&w);
	survived_samples(w.s, &count);
	assert_int_equal(count, 2);
	assert_int_equal(w.gone_count, 0);
	survived_free(w.s);
}

static void
check_freed_region(uint8_t generation_then, size_t regions_then)
{
	struct survived_region regions[5];
	struct watched w;

	watch_begin(&w);
	add(&w, 3 * MB + 0x100, 64, 0);
	begin(&w);
	assert_int_equal(only_sample(&w)->generation, 2);
	regions_of(regions);
	regions[2].generation = generation_then;
	assert_ok(survived_begin(w.s, regions, regions_then, &w.err), &w.err);
	check_dead(&w, 0);
	survived_free(w.s);
}

TEST(a_region_became_younger)
{
	check_freed_region(0, 5);
}

TEST(a_region_is_gone)
{
	check_freed_region(2, 2);
}

/* ---- background collections ------------------------------------------------
 */

static void
collect_in_place(struct watched *w, uint64_t address, uint32_t number, bool is_background)
{
	begin(w);
	judge(w, number, 2, is_background);
	plug(w, address, address, 0x1000);
	end(w, is_background);
}

TEST(a_blocking_collection_confirms)
{
	struct watched w;

	watch_begin(&w);
	add(&w, 3 * MB, 64, 0);
	collect_in_place(&w, 3 * MB, 1, true);
	assert_int_equal(only_sample(&w)->state, SURVIVED_UNCONFIRMED);
	assert_true(only_sample(&w)->was_background);
	collect_in_place(&w, 3 * MB, 2, false);
	assert_int_equal(only_sample(&w)->state, SURVIVED_ALIVE);
	assert_int_equal(only_sample(&w)->judge_number, 2);
	survived_free(w.s);
}

static void
check_not_confirmed(uint64_t address, enum survived_state state)
{
	struct watched w;

	watch_begin(&w);
	add(&w, address, 100000, 0);
	begin(&w);
	judge(&w, 1, 2, true);
	plug(&w, address, address, 100000);
	end(&w, true);
	begin(&w);
	judge(&w, 2, 2, false);
	plug(&w, address, address, 100000);
	end(&w, false);
	assert_int_equal(only_sample(&w)->state, state);
	survived_free(w.s);
}

TEST(large_objects_stay_unconfirmed)
{
	check_not_confirmed(4 * MB, SURVIVED_UNCONFIRMED);
}

TEST(pinned_objects_stay_unknown)
{
	check_not_confirmed(5 * MB, SURVIVED_UNKNOWN);
}

TEST(newer_large_objects_are_not_judged)
{
	struct survived_collection c = { .time = 1, .is_background = true };
	struct watched w;

	watch_begin(&w);
	w.time = 1;
	add(&w, 5 * MB, 64, 0);
	begin(&w);
	assert_ok(survived_judge(w.s, &c, &w.err), &w.err);
	end(&w, true);
	assert_int_equal(only_sample(&w)->state, SURVIVED_NEW);
	survived_free(w.s);
}

static void
check_doubted(uint64_t address, bool is_known, enum survived_state state)
{
	struct watched w;

	watch_begin(&w);
	add(&w, address, 64, 0);
	if (is_known)
		begin(&w);
	survived_doubt(w.s);
	begin(&w);
	judge(&w, 1, 1, false);
	plug(&w, address, 3 * MB, 64);
	end(&w, false);
	collect_in_place(&w, 3 * MB, 2, false);
	assert_int_equal(only_sample(&w)->state, state);
	survived_free(w.s);
}

TEST(doubtful_samples_stay_unknown)
{
	check_doubted(MB + 0x100, false, SURVIVED_UNKNOWN);
	check_doubted(MB + 0x100, true, SURVIVED_UNKNOWN);
}

/* The program does not allocate there, and collections report what they move there. */
TEST(generation_1_is_not_doubted)
{
	check_doubted(2 * MB + 0x100, true, SURVIVED_ALIVE);
}

/* ---- bounds ---------------------------------------------------------------
 */

TEST(lost_samples_are_reported)
{
	struct watched w;
	size_t count;

	watch_begin(&w);
	add(&w, MB, 64, 3);
	begin(&w);
	judge(&w, 1, 0, false);
	survived_lose(w.s);
	end(&w, false); /* of a collection that is lost, too */
	survived_samples(w.s, &count);
	assert_int_equal(count, 0);
	assert_int_equal(w.gone[0].state, SURVIVED_LOST);
	assert_int_equal(survived_totals(w.s)->lost, 1);
	assert_int_equal(survived_totals(w.s)->collections, 0);
	survived_free(w.s);
}

TEST(impossible_numbers_do_no_harm)
{
	struct watched w;

	watch_begin(&w);
	add(&w, UINT64_MAX - 8, 64, 0);
	assert_int_equal(w.gone[0].state, SURVIVED_LOST);
	add(&w, MB, 64, 1);
	begin(&w);
	judge(&w, 1, 0, false);
	plug(&w, 0, 0, UINT64_MAX);
	plug(&w, 16, UINT64_MAX - 8, 64);
	plug(&w, UINT64_MAX, 0, 64);
	end(&w, false);
	assert_int_equal(only_sample(&w)->owner, 1);
	survived_free(w.s);
}

enum { CROWD = 20000, CROWD_STEP = 0x1000 };

static void
crowd(struct watched *w)
{
	*w = (struct watched){ 0 };
	w->s = survived_new((struct survived_sink){ 0 }, &w->err);
	assert_ok(w->s, &w->err);
	for (uint64_t i = 0; i < CROWD; i++)
		add(w, (i + 16) * CROWD_STEP, 64, 0);
}

static void
begin_crowd(struct watched *w, uint8_t generation)
{
	struct survived_region all = { 0, (CROWD + 16) * CROWD_STEP, generation };

	assert_ok(survived_begin(w->s, &all, 1, &w->err), &w->err);
}

/* Each plug has all samples: without a limit these are 40 billion steps. */
TEST(overlapping_plugs_lose_all_samples)
{
	enum { PLUGS = 2000000 };
	struct watched w;

	for (uint64_t moves = 0; moves < 2; moves++) {
		crowd(&w);
		begin_crowd(&w, moves ? 2 : 0);
		judge(&w, 1, 0, false);
		for (uint64_t i = 0; i < PLUGS; i++)
			plug(&w, moves * i, 0, (CROWD + 16) * CROWD_STEP);
		end(&w, false);
		assert_int_equal(survived_totals(w.s)->lost, CROWD);
		survived_free(w.s);
	}
}

/* The same for collections that have only one, or none. */
TEST(endless_collections_lose_all_samples)
{
	enum { COLLECTIONS = 2000000 };
	struct watched w;

	for (int doubts = 0; doubts < 2; doubts++) {
		crowd(&w);
		for (uint32_t i = 0; i < COLLECTIONS; i++) {
			if (doubts) {
				survived_doubt(w.s);
				continue;
			}
			begin_crowd(&w, 0);
			judge(&w, i, 2, true);
			plug(&w, 0, 0, (CROWD + 16) * CROWD_STEP);
			end(&w, true);
		}
		assert_int_equal(survived_totals(w.s)->lost, CROWD);
		survived_free(w.s);
	}
}

/* A full heap with a plug for each region of 4 MB is far from the limit. */
TEST(a_full_heap_is_followed)
{
	enum { COLLECTIONS = 300, REGION = 40 };
	struct watched w;

	crowd(&w);
	for (uint32_t i = 0; i < COLLECTIONS; i++) {
		begin_crowd(&w, 2);
		judge(&w, i, 2, i % 2);
		for (uint64_t at = 16; at < CROWD + 16; at += REGION)
			plug(&w, at * CROWD_STEP, at * CROWD_STEP, (uint64_t)REGION * CROWD_STEP);
		end(&w, i % 2);
	}
	assert_int_equal(survived_totals(w.s)->lost, 0);
	survived_free(w.s);
}

/* ---- beside a slow model ---------------------------------------------------
 */

enum { OBJECTS = 400, SLOT = 256, ROUNDS = 300 };

/* Objects of a made-up heap with one generation, sampled every third. */
struct object {
	uint64_t address;
	uint32_t id;
	bool is_sampled;
};

static int
by_address(const void *a, const void *b)
{
	const struct object *x = a, *y = b;

	return (x->address > y->address) - (x->address < y->address);
}

static size_t
allocate(struct watched *w, struct object *objects, size_t count, uint64_t *next, uint32_t *id)
{
	for (; count < OBJECTS; count++, (*id)++, *next += SLOT) {
		objects[count] = (struct object){ *next, *id, *id % 3 == 0 };
		if (objects[count].is_sampled)
			add(w, *next, SLOT, *id);
	}
	return count;
}

/* Some die, others slide down; neighbours that live are one plug. */
static size_t
compact(struct watched *w, struct object *objects, size_t count, uint64_t *next)
{
	struct survived_plug plugs[OBJECTS];
	size_t kept = 0, plugs_count = 0;

	*next = MB;
	for (size_t i = 0; i < count; i++) {
		struct survived_plug *last = plugs_count ? &plugs[plugs_count - 1] : NULL;

		if (rand() % 2)
			continue;
		if (last && last->from + last->length == objects[i].address)
			last->length += SLOT;
		else
			plugs[plugs_count++] =
			    (struct survived_plug){ objects[i].address, *next, SLOT };
		objects[kept] = objects[i];
		objects[kept++].address = *next;
		*next += SLOT;
	}
	survived_plugs(w->s, plugs, plugs_count);
	return kept;
}

static void
check_same(const struct watched *w, const struct object *objects, size_t count)
{
	size_t samples_count, at = 0;
	const struct survived_sample *samples = survived_samples(w->s, &samples_count);

	for (size_t i = 0; i < count; i++) {
		if (!objects[i].is_sampled)
			continue;
		assert_true(at < samples_count);
		assert_int_equal(samples[at].address, objects[i].address);
		assert_int_equal(samples[at].owner, objects[i].id);
		at++;
	}
	assert_int_equal(at, samples_count);
}

TEST(follows_a_random_heap)
{
	struct survived_region region = { MB, 64 * MB, 0 };
	struct object objects[OBJECTS];
	uint64_t next = MB;
	size_t count = 0;
	uint32_t id = 0;
	struct watched w;

	watch_begin(&w);
	survived_free(w.s);
	w.s = survived_new((struct survived_sink){ 0 }, &w.err);
	srand(1);
	for (uint32_t i = 0; i < ROUNDS; i++) {
		count = allocate(&w, objects, count, &next, &id);
		qsort(objects, count, sizeof(*objects), by_address);
		assert_ok(survived_begin(w.s, &region, 1, &w.err), &w.err);
		judge(&w, i, 0, false);
		count = compact(&w, objects, count, &next);
		assert_ok(survived_end(w.s, &region, 1, &w.err), &w.err);
		check_same(&w, objects, count);
	}
	assert_int_equal(survived_totals(w.s)->collections, ROUNDS);
	survived_free(w.s);
}
