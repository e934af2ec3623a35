#ifndef CAPTURE_EVENTS_TRACING_H
#define CAPTURE_EVENTS_TRACING_H

/*
 * Event sessions of a runtime over its diagnostics socket. Errors and time-outs are those of ipc.h.
 */
#include "capture/events/ipc.h"

/* Once a session is granted, `stream` carries nothing but its events. */
struct tracing {
	int stream;  /* does not block; -1: none */
	uint64_t id; /* if is_granted */
	bool is_granted;
	uint32_t reason;    /* of a refusal; 0: not refused */
	struct reply reply; /* the answer as far as it was received */
	uint8_t part[MESSAGE_HEADER_BYTES];
	size_t part_len;
};
/*
 * Requests a session without waiting for the answer, which may take as long as a garbage
 * collection: poll s->stream, and call tracing_answer() when it is readable.
 */
bool tracing_ask(struct tracing *s, struct ipc *ipc, const struct tracing_request *request,
		 struct error *err) MUST_USE;
/* Reads the part of the answer that has arrived; false: refused. Sets is_granted. */
bool tracing_answer(struct tracing *s, const struct ipc *ipc, struct error *err) MUST_USE;
/* Waits for the answer. False: refused, or none; then the session is closed. */
bool tracing_await(struct tracing *s, struct ipc *ipc, struct error *err) MUST_USE;
/*
 * Requests a session and waits for it. Tries request->command and, as long as the runtime does not
 * know it, lower ones; leaves the one that worked there.
 */
bool tracing_start(struct tracing *s, struct ipc *ipc, struct tracing_request *request,
		   struct error *err) MUST_USE;
/*
 * Asks the runtime to stop the session without waiting; `*fd` becomes readable when it has.
 * Meanwhile the stream must be read, since the runtime first sends all events left and serves no
 * other command. The session stops even if `*fd` is closed at once, or this process dies.
 */
bool tracing_ask_stop(const struct tracing *s, struct ipc *ipc, int *fd,
		      struct error *err) MUST_USE;
/* The same over a reserved turn, which then carries the answer. */
bool tracing_send_stop(const struct tracing *s, const struct ipc *ipc, int turn,
		       struct error *err) MUST_USE;
/* Reads the answer from `fd` and closes it; waits at most `timeout_ms`. */
bool tracing_stopped(int fd, struct ipc *ipc, int timeout_ms, struct error *err) MUST_USE;
/*
 * Shuts the stream down. True if the session exists: stop it with tracing_ask_stop(). A session
 * that is granted only later ends by itself, since the runtime cannot send us its answer.
 */
bool tracing_abort(struct tracing *s, const struct ipc *ipc);
void tracing_close(struct tracing *s);

#endif
