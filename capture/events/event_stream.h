#ifndef CAPTURE_EVENTS_EVENT_STREAM_H
#define CAPTURE_EVENTS_EVENT_STREAM_H

/*
 * One event session of a running process, read until it is cancelled, its time is over or the
 * process ends, and stopped in every case. If this process is killed, the runtime ends the session
 * when its next write fails.
 */
#include "capture/events/preflight.h"
#include "capture/events/tracing.h"
#include "io/base/output.h"
#include "io/events/nettrace.h"

enum { EVENT_STREAM_BUFFER_BYTES = 64 << 10, EVENT_STREAM_END_BYTES = 200 };

struct event_stream {
	struct preflight flight;
	struct tracing session;
	struct progress *progress;
	/* Called when no more events wait; or NULL. */
	bool (*settle)(void *context, struct error *err);
	/* Called between reads, at least every 250 ms; or NULL. */
	bool (*tick)(void *context, struct error *err);
	void *context;
	struct output *keep;  /* also gets the raw bytes; or NULL */
	uint64_t time_max_ns; /* when to stop it; 0: never */
	int silent_max_ms;    /* of silence after asking to stop; 0: 2 s */
	bool is_forgone;      /* when cancelled, instead of read to its end */

	bool is_open;
	int64_t granted_ns;
	bool is_settled; /* all events received so far were passed on */
	bool has_asked_stop;
	int stop; /* connection for the answer to that; -1 */
	int64_t stop_ns;
	int silent_ms; /* time waited since then without bytes */
	uint8_t buffer[EVENT_STREAM_BUFFER_BYTES];
};

/* Connects to the process and starts nothing. Close it even after a failure. */
bool event_stream_open(struct event_stream *s, const struct live_target *target,
		       struct progress *progress, struct error *err) MUST_USE;
/* Waits for captures of the process that are under way, and starts a session. It may start another
   when the first has ended: event_stream_end(). */
bool event_stream_begin(struct event_stream *s, struct tracing_request *request,
			struct error *err) MUST_USE;
struct nettrace_input event_stream_input(struct event_stream *s);
/* Asks the runtime to stop; it then sends what it has buffered. */
void event_stream_ask_stop(struct event_stream *s);
/* Says why the stream has ended: "process 4711 (api) keeps running". */
void event_stream_describe_end(const struct event_stream *s, bool is_cut,
			       char text[EVENT_STREAM_END_BYTES]);
/* Stops the session. */
void event_stream_end(struct event_stream *s);
void event_stream_close(struct event_stream *s);

#endif
