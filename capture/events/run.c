#include "capture/events/run.h"
#include "capture/events/patience.h"
#include "model/base/clock.h"
#include "model/base/thread.h"
#include "io/events/walk_state.h"
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* Keywords of the runtime's events. */
enum {
	KEYWORD_GC = 0x1,
	KEYWORD_TYPE = 0x80000,
	KEYWORD_HEAP_DUMP = 0x100000,
	KEYWORD_RANGES = 0x400000,
	KEYWORD_COLLECT = 0x800000,
	KEYWORD_TYPE_NAMES = 0x1000000,
	KEYWORDS_WALK = KEYWORD_GC | KEYWORD_TYPE | KEYWORD_HEAP_DUMP |
			KEYWORD_RANGES | KEYWORD_TYPE_NAMES,
	LEVEL = 4,
};
/*
 * The one that forces the collection also asks for its few events: should we
 * die, the runtime finds that out when it writes them, and ends the session.
 */
/*
 * The thread that sends must run before all are stopped, or the events of a
 * large heap wait in the target until it goes on: 25 million objects made it
 * grow by 1.05 GB and took 1.2 s longer, against 0.24 GB.
 */
enum { SENDER_START_MS = 10 };
enum { KEYWORDS_TRIGGER = KEYWORD_COLLECT | KEYWORD_GC, TRIGGER_MB = 1 };
/* At the end of the session: modules and methods, by which roots are named. */
enum { RUNDOWN = 0x38 };
/* Runtimes that know it are of version 10 or later. */
enum { COMMAND_OF_10 = 5 };

enum {
	LOOK_MS = 50,   /* how long cancelling may go unnoticed */
	SHOW_MS = 150,  /* between two looks at the types */
	ABORT_MS = 500, /* to leave an order behind */
	FAREWELL_MS = 3000,
	INSIST_TIMES = 20,
	EVENTS_A_LOOK = 64,
};

struct run {
	struct run_request q;
	struct capture_cost *cost;
	struct ipc hasty; /* as q.ipc, deaf to cancelling: to leave orders */
	struct tracing listening, trigger, flush;
	int stop_listening, stop_trigger,
	    stop_flush;       /* answers to come; -1: none */
	int gate, end, pause; /* places in the runtime's queue; -1: none */
	bool has_asked_stop_listening, has_asked_stop_trigger;
	bool has_asked_stop_flush;
	struct error trigger_err; /* why no collection was forced */

	struct drain *drain;
	struct nettrace *trace;
	struct walk *walk;
	pthread_t decoder;
	bool has_decoder, is_over; /* over: the stream has ended by itself */
	int decoded; /* an eventfd: readable when the decoder has ended */
	struct error decoder_err; /* its own until then */
	atomic_bool is_walk_done;

	uint64_t told_objects;   /* as progress */
	_Atomic uint64_t walked; /* objects, references, roots */
	struct patience patience;
	bool has_given_up; /* on the stream, the walk being there */
	int64_t started_ns;
};

/* ---- the decoder's thread ------------------------------------------------ */

static bool
show(struct run *r, int64_t *shown_ns, struct error *err)
{
	const struct walk_report *report = walk_report(r->walk);
	uint64_t objects = report->objects_count;
	int64_t now = clock_ns();

	if (r->q.watch)
		atomic_store(&r->q.watch->objects, objects);
	atomic_store(&r->walked,
		     objects + report->refs_count + report->roots_count);
	if (objects > r->told_objects) {
		progress_add(r->q.progress, objects - r->told_objects);
		r->told_objects = objects;
	}
	if (walk_state(r->walk) == WALK_DONE)
		atomic_store(&r->is_walk_done, true);
	if (progress_is_cancelled(r->q.progress))
		return error_cancelled(err);
	if (!r->q.preview || now - *shown_ns < SHOW_MS * INT64_C(1000000))
		return true;
	*shown_ns = now;
	return walk_publish(r->walk, r->q.preview, err);
}

static bool
decode_all(struct run *r, struct error *err)
{
	struct nettrace_event event;
	int64_t shown_ns = clock_ns();
	unsigned count = 0;

	for (;;) {
		enum nettrace_item item = nettrace_next(r->trace, &event, err);

		if (item == NETTRACE_FAILED)
			return false;
		if (!walk_take(r->walk, r->trace, item, &event, err))
			return false;
		if (item == NETTRACE_END)
			return show(r, &shown_ns, err);
		/* The end of the walk may be the last event for long. */
		if ((++count % EVENTS_A_LOOK == 0 ||
		     (walk_state(r->walk) == WALK_DONE &&
		      !atomic_load(&r->is_walk_done))) &&
		    !show(r, &shown_ns, err))
			return false;
	}
}

static void *
decoder_main(void *argument)
{
	struct run *r = argument;
	uint64_t one = 1;

	/* The reader must go on even if nobody wants what it reads. */
	if (!decode_all(r, &r->decoder_err))
		drain_discard(r->drain);
	while (write(r->decoded, &one, sizeof(one)) < 0 && errno == EINTR)
		;
	return NULL;
}

static bool
start_decoder(struct run *r, struct error *err)
{
	int errnum;

	if (!drain_start(r->drain, r->listening.stream, r->q.keep, err))
		return false;
	r->trace = nettrace_new(drain_input(r->drain), err);
	r->walk = r->trace ? walk_new(&r->q.walk, err) : NULL;
	if (!r->walk)
		return false;
	errnum = thread_start(&r->decoder, decoder_main, r);
	r->has_decoder = !errnum;
	return r->has_decoder ||
	       error_sys(err, errnum, "cannot start a thread");
}

static bool
is_decoded(const struct run *r)
{
	struct pollfd p = { .fd = r->decoded, .events = POLLIN };

	return r->has_decoder && poll(&p, 1, 0) > 0;
}

/* ---- orders ---------------------------------------------------------------
 */

/*
 * Failing to ask is no failure: the target has ended then, or we ask again at
 * the next look.
 */
static void
ask_stop(struct run *r, const struct tracing *session, int *answer,
	 bool *has_asked)
{
	struct error ignored;

	error_clear(&ignored);
	if (!*has_asked && session->is_granted)
		*has_asked =
		    tracing_ask_stop(session, &r->hasty, answer, &ignored);
}

static void
ask_stop_listening(struct run *r)
{
	ask_stop(r, &r->listening, &r->stop_listening,
		 &r->has_asked_stop_listening);
}

static void
ask_stop_trigger(struct run *r)
{
	ask_stop(r, &r->trigger, &r->stop_trigger, &r->has_asked_stop_trigger);
}

static void
ask_stop_flush(struct run *r)
{
	ask_stop(r, &r->flush, &r->stop_flush, &r->has_asked_stop_flush);
}

/* The session that collects: asked for, and neither granted nor refused yet. */
static bool
is_trigger_pending(const struct run *r)
{
	return r->trigger.stream >= 0 && !r->trigger.is_granted;
}

/* What the plan wants to end by now, if it was not asked to yet. */
static void
ask_stops(struct run *r)
{
	bool is_walked = r->q.plan == PLAN_BLOCKING
			     ? atomic_load(&r->is_walk_done)
			     : !is_trigger_pending(r);

	if (is_walked)
		ask_stop_listening(r);
	ask_stop_trigger(r);
	if (r->has_asked_stop_trigger || r->trigger.stream < 0)
		ask_stop_flush(r);
}

static struct tracing_request
listening_request(const struct run *r, uint64_t keywords)
{
	/* What survived or moved says nothing here, and is 2 % of the bytes. */
	static const uint32_t unwanted[] = { 21, 22 };

	return (struct tracing_request){
		.command = r->q.command,
		.buffer_mb = r->q.buffer_mb,
		.provider = "Microsoft-Windows-DotNETRuntime",
		.keywords = keywords,
		.level = LEVEL,
		.rundown_keywords = RUNDOWN,
		.unwanted = unwanted,
		.unwanted_count = 2,
		.blocks = r->q.command >= 6,
	};
}

/*
 * The runtime describes a type once, until it finds that nobody listens for
 * types; it looks when a session begins. After a capture that was killed it may
 * not have found out yet: a session of no interest makes it look.
 */
static struct tracing_request
flush_request(const struct run *r)
{
	struct tracing_request flush = listening_request(r, KEYWORD_GC);

	flush.command = 2;
	flush.buffer_mb = TRIGGER_MB;
	flush.rundown_keywords = 0;
	return flush;
}

static struct tracing_request
trigger_request(const struct run *r, unsigned command)
{
	struct tracing_request trigger = listening_request(r, KEYWORDS_TRIGGER);

	trigger.command = command;
	trigger.buffer_mb = TRIGGER_MB;
	trigger.rundown_keywords = 0;
	trigger.blocks = false;
	return trigger;
}

static bool
take_place(struct run *r, int *place, struct error *err)
{
	*place = ipc_take_place(r->q.ipc, err);
	return *place >= 0;
}

static void
leave_place(int *place)
{
	if (*place >= 0)
		close(*place);
	*place = -1;
}

/*
 * All that is asked for stands in the runtime's queue before it sees the first
 * of it.
 */
static bool
queue_all(struct run *r, bool may_stop_late, struct error *err)
{
	struct tracing_request listening = listening_request(r, KEYWORDS_WALK);
	struct tracing_request trigger = trigger_request(r, r->q.command);
	struct tracing_request flush = flush_request(r);

	return take_place(r, &r->gate, err) &&
	       tracing_ask(&r->flush, r->q.ipc, &flush, err) &&
	       (may_stop_late || take_place(r, &r->end, err)) &&
	       tracing_ask(&r->listening, r->q.ipc, &listening, err) &&
	       take_place(r, &r->pause, err) &&
	       tracing_ask(&r->trigger, r->q.ipc, &trigger, err);
}

/* Ends the session of no interest over the place that was kept for it. */
static bool
say_end(struct run *r, struct error *err)
{
	if (!tracing_say_stop(&r->flush, r->q.ipc, r->end, err))
		return false;
	r->has_asked_stop_flush = true;
	r->stop_flush = r->end;
	r->end = -1;
	return true;
}

/*
 * A quiet session whose reader was killed stays open until it has something to
 * write: so none may be there without the collection in the queue behind it
 * that makes it write. Up to 9 the end of any session while one collects is
 * dear: there the session of no interest ends before the other begins; later
 * its end, which takes a tenth of a second, waits in the queue as does that of
 * the walk's: it comes into force the moment the collection is over, whatever
 * becomes of us. There the one that collects has no reader from the start: it
 * ends by itself when the runtime cannot tell us of it, and no word of ours is
 * needed after the collection. (Up to 9 that would collect once more, into the
 * walk: it has to end after the walk's.)
 */
static bool
begin_at_once(struct run *r, struct error *err)
{
	bool may_stop_late = r->q.command >= COMMAND_OF_10;

	if (!queue_all(r, may_stop_late, err))
		return false;
	leave_place(&r->gate);
	if (!tracing_await(&r->flush, r->q.ipc, err))
		return false;
	if ((!may_stop_late && !say_end(r, err)) ||
	    !tracing_await(&r->listening, r->q.ipc, err) ||
	    !start_decoder(r, err))
		return false;
	ask_stop_listening(r);
	ask_stop_flush(r);
	if (!r->q.is_small)
		poll(NULL, 0, SENDER_START_MS);
	r->cost->start_ns = clock_ns() - r->started_ns;
	if (may_stop_late)
		tracing_close(&r->trigger);
	leave_place(&r->pause);
	return true;
}

/*
 * Where each connection waits for the one before, or where it has to be found
 * out first which commands are known.
 */
static bool
begin_in_turn(struct run *r, struct error *err)
{
	struct tracing_request listening = listening_request(r, KEYWORDS_WALK);
	struct tracing_request flush = flush_request(r), trigger;
	bool may_queue = r->q.ipc->listener < 0, may_stop_late;

	if (!tracing_start(&r->flush, r->q.ipc, &flush, err) ||
	    !tracing_start(&r->listening, r->q.ipc, &listening, err) ||
	    !start_decoder(r, err))
		return false;
	if (!r->q.is_small)
		poll(NULL, 0, SENDER_START_MS);
	may_stop_late = listening.command >= COMMAND_OF_10;
	r->cost->start_ns = clock_ns() - r->started_ns;
	if (may_queue && !may_stop_late)
		ask_stop_flush(r);
	trigger = trigger_request(r, listening.command);
	if (!tracing_ask(&r->trigger, r->q.ipc, &trigger, err))
		return false;
	if (may_queue)
		ask_stop_listening(r);
	if (may_queue && may_stop_late)
		ask_stop_flush(r);
	return true;
}

static bool
begin_two_sessions(struct run *r, struct error *err)
{
	return r->q.ipc->listener < 0 && r->q.command <= COMMAND_OF_10
		   ? begin_at_once(r, err)
		   : begin_in_turn(r, err);
}

static bool
begin_one_session(struct run *r, struct error *err)
{
	struct tracing_request all =
	    listening_request(r, KEYWORDS_WALK | KEYWORD_COLLECT);

	return tracing_ask(&r->listening, r->q.ipc, &all, err);
}

static bool
begin(struct run *r, struct error *err)
{
	return r->q.plan == PLAN_TWO_SESSIONS ? begin_two_sessions(r, err)
					      : begin_one_session(r, err);
}

/* ---- what happens meanwhile ------------------------------------------------
 */

/*
 * The runtime grants the only session: what follows are its events, and nothing
 * more once they have come. So its end is asked for before they are read: who
 * is killed later leaves no quiet session behind.
 */
static bool
hear_listening(struct run *r, struct error *err)
{
	if (!tracing_answer(&r->listening, r->q.ipc, err))
		return false;
	if (!r->listening.is_granted)
		return true;
	ask_stops(r);
	return start_decoder(r, err);
}

/* The second session's stream is of no interest. */
static void
skip_trigger_events(struct run *r)
{
	uint8_t bytes[4096];
	ssize_t got;

	do
		got =
		    recv(r->trigger.stream, bytes, sizeof(bytes), MSG_DONTWAIT);
	while (got > 0);
	if (got == 0)
		tracing_close(&r->trigger);
}

static void
hear_trigger(struct run *r)
{
	if (r->trigger.is_granted) {
		skip_trigger_events(r);
		return;
	}
	/* Refused, or dead: what the first session has may still do. */
	if (!tracing_answer(&r->trigger, r->q.ipc, &r->trigger_err))
		tracing_close(&r->trigger);
}

/* The walk is there: the rest is of less interest. */
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
	if (proc_stat(r->q.proc, pid, &stat)) {
		signs.state = stat.state;
		signs.cpu_ticks = stat.cpu_ticks;
	}
	if (proc_status(r->q.proc, pid, &status)) {
		signs.private_bytes = status.private_bytes;
		if (status.resident_bytes > r->cost->resident_peak)
			r->cost->resident_peak = status.resident_bytes;
		if (r->q.watch)
			atomic_store(&r->q.watch->resident,
				     status.resident_bytes);
	}
	error_clear(&why);
	if (patience_look(&r->patience, &signs, r->q.ipc->who, &why) ||
	    is_enough(r))
		return true;
	*err = why;
	return false;
}

static bool
poll_once(struct run *r, struct error *err)
{
	struct pollfd fds[3] = {
		{ .fd = is_decoded(r) ? -1 : r->decoded, .events = POLLIN },
		{ .fd = r->trigger.stream, .events = POLLIN },
		/* Once it is granted, the reader has it. */
		{ .fd = r->listening.is_granted ? -1 : r->listening.stream,
		  .events = POLLIN },
	};

	if (poll(fds, 3, LOOK_MS) < 0 && errno != EINTR)
		return error_sys(err, errno, "cannot wait");
	if (progress_is_cancelled(r->q.progress))
		return error_cancelled(err);
	if (fds[1].revents)
		hear_trigger(r);
	if (fds[2].revents && !hear_listening(r, err))
		return false;
	ask_stops(r);
	return look_at_target(r, err);
}

/* ---- the end ----------------------------------------------------------------
 */

static void
end_decoder(struct run *r)
{
	if (r->has_decoder)
		pthread_join(r->decoder, NULL);
	r->has_decoder = false;
}

/*
 * In a hurry, as if we died: the streams are cut, the orders to end are left
 * behind. The runtime obeys them when it gets to it.
 */
static void
run_abort(struct run *r)
{
	leave_place(&r->gate);
	leave_place(&r->end);
	leave_place(&r->pause);
	if (r->drain)
		drain_discard(r->drain);
	if (tracing_cut(&r->listening, r->q.ipc))
		ask_stop_listening(r);
	if (tracing_cut(&r->trigger, r->q.ipc))
		ask_stop_trigger(r);
	if (tracing_cut(&r->flush, r->q.ipc))
		ask_stop_flush(r);
}

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

/* The decoder has ended: was it worth it? */
static bool
run_judge(struct run *r, struct error *err)
{
	if (r->decoder_err.kind != ERROR_NONE &&
	    r->decoder_err.kind != ERROR_INPUT) {
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
			 "%s sent %" PRIu64 " bytes of events, but no walk of "
			 "its heap: it is ending, or another tool interfered; "
			 "try again",
			 r->q.ipc->who, r->cost->bytes);
}

/* A session that collects is never left open, as long as somebody is there. */
static void
insist(struct run *r)
{
	for (int i = 0; i < INSIST_TIMES && r->trigger.is_granted &&
			!r->has_asked_stop_trigger &&
			process_is_alive(r->q.process, r->q.proc);
	     i++) {
		poll(NULL, 0, LOOK_MS);
		ask_stop_trigger(r);
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
	if (!begin(r, err))
		return false;
	/* The first may have ended before we come to hear of the second. */
	while (!is_decoded(r) || (is_trigger_pending(r) && !r->has_given_up))
		if (!poll_once(r, err))
			return false;
	ask_stops(r);
	insist(r);
	end_decoder(r);
	r->is_over = true;
	run_measure(r);
	return run_judge(r, err);
}

struct run *
run_new(const struct run_request *request, struct capture_cost *cost,
	bool *is_unknown, struct error *err)
{
	struct run *r = memory_new(1, sizeof(*r), err);

	if (!r)
		return NULL;
	r->q = *request;
	r->cost = cost;
	r->hasty = *request->ipc;
	r->hasty.progress = NULL;
	r->hasty.waiting = -1;
	r->hasty.timeout_ms = ABORT_MS;
	r->listening.stream = r->trigger.stream = r->flush.stream = -1;
	r->stop_listening = r->stop_trigger = r->stop_flush = -1;
	r->gate = r->end = r->pause = -1;
	r->decoded = -1;
	error_clear(&r->trigger_err);
	error_clear(&r->decoder_err);
	r->started_ns = clock_ns();
	patience_begin(&r->patience, r->q.process->private_bytes);
	progress_begin(r->q.progress, "collecting and walking the heap",
		       "objects", 0);
	if (r->q.objects)
		progress_estimate(r->q.progress, r->q.objects);
	if (run_all(r, err))
		return r;
	*is_unknown = r->listening.reason == REASON_UNKNOWN_COMMAND;
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
run_is_cut(const struct run *r)
{
	return !nettrace_status(r->trace)->has_ended;
}

/* Why there is less than the runtime would have sent. */
static bool
warn_of_cut(const struct run *r, struct heap_builder *b, struct error *err)
{
	if (r->has_given_up)
		return heap_builder_warning(
		    b, err,
		    "the events behind the walk were not read to their end, "
		    "which did not come: modules may have no names");
	if (!run_is_cut(r) || run_report(r)->has_end)
		return true;
	return heap_builder_warning(
	    b, err,
	    "the events broke off before the collection ended: %s closed the "
	    "connection",
	    r->q.ipc->who);
}

/* Where the heap is from, and what it did cost the target. */
static bool
describe(const struct run *r, struct heap_builder *b, struct error *err)
{
	struct heap_info *info = heap_builder_info(b);
	struct arena *a = heap_builder_arena(b);
	char text[200];

	info->source = arena_printf(a, err, "%s", r->q.ipc->who);
	r->cost->walk = *walk_report(r->walk);
	capture_cost_text(r->cost, text, sizeof(text));
	info->log = arena_printf(a, err, "%s\n", text);
	return info->source && info->log && warn_of_cut(r, b, err);
}

const struct heap *
run_finish(struct run *r, struct walk_report *report, struct progress *progress,
	   struct error *err)
{
	struct walk *w = r->walk;

	if (w->stream && !describe(r, heap_stream_builder(w->stream), err))
		return NULL;
	r->walk = NULL;
	return walk_finish(w, r->trace, report, progress, err);
}

/* The answer, or the other end closed: whatever comes first. */
static void
farewell(struct run *r, int *fd, int timeout_ms)
{
	struct error ignored;

	error_clear(&ignored);
	if (*fd >= 0 && !tracing_stopped(*fd, &r->hasty, timeout_ms, &ignored))
		error_clear(&ignored); /* obeyed all the same */
	*fd = -1;
}

void
run_leave(struct run *r)
{
	int patience_ms = r->is_over && !r->has_given_up ? FAREWELL_MS : 0;

	end_decoder(r);
	farewell(r, &r->stop_listening, patience_ms);
	farewell(r, &r->stop_trigger, patience_ms);
	farewell(r, &r->stop_flush, patience_ms);
	drain_free(r->drain);
	r->drain = NULL;
	tracing_close(&r->listening);
	tracing_close(&r->trigger);
	tracing_close(&r->flush);
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
