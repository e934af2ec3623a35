/* Sums live samples up for a tally, and for its named copies. */
#include "model/allocations/tally.h"
#include "model/base/less.h"
#include <string.h>

uint64_t
allocation_tally_ns(const struct allocation_tally *t, uint64_t ticks)
{
	return t->clock_hz ? allocation_rounded((double)ticks * 1e9 / (double)t->clock_hz) : 0;
}

uint64_t
allocation_tally_ticks(const struct allocation_tally *t, uint64_t ns)
{
	return allocation_rounded((double)ns / 1e9 * (double)t->clock_hz);
}

/* Nanoseconds since the recording began. */
static uint64_t
since_start(const struct allocation_tally *t, uint64_t time)
{
	return allocation_tally_ns(t, less(time, t->clock_start));
}

static struct allocation_alive *
alive_of(struct allocation_cell *cell, struct arena *a, struct error *err)
{
	if (!cell->alive)
		cell->alive = arena_new(a, struct allocation_alive, err);
	return cell->alive;
}

/* ---- growth ---------------------------------------------------------------
 */

/*
 * Begins a point in every cell. Until samples are found again, all of the point before counts as
 * gone.
 */
static uint32_t
begin_point(struct allocation_tally *t, double seconds)
{
	struct allocation_points *p = &t->facts.survival.points;
	uint32_t before = p->count;
	bool dropped;
	uint32_t at = allocation_points_next(p, seconds, &dropped);

	for (uint32_t i = 0; i < t->cells_count; i++) {
		struct allocation_alive *alive = t->cells[i].alive;

		if (!alive)
			continue;
		if (before)
			alive->turnover_bytes += (double)alive->bytes_at[before - 1];
		if (dropped)
			allocation_alive_drop_points(alive);
		alive->bytes_at[at] = 0;
	}
	return at;
}

/* All samples were lost, which is no fall of live bytes: growth is measured anew, from the last
   collection that was known. */
static void
drop_points(void *context)
{
	struct allocation_tally *t = context;
	struct allocation_survival *survival = &t->facts.survival;
	bool has_points = survival->points.count > 0;

	survival->points =
	    (struct allocation_points){ .began = (double)survival->latest.time_ns / 1e9 };
	for (uint32_t i = 0; has_points && i < t->cells_count; i++)
		if (t->cells[i].alive)
			*t->cells[i].alive = (struct allocation_alive){ 0 };
}

/*
 * To note a collection takes a step for each cell. A made-up stream could have many cells and
 * endless collections: then growth stays unknown.
 */
static bool
may_note(struct allocation_tally *t)
{
	enum { STEPS_A_COLLECTION = 1 << 12, STEPS_A_SAMPLE = 1 << 12 };
	const struct survived_totals *totals = survived_totals(t->survived);
	uint64_t most = totals->added * STEPS_A_SAMPLE + totals->collections * STEPS_A_COLLECTION;

	if (t->cells_count > less(most, t->steps))
		return false;
	t->steps += t->cells_count;
	return true;
}

/* Notes what a collection of generation 2 has left of each cell. */
static bool
add_point(struct allocation_tally *t, const struct survived_collection *c, uint64_t time_ns,
	  struct error *err)
{
	size_t count;
	const struct survived_sample *samples = survived_samples(t->survived, &count);
	uint32_t at = begin_point(t, (double)time_ns / 1e9);

	for (size_t i = 0; i < count; i++) {
		const struct survived_sample *s = &samples[i];
		float bytes = (float)s->weight;
		struct allocation_alive *alive;

		if (s->state == SURVIVED_NEW || s->judge_number != c->number)
			continue;
		alive = alive_of(&t->cells[s->owner], &t->arena, err);
		if (!alive)
			return false;
		alive->bytes_at[at] += bytes;
		alive->turnover_bytes += s->time >= t->gen2_time ? (double)bytes : -(double)bytes;
	}
	t->gen2_time = c->time;
	return true;
}

static bool
copy_items(const struct survived_sample *items, struct allocation_samples *to, struct error *err)
{
	to->items = memory_new(to->count + 1, sizeof(*to->items), err);
	if (!to->items)
		return false;
	if (to->count)
		memcpy(to->items, items, to->count * sizeof(*items));
	return true;
}

/* The samples as they are now. */
static bool
copy_live(const struct allocation_tally *t, uint64_t time_ns, struct allocation_samples *to,
	  struct error *err)
{
	const struct survived_sample *live = survived_samples(t->survived, &to->count);

	to->ns = time_ns;
	to->dead = t->facts.survival.dead_samples;
	to->lost = t->facts.survival.lost_samples;
	return copy_items(live, to, err);
}

static bool
copy_kept(const struct allocation_samples *from, struct allocation_samples *to, struct error *err)
{
	*to = *from;
	return copy_items(from->items, to, err);
}

/* Heaps that are captured during a recording force a blocking collection. */
static bool
is_kept(const struct allocation_tally *t, const struct survived_collection *c)
{
	if (t->last_collection)
		return c->number == t->last_collection;
	return t->recent && !c->is_background && c->generation >= SURVIVED_GENERATION_OLDEST;
}

static bool
keep_samples(struct allocation_tally *t, uint32_t number, uint64_t time_ns, struct error *err)
{
	struct allocation_samples *kept = t->kept;

	memory_free(kept[ALLOCATION_FULL - 1].items);
	for (size_t i = ALLOCATION_FULL - 1; i > 0; i--)
		kept[i] = kept[i - 1];
	kept[0] = (struct allocation_samples){ .number = number };
	t->facts.is_at_heap = t->last_collection != 0;
	return copy_live(t, time_ns, &kept[0], err);
}

static bool
note_collection(void *context, const struct survived_collection *c, struct error *err)
{
	struct allocation_tally *t = context;
	struct allocation_survival *survival = &t->facts.survival;
	const struct allocation_judge judge = {
		.number = c->number,
		.generation = c->generation,
		.time_ns = since_start(t, c->time),
	};

	survival->collections++;
	survival->latest = judge;
	if (is_kept(t, c) && !keep_samples(t, c->number, judge.time_ns, err))
		return false;
	if (c->generation < SURVIVED_GENERATION_OLDEST)
		return true;
	survival->gen2_collections++;
	survival->gen2 = judge;
	if (!may_note(t)) {
		drop_points(t);
		return true;
	}
	return add_point(t, c, judge.time_ns, err);
}

static void
note_gone(void *context, const struct survived_sample *sample)
{
	struct allocation_tally *t = context;

	t->facts.survival.dead_samples += sample->state == SURVIVED_DEAD;
	t->facts.survival.lost_samples += sample->state == SURVIVED_LOST;
}

bool
allocation_tally_follow(struct allocation_tally *t, struct error *err)
{
	const struct survived_sink sink = {
		.gone = note_gone, .judged = note_collection, .restarted = drop_points, .context = t
	};

	t->survived = survived_new(sink, err);
	return t->survived != NULL;
}

/* ---- copies ---------------------------------------------------------------
 */

static void
add_live(struct allocation_alive *alive, const struct survived_sample *s, bool is_random)
{
	struct allocation_alive one = { .oldest_ns = s->time };

	if (is_random)
		allocation_sum_add(&one.sum, s->size);
	else
		allocation_sum_add_tick(&one.sum, s->size, s->weight);
	if (s->state == SURVIVED_UNCONFIRMED)
		one.unconfirmed_bytes = one.sum.bytes;
	if (s->state == SURVIVED_UNKNOWN)
		one = (struct allocation_alive){ .unknown_bytes = one.sum.bytes };
	allocation_alive_merge(alive, &one);
}

/* Cells and times become those of a copy. */
static void
name_samples(const struct allocation_tally *t, struct allocation_samples *to,
	     const uint32_t *cell_of)
{
	for (size_t i = 0; i < to->count; i++) {
		struct survived_sample *s = &to->items[i];

		s->owner = cell_of[s->owner];
		s->time = since_start(t, s->time);
		s->judge_time = since_start(t, s->judge_time);
	}
}

static bool
copy_full(const struct allocation_tally *t, struct allocations *to, const uint32_t *cell_of,
	  struct error *err)
{
	for (size_t i = 0; i < ALLOCATION_FULL && t->kept[i].items; i++) {
		if (!copy_kept(&t->kept[i], &to->full[i], err))
			return false;
		name_samples(t, &to->full[i], cell_of);
	}
	return true;
}

static bool
copy_samples(const struct allocation_tally *t, struct allocations *to, const uint32_t *cell_of,
	     struct error *err)
{
	bool is_at_heap = t->last_collection && t->kept[0].items;

	if (!(is_at_heap ? copy_kept(&t->kept[0], &to->samples, err)
			 : copy_live(t, t->facts.survival.now_ns, &to->samples, err)))
		return false;
	name_samples(t, &to->samples, cell_of);
	return is_at_heap || copy_full(t, to, cell_of, err);
}

bool
allocation_tally_copy_alive(const struct allocation_tally *t, struct allocations *to,
			    const uint32_t *cell_of, struct error *err)
{
	struct allocation_alive *alive;

	if (!t->survived)
		return true;
	for (uint32_t i = 0; i < t->cells_count; i++) {
		if (!t->cells[i].alive)
			continue;
		alive = alive_of(&to->cells[cell_of[i]], &to->arena, err);
		if (!alive)
			return false;
		allocation_alive_merge(alive, t->cells[i].alive);
	}
	if (!copy_samples(t, to, cell_of, err))
		return false;
	for (size_t i = 0; i < to->samples.count; i++) {
		const struct survived_sample *s = &to->samples.items[i];

		if (s->state == SURVIVED_NEW)
			continue;
		alive = alive_of(&to->cells[s->owner], &to->arena, err);
		if (!alive)
			return false;
		add_live(alive, s, t->facts.is_random);
	}
	for (uint32_t i = 0; i < to->cells_count; i++)
		if (to->cells[i].alive)
			allocation_alive_merge(&to->alive, to->cells[i].alive);
	return true;
}
