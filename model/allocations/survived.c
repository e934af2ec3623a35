#include "model/allocations/survived.h"
#include "model/base/arena.h"
#include "model/base/sorted.h"
#include <string.h>

struct survived {
	struct survived_sink sink;
	/*
	 * First `old` samples of generation 2 and above, sorted by address, which collections of
	 * young generations do not touch. The others are sorted by address up to `sorted`; the rest
	 * has come or moved since.
	 */
	struct survived_sample *items;
	size_t old, sorted, count, room;
	/* A part of the samples while they are sorted. */
	struct survived_sample *scratch;
	size_t scratch_room;

	bool is_judging;
	struct survived_collection judge;
	/* Into items: where the last plug came from and went to. */
	size_t from_at, to_at, to_old_at;
	bool has_overwritten; /* old samples */
	/* A background collection frees regions, or has since the last begin.
	 */
	bool is_freeing, has_freed;
	/* Steps taken since following started, and what they may be. */
	uint64_t steps, steps_max;
	struct survived_totals totals;
};

/*
 * A runtime's plugs do not overlap, and a collection of all samples has a plug for each region of 4
 * MB or fewer. A stream that takes many times as long has been made up.
 */
enum {
	STEPS_A_COLLECTION = 1 << 15,
	STEPS_A_PLUG = 1 << 8,
	STEPS_A_SAMPLE = 1 << 12,
};

struct survived *
survived_new(struct survived_sink sink, struct error *err)
{
	struct survived *s = memory_new(1, sizeof(*s), err);

	if (s)
		s->sink = sink;
	return s;
}

void
survived_free(struct survived *s)
{
	if (!s)
		return;
	memory_free(s->items);
	memory_free(s->scratch);
	memory_free(s);
}

static void
say_gone(struct survived *s, struct survived_sample *sample, enum survived_state state)
{
	sample->state = (uint8_t)state;
	if (state == SURVIVED_DEAD)
		s->totals.dead++;
	else
		s->totals.lost++;
	if (s->sink.gone)
		s->sink.gone(s->sink.context, sample);
}

static bool
is_old(const struct survived_sample *sample)
{
	return sample->generation != SURVIVED_GENERATION_UNKNOWN &&
	       sample->generation >= SURVIVED_GENERATION_OLDEST;
}

/* Places items[i] at `kept` while others before it are dropped. */
static size_t
keep(struct survived *s, size_t kept, size_t i)
{
	if (kept != i)
		s->items[kept] = s->items[i];
	return kept + 1;
}

/* ---- samples by address ---------------------------------------------------
 */

enum {
	HEADER_BYTES = 8, /* of an object, before its address */
	/* AllocationTick adds these to the size of some large objects. */
	TICK_EXCESS_BYTES = 8,
	OBJECT_BYTES_MIN = 24,
};

/* The end of the bytes that belong to the object alone. */
static uint64_t
body_end(const struct survived_sample *sample)
{
	uint64_t size = sample->size < OBJECT_BYTES_MIN ? OBJECT_BYTES_MIN : sample->size;

	return sample->address + size - HEADER_BYTES - TICK_EXCESS_BYTES;
}

/* Merges the unsorted rest from behind, so that nothing is overwritten. */
static void
merge_rest(struct survived *s)
{
	struct survived_sample *items = s->items + s->old;
	size_t left = s->sorted - s->old, more = s->count - s->sorted;

	while (more && left) {
		bool is_left = items[left - 1].address > s->scratch[more - 1].address;

		items[left + more - 1] = is_left ? items[left - 1] : s->scratch[more - 1];
		if (is_left)
			left--;
		else
			more--;
	}
	if (more)
		memcpy(items, s->scratch, more * sizeof(*items));
}

static bool
sort_rest(struct survived *s, struct error *err)
{
	size_t more = s->count - s->sorted;

	if (!more)
		return true;
	if (!MAKE_ROOM(s->scratch, more, s->scratch_room, err))
		return false;
	memcpy(s->scratch, s->items + s->sorted, more * sizeof(*s->items));
	SORT_BY(s->scratch, more, address);
	merge_rest(s);
	s->sorted = s->count;
	return true;
}

/* Two objects cannot overlap: the older one is dead. */
static void
drop_overlapped(struct survived *s)
{
	size_t kept = s->old;

	for (size_t i = s->old; i < s->count; i++) {
		struct survived_sample *sample = &s->items[i];
		bool is_newest = true;

		while (is_newest && kept > s->old &&
		       body_end(&s->items[kept - 1]) > sample->address) {
			is_newest = s->items[kept - 1].time <= sample->time;
			if (is_newest)
				say_gone(s, &s->items[--kept], SURVIVED_DEAD);
		}
		if (is_newest)
			kept = keep(s, kept, i);
		else
			say_gone(s, sample, SURVIVED_DEAD);
	}
	s->count = s->sorted = kept;
}

/* Sorts the samples that are not old. */
static bool
settle(struct survived *s, struct error *err)
{
	if (s->sorted == s->count)
		return true;
	if (!sort_rest(s, err))
		return false;
	drop_overlapped(s);
	return true;
}

/* Sorts all samples: none is set apart as old any more. */
static bool
join(struct survived *s, struct error *err)
{
	s->sorted = s->old;
	s->old = 0;
	return settle(s, err);
}

/* Sets old samples apart; all must be sorted. */
static bool
part(struct survived *s, struct error *err)
{
	size_t kept = 0, young = 0;

	if (!MAKE_ROOM(s->scratch, s->count, s->scratch_room, err))
		return false;
	for (size_t i = 0; i < s->count; i++)
		if (is_old(&s->items[i]))
			kept = keep(s, kept, i);
		else
			s->scratch[young++] = s->items[i];
	if (young)
		memcpy(s->items + kept, s->scratch, young * sizeof(*s->items));
	s->old = kept;
	return true;
}

/* Samples become old one by one; to sort each in would be slow. */
static bool
has_many_to_part(const struct survived *s)
{
	enum { FEW = 64, SHARE = 16 };
	size_t count = 0;

	for (size_t i = s->old; i < s->count; i++)
		count += is_old(&s->items[i]);
	return count > FEW + s->old / SHARE;
}

bool
survived_add(struct survived *s, const struct survived_sample *sample, struct error *err)
{
	struct survived_sample added = {
		.address = sample->address,
		.size = sample->size,
		.time = sample->time,
		.weight = sample->weight,
		.owner = sample->owner,
		.state = SURVIVED_NEW,
		.generation = SURVIVED_GENERATION_UNKNOWN,
	};

	s->totals.added++;
	s->steps_max += STEPS_A_SAMPLE;
	if (s->count >= SURVIVED_SAMPLES_MAX || sample->size > UINT64_MAX - sample->address) {
		say_gone(s, &added, SURVIVED_LOST);
		return true;
	}
	return APPEND(s->items, s->count, s->room, err, added);
}

void
survived_lose(struct survived *s)
{
	for (size_t i = 0; i < s->count; i++)
		say_gone(s, &s->items[i], SURVIVED_LOST);
	s->old = s->sorted = s->count = 0;
	s->is_judging = s->is_freeing = s->has_freed = false;
	s->steps = s->steps_max = 0;
	if (s->sink.restarted)
		s->sink.restarted(s->sink.context);
}

/* Counts steps; false: there are too many, and all samples are lost. */
static bool
may_take(struct survived *s, uint64_t steps)
{
	s->steps += steps;
	if (s->steps <= s->steps_max)
		return true;
	survived_lose(s);
	return false;
}

/* ---- generations ----------------------------------------------------------
 */

/* The generation of an address; `*at` rises with the address. */
static uint8_t
generation_at(const struct survived_region *regions, size_t count, size_t *at, uint64_t address)
{
	while (*at < count && regions[*at].start <= address &&
	       regions[*at].length <= address - regions[*at].start)
		(*at)++;
	return *at < count && regions[*at].start <= address ? regions[*at].generation
							    : SURVIVED_GENERATION_UNKNOWN;
}

/*
 * Only a background collection frees regions while the program runs: their samples are dead, and
 * what lies there now is new.
 */
static bool
was_freed(const struct survived_sample *sample, uint8_t generation)
{
	return is_old(sample) && (generation < SURVIVED_GENERATION_OLDEST ||
				  generation == SURVIVED_GENERATION_UNKNOWN);
}

static void
set_generations(struct survived *s, struct survived_region *regions, size_t count, bool is_begin)
{
	size_t at = 0, kept = s->old;

	if (!count) /* unknown */
		return;
	SORT_BY(regions, count, start);
	for (size_t i = s->old; i < s->count; i++) {
		struct survived_sample *sample = &s->items[i];
		uint8_t now = generation_at(regions, count, &at, sample->address);

		if (is_begin && was_freed(sample, now)) {
			say_gone(s, sample, SURVIVED_DEAD);
			continue;
		}
		sample->generation = now;
		kept = keep(s, kept, i);
	}
	s->count = s->sorted = kept;
}

bool
survived_begin(struct survived *s, struct survived_region *regions, size_t count, struct error *err)
{
	if (!may_take(s, s->has_freed ? s->count : s->count - s->old))
		return true;
	if (!(s->has_freed ? join(s, err) : settle(s, err)))
		return false;
	s->has_freed = s->is_freeing;
	set_generations(s, regions, count, true);
	return true;
}

void
survived_doubt(struct survived *s)
{
	if (!may_take(s, s->count - s->old))
		return;
	s->is_freeing = s->has_freed = true;
	for (size_t i = s->old; i < s->count; i++) {
		struct survived_sample *sample = &s->items[i];

		sample->is_doubtful |=
		    sample->generation == 0 || sample->generation == SURVIVED_GENERATION_UNKNOWN;
	}
}

/* ---- one collection -------------------------------------------------------
 */

/* Collections of young generations leave old samples as they are. */
static bool
judges_all(const struct survived_collection *c)
{
	return c->is_background || c->generation >= SURVIVED_GENERATION_OLDEST;
}

/*
 * A background collection also reports the survivors of young generations. It does not free large
 * and pinned objects that are newer than its beginning, and some of these are missing in its report
 * (measured).
 */
static bool
is_condemned(const struct survived_collection *c, const struct survived_sample *sample)
{
	if (!c->is_background)
		return c->generation >= SURVIVED_GENERATION_OLDEST ||
		       sample->generation <= c->generation;
	return sample->generation != SURVIVED_GENERATION_UNKNOWN &&
	       (sample->generation <= SURVIVED_GENERATION_OLDEST || sample->time < c->time);
}

bool
survived_judge(struct survived *s, const struct survived_collection *c, struct error *err)
{
	s->steps_max += STEPS_A_COLLECTION;
	if (!may_take(s, judges_all(c) ? s->count : s->count - s->old))
		return true;
	if (!(judges_all(c) ? join(s, err) : settle(s, err)))
		return false;
	if (c->is_background)
		s->is_freeing = s->has_freed = true;
	for (size_t i = s->old; i < s->count; i++) {
		struct survived_sample *sample = &s->items[i];

		sample->is_condemned = is_condemned(c, sample);
		sample->is_found = sample->is_overwritten = false;
	}
	s->is_judging = true;
	s->has_overwritten = false;
	s->judge = *c;
	s->from_at = s->to_at = s->old;
	s->to_old_at = 0;
	return true;
}

/*
 * The first sample in [first, last) at `address` or above. `at` is the answer for an address that
 * was mostly a little lower: doubles the step until it is passed.
 */
static size_t
find_from(const struct survived *s, size_t first, size_t last, size_t at, uint64_t address)
{
	size_t step = 1, end;

	if (at > last || (at > first && s->items[at - 1].address >= address))
		at = first;
	end = at;
	while (end < last && s->items[end].address < address) {
		at = end + 1;
		end = step < last - end ? end + step : last;
		step *= 2;
	}
	LOWER_BOUND(end, at, end, s->items[end].address < address);
	return end;
}

static void
find_survivors(struct survived *s, const struct survived_plug *plug)
{
	uint64_t end = plug->from + plug->length;

	s->from_at = find_from(s, s->old, s->sorted, s->from_at, plug->from);
	for (size_t i = s->from_at; i < s->sorted && s->items[i].address < end; i++) {
		struct survived_sample *sample = &s->items[i];

		s->steps++;
		if (!sample->is_condemned ||
		    sample->size > end - sample->address + TICK_EXCESS_BYTES)
			continue;
		sample->is_found = true;
		sample->next_address = plug->to + (sample->address - plug->from);
	}
}

/* Finds samples in [first, last) where the plug moves to. */
static size_t
find_overwritten(struct survived *s, const struct survived_plug *plug, size_t first, size_t last,
		 size_t at)
{
	uint64_t end = plug->to + plug->length;
	size_t i;

	at = find_from(s, first, last, at, plug->to);
	i = at > first && body_end(&s->items[at - 1]) > plug->to ? at - 1 : at;
	for (; i < last && s->items[i].address < end; i++) {
		s->steps++;
		s->items[i].is_overwritten = true;
		s->has_overwritten |= i < s->old;
	}
	return at;
}

void
survived_plugs(struct survived *s, const struct survived_plug *plugs, size_t count)
{
	for (size_t i = 0; i < count && s->is_judging; i++) {
		const struct survived_plug *plug = &plugs[i];

		s->steps_max += STEPS_A_PLUG;
		if (plug->length > UINT64_MAX - plug->from || plug->length > UINT64_MAX - plug->to)
			continue;
		find_survivors(s, plug);
		if (!may_take(s, 1))
			return;
		if (plug->to == plug->from || judges_all(&s->judge))
			continue;
		s->to_at = find_overwritten(s, plug, s->old, s->sorted, s->to_at);
		s->to_old_at = find_overwritten(s, plug, 0, s->old, s->to_old_at);
	}
}

/* The program may have placed another object where the sample was. */
static bool
may_be_reused(const struct survived_sample *sample)
{
	return sample->generation <= SURVIVED_GENERATION_OLDEST
		   ? sample->is_doubtful
		   : sample->was_background && sample->generation != SURVIVED_GENERATION_LARGE;
}

static enum survived_state
state_of_survivor(const struct survived_collection *c, const struct survived_sample *sample)
{
	bool is_large = sample->generation > SURVIVED_GENERATION_OLDEST;

	if (may_be_reused(sample))
		return SURVIVED_UNKNOWN;
	return c->is_background || (is_large && sample->was_background) ? SURVIVED_UNCONFIRMED
									: SURVIVED_ALIVE;
}

/* Records the verdict; false: the sample is dead. */
static bool
judge(const struct survived_collection *c, struct survived_sample *sample)
{
	if (!sample->is_condemned)
		return !sample->is_overwritten;
	if (!sample->is_found)
		return false;
	sample->is_overwritten = false; /* it was, before it moved away */
	sample->was_background |= c->is_background;
	sample->state = (uint8_t)state_of_survivor(c, sample);
	sample->judge_number = c->number;
	sample->judge_time = c->time;
	sample->judge_generation = c->generation;
	return true;
}

static void
count_collection(struct survived *s)
{
	s->totals.collections++;
	if (s->judge.is_background)
		s->totals.background_collections++;
	else if (s->judge.generation >= SURVIVED_GENERATION_OLDEST)
		s->totals.full_collections++;
}

/* Drops old samples that others were moved onto. */
static void
drop_overwritten(struct survived *s)
{
	size_t kept = 0, old = s->old;

	for (size_t i = 0; i < old; i++)
		if (s->items[i].is_overwritten)
			say_gone(s, &s->items[i], SURVIVED_DEAD);
		else
			kept = keep(s, kept, i);
	memmove(s->items + kept, s->items + old, (s->count - old) * sizeof(*s->items));
	s->old = kept;
	s->sorted -= old - kept;
	s->count -= old - kept;
}

/* Leaves samples that have not moved in front, in order, and others behind. */
static bool
apply_moves(struct survived *s, struct error *err)
{
	size_t kept = s->old, moved = 0, newer = s->count - s->sorted;

	if (!MAKE_ROOM(s->scratch, s->sorted - s->old, s->scratch_room, err))
		return false;
	for (size_t i = s->old; i < s->sorted; i++) {
		struct survived_sample *sample = &s->items[i];

		if (!judge(&s->judge, sample)) {
			say_gone(s, sample, SURVIVED_DEAD);
		} else if (sample->is_condemned && sample->next_address != sample->address) {
			sample->address = sample->next_address;
			s->scratch[moved++] = *sample;
		} else {
			kept = keep(s, kept, i);
		}
	}
	if (newer)
		memmove(s->items + kept, s->items + s->sorted, newer * sizeof(*s->items));
	if (moved)
		memcpy(s->items + kept + newer, s->scratch, moved * sizeof(*s->items));
	s->sorted = kept;
	s->count = kept + newer + moved;
	return sort_rest(s, err);
}

bool
survived_end(struct survived *s, struct survived_region *regions, size_t count, struct error *err)
{
	if (!s->is_judging)
		return true;
	s->is_judging = false;
	if (!may_take(s, s->has_overwritten ? s->count : s->count - s->old))
		return true;
	if (s->has_overwritten)
		drop_overwritten(s);
	if (!apply_moves(s, err))
		return false;
	count_collection(s);
	if (s->judge.is_background)
		s->is_freeing = false;
	set_generations(s, regions, count, false);
	if (has_many_to_part(s) && !join(s, err))
		return false;
	if (!s->old && !part(s, err))
		return false;
	return !s->sink.judged || s->sink.judged(s->sink.context, &s->judge, err);
}

const struct survived_sample *
survived_samples(const struct survived *s, size_t *count)
{
	*count = s->count;
	return s->items;
}

const struct survived_totals *
survived_totals(const struct survived *s)
{
	return &s->totals;
}
