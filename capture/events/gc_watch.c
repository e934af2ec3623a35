#include "capture/events/gc_watch.h"
#include "model/base/clock.h"
#include "capture/events/preflight.h"
#include "capture/events/tracing.h"
#include "capture/process/target_lock.h"
#include "io/events/gc_stats.h"
#include "io/runtime/layout.h"
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <time.h>

enum {
	KEYWORD_GC = 0x1,
	LEVEL = 4,
	LEVEL_OF_JOINS = 5, /* which also has every 100 KB allocated, etc. */
	BUFFER_BYTES = 64 << 10,
	/* The runtime flushes its buffers in one go; a pause ends a batch. */
	QUIET_MS = 60,
	LOOK_MS = 250,       /* how long cancelling may go unnoticed */
	STOP_MS = 2000,      /* of silence after asking to stop */
	STOP_ALL_MS = 20000, /* for all remaining events */
	ANSWER_MS = 200,     /* for the runtime to confirm the stop */
	DEATH_MS = 1000,     /* from the stream's end to the process's */
};

struct watch {
	struct preflight flight;
	struct tracing session;
	struct progress *progress;
	struct nettrace *trace;
	struct gc_stats *stats;
	int64_t granted_ns;
	bool is_settled; /* all events received so far were passed on */
	bool has_asked_stop;
	int stop; /* connection for the answer to that; -1 */
	int64_t stop_ns;
	int silent_ms; /* time waited since then without bytes */
	uint8_t buffer[BUFFER_BYTES];
};

/* ---- reading ------------------------------------------------------------- */

/* Events keep coming until the runtime has sent all that it has buffered. */
static void
ask_stop(struct watch *w)
{
	struct ipc uncancellable = w->flight.ipc;
	struct error ignored;

	if (w->has_asked_stop)
		return;
	error_clear(&ignored);
	uncancellable.progress = NULL;
	w->has_asked_stop = true;
	w->stop_ns = clock_ns();
	if (!tracing_ask_stop(&w->session, &uncancellable, &w->stop, &ignored))
		w->stop = -1; /* it has ended */
	w->flight.ipc.waiting = uncancellable.waiting;
}

/* Counts only time waited, so that a slow reader loses no events. */
static bool
is_stop_overdue(const struct watch *w)
{
	return w->has_asked_stop &&
	       (w->silent_ms > STOP_MS ||
		clock_ns() - w->stop_ns > STOP_ALL_MS * INT64_C(1000000));
}

/* Passes on the collections of a batch that has ended. */
static bool
settle(struct watch *w, struct error *err)
{
	if (!gc_stats_settle(w->stats, err))
		return false;
	gc_stats_watched(w->stats, (uint64_t)(clock_ns() - w->granted_ns));
	w->is_settled = true;
	return true;
}

/* Returns with or without bytes; false: failed. */
static bool
wait_for_bytes(struct watch *w, struct error *err)
{
	struct pollfd p = { .fd = w->session.stream, .events = POLLIN };
	int wait_ms = w->is_settled ? LOOK_MS : QUIET_MS;
	int ready = poll(&p, 1, wait_ms);

	if (ready < 0 && errno != EINTR)
		return error_sys(err, errno, "cannot wait for %s",
				 w->flight.ipc.who);
	if (!ready && w->has_asked_stop)
		w->silent_ms += wait_ms;
	if (progress_is_cancelled(w->progress))
		ask_stop(w);
	return ready != 0 || w->is_settled || settle(w, err);
}

static bool
next_bytes(void *context, const uint8_t **data, size_t *len, struct error *err)
{
	struct watch *w = context;
	ssize_t got;

	*data = w->buffer;
	*len = 0;
	while (!is_stop_overdue(w)) {
		got = recv(w->session.stream, w->buffer, sizeof(w->buffer),
			   MSG_DONTWAIT);
		if (got >= 0) {
			*len = (size_t)got;
			w->is_settled = false;
			w->silent_ms = 0;
			return true;
		}
		if (errno == ECONNRESET)
			return true;
		if (errno != EAGAIN && errno != EINTR)
			return error_sys(err, errno, "cannot read from %s",
					 w->flight.ipc.who);
		if (!wait_for_bytes(w, err))
			return false;
	}
	return true;
}

static bool
decode_all(struct watch *w, struct error *err)
{
	struct nettrace_event event;

	for (;;) {
		enum nettrace_item item = nettrace_next(w->trace, &event, err);

		if (item == NETTRACE_FAILED)
			return false;
		if (item == NETTRACE_END)
			return gc_stats_end(w->stats, err);
		if (!gc_stats_take(w->stats, w->trace, item, &event, err))
			return false;
	}
}

/* ---- begin and end ------------------------------------------------------- */

static struct tracing_request
request_of(const struct watch *w, bool wants_joins)
{
	/* The other events of level 5: allocations, finalized and pinned
	   objects, memory pressure, free lists. */
	static const uint32_t unwanted[] = { 10, 29, 33, 200, 201, 209 };
	const struct clr_facts *facts =
	    clr_facts(runtime_info_major(&w->flight.info));
	struct tracing_request request = {
		.command = facts->watch_command,
		.buffer_mb = GC_WATCH_BUFFER_MB,
		.provider = "Microsoft-Windows-DotNETRuntime",
		.keywords = KEYWORD_GC,
		.level = LEVEL,
	};

	if (wants_joins && facts->filter_command) {
		request.command = facts->filter_command;
		request.level = LEVEL_OF_JOINS;
		request.unwanted = unwanted;
		request.unwanted_count = sizeof(unwanted) / sizeof(unwanted[0]);
	}
	return request;
}

/* A session that begins while another heaptop captures the heap would force
   one more collection. */
static bool
wait_for_capture(const struct watch *w, struct error *err)
{
	enum { STEP_MS = 50, STEPS = 1200 };

	for (int i = 0; i < STEPS && target_is_locked(&w->flight.process);
	     i++) {
		if (progress_is_cancelled(w->progress))
			return error_cancelled(err);
		poll(NULL, 0, STEP_MS);
	}
	return true;
}

static bool
begin(struct watch *w, bool wants_joins, struct gc_sink sink, struct error *err)
{
	struct nettrace_input input = { next_bytes, w };
	struct tracing_request request = request_of(w, wants_joins);

	w->trace = nettrace_new(input, err);
	w->stats = w->trace ? gc_stats_new(sink, err) : NULL;
	if (!w->stats || !wait_for_capture(w, err) ||
	    !tracing_start(&w->session, &w->flight.ipc, &request, err))
		return false;
	w->granted_ns = clock_ns();
	return true;
}

/* A dying process closes its stream a moment before it is gone. */
static bool
has_died(const struct watch *w)
{
	enum { STEP_MS = 20 };
	int patience_ms = is_stop_overdue(w) ? 0 : DEATH_MS;

	for (int waited = 0;; waited += STEP_MS) {
		if (!process_is_alive(&w->flight.process, PROC_FOLDER))
			return true;
		if (waited >= patience_ms)
			return false;
		poll(NULL, 0, STEP_MS);
	}
}

static void
describe_end(const struct watch *w, struct gc_source_facts *facts)
{
	const char *who = w->flight.ipc.who;

	facts->is_cut = !nettrace_status(w->trace)->has_ended;
	/* A stopped session means a live process, unless it did not confirm. */
	if (w->has_asked_stop && !facts->is_cut)
		snprintf(facts->end, sizeof(facts->end), "%s keeps running",
			 who);
	else if (has_died(w))
		snprintf(facts->end, sizeof(facts->end), "%s has ended", who);
	else if (w->has_asked_stop)
		snprintf(facts->end, sizeof(facts->end),
			 "%s keeps running; it did not confirm the end", who);
	else
		snprintf(facts->end, sizeof(facts->end),
			 "%s has closed the session: another tool may have "
			 "asked it to",
			 who);
}

static void
finish(struct watch *w)
{
	struct ipc uncancellable = w->flight.ipc;
	struct error ignored;

	error_clear(&ignored);
	uncancellable.progress = NULL;
	if (w->session.is_granted)
		ask_stop(w);
	tracing_close(&w->session);
	if (w->stop >= 0 &&
	    !tracing_stopped(w->stop, &uncancellable, ANSWER_MS, &ignored))
		error_clear(&ignored); /* it stops all the same */
}

bool
gc_watch(const struct live_target *target, bool wants_joins,
	 struct gc_sink sink, struct gc_source_facts *facts,
	 struct progress *progress, struct error *err)
{
	struct watch *w = memory_new(1, sizeof(*w), err);
	bool ok = false;

	if (!w)
		return false;
	w->progress = progress;
	w->stop = w->session.stream = -1;
	if (preflight_open(&w->flight, target, PROC_FOLDER, progress, err)) {
		snprintf(facts->who, sizeof(facts->who), "%s",
			 w->flight.ipc.who);
		snprintf(facts->runtime, sizeof(facts->runtime), "%s",
			 w->flight.info.version);
		ok = begin(w, wants_joins, sink, err) && decode_all(w, err);
		if (ok)
			describe_end(w, facts);
		finish(w);
		preflight_close(&w->flight);
	}
	nettrace_free(w->trace);
	gc_stats_free(w->stats);
	memory_free(w);
	return ok;
}
