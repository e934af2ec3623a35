/* Findings about scheduled timers and waiting async calls. */
#include "model/analysis/async.h"
#include "model/analysis/find_held.h"
#include "model/analysis/timers.h"
#include "model/heap/contents.h"
#include <string.h>

enum {
	TIMERS_MIN = 100,
	TIMERS_NAMED = 1000 /* of a group, at about 10 µs each */
};

/* --- timers -------------------------------------------------------------- */

/* Returns true if the type says nothing about what the timers of a group are for: a method of the
   framework then says more. */
static bool
says_little(const struct type *t)
{
	return type_is_of_framework(t) && (is_collection(t) || is_part(t));
}

/* Returns the method that a timer calls, of the application unless `any` is allowed, or "". */
static const char *
method_of(struct finder *f, node_id timer, bool any)
{
	const struct heap_memory *m = f->heap->memory;
	node_id callback = timer_callback(f->heap, timer);
	struct error ignored = { 0 };
	struct content_method method;

	if (callback == NODE_NONE ||
	    !m->contents->method(m->source, callback, &method, &f->scratch, &ignored))
		return "";
	return !any && framework_declares(method.type, "") ? "" : method.text;
}

/* Returns the method that all timers of a group call, as far as the first of them show, or "". */
static const char *
common_method(struct finder *f, const struct members *m, uint32_t from, uint32_t end)
{
	bool any = says_little(&f->heap->types[m->items[from].key]);
	const char *common = "";

	if (!contents_have_fields(f->heap))
		return "";
	for (uint32_t i = from; i < end && i - from < TIMERS_NAMED; i++) {
		const char *method = method_of(f, m->items[i].node, any);

		if (!*method || (*common && strcmp(method, common) != 0))
			return "";
		common = method;
	}
	return common;
}

/* Returns the object of the application that a timer keeps by its state, callback or execution
   context; otherwise its state or the target of its callback. */
static node_id
subject_of_timer(const struct finder *f, node_id timer)
{
	node_id subject = timer_subject(f->heap, timer), captured;

	if (f->is_own[heap_type_of(f->heap, subject)] || subject == timer)
		return subject;
	captured = finder_captured(f, subject);
	return captured == NODE_NONE ? subject : captured;
}

static bool
report_timers(void *context, const struct members *m, uint32_t from, uint32_t end,
	      struct error *err)
{
	struct finder *f = context;
	uint64_t bytes = 0;
	struct finding *out;

	for (uint32_t i = from; i < end; i++)
		bytes += heap_size(f->heap, m->items[i].node);
	if (bytes < f->much && (end - from < TIMERS_MIN || end - from < f->many))
		return true;
	out = finder_add(f, &finding_timer, err);
	if (!out)
		return false;
	out->type = (type_id)m->items[from].key;
	out->count = end - from;
	out->subject = m->items[from].node;
	out->name = arena_printf(&f->out->arena, err, "%s", common_method(f, m, from, end));
	return out->name && finding_set_members(f, out, m, from, end, err) &&
	       held_set(f, out, type_is_timer, err);
}

static bool
find_timers(struct finder *f, struct error *err)
{
	const struct node_list *timers = &f->by_role[ROLE_TIMER];
	struct members m = { 0 };
	uint64_t steps = 0;
	bool ok = true;

	for (uint32_t i = 0; ok && i < timers->count; i++) {
		node_id timer = timers->items[i];
		node_id subject = subject_of_timer(f, timer);

		ok = members_add(
			 &m, (struct member){ heap_type_of(f->heap, subject), 0, timer, subject },
			 err) &&
		     finder_may_go_on(f, &steps, err);
	}
	ok = ok && members_report(&m, report_timers, f, err);
	memory_free(m.items);
	return ok;
}

/* Names the method, else the type of the object, for which they are set. */
static void
what_timer(struct finding_words *w, struct text *out)
{
	const struct finding *f = w->finding;

	text_addf(out, "%s timers for %s", words_count(w, f->count),
		  *f->name ? words_name(w, f->name) : words_type(w));
}

static void
why_timer(struct finding_words *w, struct text *out)
{
	text_add(out, "are scheduled");
	write_held(w, out);
}

/* Leaves out the timers behind them in the runtime's lists. */
static bool
retained_by_timers(const struct finder *f, const struct finding *finding, struct retained_sum *sum,
		   struct error *err)
{
	return timers_retained(f->retained, finding->nodes, finding->nodes_count, sum, err);
}

/*
 * Timers with the same type of state object or target: `many` and at least 100, or `much`. `type`:
 * that type; `subject`: the first timer; `name`: the method that all of them call, "" if that is
 * unknown.
 */
const struct finding_kind finding_timer = {
	.id = "timer",
	.title = "timers",
	.harmless = "no leak if each belongs to something that is still running, such as a request "
		    "with a time limit",
	.find = find_timers,
	.what = what_timer,
	.why = why_timer,
	.id_parts = ID_TYPE,
	.retained = retained_by_timers,
};

/* --- async methods ------------------------------------------------------- */

struct calls {
	struct finder *f;
	node_id mark; /* completed calls refer to it; NODE_NONE: unknown */
};

static bool
report_calls(void *context, const struct members *m, uint32_t from, uint32_t end, struct error *err)
{
	const struct calls *calls = context;
	struct finder *f = calls->f;
	type_id type = (type_id)m->items[from].key;
	bool is_framework = type_is_of_framework(&f->heap->types[type]);
	struct finding *out;

	/* A web server has a dozen such calls for each connection. Calls of unknown methods are
	   judged by what they wait for: find_awaited(). */
	if (end - from <
	    f->many *
		(is_framework && !type_is_nameless_call(&f->heap->types[type]) ? LIBRARY_TIMES : 1))
		return true;
	out = finder_add(f, &finding_async, err);
	if (!out)
		return false;
	out->type = type;
	out->count = end - from;
	out->all_count = f->heap->types[out->type].count;
	out->is_guess = calls->mark == NODE_NONE;
	return finding_set_members(f, out, m, from, end, err);
}

static bool
find_async(struct finder *f, struct error *err)
{
	const struct node_list *calls = &f->by_role[ROLE_ASYNC];
	struct calls found = { f, async_completion_mark(f->heap) };
	struct members m = { 0 };
	uint64_t steps = 0;
	uint32_t count = f->out->count;
	bool ok = true;

	for (uint32_t i = 0; ok && i < calls->count; i++) {
		node_id call = calls->items[i];

		if (found.mark != NODE_NONE && heap_refers_to(f->heap, call, found.mark))
			continue;
		ok = members_add(&m, (struct member){ heap_type_of(f->heap, call), 0, call, 0 },
				 err) &&
		     finder_may_go_on(f, &steps, err);
	}
	ok = ok && members_report(&m, report_calls, &found, err);
	memory_free(m.items);
	/* Joining the calls is a pass over the heap. */
	return ok && (f->out->count == count || find_awaited(f, &finding_async, err));
}

static void
what_async(struct finding_words *w, struct text *out)
{
	const struct finding *f = w->finding;

	if (type_is_async(&w->facts->heap->types[f->type]))
		text_addf(out, "%s calls of %s", words_count(w, f->count), words_type(w));
	else /* the method is unknown, and they may have several */
		text_addf(out, "%s async calls", words_count(w, f->count));
}

static void
why_async(struct finding_words *w, struct text *out)
{
	text_add(out, w->finding->is_guess ? "exist, completed or not" : "have not completed");
	write_awaited(w, out);
}

/*
 * `many` calls of one async method have not completed; 50 times as many for methods of System and
 * Microsoft. `type`: the method. `holder_type`: the type for which half or more of the calls wait,
 * directly or by calls of other methods; `holders_count`: the objects for which they wait;
 * `subject`: the one such object. `is_guess`: the heap does not show which calls have completed, so
 * some of these may have.
 */
const struct finding_kind finding_async = {
	.id = "async",
	.title = "waiting async calls",
	.harmless = "no leak if so many calls are in progress, such as one for each connection or "
		    "message",
	.find = find_async,
	.what = what_async,
	.why = why_async,
	.held = held_by_same_root,
	.id_parts = ID_TYPE,
	.subject_holds = true,
};
