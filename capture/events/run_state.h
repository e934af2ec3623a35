#ifndef CAPTURE_EVENTS_RUN_STATE_H
#define CAPTURE_EVENTS_RUN_STATE_H

/*
 * State of an attempt at a heap walk (run.h), shared by the code for its sessions (run_sessions.c),
 * its decoder (run_decoder.c) and its course (run.c).
 */
#include "capture/events/patience.h"
#include "capture/process/pulse.h"
#include "capture/events/run.h"
#include "capture/events/tracing.h"
#include <pthread.h>
#include <stdatomic.h>

struct session {
	struct tracing tracing;
	int stop; /* connection for the answer to its stop; -1: none */
	bool has_asked_stop;
};

struct run {
	struct run_request q;
	struct capture_cost *cost;
	struct ipc uncancellable; /* q.ipc without its progress, for stops */
	struct session listening; /* receives the walk */
	struct session trigger;   /* forces the collection, in two sessions */
	struct session flush;     /* see flush_request() */
	/*
	 * Turns in the runtime's queue (-1: none): one that holds back all our commands until they
	 * are queued, one for the stop of `flush`, and one that holds back `trigger` until the
	 * stream is being read.
	 */
	int turn_first, turn_flush_stop, turn_trigger;
	struct error trigger_err; /* why no collection was forced */

	struct drain *drain;
	struct nettrace *trace;
	struct walk *walk;
	pthread_t decoder;
	bool has_decoder;
	bool is_over;             /* the stream has ended by itself */
	int decoded;              /* an eventfd: readable when the decoder has ended */
	struct error decoder_err; /* owned by the decoder until then */
	atomic_bool is_walk_done;

	uint64_t progress_objects; /* reported to q.progress */
	_Atomic uint64_t walked;   /* objects, references, roots */
	struct patience patience;
	struct pulse pulse; /* while no bytes come; count 0: none yet */
	int64_t pulse_ms;   /* without bytes when it was read */
	bool has_given_up;  /* on the rest of the stream after the walk */
	int64_t started_ns;
};

/* ---- run_sessions.c ----------------------------------------------------- */

/* Requests the sessions of the plan and starts the decoder. */
bool run_begin(struct run *r, struct error *err) MUST_USE;
/* The trigger was requested, and neither granted nor refused yet. */
bool run_is_trigger_pending(const struct run *r);
/* Asks for the stop of a session, once it is granted; at most once. */
void run_ask_stop(struct run *r, struct session *s);
/* The same for all sessions that the plan does not need any longer. */
void run_ask_stops(struct run *r);
/*
 * Cuts the streams and leaves the stop commands behind, as if we died; the runtime obeys them when
 * it gets to them.
 */
void run_abort(struct run *r);
/* Waits for the answer to a stop, or for the peer to close; closes `s`. */
void run_close_session(struct run *r, struct session *s, int timeout_ms);

/* ---- run_decoder.c ------------------------------------------------------ */

/* Starts to read and decode the stream of r->listening, which is granted. */
bool run_start_decoder(struct run *r, struct error *err) MUST_USE;
/* The stream was decoded to its end. */
bool run_is_decoded(const struct run *r);
void run_end_decoder(struct run *r);

#endif
