#include "capture/remote/remote.h"
#include "capture/remote/link.h"
#include "io/events/allocation_events.h"
#include "io/events/gc_stats.h"
#include "io/heaptop/heaptop.h"
#include "model/base/arena.h"
#include "model/base/clock.h"
#include <stdio.h>
#include <string.h>

enum { LOOK_MS = 50 };

static struct link *connection; /* set before there are threads */

struct live_capture {
	uint32_t number; /* there */
	struct live_card card;
	pthread_mutex_t lock; /* of `watch` */
	struct live_watch watch;
	struct wire_end end; /* of loading */
};

bool
remote_open(const struct carrier_options *options, const char *version,
	    struct error *err)
{
	connection = link_open(options, version, err);
	return connection != NULL;
}

void
remote_close(void)
{
	link_close(connection);
	connection = NULL;
}

/* --- answers -------------------------------------------------------------- */

/*
 * Returns a literal in place of a text from the other side, as struct progress
 * wants one: the same memory for the same text, never freed. Further texts than
 * there is room for are shown as one.
 */
static const char *
literal_of(const char *text)
{
	enum { TEXTS = 64 };
	static char texts[TEXTS][sizeof(((struct wire_progress *)0)->stage)];
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	const char *found = "working";

	if (!*text)
		return NULL;
	pthread_mutex_lock(&lock);
	for (int i = 0; i < TEXTS; i++) {
		if (!*texts[i])
			snprintf(texts[i], sizeof(texts[i]), "%s", text);
		if (!strcmp(texts[i], text)) {
			found = texts[i];
			break;
		}
	}
	pthread_mutex_unlock(&lock);
	return found;
}

static void
take_progress(const struct wire_progress *now, struct progress *p)
{
	const char *stage = literal_of(now->stage);

	if (!p || !stage)
		return;
	if (atomic_load(&p->stage) != stage)
		progress_begin(p, stage, literal_of(now->counted), now->total);
	if (now->is_about)
		progress_estimate(p, now->total);
	else
		atomic_store(&p->total, now->total);
	atomic_store(&p->done, now->done);
}

/* Errors name the side on which they happened. */
static bool
take_end(const struct frame *f, struct wire_end *end, struct error *err)
{
	if (!wire_take(WIRE_END, f->bytes, f->len, end, err))
		return false;
	if (end->err.kind == ERROR_NONE)
		return true;
	if (end->err.kind == ERROR_CANCELLED)
		return error_cancelled(err);
	error_set(err, end->err.kind, "%s: %s", link_label(connection),
		  end->err.message);
	err->is_memory = end->err.is_memory;
	return false;
}

/* Takes the messages before the end; `watched` and `received` may be NULL. */
struct taking {
	bool (*take)(void *context, const struct frame *f, struct error *err);
	void *context;
	struct live_capture *watched;
	const struct received *received;
};

/* A heap that arrives. */
struct received {
	uint8_t *bytes;
	size_t len, room, tried_len;
	struct progress *progress;
	struct preview *preview; /* or NULL */
	struct saved_early *early;
};

/* The objects sent so far give an estimate of all bytes. */
static void
estimate_rest(const struct wire_progress *now, const struct received *r)
{
	enum { TIMES_MAX = 1 << 20 };

	if (now->done && now->done <= now->total &&
	    now->total / now->done < TIMES_MAX)
		progress_estimate(r->progress, (uint64_t)((double)r->len *
							  (double)now->total /
							  (double)now->done));
}

static bool
take_one(const struct taking *t, const struct frame *f, struct progress *p,
	 struct error *err)
{
	struct wire_progress now;

	if (f->kind != SAY_PROGRESS)
		return !t->take || t->take(t->context, f, err);
	if (!wire_take(WIRE_PROGRESS, f->bytes, f->len, &now, err))
		return false;
	if (t->received && t->received->len)
		estimate_rest(&now, t->received);
	else
		take_progress(&now, p);
	if (t->watched) {
		pthread_mutex_lock(&t->watched->lock);
		t->watched->watch = now.watch;
		pthread_mutex_unlock(&t->watched->lock);
	}
	return true;
}

/* Asks, and takes all messages until the end; false if that is an error. */
static bool
ask(enum frame_kind kind, const struct wire_ask *question,
    const struct taking *t, struct wire_end *end, struct progress *progress,
    struct error *err)
{
	struct answer *a = link_ask(connection, kind, question, err);
	bool has_ended = false, ok = a != NULL;

	while (ok && !has_ended) {
		const struct frame *f = answer_next(a, LOOK_MS, err);

		ok = err->kind == ERROR_NONE;
		if (ok && progress_is_cancelled(progress))
			ok = error_cancelled(err);
		else if (f && f->kind == SAY_END)
			has_ended = true, ok = take_end(f, end, err);
		else if (f)
			ok = take_one(t, f, progress, err);
	}
	answer_free(a);
	return ok;
}

/* --- the list ------------------------------------------------------------- */

struct processes {
	struct live_process *items;
	size_t count, room;
};

static bool
take_process(void *context, const struct frame *f, struct error *err)
{
	enum { PROCESSES_MAX = 100000 };
	struct processes *all = context;
	struct live_process p;

	return f->kind != SAY_PROCESS || all->count == PROCESSES_MAX ||
	       (wire_take(WIRE_PROCESS, f->bytes, f->len, &p, err) &&
		APPEND(all->items, all->count, all->room, err, p));
}

static struct live_process *
list(size_t *count, struct progress *progress, struct error *err)
{
	const struct wire_ask question = { 0 };
	struct processes all = { 0 };
	const struct taking taking = { .take = take_process, .context = &all };
	struct wire_end end;

	*count = 0;
	if (!ask(ASK_LIST, &question, &taking, &end, progress, err)) {
		memory_free(all.items);
		return NULL;
	}
	*count = all.count;
	return all.items;
}

/* --- captures ------------------------------------------------------------- */

static void
free_capture(struct live_capture *c)
{
	struct error ignored = { 0 };

	if (!c)
		return;
	if (c->number) {
		const struct wire_ask question = { .capture = c->number };

		/* The screen does not wait for the answer. */
		answer_free(
		    link_ask(connection, ASK_FREE, &question, &ignored));
	}
	pthread_mutex_destroy(&c->lock);
	memory_free(c);
}

/* "web-1: process 4711 (api)" */
static void
add_label(char *who, size_t who_size)
{
	char alone[sizeof(((struct live_card *)0)->who)];

	snprintf(alone, sizeof(alone), "%s", who);
	snprintf(who, who_size, "%.24s: %.69s", link_label(connection), alone);
}

static bool
take_card(void *context, const struct frame *f, struct error *err)
{
	struct live_capture *c = context;

	if (f->kind != SAY_CARD)
		return true;
	if (!wire_take(WIRE_CARD, f->bytes, f->len, &c->card, err))
		return false;
	add_label(c->card.who, sizeof(c->card.who));
	return true;
}

static struct live_capture *
open_capture(const struct live_target *target,
	     const struct live_options *options,
	     const struct live_capture *before, struct progress *progress,
	     struct error *err)
{
	struct live_capture *c;
	const struct wire_ask question = {
		.pid = target ? target->pid : before->card.pid,
		.capture = before ? before->number : 0,
		.from_memory = options->from_memory,
		.runtime = options->runtime,
	};
	struct taking taking = { .take = take_card };
	struct wire_end end = { 0 };

	if (options->keep_path) {
		error_set(err, ERROR_USAGE,
			  "the events of a heap walk elsewhere cannot be "
			  "saved: -o FILE.heaptop saves the heap");
		return NULL;
	}
	c = memory_new(1, sizeof(*c), err);
	if (!c)
		return NULL;
	pthread_mutex_init(&c->lock, NULL);
	taking.context = c;
	if (ask(ASK_OPEN, &question, &taking, &end, progress, err)) {
		c->number = end.capture;
		return c;
	}
	free_capture(c);
	return NULL;
}

static const struct live_card *
card_of(const struct live_capture *c)
{
	return &c->card;
}

/* Tries again only when twice as much has come. */
static void
show_early(struct received *r)
{
	if (!r->preview || r->early || r->len < 2 * r->tried_len)
		return;
	r->tried_len = r->len;
	r->early = saved_early_show(r->bytes, r->len, r->preview);
}

static bool
take_bytes(void *context, const struct frame *f, struct error *err)
{
	struct received *r = context;

	if (f->kind != SAY_BYTES)
		return true;
	if (!MAKE_ROOM(r->bytes, r->len + f->len, r->room, err))
		return false;
	if (!r->len)
		progress_begin_bytes(r->progress, "receiving", 0);
	memcpy(r->bytes + r->len, f->bytes, f->len);
	r->len += f->len;
	show_early(r);
	return progress_add(r->progress, f->len) || error_cancelled(err);
}

static const struct heap *
load(struct live_capture *c, struct progress *progress, struct preview *preview,
     struct error *err)
{
	const struct wire_ask question = { .capture = c->number };
	struct received r = { .progress = progress, .preview = preview };
	const struct taking taking = { take_bytes, &r, c, &r };
	const struct heap *h = NULL;

	if (ask(ASK_LOAD, &question, &taking, &c->end, progress, err))
		h = saved_read(r.bytes, r.len, c->card.who, LOAD_ALL, progress,
			       preview, err);
	if (!h && err->kind == ERROR_INPUT) {
		const struct error why = *err;

		error_clear(err);
		error_set(err, ERROR_INPUT,
			  "%s: the heap that it has sent cannot be read: %s",
			  link_label(connection), why.message);
	}
	if (!h)
		preview_withdraw(preview);
	saved_early_free(r.early);
	memory_free(r.bytes);
	return h;
}

static void
watch(const struct live_capture *c, struct live_watch *out)
{
	pthread_mutex_t *lock = (pthread_mutex_t *)(uintptr_t)&c->lock;

	pthread_mutex_lock(lock);
	*out = c->watch;
	pthread_mutex_unlock(lock);
}

static bool
tell_cost(const struct live_capture *c, char *text, size_t text_size)
{
	snprintf(text, text_size, "%s", c->end.text);
	return c->end.is_complete;
}

static int
keep_errnum(const struct live_capture *c)
{
	(void)c;
	return 0;
}

/* --- events --------------------------------------------------------------- */

/* The event stream of a runtime there. */
struct events {
	struct answer *answer;
	bool has_stopped, has_ended;
	struct wire_end end;
	struct progress *progress;
	struct output *keep;    /* gets the bytes, too; or NULL */
	struct gc_stats *stats; /* to settle when no bytes come; or NULL */
	int64_t begun_ns;
};

static bool
settle(struct events *e, struct error *err)
{
	if (!e->stats)
		return true;
	if (!gc_stats_settle(e->stats, err))
		return false;
	gc_stats_watched(e->stats, (uint64_t)(clock_ns() - e->begun_ns));
	return true;
}

static bool
next_bytes(void *context, const uint8_t **data, size_t *len, struct error *err)
{
	struct events *e = context;

	*len = 0;
	while (!e->has_ended) {
		const struct frame *f = answer_next(e->answer, LOOK_MS, err);

		if (err->kind != ERROR_NONE)
			return false;
		if (progress_is_cancelled(e->progress) && !e->has_stopped) {
			e->has_stopped = true;
			answer_stop(e->answer);
		}
		if (!f && !settle(e, err))
			return false;
		if (f && f->kind == SAY_END) {
			e->has_ended = true;
			return take_end(f, &e->end, err);
		}
		if (f && f->kind == SAY_BYTES && f->len) {
			*data = f->bytes;
			*len = f->len;
			if (e->keep)
				output_write(e->keep, f->bytes, f->len);
			return true;
		}
	}
	return true;
}

static struct events *
events_begin(enum frame_kind kind, const struct wire_ask *question,
	     struct progress *progress, struct error *err)
{
	struct events *e = memory_new(1, sizeof(*e), err);

	if (!e)
		return NULL;
	e->progress = progress;
	e->begun_ns = clock_ns();
	e->answer = link_ask(connection, kind, question, err);
	if (e->answer)
		return e;
	memory_free(e);
	return NULL;
}

static void
events_free(struct events *e)
{
	if (e)
		answer_free(e->answer);
	memory_free(e);
}

/* Reads the rest of the messages if a reader has stopped before it. */
static bool
events_end(struct events *e, struct error *err)
{
	const uint8_t *data;
	size_t len;

	while (!e->has_ended)
		if (!next_bytes(e, &data, &len, err))
			return false;
	return true;
}

static bool
collections(const struct live_target *target, bool wants_joins,
	    struct gc_sink sink, struct gc_source_facts *facts,
	    struct progress *progress, struct error *err)
{
	const struct wire_ask question = { .pid = target->pid,
					   .wants_joins = wants_joins };
	struct events *e =
	    events_begin(ASK_COLLECTIONS, &question, progress, err);
	struct nettrace *trace;
	bool ok;

	if (!e)
		return false;
	e->stats = gc_stats_new(sink, err);
	trace = nettrace_new((struct nettrace_input){ next_bytes, e }, err);
	ok = e->stats && trace &&
	     gc_stats_take_all(e->stats, trace, NULL, err) &&
	     events_end(e, err);
	if (ok) {
		add_label(e->end.who, sizeof(e->end.who));
		snprintf(facts->who, sizeof(facts->who), "%s", e->end.who);
		snprintf(facts->runtime, sizeof(facts->runtime), "%s",
			 e->end.runtime);
		snprintf(facts->end, sizeof(facts->end), "%.199s", e->end.text);
		facts->is_cut = e->end.is_cut;
	}
	nettrace_free(trace);
	gc_stats_free(e->stats);
	events_free(e);
	return ok;
}

/*
 * Refuses to show a recording while it goes on: the lists that name the methods
 * meanwhile are not part of the stream.
 */
static bool
plan_allocations(const struct live_target *target,
		 struct live_allocations *plan, struct progress *progress,
		 struct error *err)
{
	const struct wire_ask question = {
		.pid = target->pid,
		.time_ns = plan->time_ns,
		.without_survival = plan->without_survival,
	};
	const struct taking nothing = { 0 };
	struct wire_end end = { 0 };

	if (plan->is_shown)
		return error_set(
		    err, ERROR_USAGE,
		    "%s: allocations elsewhere are not shown while "
		    "they are recorded; heaptop -b allocations "
		    "--for 30s prints them",
		    link_label(connection));
	if (!ask(ASK_PLAN, &question, &nothing, &end, progress, err))
		return false;
	snprintf(plan->who, sizeof(plan->who), "%s", end.who);
	add_label(plan->who, sizeof(plan->who));
	plan->buffer_mb = end.buffer_mb;
	plan->is_random = end.is_random;
	plan->survival_stop_ns = end.survival_stop_ns;
	plan->sessions = end.sessions;
	plan->target = end.target;
	return true;
}

static bool
allocations(const struct live_target *target,
	    const struct live_allocations *plan, struct allocation_sink sink,
	    struct progress *progress, struct error *err)
{
	const struct wire_ask question = {
		.pid = target->pid,
		.time_ns = plan->time_ns,
		.buffer_mb = plan->buffer_mb,
		.is_random = plan->is_random,
		.without_survival = plan->without_survival,
	};
	struct allocations *a;
	struct events *e;
	bool ok;

	e = events_begin(ASK_ALLOCATIONS, &question, progress, err);
	if (!e)
		return false;
	e->keep = plan->keep;
	a = allocations_read((struct nettrace_input){ next_bytes, e },
			     plan->who, NULL, err);
	ok = a && events_end(e, err);
	if (ok) {
		snprintf(a->facts.end, sizeof(a->facts.end), "%.199s",
			 e->end.text);
		a->facts.is_random = plan->is_random;
		sink.publish(sink.context, a);
	} else {
		allocations_free(a);
	}
	events_free(e);
	return ok;
}

const struct live_ops remote_live_ops = {
	.is_elsewhere = true,
	.list = list,
	.open = open_capture,
	.card = card_of,
	.load = load,
	.watch = watch,
	.tell_cost = tell_cost,
	.keep_errnum = keep_errnum,
	.free = free_capture,
	.collections = collections,
	.plan_allocations = plan_allocations,
	.allocations = allocations,
};
