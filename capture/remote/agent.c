#include "capture/remote/agent.h"
#include "capture/events/allocation_watch.h"
#include "capture/events/code_files.h"
#include "capture/events/gc_watch.h"
#include "capture/remote/frame.h"
#include "capture/remote/wire.h"
#include "io/heaptop/heaptop.h"
#include "model/base/thread.h"
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

enum { QUESTIONS_MAX = 16, REFUSALS_MAX = 256, CAPTURES_MAX = 256, REPORT_MS = 100 };

/* A capture that the other side may name. */
struct kept {
	uint32_t number; /* 0: free */
	unsigned users;
	bool is_freed; /* once it has no user */
	struct live_capture *capture;
};

struct question {
	struct agent *agent;
	uint32_t channel, kind; /* enum frame_kind */
	bool is_open;           /* its end is not being sent */
	bool has_thread;        /* to be joined */
	atomic_bool has_ended;  /* the thread has nothing more to do */
	pthread_t thread;
	struct wire_ask ask;
	struct progress progress;
	struct kept *loading; /* what SAY_PROGRESS watches; or NULL */
};

struct refusal {
	uint32_t channel;
	const char *why; /* a literal */
};

struct agent {
	const struct agent_options *options;
	int in, out;
	uint32_t silent_ms;                    /* for which nothing came */
	struct refusal refusals[REFUSALS_MAX]; /* that wait for room */
	size_t refusals_count;
	pthread_mutex_t writing; /* one message at a time */
	_Atomic int errnum;      /* of the first failure to write */
	pthread_mutex_t lock;    /* of what follows */
	struct question questions[QUESTIONS_MAX];
	struct kept captures[CAPTURES_MAX];
	uint32_t last_number;
};

/* --- sending -------------------------------------------------------------- */

/* Gives up once the other side is silent, as it may no longer read. */
static bool
wait_for_room(void *context)
{
	const struct agent *a = context;

	while (!a->errnum)
		if (frame_has_room(a->out, REPORT_MS))
			return true;
	return false;
}

/* Returns 0 or an errno. If nothing can be sent, nothing need be computed. */
static int
say_bytes(struct agent *a, uint32_t channel, enum frame_kind kind, const void *bytes, size_t len)
{
	const struct frame_target to = { a->out, wait_for_room, a };
	int errnum;

	pthread_mutex_lock(&a->writing);
	errnum = a->errnum;
	if (!errnum)
		errnum = frame_send(&to, channel, kind, bytes, len);
	if (errnum)
		a->errnum = errnum;
	pthread_mutex_unlock(&a->writing);
	if (errnum)
		progress_cancel_all(true);
	return errnum;
}

static void
say(struct agent *a, uint32_t channel, enum frame_kind kind, enum wire_kind wire, const void *what)
{
	uint8_t bytes[WIRE_BYTES];

	say_bytes(a, channel, kind, bytes, wire_put(wire, what, bytes));
}

/* For the thread that listens: it must not wait for the other side to read. False: there is no room
   now. */
static bool
say_at_once(struct agent *a, uint32_t channel, enum frame_kind kind, enum wire_kind wire,
	    const void *what)
{
	uint8_t bytes[WIRE_BYTES];
	size_t len = wire_put(wire, what, bytes);
	bool has_room;

	if (pthread_mutex_trylock(&a->writing))
		return false;
	has_room = !a->errnum && frame_has_room(a->out, 0);
	if (has_room)
		a->errnum = frame_write(a->out, channel, kind, bytes, len);
	pthread_mutex_unlock(&a->writing);
	return has_room;
}

/* For output_to(): sends SAY_BYTES. */
static int
send_output(void *context, const void *bytes, size_t len)
{
	struct question *q = context;
	const uint8_t *at = bytes;
	int errnum = 0;

	while (len && !errnum) {
		size_t part = len < FRAME_MAX_BYTES ? len : FRAME_MAX_BYTES;

		errnum = say_bytes(q->agent, q->channel, SAY_BYTES, at, part);
		at += part;
		len -= part;
	}
	return errnum;
}

/* Sends what is buffered; abandons what is not whole. */
static void
end_output(struct output *to, bool is_whole, struct error *err)
{
	bool is_sent = is_whole && output_close(to, err);

	if (!is_whole)
		output_abandon(to);
	(void)is_sent; /* else `err` says why */
}

/* --- captures that are kept ----------------------------------------------- */

static bool
keep(struct agent *a, struct live_capture *c, uint32_t *number, struct error *err)
{
	bool is_kept = false;

	pthread_mutex_lock(&a->lock);
	for (size_t i = 0; i < CAPTURES_MAX && !is_kept; i++)
		if (!a->captures[i].number) {
			*number = ++a->last_number;
			a->captures[i] = (struct kept){ .number = *number, .capture = c };
			is_kept = true;
		}
	pthread_mutex_unlock(&a->lock);
	return is_kept || error_set(err, ERROR_USAGE, "too many captures are open; close some");
}

static struct kept *
use(struct agent *a, uint32_t number, struct error *err)
{
	struct kept *found = NULL;

	pthread_mutex_lock(&a->lock);
	for (size_t i = 0; number && i < CAPTURES_MAX && !found; i++)
		if (a->captures[i].number == number && !a->captures[i].is_freed)
			found = &a->captures[i];
	if (found)
		found->users++;
	pthread_mutex_unlock(&a->lock);
	if (!found)
		error_set(err, ERROR_INPUT, "there is no such capture");
	return found;
}

static void
end_use(struct agent *a, struct kept *k, bool is_freed)
{
	struct live_capture *unused = NULL;

	if (!k)
		return;
	pthread_mutex_lock(&a->lock);
	k->is_freed = k->is_freed || is_freed;
	if (!--k->users && k->is_freed) {
		unused = k->capture;
		*k = (struct kept){ 0 };
	}
	pthread_mutex_unlock(&a->lock);
	a->options->live->free(unused);
}

/* --- answers -------------------------------------------------------------- */

static void
list(struct question *q, struct wire_end *end)
{
	struct agent *a = q->agent;
	size_t count = 0;
	struct live_process *all = a->options->live->list(&count, &q->progress, &end->err);

	for (size_t i = 0; all && i < count; i++)
		say(a, q->channel, SAY_PROCESS, WIRE_PROCESS, &all[i]);
	memory_free(all);
}

static void
open_capture(struct question *q, struct wire_end *end)
{
	const struct live_ops *live = q->agent->options->live;
	const struct live_target target = { .pid = q->ask.pid };
	const struct live_options options = {
		.budget_ms = UINT64_MAX,
		.memory_bytes = q->agent->options->memory_bytes,
		.from_memory = q->ask.from_memory,
		.has_conservative_stacks = q->ask.has_conservative_stacks,
		.runtime = q->ask.runtime,
		.is_elsewhere = true,
	};
	struct kept *before = NULL;
	struct live_capture *c = NULL;

	if (q->ask.capture)
		before = use(q->agent, q->ask.capture, &end->err);
	if (before || !q->ask.capture)
		c = live->open(&target, &options, before ? before->capture : NULL, &q->progress,
			       &end->err);
	end_use(q->agent, before, false);
	if (c && !keep(q->agent, c, &end->capture, &end->err)) {
		live->free(c);
		c = NULL;
	}
	if (c)
		say(q->agent, q->channel, SAY_CARD, WIRE_CARD, live->card(c));
}

static void
send_heap(struct question *q, const struct heap *h, struct error *err)
{
	struct output *to = output_to(send_output, q, err);

	if (to)
		end_output(to, saved_write(to, h, NULL, &q->progress, err), err);
}

static void
load(struct question *q, struct wire_end *end)
{
	const struct live_ops *live = q->agent->options->live;
	struct kept *k = use(q->agent, q->ask.capture, &end->err);
	const struct heap *h;

	if (!k)
		return;
	pthread_mutex_lock(&q->agent->lock);
	q->loading = k;
	pthread_mutex_unlock(&q->agent->lock);
	h = live->load(k->capture, &q->progress, NULL, &end->err);
	pthread_mutex_lock(&q->agent->lock);
	q->loading = NULL;
	pthread_mutex_unlock(&q->agent->lock);
	if (h)
		send_heap(q, h, &end->err);
	if (h)
		heap_free(h);
	end->is_complete = live->tell_cost(k->capture, end->text, sizeof(end->text));
	end_use(q->agent, k, false);
}

static void
free_capture(struct question *q, struct wire_end *end)
{
	end_use(q->agent, use(q->agent, q->ask.capture, &end->err), true);
}

static void
forget_record(void *context, struct gc_record *r)
{
	(void)context;
	gc_record_clear(r);
}

static void
forget_totals(void *context, const struct gc_totals *totals)
{
	(void)context, (void)totals;
}

static void
collections(struct question *q, struct wire_end *end)
{
	const struct live_target target = { .pid = q->ask.pid };
	const struct gc_sink sink = { forget_record, forget_totals, NULL };
	struct gc_source_facts facts = { .end = "" };
	struct output *keep = output_to(send_output, q, &end->err);

	if (!keep)
		return;
	end_output(
	    keep,
	    gc_watch(&target, q->ask.wants_joins, sink, keep, &facts, &q->progress, &end->err),
	    &end->err);
	snprintf(end->who, sizeof(end->who), "%s", facts.who);
	snprintf(end->runtime, sizeof(end->runtime), "%s", facts.runtime);
	snprintf(end->text, sizeof(end->text), "%s", facts.end);
	end->is_cut = facts.is_cut;
}

static void
plan_allocations(struct question *q, struct wire_end *end)
{
	const struct live_target target = { .pid = q->ask.pid };
	struct live_allocations plan = {
		.time_ns = q->ask.time_ns,
		.without_survival = q->ask.without_survival,
	};

	if (!q->agent->options->live->plan_allocations(&target, &plan, &q->progress, &end->err))
		return;
	snprintf(end->who, sizeof(end->who), "%s", plan.who);
	end->buffer_mb = plan.buffer_mb;
	end->is_random = plan.is_random;
	end->survival_stop_ns = plan.survival_stop_ns;
	end->sessions = plan.sessions;
	end->target = plan.target;
}

static void
allocations(struct question *q, struct wire_end *end)
{
	const struct live_target target = { .pid = q->ask.pid };
	struct live_allocations plan = {
		.time_ns = q->ask.time_ns,
		.buffer_mb = q->ask.buffer_mb,
		.is_random = q->ask.is_random,
		.without_survival = q->ask.without_survival,
	};

	plan.keep = output_to(send_output, q, &end->err);
	if (plan.keep)
		end_output(plan.keep,
			   allocation_events(&target, &plan, end->text, &q->progress, &end->err),
			   &end->err);
}

static bool
say_code(void *context, const struct method_image *image, struct error *err)
{
	struct question *q = context;
	struct wire_code code = { .start = image->start, .end = image->end, .base = image->base };

	(void)err;
	if (strlen(image->path) < sizeof(code.path)) {
		snprintf(code.path, sizeof(code.path), "%s", image->path);
		say(q->agent, q->channel, SAY_CODE, WIRE_CODE, &code);
	}
	return true;
}

static void
methods(struct question *q, struct wire_end *end)
{
	const struct live_target target = { .pid = q->ask.pid };
	struct output *to = output_to(send_output, q, &end->err);

	if (!to)
		return;
	end_output(to,
		   allocation_methods(&target, q->ask.buffer_mb, to, &q->progress, &end->err) &&
		       code_files_each(PROC_FOLDER, target.pid, say_code, q, &end->err),
		   &end->err);
}

static void (*const answers[ASK_COUNT])(struct question *q, struct wire_end *end) = {
	[ASK_LIST] = list,
	[ASK_OPEN] = open_capture,
	[ASK_LOAD] = load,
	[ASK_FREE] = free_capture,
	[ASK_COLLECTIONS] = collections,
	[ASK_PLAN] = plan_allocations,
	[ASK_ALLOCATIONS] = allocations,
	[ASK_METHODS] = methods,
};

/* --- questions ------------------------------------------------------------ */

static void *
answer(void *context)
{
	struct question *q = context;
	struct agent *a = q->agent;
	struct wire_end end = { 0 };

	error_clear(&end.err);
	answers[q->kind](q, &end);
	/* The other side may ask on this channel again once it has the end. */
	pthread_mutex_lock(&a->lock);
	q->is_open = false;
	pthread_mutex_unlock(&a->lock);
	say(a, q->channel, SAY_END, WIRE_END, &end);
	q->has_ended = true;
	return NULL;
}

static bool
send_refusal(struct agent *a, const struct refusal *r)
{
	struct wire_end end = { 0 };

	error_clear(&end.err);
	error_set(&end.err, ERROR_SYSTEM, "%s", r->why);
	return say_at_once(a, r->channel, SAY_END, WIRE_END, &end);
}

static void
send_refusals(struct agent *a)
{
	size_t kept = 0;

	for (size_t i = 0; i < a->refusals_count; i++)
		if (!send_refusal(a, &a->refusals[i]))
			a->refusals[kept++] = a->refusals[i];
	a->refusals_count = kept;
}

/* If too many refusals wait, this one is dropped: the other side gives up a question without an
   answer. */
static void
refuse(struct agent *a, uint32_t channel, const char *why)
{
	send_refusals(a);
	if (a->refusals_count < REFUSALS_MAX)
		a->refusals[a->refusals_count++] = (struct refusal){ channel, why };
	send_refusals(a);
}

static struct question *
question_at(struct agent *a, uint32_t channel)
{
	for (size_t i = 0; i < QUESTIONS_MAX; i++)
		if (a->questions[i].is_open && a->questions[i].channel == channel)
			return &a->questions[i];
	return NULL;
}

static bool
is_free(const struct question *q)
{
	return !q->has_thread || q->has_ended;
}

static void
join(struct question *q)
{
	if (q->has_thread)
		pthread_join(q->thread, NULL);
	q->has_thread = false;
}

static void
begin(struct agent *a, const struct frame *f, const struct wire_ask *ask)
{
	struct question *q = NULL;

	pthread_mutex_lock(&a->lock);
	for (size_t i = 0; i < QUESTIONS_MAX && !q; i++)
		if (is_free(&a->questions[i]))
			q = &a->questions[i];
	if (q) {
		join(q);
		*q = (struct question){
			.agent = a, .channel = f->channel, .kind = f->kind, .ask = *ask
		};
		q->has_thread = !thread_start(&q->thread, answer, q);
		q->is_open = q->has_thread;
	}
	pthread_mutex_unlock(&a->lock);
	if (!q)
		refuse(a, f->channel, "too many questions are open at once");
	else if (!q->has_thread)
		refuse(a, f->channel, "no thread can be started");
}

static bool
receive_frame(struct agent *a, const struct frame *f, struct error *err)
{
	struct question *q;
	struct wire_ask ask;

	if (f->kind == ASK_CANCEL) {
		pthread_mutex_lock(&a->lock);
		q = question_at(a, f->channel);
		if (q)
			progress_cancel(&q->progress);
		pthread_mutex_unlock(&a->lock);
		return true;
	}
	if (f->kind == ASK_NOTHING)
		return true;
	if (f->kind >= ASK_COUNT)
		return error_set(err, ERROR_INPUT, "a message came that is not a question");
	if (!wire_take(WIRE_ASK, f->bytes, f->len, &ask, err))
		return false;
	begin(a, f, &ask);
	return true;
}

/* --- progress ------------------------------------------------------------- */

static void
copy_literal(char *to, size_t to_size, const char *literal)
{
	snprintf(to, to_size, "%s", literal ? literal : "");
}

/* A report that would have to wait is left out. */
static void
report(struct question *q)
{
	const struct progress *p = &q->progress;
	struct wire_progress now = { .done = atomic_load(&p->done),
				     .total = atomic_load(&p->total),
				     .is_about = atomic_load(&p->is_about) };
	struct agent *a = q->agent;

	copy_literal(now.stage, sizeof(now.stage), atomic_load(&p->stage));
	copy_literal(now.counted, sizeof(now.counted), atomic_load(&p->counted));
	if (q->loading)
		a->options->live->watch(q->loading->capture, &now.watch);
	(void)say_at_once(a, q->channel, SAY_PROGRESS, WIRE_PROGRESS, &now);
}

static void
report_all(struct agent *a)
{
	pthread_mutex_lock(&a->lock);
	for (size_t i = 0; i < QUESTIONS_MAX; i++)
		if (a->questions[i].is_open)
			report(&a->questions[i]);
	pthread_mutex_unlock(&a->lock);
}

/*
 * Waits for bytes or the end, and reports in between. False: nothing can be sent, or nothing has
 * come for too long. Only time that passes here counts, so that a machine that was halted does not
 * end it.
 */
static bool
wait_for_bytes(void *context)
{
	struct agent *a = context;
	struct pollfd p = { .fd = a->in, .events = POLLIN };

	while (!a->errnum) {
		int ready;

		send_refusals(a);
		ready = poll(&p, 1, REPORT_MS);
		if (ready > 0)
			a->silent_ms = 0;
		if (ready > 0 || (ready < 0 && errno != EINTR))
			return ready > 0;
		a->silent_ms += REPORT_MS;
		if (a->options->silent_max_ms && a->silent_ms >= a->options->silent_max_ms)
			a->errnum = ETIMEDOUT;
		report_all(a);
	}
	return false;
}

/* Cancels all questions and waits for their threads. */
static void
end_all(struct agent *a)
{
	progress_cancel_all(true);
	for (size_t i = 0; i < QUESTIONS_MAX; i++)
		join(&a->questions[i]);
	for (size_t i = 0; i < CAPTURES_MAX; i++)
		a->options->live->free(a->captures[i].capture);
}

bool
agent_serve(int in, int out, const struct agent_options *options, struct error *err)
{
	struct agent *a = memory_new(1, sizeof(*a), err);
	struct frame *f = memory_new(1, sizeof(*f), err);
	const struct frame_source from = { in, wait_for_bytes, a };
	bool ok = a && f;

	if (ok) {
		a->options = options;
		a->in = in;
		a->out = out;
		pthread_mutex_init(&a->writing, NULL);
		pthread_mutex_init(&a->lock, NULL);
		say_bytes(a, 0, SAY_HELLO, options->version, strlen(options->version));
		while (frame_read(&from, f, err))
			if (!receive_frame(a, f, err))
				break;
		end_all(a);
		ok = err->kind == ERROR_NONE;
	}
	memory_free(f);
	memory_free(a);
	return ok;
}
