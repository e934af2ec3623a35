#include "capture/events/allocation_copies.h"
#include "model/base/clock.h"
#include <stdio.h>

enum {
	COPIES_A_LIST = 10, /* until the second list of methods */
	/* Copies and lists take at most 1/PART_OF_TIME of the time. */
	PART_OF_TIME = 20,
};

bool
allocation_copies_begin(struct allocation_copies *c, const char *who,
			const struct live_allocations *plan, struct error *err)
{
	struct allocation_facts *facts;

	c->reader = allocation_reader_new(err);
	if (!c->reader || (c->sink.interval_ns && !allocation_reader_keep_recent(c->reader, err)))
		return false;
	facts = allocation_reader_facts(c->reader);
	snprintf(facts->who, sizeof(facts->who), "%s", who);
	facts->is_random = plan->is_random;
	facts->is_not_followed = plan->without_survival;
	return true;
}

void
allocation_copies_clear(struct allocation_copies *c)
{
	allocation_reader_free(c->reader);
	c->reader = NULL;
}

static void
begin_counting(struct allocation_copies *c, int64_t begun_ns)
{
	c->counted_ns = begun_ns;
	c->list_interval_ns = COPIES_A_LIST * (int64_t)c->sink.interval_ns;
	c->next_list_ns = clock_ns() + c->list_interval_ns;
}

/* --- lists of methods ----------------------------------------------------- */

/* A list that named nothing new is not repeated soon, as code that is no method never has a
   name. */
static void
list_if_due(struct allocation_copies *c)
{
	if (c->is_listing || c->unknown_count <= c->unknown_listed || clock_ns() < c->next_list_ns)
		return;
	c->is_listing = true;
	c->list_began_ns = clock_ns();
	if (!c->list(c->context))
		c->is_listing = false;
}

void
allocation_copies_listed(struct allocation_copies *c, bool is_good)
{
	int64_t took_ns = clock_ns() - c->list_began_ns;

	c->is_listing = false;
	c->has_listed = is_good;
	c->list_interval_ns *= 2;
	if (c->list_interval_ns < took_ns * PART_OF_TIME)
		c->list_interval_ns = took_ns * PART_OF_TIME;
	c->next_list_ns = clock_ns() + c->list_interval_ns;
}

/* --- copies --------------------------------------------------------------- */

static void
restart_if_wanted(struct allocation_copies *c)
{
	if (!c->sink.counts_anew || !c->sink.counts_anew(c->sink.context))
		return;
	allocation_reader_restart(c->reader);
	c->counted_ns = clock_ns();
	c->time_ns = 0;
	c->next_publish_ns = 0;
}

static struct allocations *
copy(struct allocation_copies *c, struct error *err)
{
	int64_t began_ns = clock_ns(), pause_ns;
	struct allocations *a;

	a = allocation_reader_name_so_far(c->reader, (uint64_t)(began_ns - c->counted_ns), err);
	pause_ns = (clock_ns() - began_ns) * PART_OF_TIME;
	if (pause_ns < (int64_t)c->sink.interval_ns)
		pause_ns = (int64_t)c->sink.interval_ns;
	c->next_publish_ns = began_ns + pause_ns;
	return a;
}

bool
allocation_copies_publish(struct allocation_copies *c, int64_t begun_ns, struct error *err)
{
	struct allocations *a;

	if (!c->sink.interval_ns)
		return true;
	if (!c->counted_ns)
		begin_counting(c, begun_ns);
	restart_if_wanted(c);
	if (clock_ns() < c->next_publish_ns)
		return true;
	list_if_due(c);
	a = copy(c, err);
	if (!a)
		return false;
	c->unknown_count = a->unknown_count;
	if (c->has_listed)
		c->unknown_listed = a->unknown_count;
	c->has_listed = false;
	c->time_ns = a->facts.time_ns;
	c->sink.publish(c->sink.context, a);
	return true;
}

bool
allocation_copies_end(struct allocation_copies *c, const char *end, struct error *err)
{
	struct allocation_facts *facts = allocation_reader_facts(c->reader);
	struct allocations *a;

	snprintf(facts->end, sizeof(facts->end), "%.199s", end);
	/* The last event of an idle process may be long ago, but its time has gone on. */
	if (facts->time_ns < c->time_ns)
		facts->time_ns = c->time_ns;
	a = allocation_reader_name(c->reader, err);
	if (a)
		c->sink.publish(c->sink.context, a);
	return a != NULL;
}
