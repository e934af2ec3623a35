#include "capture/events/event_stream.h"
#include "model/base/clock.h"
#include "capture/process/target_lock.h"
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>

enum {
	/* The runtime flushes its buffers in one go; a pause ends a batch. */
	QUIET_MS = 60,
	LOOK_MS = 250,       /* how long cancelling may go unnoticed */
	STOP_MS = 2000,      /* of silence after asking to stop */
	STOP_ALL_MS = 20000, /* for all remaining events */
	ANSWER_MS = 200,     /* for the runtime to confirm the stop */
	DEATH_MS = 1000,     /* from the stream's end to the process's */
};

/* ---- reading ------------------------------------------------------------- */

/* Events keep coming until the runtime has sent all that it has buffered. */
void
event_stream_ask_stop(struct event_stream *s)
{
	struct ipc uncancellable = s->flight.ipc;
	struct error ignored;

	if (s->has_asked_stop)
		return;
	error_clear(&ignored);
	uncancellable.progress = NULL;
	s->has_asked_stop = true;
	s->stop_ns = clock_ns();
	if (!tracing_ask_stop(&s->session, &uncancellable, &s->stop, &ignored))
		s->stop = -1; /* it has ended */
	s->flight.ipc.waiting = uncancellable.waiting;
}

/* Counts only time waited, so that a slow reader loses no events. */
static bool
is_stop_overdue(const struct event_stream *s)
{
	return s->has_asked_stop &&
	       (s->silent_ms > (s->silent_max_ms ? s->silent_max_ms : STOP_MS) ||
		clock_ns() - s->stop_ns > STOP_ALL_MS * INT64_C(1000000));
}

/* Lets the reader handle a batch that has ended. */
static bool
settle(struct event_stream *s, struct error *err)
{
	if (s->keep)
		output_flush(s->keep);
	if (s->settle && !s->settle(s->context, err))
		return false;
	s->is_settled = true;
	return true;
}

static bool
is_time_over(const struct event_stream *s)
{
	return s->time_max_ns && (uint64_t)(clock_ns() - s->granted_ns) >= s->time_max_ns;
}

/* Returns with or without bytes; false: failed. */
static bool
wait_for_bytes(struct event_stream *s, struct error *err)
{
	struct pollfd p = { .fd = s->session.stream, .events = POLLIN };
	int wait_ms = s->is_settled ? LOOK_MS : QUIET_MS;
	int ready = poll(&p, 1, wait_ms);

	if (ready < 0 && errno != EINTR)
		return error_sys(err, errno, "cannot wait for %s", s->flight.ipc.who);
	if (!ready && s->has_asked_stop)
		s->silent_ms += wait_ms;
	if (progress_is_cancelled(s->progress) || is_time_over(s))
		event_stream_ask_stop(s);
	return ready != 0 || s->is_settled || settle(s, err);
}

static bool
next_bytes(void *context, const uint8_t **data, size_t *len, struct error *err)
{
	struct event_stream *s = context;
	ssize_t got;

	*data = s->buffer;
	*len = 0;
	while (!is_stop_overdue(s)) {
		if (s->tick && !s->tick(s->context, err))
			return false;
		if (s->is_forgone && progress_is_cancelled(s->progress))
			return error_cancelled(err);
		got = recv(s->session.stream, s->buffer, sizeof(s->buffer), MSG_DONTWAIT);
		if (got >= 0) {
			*len = (size_t)got;
			s->is_settled = false;
			s->silent_ms = 0;
			if (s->keep && got)
				output_write(s->keep, s->buffer, (size_t)got);
			if (is_time_over(s))
				event_stream_ask_stop(s);
			return true;
		}
		if (errno == ECONNRESET)
			return true;
		if (errno != EAGAIN && errno != EINTR)
			return error_sys(err, errno, "cannot read from %s", s->flight.ipc.who);
		if (!wait_for_bytes(s, err))
			return false;
	}
	return true;
}

struct nettrace_input
event_stream_input(struct event_stream *s)
{
	return (struct nettrace_input){ next_bytes, s };
}

/* ---- begin and end ------------------------------------------------------- */

/* A session that begins while another heaptop captures the heap would force
   one more collection. */
static bool
wait_for_capture(const struct event_stream *s, struct error *err)
{
	enum { STEP_MS = 50, STEPS = 1200 };

	for (int i = 0; i < STEPS && target_is_locked(&s->flight.process); i++) {
		if (progress_is_cancelled(s->progress))
			return error_cancelled(err);
		poll(NULL, 0, STEP_MS);
	}
	return true;
}

bool
event_stream_open(struct event_stream *s, const struct live_target *target,
		  struct progress *progress, struct error *err)
{
	s->progress = progress;
	s->stop = s->session.stream = -1;
	s->is_open = preflight_open(&s->flight, target, PROC_FOLDER, progress, err);
	return s->is_open;
}

bool
event_stream_begin(struct event_stream *s, struct tracing_request *request, struct error *err)
{
	s->has_asked_stop = s->is_settled = false;
	s->silent_ms = 0;
	if (!wait_for_capture(s, err) || !tracing_start(&s->session, &s->flight.ipc, request, err))
		return false;
	s->granted_ns = clock_ns();
	return true;
}

/* A dying process closes its stream a moment before it is gone. */
static bool
has_died(const struct event_stream *s)
{
	enum { STEP_MS = 20 };
	int patience_ms = is_stop_overdue(s) ? 0 : DEATH_MS;

	for (int waited = 0;; waited += STEP_MS) {
		if (!process_is_alive(&s->flight.process, PROC_FOLDER))
			return true;
		if (waited >= patience_ms)
			return false;
		poll(NULL, 0, STEP_MS);
	}
}

void
event_stream_describe_end(const struct event_stream *s, bool is_cut,
			  char text[EVENT_STREAM_END_BYTES])
{
	const char *who = s->flight.ipc.who;
	const char *what;

	/* A stopped session means a live process, unless it did not confirm. */
	if (s->has_asked_stop && !is_cut)
		what = "keeps running";
	else if (has_died(s))
		what = "has ended";
	else if (s->has_asked_stop)
		what = "keeps running; it did not confirm the end";
	else
		what = "has closed the session: another tool may have asked it to";
	snprintf(text, EVENT_STREAM_END_BYTES, "%s %s", who, what);
}

void
event_stream_end(struct event_stream *s)
{
	struct ipc uncancellable = s->flight.ipc;
	struct error ignored;

	error_clear(&ignored);
	uncancellable.progress = NULL;
	if (s->session.is_granted)
		event_stream_ask_stop(s);
	tracing_close(&s->session);
	if (s->stop >= 0 && !tracing_stopped(s->stop, &uncancellable, ANSWER_MS, &ignored))
		error_clear(&ignored); /* it stops all the same */
	s->stop = -1;
	s->session.is_granted = false;
}

void
event_stream_close(struct event_stream *s)
{
	event_stream_end(s);
	if (s->is_open)
		preflight_close(&s->flight);
	s->is_open = false;
}
