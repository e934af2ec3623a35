#include "tui/session/recording.h"

enum { INTERVAL_MS = 1000 };

/* On the recording's thread. */
static void
publish(void *context, struct allocations *a)
{
	struct recording *r = context;

	/* A copy that the screen has not taken is outdated. */
	allocations_free(atomic_exchange(&r->arrived, a));
	if (r->waker.wake)
		r->waker.wake(r->waker.context);
}

static bool
counts_anew(void *context)
{
	struct recording *r = context;

	return atomic_exchange(&r->counts_anew, false);
}

static bool
record(void *context, struct progress *progress, struct error *err)
{
	struct recording *r = context;
	const struct allocation_sink sink = {
		.publish = publish,
		.context = r,
		.interval_ns = INTERVAL_MS * UINT64_C(1000000),
		.counts_anew = counts_anew,
	};

	return r->from->allocations(r->from, sink, progress, err);
}

struct recording *
recording_new(const struct loader *from, struct waker waker, struct error *err)
{
	struct recording *r;

	if (from->is_live && !waker.wake) {
		error_set(err, ERROR_USAGE, "a process is recorded by: heaptop -a PID");
		return NULL;
	}
	r = memory_new(1, sizeof *r, err);
	if (!r)
		return NULL;
	r->from = from;
	r->waker = waker;
	r->job = job_start(from->is_live ? "recording allocations" : "reading events", record, r,
			   waker, err);
	if (r->job)
		return r;
	recording_free(r);
	return NULL;
}

struct recording *
recording_of(struct allocations *a, struct error *err)
{
	struct recording *r = memory_new(1, sizeof *r, err);

	if (!r) {
		allocations_free(a);
		return NULL;
	}
	r->newest = a;
	r->has_ended = true;
	return r;
}

static bool
take_newest(struct recording *r)
{
	struct allocations *a = atomic_exchange(&r->arrived, NULL);

	if (!a)
		return false;
	allocations_free(r->newest);
	r->newest = a;
	return true;
}

static void
finish(struct recording *r)
{
	/* Callers look at r->err, not at this result. */
	if (job_finish(r->job, &r->err))
		error_clear(&r->err);
	r->job = NULL;
	r->has_ended = true;
}

bool
recording_poll(struct recording *r)
{
	/* Ask before taking, so that the last copy is not missed. */
	bool is_over = r->job && job_is_done(r->job);
	bool has_changed = take_newest(r);

	if (is_over)
		finish(r);
	return has_changed || is_over;
}

bool
recording_is_on(const struct recording *r)
{
	return r->job != NULL;
}

void
recording_cancel(struct recording *r)
{
	if (r->job)
		job_cancel(r->job);
}

void
recording_stop(struct recording *r)
{
	if (!r->job)
		return;
	job_cancel(r->job);
	finish(r);
	take_newest(r);
}

void
recording_free(struct recording *r)
{
	if (!r)
		return;
	recording_stop(r);
	allocations_free(atomic_exchange(&r->arrived, NULL));
	allocations_free(r->still);
	allocations_free(r->newest);
	memory_free(r);
}

void
recording_restart(struct recording *r)
{
	atomic_store(&r->counts_anew, true);
}

void
recording_turn_still(struct recording *r)
{
	struct allocations *was = r->still;

	r->still = was || !r->newest ? NULL : allocations_hold(r->newest);
	allocations_free(was);
}

struct allocations *
recording_shown(const struct recording *r)
{
	return r->still ? r->still : r->newest;
}

const char *
recording_still_text(const struct recording *r)
{
	return r->still ? "held still, Space shows the newest; " : "";
}

const char *
recording_end_text(const struct recording *r)
{
	if (!r->has_ended || !r->from || !r->from->is_live || (r->newest && *r->newest->facts.end))
		return "";
	return "; ended";
}
