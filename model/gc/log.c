#include "model/gc/log.h"
#include "model/base/arena.h"
#include "model/gc/words.h"
#include <string.h>

/* ---- one record -----------------------------------------------------------
 */

/* GC_UNKNOWN and GC_UNKNOWN32 have all bits set. */
enum { UNKNOWN_BYTE = 0xff };

void
gc_record_init(struct gc_record *r)
{
	memset(r, UNKNOWN_BYTE, sizeof(*r));
	r->time = 0;
	r->pauses_count = r->heaps_count = 0;
	memset(r->pauses, 0, sizeof(r->pauses));
	r->shares_pause = r->is_incomplete = false;
	r->heaps = NULL;
}

void
gc_record_clear(struct gc_record *r)
{
	memory_free(r->heaps);
	r->heaps = NULL;
	r->heaps_count = 0;
}

/* The heaps are sorted by number. There are few, and most arrive in order. */
struct gc_heap *
gc_record_heap(struct gc_record *r, uint32_t number, struct error *err)
{
	uint32_t at = r->heaps_count;
	struct gc_heap *heaps;

	while (at > 0 && r->heaps[at - 1].number >= number)
		at--;
	if (at < r->heaps_count && r->heaps[at].number == number)
		return &r->heaps[at];
	if (r->heaps_count == GC_HEAPS_MAX)
		return NULL;
	heaps = memory_resize(r->heaps, r->heaps_count + 1, sizeof(*heaps), err);
	if (!heaps)
		return NULL;
	r->heaps = heaps;
	memmove(&heaps[at + 1], &heaps[at], (r->heaps_count - at) * sizeof(*heaps));
	memset(&heaps[at], UNKNOWN_BYTE, sizeof(*heaps));
	heaps[at].number = number;
	heaps[at].generations_count = 0;
	r->heaps_count++;
	return &heaps[at];
}

void
gc_add(uint64_t *sum, uint64_t value)
{
	if (value == GC_UNKNOWN)
		return;
	if (*sum == GC_UNKNOWN)
		*sum = 0;
	/* Saturates just below "unknown". */
	if (value >= GC_UNKNOWN - 1 - *sum)
		*sum = GC_UNKNOWN - 1;
	else
		*sum += value;
}

uint64_t
gc_minus(uint64_t a, uint64_t b)
{
	if (a == GC_UNKNOWN || b == GC_UNKNOWN)
		return GC_UNKNOWN;
	return a > b ? a - b : 0;
}

static uint32_t
larger(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

/* Combines the decisions of all heaps: the oldest generation wins, as in the runtime. */
static void
sum_reasons(struct gc_record *r)
{
	uint32_t fields[4] = { 0 }, conditions = 0;
	bool is_known = false;

	for (uint32_t h = 0; h < r->heaps_count; h++) {
		struct gc_decision d = gc_decision(r->heaps[h].reasons);

		if (d.asked == GC_UNKNOWN32)
			continue;
		is_known = true;
		fields[0] = larger(fields[0], d.asked);
		fields[1] = larger(fields[1], d.decided);
		fields[2] = larger(fields[2], d.budget);
		fields[3] = larger(fields[3], d.time);
		conditions |= d.conditions;
	}
	if (!is_known)
		return;
	/* Conditions of all heaps are reported once, for the whole runtime. */
	if (r->reasons[1] != GC_UNKNOWN32)
		conditions |= r->reasons[1];
	r->reasons[0] = fields[0] | fields[1] << 2 | fields[2] << 4 | fields[3] << 6;
	r->reasons[1] = conditions;
}

static void
sum_heap(struct gc_record *r, const struct gc_heap *heap)
{
	for (int g = 0; g < GC_GENERATIONS; g++)
		for (int i = 0; i < GC_SIZES; i++)
			gc_add(&r->generations[g].sizes[i], heap->generations[g].sizes[i]);
	for (int i = 0; i < GC_MARKS; i++)
		gc_add(&r->marked[i], heap->marked[i]);
	gc_add(&r->join_wait_ns, heap->join_wait_ns);
	if (r->compact == GC_UNKNOWN32 || !r->compact)
		r->compact = heap->compact;
	if (r->expand == GC_UNKNOWN32 || !r->expand)
		r->expand = heap->expand;
}

/* A sum is unknown unless every heap was reported. */
static bool
has_all_heaps(const struct gc_record *r)
{
	uint32_t reported = 0;

	for (uint32_t h = 0; h < r->heaps_count; h++)
		reported += r->heaps[h].generations_count > 0;
	return reported > 0 &&
	       (r->reported_heaps_count == GC_UNKNOWN32 || reported >= r->reported_heaps_count);
}

void
gc_record_sum(struct gc_record *r)
{
	uint64_t after = GC_UNKNOWN;

	for (uint32_t h = 0; h < r->heaps_count; h++)
		sum_heap(r, &r->heaps[h]);
	sum_reasons(r);
	for (int g = 0; g < GC_GENERATIONS; g++)
		gc_add(&r->after, r->size_after[g]);
	if (!has_all_heaps(r)) {
		memset(r->generations, UNKNOWN_BYTE, sizeof(r->generations));
		return;
	}
	for (int g = 0; g < GC_GENERATIONS; g++) {
		const uint64_t *sizes = r->generations[g].sizes;

		gc_add(&r->before, sizes[GC_SIZE_BEFORE]);
		gc_add(&after, sizes[GC_SIZE_AFTER]);
		gc_add(&r->fragmentation, sizes[GC_FREE_LIST_AFTER]);
		gc_add(&r->fragmentation, sizes[GC_FREE_OBJECTS_AFTER]);
		gc_add(&r->survived, sizes[GC_SURVIVED]);
		gc_add(&r->survived, sizes[GC_SURVIVED_PINNED]);
	}
	if (r->after == GC_UNKNOWN)
		r->after = after;
}

uint64_t
gc_from_double(double value)
{
	return value < 1.8e19 ? (uint64_t)value : GC_UNKNOWN - 1;
}

uint64_t
gc_allocation_rate(const struct gc_record *r)
{
	if (r->allocated == GC_UNKNOWN || r->since_ns == GC_UNKNOWN || !r->since_ns)
		return GC_UNKNOWN;
	return gc_from_double((double)r->allocated * 1e9 / (double)r->since_ns);
}

/* Not reported: the bytes that the next older generation received. */
uint64_t
gc_out(const struct gc_generation generations[GC_GENERATIONS], int generation)
{
	switch (generation) {
	case 0:
		return generations[1].sizes[GC_IN];
	case 1:
		return generations[2].sizes[GC_IN];
	default: /* nothing is older */
		return gc_minus(generations[0].sizes[GC_IN], generations[0].sizes[GC_IN]);
	}
}

/* ---- sums -----------------------------------------------------------------
 */

uint32_t
gc_summary_share(const struct gc_summary *s)
{
	uint64_t watched = s->totals.last_ns - s->totals.first_ns;
	double share;

	if (s->totals.last_ns <= s->totals.first_ns)
		return 0;
	share = (double)s->pause_ns / (double)watched;
	return share >= 1 ? 10000 : (uint32_t)(share * 10000);
}

bool
gc_summary_lacks(const struct gc_summary *s)
{
	return s->dropped || s->totals.lost_events || s->totals.partial;
}

static void
add_pause(struct gc_summary *s, const struct gc_record *r)
{
	bool is_known = r->pause_ns != GC_UNKNOWN;

	s->unknown_pauses += !is_known;
	if (!is_known) {
		if (r->kind != GC_BACKGROUND)
			gc_add(&s->pause_ns, r->duration_ns);
		return;
	}
	if (s->count == s->unknown_pauses || r->pause_ns > s->longest_ns) {
		s->longest_ns = r->pause_ns;
		s->longest_number = r->number;
	}
	gc_add(&s->pause_ns, r->pause_ns);
	gc_add(&s->known_pauses_ns, r->pause_ns);
}

static void
gc_summary_add(struct gc_summary *s, const struct gc_record *r)
{
	uint32_t generation = r->generation > 2 ? 2 : r->generation;

	add_pause(s, r);
	s->unknown_allocated += s->count && r->allocated == GC_UNKNOWN;
	s->count++;
	s->counts[generation] += r->generation != GC_UNKNOWN32;
	s->background += r->kind == GC_BACKGROUND && !gc_was_not_concurrent(r);
	s->compacting += r->mechanisms != GC_UNKNOWN32 && (r->mechanisms & GC_COMPACTING) != 0;
	s->induced += gc_is_induced(r);
	gc_add(&s->allocated, r->allocated);
}

/* ---- the log --------------------------------------------------------------
 */

bool
gc_log_init(struct gc_log *log, struct error *err)
{
	*log = (struct gc_log){ 0 };
	log->ring = memory_new(GC_LOG_RECORDS, sizeof(*log->ring), err);
	return log->ring != NULL;
}

void
gc_log_clear(struct gc_log *log)
{
	for (uint64_t n = gc_log_first(log); n < log->added; n++)
		gc_record_clear(&log->ring[n % GC_LOG_RECORDS]);
	memory_free(log->ring);
	*log = (struct gc_log){ 0 };
}

uint64_t
gc_log_first(const struct gc_log *log)
{
	return log->added > GC_LOG_RECORDS ? log->added - GC_LOG_RECORDS : 0;
}

const struct gc_record *
gc_log_at(const struct gc_log *log, uint64_t number)
{
	return &log->ring[number % GC_LOG_RECORDS];
}

static void
drop_heaps(struct gc_log *log, struct gc_record *r)
{
	log->heaps_count -= r->heaps_count;
	gc_record_clear(r);
}

void
gc_log_add(struct gc_log *log, struct gc_record *r)
{
	struct gc_record *slot = &log->ring[log->added % GC_LOG_RECORDS];

	gc_summary_add(&log->summary, r);
	drop_heaps(log, slot);
	*slot = *r;
	log->heaps_count += slot->heaps_count;
	log->added++;
	r->heaps = NULL;
	r->heaps_count = 0;
	if (log->heaps_from < gc_log_first(log))
		log->heaps_from = gc_log_first(log);
	/* The newest record keeps its heaps, however many there are. */
	while (log->heaps_count > GC_LOG_HEAPS && log->heaps_from + 1 < log->added)
		drop_heaps(log, &log->ring[log->heaps_from++ % GC_LOG_RECORDS]);
}

/* ---- from one thread to another -------------------------------------------
 */

bool
gc_feed_init(struct gc_feed *feed, struct error *err)
{
	*feed = (struct gc_feed){ 0 };
	pthread_mutex_init(&feed->lock, NULL);
	pthread_cond_init(&feed->room, NULL);
	feed->records = memory_new(GC_FEED_RECORDS, sizeof(*feed->records), err);
	return feed->records != NULL;
}

void
gc_feed_clear(struct gc_feed *feed)
{
	struct gc_record r;

	while (feed->records && gc_feed_next(feed, &r))
		gc_record_clear(&r);
	memory_free(feed->records);
	pthread_cond_destroy(&feed->room);
	pthread_mutex_destroy(&feed->lock);
}

static void
feed_wake(struct gc_feed *feed)
{
	if (feed->wake)
		feed->wake(feed->wake_context);
}

/* Returns the slot of the next record; NULL if it must be dropped. */
static struct gc_record *
feed_room(struct gc_feed *feed)
{
	struct gc_record *oldest;

	while (feed->waits && feed->count == GC_FEED_RECORDS && !feed->is_abandoned)
		pthread_cond_wait(&feed->room, &feed->lock);
	if (feed->is_abandoned)
		return NULL;
	if (feed->count < GC_FEED_RECORDS)
		return &feed->records[(feed->first + feed->count++) % GC_FEED_RECORDS];
	oldest = &feed->records[feed->first];
	gc_record_clear(oldest);
	feed->first = (feed->first + 1) % GC_FEED_RECORDS;
	feed->dropped++;
	return oldest;
}

static void
feed_take(void *context, struct gc_record *r)
{
	struct gc_feed *feed = context;
	struct gc_record *room;

	pthread_mutex_lock(&feed->lock);
	room = feed_room(feed);
	if (room) {
		*room = *r;
		r->heaps = NULL;
		r->heaps_count = 0;
	}
	pthread_mutex_unlock(&feed->lock);
	if (room)
		feed_wake(feed);
}

void
gc_feed_abandon(struct gc_feed *feed)
{
	pthread_mutex_lock(&feed->lock);
	feed->is_abandoned = true;
	pthread_cond_broadcast(&feed->room);
	pthread_mutex_unlock(&feed->lock);
}

/* Does not wake the reader, as totals change with every event. */
static void
feed_totals(void *context, const struct gc_totals *totals)
{
	struct gc_feed *feed = context;

	pthread_mutex_lock(&feed->lock);
	feed->totals = *totals;
	pthread_mutex_unlock(&feed->lock);
}

struct gc_sink
gc_feed_sink(struct gc_feed *feed)
{
	return (struct gc_sink){ feed_take, feed_totals, feed };
}

bool
gc_feed_next(struct gc_feed *feed, struct gc_record *r)
{
	bool has_one;

	pthread_mutex_lock(&feed->lock);
	has_one = feed->count > 0;
	if (has_one) {
		*r = feed->records[feed->first];
		feed->first = (feed->first + 1) % GC_FEED_RECORDS;
		feed->count--;
		pthread_cond_signal(&feed->room);
	}
	pthread_mutex_unlock(&feed->lock);
	return has_one;
}

void
gc_feed_totals(struct gc_feed *feed, struct gc_totals *totals, uint64_t *dropped)
{
	pthread_mutex_lock(&feed->lock);
	*totals = feed->totals;
	*dropped = feed->dropped;
	pthread_mutex_unlock(&feed->lock);
}
