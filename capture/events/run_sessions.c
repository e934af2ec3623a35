#include "capture/events/run_state.h"
#include "model/base/clock.h"
#include <poll.h>
#include <unistd.h>

/* Keywords of the runtime's event provider. */
enum {
	KEYWORD_GC = 0x1,
	KEYWORD_TYPE = 0x80000,
	KEYWORD_HEAP_DUMP = 0x100000,
	KEYWORD_RANGES = 0x400000,
	KEYWORD_COLLECT = 0x800000,
	KEYWORD_TYPE_NAMES = 0x1000000,
	KEYWORDS_WALK =
	    KEYWORD_GC | KEYWORD_TYPE | KEYWORD_HEAP_DUMP | KEYWORD_RANGES | KEYWORD_TYPE_NAMES,
	LEVEL = 4,
};
/*
 * The sending thread must be running before all threads are stopped, or the events of a large heap
 * wait in the target until it resumes: 25 million objects then made it grow by 1.05 GB instead of
 * 0.24, and took 1.2 s longer.
 */
enum { SENDER_START_MS = 10 };
/*
 * The session that forces the collection also takes its few events: if we die, writing them fails,
 * and the runtime ends the session.
 */
enum { KEYWORDS_TRIGGER = KEYWORD_COLLECT | KEYWORD_GC, TRIGGER_MB = 1 };
/* Modules and methods, by which roots are named, at the end of the session. */
enum { RUNDOWN = 0x38 };
/* Only runtimes from version 10 on know this command. */
enum { COMMAND_OF_10 = 5 };

/* Failing to send is no failure: either the target has ended, or the next look tries again. */
void
run_ask_stop(struct run *r, struct session *s)
{
	struct error ignored;

	error_clear(&ignored);
	if (!s->has_asked_stop && s->tracing.is_granted)
		s->has_asked_stop =
		    tracing_ask_stop(&s->tracing, &r->uncancellable, &s->stop, &ignored);
}

bool
run_is_trigger_pending(const struct run *r)
{
	const struct tracing *t = &r->trigger.tracing;

	return t->stream >= 0 && !t->is_granted;
}

void
run_ask_stops(struct run *r)
{
	bool is_walked =
	    r->q.plan == PLAN_BLOCKING ? atomic_load(&r->is_walk_done) : !run_is_trigger_pending(r);

	if (is_walked)
		run_ask_stop(r, &r->listening);
	run_ask_stop(r, &r->trigger);
	if (r->trigger.has_asked_stop || r->trigger.tracing.stream < 0)
		run_ask_stop(r, &r->flush);
}

static struct tracing_request
listening_request(const struct run *r, uint64_t keywords)
{
	/* Survived and moved ranges are not used, and are 2 % of the bytes. */
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
 * The runtime describes each type once until it finds that no session listens for types, which it
 * checks when a session begins. After a capture was killed it may not have noticed yet: this extra
 * session makes it check.
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
reserve_turn(struct run *r, int *turn, struct error *err)
{
	*turn = ipc_reserve_turn(r->q.ipc, err);
	return *turn >= 0;
}

static void
release_turn(int *turn)
{
	if (*turn >= 0)
		close(*turn);
	*turn = -1;
}

/* Queues all commands before the runtime sees the first of them. */
static bool
queue_all(struct run *r, bool may_stop_late, struct error *err)
{
	struct tracing_request listening = listening_request(r, KEYWORDS_WALK);
	struct tracing_request trigger = trigger_request(r, r->q.command);
	struct tracing_request flush = flush_request(r);
	struct ipc *ipc = r->q.ipc;

	return reserve_turn(r, &r->turn_first, err) &&
	       tracing_ask(&r->flush.tracing, ipc, &flush, err) &&
	       (may_stop_late || reserve_turn(r, &r->turn_flush_stop, err)) &&
	       tracing_ask(&r->listening.tracing, ipc, &listening, err) &&
	       reserve_turn(r, &r->turn_trigger, err) &&
	       tracing_ask(&r->trigger.tracing, ipc, &trigger, err);
}

/* Stops the flush session over the turn reserved for that. */
static bool
send_flush_stop(struct run *r, struct error *err)
{
	if (!tracing_send_stop(&r->flush.tracing, r->q.ipc, r->turn_flush_stop, err))
		return false;
	r->flush.has_asked_stop = true;
	r->flush.stop = r->turn_flush_stop;
	r->turn_flush_stop = -1;
	return true;
}

/*
 * A session without events whose reader was killed stays open until the runtime has something to
 * write. So none may be open without a collection queued behind it that makes the runtime write.
 *
 * Up to .NET 9 ending any session during a collection is expensive: the flush session is stopped
 * before the listening one begins, and the trigger session, whose end collects once more, must be
 * stopped after the listening one.
 *
 * From 10 on stopping takes a tenth of a second and is queued behind the collection, so that it
 * takes effect as soon as that is over, whatever happens to us. The trigger's stream is closed at
 * once: that session then ends by itself when the runtime cannot answer, without a command of ours.
 */
static bool
begin_at_once(struct run *r, struct error *err)
{
	bool may_stop_late = r->q.command >= COMMAND_OF_10;

	if (!queue_all(r, may_stop_late, err))
		return false;
	release_turn(&r->turn_first);
	if (!tracing_await(&r->flush.tracing, r->q.ipc, err))
		return false;
	if ((!may_stop_late && !send_flush_stop(r, err)) ||
	    !tracing_await(&r->listening.tracing, r->q.ipc, err) || !run_start_decoder(r, err))
		return false;
	run_ask_stop(r, &r->listening);
	run_ask_stop(r, &r->flush);
	if (!r->q.is_small)
		poll(NULL, 0, SENDER_START_MS);
	r->cost->start_ns = clock_ns() - r->started_ns;
	if (may_stop_late)
		tracing_close(&r->trigger.tracing);
	release_turn(&r->turn_trigger);
	return true;
}

/*
 * For a reversed port, where each connection waits for the one before, and for runtimes that are
 * asked for the newest command they know.
 */
static bool
begin_in_turn(struct run *r, struct error *err)
{
	struct tracing_request listening = listening_request(r, KEYWORDS_WALK);
	struct tracing_request flush = flush_request(r), trigger;
	bool may_queue = r->q.ipc->listener < 0, may_stop_late;

	if (!tracing_start(&r->flush.tracing, r->q.ipc, &flush, err) ||
	    !tracing_start(&r->listening.tracing, r->q.ipc, &listening, err) ||
	    !run_start_decoder(r, err))
		return false;
	if (!r->q.is_small)
		poll(NULL, 0, SENDER_START_MS);
	may_stop_late = listening.command >= COMMAND_OF_10;
	r->cost->start_ns = clock_ns() - r->started_ns;
	if (may_queue && !may_stop_late)
		run_ask_stop(r, &r->flush);
	trigger = trigger_request(r, listening.command);
	if (!tracing_ask(&r->trigger.tracing, r->q.ipc, &trigger, err))
		return false;
	if (may_queue)
		run_ask_stop(r, &r->listening);
	if (may_queue && may_stop_late)
		run_ask_stop(r, &r->flush);
	return true;
}

bool
run_begin(struct run *r, struct error *err)
{
	struct tracing_request all = listening_request(r, KEYWORDS_WALK | KEYWORD_COLLECT);

	if (r->q.plan != PLAN_TWO_SESSIONS)
		return tracing_ask(&r->listening.tracing, r->q.ipc, &all, err);
	return r->q.ipc->listener < 0 && r->q.command <= COMMAND_OF_10 ? begin_at_once(r, err)
								       : begin_in_turn(r, err);
}

void
run_abort(struct run *r)
{
	struct session *sessions[] = { &r->listening, &r->trigger, &r->flush };

	release_turn(&r->turn_first);
	release_turn(&r->turn_flush_stop);
	release_turn(&r->turn_trigger);
	if (r->drain)
		drain_discard(r->drain);
	for (int i = 0; i < 3; i++)
		if (tracing_abort(&sessions[i]->tracing, r->q.ipc))
			run_ask_stop(r, sessions[i]);
}

void
run_close_session(struct run *r, struct session *s, int timeout_ms)
{
	struct error ignored;

	error_clear(&ignored);
	if (s->stop >= 0 && !tracing_stopped(s->stop, &r->uncancellable, timeout_ms, &ignored))
		error_clear(&ignored); /* it stops all the same */
	s->stop = -1;
	tracing_close(&s->tracing);
}
