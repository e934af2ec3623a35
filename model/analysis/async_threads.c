#include "model/analysis/async_threads.h"
#include "model/analysis/awaited_lock.h"
#include "model/analysis/stacks.h"
#include "model/heap/contents.h"
#include "model/heap/thread_title.h"
#include <inttypes.h>
#include <string.h>

enum { FRAMES_MAX = 512, THREADS_MAX = 1024 };

/* Threads that wait, and the method that most of them are in. */
struct blocked {
	const struct heap_thread *first;
	uint32_t count, stacks_count; /* that wait, and whose stacks were read */
	struct in_method *methods;
	uint32_t methods_count;
	bool *is_seen; /* by thread: one may wait for several chains of a group */
	struct arena scratch;
};

struct in_method {
	const char *text; /* in `scratch`; "": none of the application */
	uint32_t count;
};

/* Returns the last object of a chain, if it is no task or call; or NODE_NONE. */
static node_id
waker_of(const struct async_calls *c, const struct async_chain *chain)
{
	struct async_walk w = async_walk_of(chain);
	const struct async_item *item, *last = NULL;

	while ((item = async_walk_next(c, &w)))
		last = item;
	return last && last->kind == ASYNC_OTHER && w.end == ASYNC_ENDS ? last->node : NODE_NONE;
}

/* Returns the thread whose stack refers to the object, or NULL. */
static const struct heap_thread *
thread_with(const struct heap *h, node_id n)
{
	const struct heap_memory *m = h->memory;
	uint32_t count = 0;
	const struct root *roots = heap_roots_of(h, n, &count);

	for (uint32_t i = 0; i < count; i++) {
		uint64_t os_id = root_thread(&roots[i]);

		for (uint32_t t = 0; os_id && t < m->threads_count; t++)
			if (m->threads[t].os_id == os_id)
				return &m->threads[t];
	}
	return NULL;
}

static void
count_method(struct blocked *b, const char *text)
{
	uint32_t i = 0;

	while (i < b->methods_count && strcmp(b->methods[i].text, text) != 0)
		i++;
	b->methods_count += i == b->methods_count;
	b->methods[i].text = text;
	b->methods[i].count++;
}

static bool
add_thread(struct blocked *b, const struct heap *h, const struct heap_thread *t,
	   const char *patterns, struct error *err)
{
	const struct heap_memory *m = h->memory;
	const struct content_frame *own;
	struct content_frames frames;
	bool *is_seen = &b->is_seen[t - m->threads];

	if (*is_seen)
		return true;
	*is_seen = true;
	b->stacks_count++;
	if (!m->contents->frames(m->source, t->os_id, FRAMES_MAX, &frames, &b->scratch, err))
		return false;
	if (!stack_state_waits(stack_state(t, &frames, patterns)))
		return true;
	own = stack_own_frame(&frames, patterns);
	count_method(b, own ? own->text : "");
	if (!b->count++)
		b->first = t;
	return true;
}

static bool
find_threads(struct blocked *b, const struct heap *h, const struct async_calls *c,
	     const struct async_group *g, const char *patterns, struct progress *progress,
	     struct error *err)
{
	b->methods = arena_array(&b->scratch, struct in_method, THREADS_MAX, err);
	b->is_seen = arena_array(&b->scratch, bool, h->memory->threads_count + (size_t)1, err);
	if (!b->methods || !b->is_seen)
		return false;
	for (uint32_t i = 0; i < g->chains_count && b->stacks_count < THREADS_MAX; i++) {
		node_id waker = waker_of(c, &c->chains[g->chains_first + i]);
		const struct heap_thread *t = waker == NODE_NONE ? NULL : thread_with(h, waker);

		if (progress_is_cancelled(progress))
			return error_cancelled(err);
		if (t && !add_thread(b, h, t, patterns, err))
			return false;
	}
	return true;
}

static const struct in_method *
most_frequent(const struct blocked *b)
{
	const struct in_method *best = b->methods;

	for (uint32_t i = 1; i < b->methods_count; i++)
		if (b->methods[i].count > best->count)
			best = &b->methods[i];
	return best;
}

static const char *
describe(const struct blocked *b, struct arena *a, struct error *err)
{
	const struct in_method *method = most_frequent(b);
	const char *in = *method->text ? " in " : "";
	char title[THREAD_TITLE_BYTES];

	if (b->count == 1)
		return arena_printf(a, err, " ← %s%s%s",
				    thread_title(b->first->id, b->first->os_id, title), in,
				    method->text);
	if (method->count == b->count)
		return arena_printf(a, err, " ← %" PRIu32 " threads%s%s", b->count, in,
				    method->text);
	return arena_printf(a, err, " ← %" PRIu32 " threads, %" PRIu32 "%s%s", b->count,
			    method->count, *in ? in : " in other methods", method->text);
}

const char *
async_threads(const struct heap *h, const struct async_calls *c, const struct async_group *g,
	      const char *patterns, struct arena *a, struct progress *progress, struct error *err)
{
	struct blocked b = { 0 };
	const char *text = "";

	if (!contents_exist(h) || !h->memory->contents->frames)
		return text;
	/* The chains of a group look alike. */
	if (waker_of(c, &c->chains[g->chains_first]) == NODE_NONE)
		return text;
	arena_init(&b.scratch, 0);
	if (!find_threads(&b, h, c, g, patterns, progress, err))
		text = NULL;
	else if (b.count)
		text = describe(&b, a, err);
	arena_clear(&b.scratch);
	return text;
}
