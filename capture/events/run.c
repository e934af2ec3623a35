#include "capture/events/run_state.h"
#include "capture/process/origin.h"
#include "model/base/clock.h"
#include "model/base/thread.h"
#include "io/events/walk_state.h"
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum {
	LOOK_MS = 50,      /* how long cancelling may go unnoticed */
	ABORT_MS = 500,    /* to send a command while aborting */
	CONFIRM_MS = 3000, /* for the runtime to confirm a stop */
	STOP_TRIES = 20,
};

/* ---- while the stream comes ---------------------------------------------- */

/*
 * Once the runtime grants the only session, its events follow, and nothing after them. So its stop
 * is requested before they are read: if we are killed later, no open session without events is left
 * behind.
 */
static bool
receive_listening(struct run *r, struct error *err)
{
	if (!tracing_answer(&r->listening.tracing, r->q.ipc, err))
		return false;
	if (!r->listening.tracing.is_granted)
		return true;
	run_ask_stops(r);
	return run_start_decoder(r, err);
}

/* Reads and drops the events of the trigger session. */
static void
skip_trigger_events(struct run *r)
{
	uint8_t bytes[4096];
	ssize_t got;

	do
		got = recv(r->trigger.tracing.stream, bytes, sizeof(bytes), MSG_DONTWAIT);
	while (got > 0);
	if (got == 0)
		tracing_close(&r->trigger.tracing);
}

static void
receive_trigger(struct run *r)
{
	struct tracing *t = &r->trigger.tracing;

	if (t->is_granted)
		skip_trigger_events(r);
	/* Even if it is refused, the listening session may have a walk. */
	else if (!tracing_answer(t, r->q.ipc, &r->trigger_err))
		tracing_close(t);
}

/* Once the walk is complete, gives up on the rest of the stream. */
static bool
is_enough(struct run *r)
{
	if (!atomic_load(&r->is_walk_done))
		return false;
	if (!r->has_given_up)
		drain_discard(r->drain);
	r->has_given_up = true;
	return true;
}

/* Compares what its threads have done in some seconds without bytes. */
static void
look_at_threads(struct run *r, struct patience_signs *signs)
{
	enum { BEGIN_MS = 1000, WATCHED_MS = 7000 };
	int64_t silent_ms = patience_silent_ms(&r->patience);
	struct pulse now;

	if (silent_ms < BEGIN_MS) {
		r->pulse.count = 0;
	} else if (!r->pulse.count) {
		r->pulse_ms = silent_ms;
		pulse_read(&r->pulse, r->q.proc, r->q.process->pid);
	} else if (silent_ms - r->pulse_ms > WATCHED_MS) {
		pulse_read(&now, r->q.proc, r->q.process->pid);
		signs->waits = pulse_waits(&r->pulse, &now, &signs->waits_for);
		r->pulse = now;
		r->pulse_ms = silent_ms;
	}
}

static bool
look_at_target(struct run *r, struct error *err)
{
	int32_t pid = r->q.process->pid;
	struct proc_stat stat;
	struct proc_status status;
	struct drain_facts facts;
	struct patience_signs signs = { .state = '?' };
	struct error why;

	drain_facts(r->drain, &facts);
	if (r->q.watch)
		atomic_store(&r->q.watch->bytes, facts.bytes);
	signs.bytes = facts.bytes;
	signs.walked = atomic_load(&r->walked);
	look_at_threads(r, &signs);
	if (proc_stat(r->q.proc, pid, &stat)) {
		signs.state = stat.state;
		signs.cpu_ticks = stat.cpu_ticks;
	}
	if (proc_status(r->q.proc, pid, &status)) {
		signs.private_bytes = status.private_bytes;
		if (status.resident_bytes > r->cost->resident_peak)
			r->cost->resident_peak = status.resident_bytes;
		if (r->q.watch)
			atomic_store(&r->q.watch->resident, status.resident_bytes);
	}
	error_clear(&why);
	if (patience_look(&r->patience, &signs, r->q.ipc->who, &why) || is_enough(r))
		return true;
	*err = why;
	return false;
}

static bool
poll_once(struct run *r, struct error *err)
{
	struct pollfd fds[3] = {
		{ .fd = run_is_decoded(r) ? -1 : r->decoded, .events = POLLIN },
		{ .fd = r->trigger.tracing.stream, .events = POLLIN },
		/* Once it is granted, the drain reads it. */
		{ .fd = r->listening.tracing.is_granted ? -1 : r->listening.tracing.stream,
		  .events = POLLIN },
	};

	if (poll(fds, 3, LOOK_MS) < 0 && errno != EINTR)
		return error_sys(err, errno, "cannot wait");
	if (progress_is_cancelled(r->q.progress))
		return error_cancelled(err);
	if (fds[1].revents)
		receive_trigger(r);
	if (fds[2].revents && !receive_listening(r, err))
		return false;
	run_ask_stops(r);
	return look_at_target(r, err);
}

/* ---- the end ------------------------------------------------------------- */

static void
run_measure(struct run *r)
{
	struct drain_facts facts;

	drain_facts(r->drain, &facts);
	r->cost->bytes = facts.bytes;
	r->cost->backlog_bytes = facts.backlog_peak;
	r->cost->stream_ns = facts.last_ns - r->started_ns;
	r->cost->keep_errnum = drain_keep_errnum(r->drain);
	if (r->q.watch)
		atomic_store(&r->q.watch->bytes, facts.bytes);
}

/* Decides, once the decoder has ended, whether there is a walk. */
static bool
run_judge(struct run *r, struct error *err)
{
	if (r->decoder_err.kind != ERROR_NONE && r->decoder_err.kind != ERROR_INPUT) {
		*err = r->decoder_err;
		return false;
	}
	if (walk_report(r->walk)->objects_count)
		return true;
	if (r->trigger_err.kind != ERROR_NONE) {
		*err = r->trigger_err;
		return false;
	}
	return error_set(err, ERROR_ATTACH,
			 "%s sent %" PRIu64 " bytes of events, but no walk of its heap: it is "
			 "ending, or another tool interfered; try again",
			 r->q.ipc->who, r->cost->bytes);
}

/* A session that collects must not stay open while the target lives. */
static void
stop_trigger(struct run *r)
{
	for (int i = 0; i < STOP_TRIES && r->trigger.tracing.is_granted &&
			!r->trigger.has_asked_stop && process_is_alive(r->q.process, r->q.proc);
	     i++) {
		poll(NULL, 0, LOOK_MS);
		run_ask_stop(r, &r->trigger);
	}
}

static bool
run_all(struct run *r, struct error *err)
{
	r->drain = drain_new(r->q.backlog_bytes, err);
	r->decoded = eventfd(0, EFD_CLOEXEC);
	if (!r->drain)
		return false;
	if (r->decoded < 0)
		return error_sys(err, errno, "cannot make an eventfd");
	if (!run_begin(r, err))
		return false;
	/* The stream may end before the trigger's answer has come. */
	while (!run_is_decoded(r) || (run_is_trigger_pending(r) && !r->has_given_up))
		if (!poll_once(r, err))
			return false;
	run_ask_stops(r);
	stop_trigger(r);
	run_end_decoder(r);
	r->is_over = true;
	run_measure(r);
	return run_judge(r, err);
}

struct run *
run_new(const struct run_request *request, struct capture_cost *cost, bool *is_unknown,
	struct error *err)
{
	struct run *r = memory_new(1, sizeof(*r), err);

	if (!r)
		return NULL;
	r->q = *request;
	r->cost = cost;
	r->uncancellable = *request->ipc;
	r->uncancellable.progress = NULL;
	r->uncancellable.waiting = -1;
	r->uncancellable.timeout_ms = ABORT_MS;
	r->listening.tracing.stream = r->trigger.tracing.stream = r->flush.tracing.stream = -1;
	r->listening.stop = r->trigger.stop = r->flush.stop = -1;
	r->turn_first = r->turn_flush_stop = r->turn_trigger = -1;
	r->decoded = -1;
	error_clear(&r->trigger_err);
	error_clear(&r->decoder_err);
	r->started_ns = clock_ns();
	patience_begin(&r->patience, r->q.process->private_bytes);
	progress_begin(r->q.progress, "collecting and walking the heap", "objects", 0);
	if (r->q.objects)
		progress_estimate(r->q.progress, r->q.objects);
	if (run_all(r, err))
		return r;
	*is_unknown = r->listening.tracing.reason == REASON_UNKNOWN_COMMAND;
	run_abort(r);
	run_free(r);
	return NULL;
}

const struct walk_report *
run_report(const struct run *r)
{
	return walk_report(r->walk);
}

bool
run_wants_types(const struct run *r)
{
	return walk_wants_types(r->walk);
}

bool
run_is_cut(const struct run *r)
{
	return !nettrace_status(r->trace)->has_ended;
}

/* Warns if events after the walk, or of the walk, are missing. */
static bool
warn_of_cut(const struct run *r, struct heap_builder *b, struct error *err)
{
	if (r->has_given_up)
		return heap_builder_warning(
		    b, err,
		    "the events after the walk did not come to an end, and were not all read: "
		    "modules may have no names");
	if (!run_is_cut(r) || run_report(r)->has_end)
		return true;
	return heap_builder_warning(
	    b, err,
	    "the events broke off before the collection ended, because %s closed the connection",
	    r->q.ipc->who);
}

/* Records where the heap is from, and what it cost the target. */
static bool
describe(const struct run *r, struct heap_builder *b, struct error *err)
{
	struct heap_info *info = heap_builder_info(b);
	struct arena *a = heap_builder_arena(b);
	struct heap_origin origin;
	char text[200];

	process_origin(&origin, r->q.process, r->q.proc);
	info->source = arena_printf(a, err, "%s", r->q.ipc->who);
	r->cost->walk = *walk_report(r->walk);
	capture_cost_text(r->cost, text, sizeof(text));
	info->log = arena_printf(a, err, "%s\n", text);
	return info->source && info->log && heap_origin_record(b, &origin, err) &&
	       warn_of_cut(r, b, err);
}

const struct heap *
run_finish(struct run *r, struct walk_report *report, struct progress *progress, struct error *err)
{
	struct walk *w = r->walk;

	if (w->stream && !describe(r, heap_stream_builder(w->stream), err))
		return NULL;
	r->walk = NULL;
	return walk_finish(w, r->trace, report, progress, err);
}

void
run_leave(struct run *r)
{
	int confirm_ms = r->is_over && !r->has_given_up ? CONFIRM_MS : 0;

	run_end_decoder(r);
	drain_free(r->drain);
	r->drain = NULL;
	run_close_session(r, &r->listening, confirm_ms);
	run_close_session(r, &r->trigger, confirm_ms);
	run_close_session(r, &r->flush, confirm_ms);
}

struct ending {
	int stop; /* becomes readable when the last session has ended */
	int lock;
};
static _Atomic unsigned endings_count;

/* The kernel would free the locks when the program exits. */
static void
await_endings(void)
{
	while (atomic_load(&endings_count))
		poll(NULL, 0, 1);
}

static void
await_endings_at_exit(void)
{
	(void)atexit(await_endings);
}

static void *
await_end(void *context)
{
	struct ending *e = context;
	struct pollfd stop = { .fd = e->stop, .events = POLLIN };

	(void)poll(&stop, 1, CONFIRM_MS);
	close(e->stop);
	close(e->lock);
	memory_free(e);
	atomic_fetch_sub(&endings_count, 1);
	return NULL;
}

bool
run_end_beside(struct run *r, int lock)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct error ignored = { 0 };
	struct ending *e;
	pthread_t thread;

	if (lock < 0 || r->flush.stop < 0)
		return false;
	e = memory_new(1, sizeof(*e), &ignored);
	if (!e)
		return false;
	*e = (struct ending){ .stop = r->flush.stop, .lock = lock };
	pthread_once(&once, await_endings_at_exit);
	atomic_fetch_add(&endings_count, 1);
	if (thread_start(&thread, await_end, e)) {
		atomic_fetch_sub(&endings_count, 1);
		memory_free(e);
		return false;
	}
	pthread_detach(thread);
	r->flush.stop = -1;
	return true;
}

void
run_free(struct run *r)
{
	if (!r)
		return;
	run_leave(r);
	walk_free(r->walk);
	nettrace_free(r->trace);
	if (r->decoded >= 0)
		close(r->decoded);
	memory_free(r);
}
