#include "tui/session/gcs.h"
#include "model/base/arena.h"
#include <inttypes.h>

static void
add_record(void *context, struct gc_record *r)
{
	struct gcs *g = context;

	gc_log_add(&g->log, r);
}

static void
set_totals(void *context, const struct gc_totals *totals)
{
	struct gcs *g = context;

	g->log.summary.totals = *totals;
}

static bool
watch(void *context, struct progress *progress, struct error *err)
{
	struct gcs *g = context;
	struct gc_sink sink = gc_feed_sink(&g->feed);

	if (!g->feed.wake) /* without a waker nothing polls the feed */
		sink = (struct gc_sink){ add_record, set_totals, g };
	return g->from->collections(g->from, sink, &g->facts, progress, err);
}

struct gcs *
gcs_new(const struct loader *from, struct waker waker, struct error *err)
{
	struct gcs *g;

	if (from->is_live && !waker.wake) {
		error_set(err, ERROR_USAGE, "a process is watched with -g, not with -b");
		return NULL;
	}
	g = memory_new(1, sizeof *g, err);
	if (!g)
		return NULL;
	g->from = from;
	if (!gc_log_init(&g->log, err)) {
		memory_free(g);
		return NULL;
	}
	if (gc_feed_init(&g->feed, err)) {
		/* A file can wait for room in the feed; a process cannot. */
		g->feed.waits = !from->is_live;
		g->feed.wake = waker.wake;
		g->feed.wake_context = waker.context;
		g->job = job_start("watching collections", watch, g, waker, err);
	}
	if (g->job)
		return g;
	gcs_free(g);
	return NULL;
}

void
gcs_cancel(struct gcs *g)
{
	if (g->job)
		job_cancel(g->job);
}

static bool
take_all(struct gcs *g)
{
	struct gc_record r;
	bool has_more = false;

	while (gc_feed_next(&g->feed, &r)) {
		gc_log_add(&g->log, &r);
		has_more = true;
	}
	if (g->feed.wake)
		gc_feed_totals(&g->feed, &g->log.summary.totals, &g->log.summary.dropped);
	return has_more;
}

static void
finish(struct gcs *g)
{
	/* Callers look at g->err, not at this result. */
	if (job_finish(g->job, &g->err))
		error_clear(&g->err);
	g->job = NULL;
	g->has_ended = true;
	g->version++;
}

bool
gcs_poll(struct gcs *g)
{
	/* Ask before taking, so that no collection before the end is missed. */
	bool is_over = g->job && job_is_done(g->job);
	bool has_changed = take_all(g);

	if (is_over)
		finish(g);
	g->version += has_changed;
	return has_changed || is_over;
}

void
gcs_stop(struct gcs *g)
{
	if (!g->job)
		return;
	job_cancel(g->job);
	/* Make room in the feed, in case the thread waits for it. */
	take_all(g);
	if (g->feed.waits)
		gc_feed_abandon(&g->feed);
	finish(g);
	take_all(g);
}

void
gcs_free(struct gcs *g)
{
	if (!g)
		return;
	gc_feed_abandon(&g->feed);
	gcs_stop(g);
	gc_feed_clear(&g->feed);
	gc_log_clear(&g->log);
	memory_free(g);
}

bool
gcs_note(const struct gcs *g, struct value *out)
{
	const struct gc_summary *s = &g->log.summary;

	if (g->err.kind != ERROR_NONE && !g->log.added)
		return false;
	if (g->err.kind != ERROR_NONE)
		value_printf(out, STYLE_ERROR, "%s", g->err.message);
	else if (g->has_ended && *g->facts.end)
		value_printf(out, STYLE_WARNING, "%s", g->facts.end);
	else if (s->totals.lost_events || s->dropped)
		value_printf(out, STYLE_WARNING,
			     "%" PRIu64 " events and %" PRIu64 " collections were lost",
			     s->totals.lost_events, s->dropped);
	else
		return false;
	return true;
}
