/*
 * Workers of the thread pool that wait for a task, a lock or an event in place of awaiting it. If
 * all do, nobody runs what is queued. The pool's own count misses plain waits, so that stacks tell.
 * Only memory has stacks.
 */
#include "model/analysis/finder.h"
#include "model/analysis/stacks.h"
#include "model/base/sorted.h"
#include "model/heap/contents.h"
#include "model/table/table.h"
#include <string.h>

enum { BLOCKED_MIN = 8, BLOCKED_PERCENT = 50 };

/* Workers of the pool, and the calls in which those that wait do so. */
struct workers {
	uint32_t count, blocked;
	struct waiting_call *calls;
	uint32_t calls_count;
	node_id *threads; /* objects of those that wait */
	uint32_t threads_count;
};

struct waiting_call {
	const char *method, *state;
	uint32_t count;
};

static bool
is_worker(const struct content_frames *frames)
{
	static const char start[] = "PortableThreadPool.WorkerThread.";

	for (uint32_t i = frames->count; i-- > 0;)
		if (!strncmp(frames->items[i].text, start, sizeof(start) - 1))
			return true;
	return false;
}

static void
count_call(struct workers *w, const char *method, const char *state)
{
	uint32_t i = 0;

	while (i < w->calls_count &&
	       (strcmp(w->calls[i].method, method) != 0 || strcmp(w->calls[i].state, state) != 0))
		i++;
	w->calls[i].method = method;
	w->calls[i].state = state;
	w->calls[i].count++;
	w->calls_count += i == w->calls_count;
}

static void
count_thread(struct workers *w, const struct heap_thread *t, const struct content_frames *frames)
{
	const struct content_frame *own = stack_own_frame(frames, NULL);
	const char *state = stack_state(t, frames, NULL);

	if (!is_worker(frames))
		return;
	w->count++;
	if (!stack_state_waits(state))
		return;
	w->blocked++;
	count_call(w, own ? own->text : "", state);
	if (t->object != NODE_NONE)
		w->threads[w->threads_count++] = t->object;
}

static const struct waiting_call *
most_frequent(const struct workers *w)
{
	const struct waiting_call *best = w->calls;

	for (uint32_t i = 1; i < w->calls_count; i++)
		if (w->calls[i].count > best->count)
			best = &w->calls[i];
	return best;
}

static bool
report(struct finder *f, struct workers *w, struct error *err)
{
	const struct waiting_call *call = most_frequent(w);
	struct finding *out;

	if (w->blocked < BLOCKED_MIN ||
	    w->blocked * UINT64_C(100) < w->count * (uint64_t)BLOCKED_PERCENT || !w->threads_count)
		return true;
	out = finder_add(f, &finding_blocked, err);
	if (!out)
		return false;
	out->count = w->blocked;
	out->all_count = w->count;
	out->type_count = call->count;
	out->is_stall = true;
	out->subject = w->threads[0];
	out->type = heap_type_of(f->heap, out->subject);
	out->name = arena_printf(&f->out->arena, err, "%s", call->method);
	out->thread = arena_printf(&f->out->arena, err, "%s", call->state);
	SORT_NUMBERS(w->threads, w->threads_count);
	return out->name && out->thread &&
	       finding_set_nodes(f, out, w->threads, w->threads_count, err);
}

static bool
find_blocked(struct finder *f, struct error *err)
{
	const struct heap *h = f->heap;
	struct workers w = { 0 };
	struct stacks stacks;
	bool is_good;

	if (!contents_have_fields(h) || !h->memory->contents->frames)
		return true;
	is_good = stacks_read(&stacks, h, 0, f->progress, err);
	if (is_good) {
		w.calls =
		    arena_array(&stacks.arena, struct waiting_call, stacks.count + (size_t)1, err);
		w.threads = arena_array(&stacks.arena, node_id, stacks.count + (size_t)1, err);
		is_good = w.calls && w.threads;
	}
	for (uint32_t i = 0; is_good && i < stacks.count; i++)
		count_thread(&w, &h->memory->threads[stacks.items[i].thread],
			     &stacks.items[i].frames);
	is_good = is_good && report(f, &w, err);
	stacks_clear(&stacks);
	return is_good;
}

/* --- in words ------------------------------------------------------------ */

static void
what_blocked(struct finding_words *w, struct text *out)
{
	const struct finding *f = w->finding;

	if (f->count == f->all_count)
		text_addf(out, "all %s workers of the thread pool", words_count(w, f->count));
	else
		text_addf(out, "%s of %s workers of the thread pool", words_count(w, f->count),
			  words_count(w, f->all_count));
}

static void
why_blocked(struct finding_words *w, struct text *out)
{
	const struct finding *f = w->finding;

	text_addf(out, "wait: %s", words_count(w, f->type_count));
	if (*f->name)
		text_addf(out, " in %s", words_name(w, f->name));
	text_addf(out, " (%s)", f->thread);
	if (f->count == f->all_count)
		text_addf(out, "; none is left for what is queued");
}

static uint64_t
workers_blocked(const struct finding *f)
{
	return f->count;
}

/*
 * The thread pool's workers wait: 8 or more of them, and half of all. `subject` and evidence: their
 * Thread objects; `count`: those that wait, of `all_count`; `name`: the innermost method of the
 * application on most of their stacks, of `type_count`; `thread`: what these do, in words.
 */
const struct finding_kind finding_blocked = {
	.id = "blocked",
	.title = "workers of the thread pool that wait",
	.harmless = "harmless if they wait for a moment only; in a second capture, others wait. "
		    "Otherwise await the task in place of waiting for it",
	.heaps = OF_FIELDS,
	.find = find_blocked,
	.what = what_blocked,
	.why = why_blocked,
	.id_parts = ID_TYPE,
	.weight = workers_blocked,
};
