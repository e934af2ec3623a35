#include "capture/remote/remote_events.h"
#include "capture/events/allocation_copies.h"
#include "capture/remote/asking.h"
#include "io/base/output.h"
#include "io/events/gc_stats.h"
#include "model/base/arena.h"
#include "model/base/clock.h"
#include <stdio.h>
#include <string.h>

/* --- the event stream of a runtime there ---------------------------------- */

struct events {
	struct answer *answer;
	bool has_stopped, has_ended;
	struct wire_end end;
	struct progress *progress;
	struct output *keep; /* gets the bytes, too; or NULL */
	/* Called between messages, at least every ASKING_LOOK_MS; or NULL. */
	bool (*tick)(void *context, bool is_idle, struct error *err);
	void *context;
	int64_t begun_ns;   /* when the first bytes came; 0: not yet */
	bool outlives_loss; /* a lost connection is an end like others */
	struct error loss;
};

static bool
receive_end(struct events *e, const struct frame *f, struct error *err)
{
	bool ok = asking_take_end(f, &e->end, err);

	e->has_ended = true;
	if (!ok && e->has_stopped && e->end.err.kind == ERROR_CANCELLED) {
		error_clear(err);
		error_cancelled(err);
	}
	return ok;
}

static void
receive_bytes(struct events *e, const struct frame *f)
{
	if (!e->begun_ns)
		e->begun_ns = clock_ns();
	if (e->keep)
		output_write(e->keep, f->bytes, f->len);
}

static bool
is_outlived(struct events *e, struct error *err)
{
	if (!e->outlives_loss || !e->begun_ns)
		return false;
	e->loss = *err;
	error_clear(err);
	e->has_ended = true;
	return true;
}

static bool
next_bytes(void *context, const uint8_t **data, size_t *len, struct error *err)
{
	struct events *e = context;

	*len = 0;
	while (!e->has_ended) {
		const struct frame *f = answer_next(e->answer, ASKING_LOOK_MS, err);

		if (err->kind != ERROR_NONE)
			return is_outlived(e, err);
		if (progress_is_cancelled(e->progress) && !e->has_stopped) {
			e->has_stopped = true;
			answer_stop(e->answer);
		}
		if (e->tick && !e->tick(e->context, !f, err))
			return false;
		if (f && f->kind == SAY_END)
			return receive_end(e, f, err);
		if (f && f->kind == SAY_BYTES && f->len) {
			receive_bytes(e, f);
			*data = f->bytes;
			*len = f->len;
			return true;
		}
	}
	return true;
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
events_begin(struct events *e, enum frame_kind kind, const struct wire_ask *question,
	     struct error *err)
{
	e->answer = asking_begin(kind, question, err);
	return e->answer != NULL;
}

/* --- collections ---------------------------------------------------------- */

struct watched {
	struct events events;
	struct gc_stats *stats;
	int64_t asked_ns;
};

/* Settles the collections when no bytes come. */
static bool
settle(void *context, bool is_idle, struct error *err)
{
	struct watched *w = context;

	if (!is_idle)
		return true;
	if (!gc_stats_settle(w->stats, err))
		return false;
	gc_stats_watched(w->stats, (uint64_t)(clock_ns() - w->asked_ns));
	return true;
}

static void
describe(const struct wire_end *end, struct gc_source_facts *facts)
{
	snprintf(facts->who, sizeof(facts->who), "%s", end->who);
	asking_add_label(facts->who, sizeof(facts->who));
	snprintf(facts->runtime, sizeof(facts->runtime), "%s", end->runtime);
	snprintf(facts->end, sizeof(facts->end), "%.199s", end->text);
	facts->is_cut = end->is_cut;
}

bool
remote_collections(const struct live_target *target, bool wants_joins, struct gc_sink sink,
		   struct gc_source_facts *facts, struct progress *progress, struct error *err)
{
	const struct wire_ask question = { .pid = target->pid, .wants_joins = wants_joins };
	struct watched w = { .events = { .progress = progress, .tick = settle, .context = &w },
			     .asked_ns = clock_ns() };
	struct nettrace *trace = NULL;
	bool ok;

	w.stats = gc_stats_new(sink, err);
	if (w.stats)
		trace = nettrace_new((struct nettrace_input){ next_bytes, &w.events }, err);
	ok = trace && events_begin(&w.events, ASK_COLLECTIONS, &question, err) &&
	     gc_stats_take_all(w.stats, trace, NULL, err) && events_end(&w.events, err);
	if (ok)
		describe(&w.events.end, facts);
	nettrace_free(trace);
	gc_stats_free(w.stats);
	answer_free(w.events.answer);
	return ok;
}

/* --- lists of methods ----------------------------------------------------- */

struct recording {
	struct events events;
	const struct live_target *target;
	const struct live_allocations *plan;
	struct allocation_copies copies;
	struct answer *listing; /* a list that is on its way; or NULL */
	uint8_t *list;
	size_t list_len, list_room;
};

static struct wire_ask
list_question(const struct recording *r)
{
	return (struct wire_ask){ .pid = r->target->pid, .buffer_mb = r->plan->buffer_mb };
}

static bool
receive_code(struct recording *r, const struct frame *f, struct error *err)
{
	struct wire_code code;
	struct method_image image;

	if (!wire_take(WIRE_CODE, f->bytes, f->len, &code, err))
		return false;
	image = (struct method_image){ code.start, code.end, code.base, code.path };
	return methods_add_image(allocation_reader_methods(r->copies.reader), &image, err);
}

/* Methods beyond the limit have no names. */
static bool
receive_of_list(void *context, const struct frame *f, struct error *err)
{
	enum { LIST_MAX_BYTES = 128 << 20 };
	struct recording *r = context;

	if (f->kind == SAY_CODE)
		return receive_code(r, f, err);
	if (f->kind != SAY_BYTES || r->list_len + f->len > LIST_MAX_BYTES)
		return true;
	if (!MAKE_ROOM(r->list, r->list_len + f->len, r->list_room, err))
		return false;
	memcpy(r->list + r->list_len, f->bytes, f->len);
	r->list_len += f->len;
	return true;
}

static void
forget_list(struct recording *r)
{
	memory_free(r->list);
	r->list = NULL;
	r->list_len = r->list_room = 0;
}

/* Reads a list that has arrived. */
static bool
read_list(struct recording *r, struct error *err)
{
	struct nettrace_memory memory;
	struct nettrace *t =
	    nettrace_new(nettrace_memory_input(&memory, r->list, r->list_len), err);
	bool ok = t && methods_take_all(allocation_reader_methods(r->copies.reader), t, err);

	nettrace_free(t);
	forget_list(r);
	return ok;
}

static bool
list_first(struct recording *r, struct error *err)
{
	const struct wire_ask question = list_question(r);
	const struct taking taking = { .take = receive_of_list, .context = r };
	struct wire_end end;
	struct error why;

	if (!asking_ask(ASK_METHODS, &question, &taking, &end, r->events.progress, err))
		return false;
	if (read_list(r, err))
		return true;
	why = *err;
	error_clear(err);
	return error_set(err, why.kind, "%s: the list of methods cannot be read: %.150s",
			 asking_label(), why.message);
}

/* Its answer comes while the recording goes on: were it waited for, the events would fill the
   connection, and the answer never come. */
static bool
list_again(void *context)
{
	struct recording *r = context;
	const struct wire_ask question = list_question(r);
	struct error ignored;

	error_clear(&ignored);
	r->listing = asking_begin(ASK_METHODS, &question, &ignored);
	return r->listing != NULL;
}

static void
end_list(struct recording *r, bool is_good)
{
	answer_free(r->listing);
	r->listing = NULL;
	forget_list(r);
	allocation_copies_listed(&r->copies, is_good);
}

/* Reads the frames of a list that have arrived. Methods of a list that fails have no names. */
static void
receive_list(struct recording *r)
{
	struct error why;
	struct wire_end end;

	error_clear(&why);
	while (r->listing) {
		const struct frame *f = answer_next(r->listing, 0, &why);

		if (!f && why.kind == ERROR_NONE)
			return;
		if (!f || f->kind == SAY_END)
			end_list(r, f && asking_take_end(f, &end, &why) && read_list(r, &why));
		else if (!receive_of_list(r, f, &why))
			end_list(r, false);
	}
}

/* --- allocations ---------------------------------------------------------- */

bool
remote_plan_allocations(const struct live_target *target, struct live_allocations *plan,
			struct progress *progress, struct error *err)
{
	const struct wire_ask question = {
		.pid = target->pid,
		.time_ns = plan->time_ns,
		.without_survival = plan->without_survival,
	};
	const struct taking nothing = { .take = NULL };
	struct wire_end end = { 0 };

	if (!asking_ask(ASK_PLAN, &question, &nothing, &end, progress, err))
		return false;
	snprintf(plan->who, sizeof(plan->who), "%s", end.who);
	asking_add_label(plan->who, sizeof(plan->who));
	plan->buffer_mb = end.buffer_mb;
	plan->is_random = end.is_random;
	plan->survival_stop_ns = end.survival_stop_ns;
	plan->sessions = end.sessions;
	plan->target = end.target;
	return true;
}

static bool
publish_so_far(void *context, bool is_idle, struct error *err)
{
	struct recording *r = context;

	(void)is_idle;
	receive_list(r);
	return !r->events.begun_ns || r->events.has_stopped ||
	       allocation_copies_publish(&r->copies, r->events.begun_ns, err);
}

static bool
record(struct recording *r, struct error *err)
{
	const struct wire_ask question = {
		.pid = r->target->pid,
		.time_ns = r->plan->time_ns,
		.buffer_mb = r->plan->buffer_mb,
		.is_random = r->plan->is_random,
		.without_survival = r->plan->without_survival,
	};
	struct nettrace *trace =
	    nettrace_new((struct nettrace_input){ next_bytes, &r->events }, err);
	bool ok = trace && events_begin(&r->events, ASK_ALLOCATIONS, &question, err) &&
		  allocation_reader_take_all(r->copies.reader, trace, NULL, err) &&
		  events_end(&r->events, err);

	nettrace_free(trace);
	return ok;
}

static bool
run(struct recording *r, struct error *err)
{
	const struct events *e = &r->events;

	return allocation_copies_begin(&r->copies, r->plan->who, r->plan, err) &&
	       list_first(r, err) && record(r, err) &&
	       allocation_copies_end(
		   &r->copies, e->loss.kind == ERROR_NONE ? e->end.text : e->loss.message, err);
}

bool
remote_allocations(const struct live_target *target, const struct live_allocations *plan,
		   struct allocation_sink sink, struct progress *progress, struct error *err)
{
	struct recording r = { .events = { .progress = progress,
					   .keep = plan->keep,
					   .tick = publish_so_far,
					   .context = &r,
					   .outlives_loss = sink.interval_ns > 0 },
			       .target = target,
			       .plan = plan,
			       .copies = { .sink = sink, .list = list_again, .context = &r } };
	bool ok = run(&r, err);

	answer_free(r.listing);
	answer_free(r.events.answer);
	forget_list(&r);
	allocation_copies_clear(&r.copies);
	return ok;
}
