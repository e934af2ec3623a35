#include "model/analysis/lock_waiters.h"
#include "model/analysis/awaited_lock.h"
#include "model/analysis/stacks.h"
#include "model/base/text.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { METHODS_SHOWN = 3, IDS_SHOWN = 12, METHODS_BYTES = 1024, IDS_BYTES = 32 * IDS_SHOWN };

/* A thread, and the lock that it waits for. */
struct waiting {
	const struct heap_lock *lock;
	const char *method; /* in the arena of the stacks; "": none of the application */
	uint64_t id;
	bool is_of_system; /* the id, as the thread has no managed one */
};
struct all_waiting {
	struct waiting *items;
	size_t count, room;
};

/* Threads of one lock in one method. */
struct in_method {
	const char *method;
	size_t count;
};

/* In the order of the list of locks, managed ids first. */
static int
compare_waiting(const void *a, const void *b)
{
	const struct waiting *x = a, *y = b;

	if (x->lock != y->lock)
		return x->lock < y->lock ? -1 : 1;
	if (x->is_of_system != y->is_of_system)
		return x->is_of_system ? 1 : -1;
	return (x->id > y->id) - (x->id < y->id);
}

/* The most frequent method comes first, and threads in none of the application come last. */
static int
compare_methods(const void *a, const void *b)
{
	const struct in_method *x = a, *y = b;

	if (!*x->method != !*y->method)
		return *x->method ? -1 : 1;
	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	return strcmp(x->method, y->method);
}

/* --- who waits ------------------------------------------------------------ */

/* Copies the locks for which threads wait. */
static bool
find_awaited(struct heap_locks *out, const struct heap_locks *locks, struct error *err)
{
	for (size_t i = 0; i < locks->count; i++)
		if (locks->items[i].waiters &&
		    !APPEND(out->items, out->count, out->room, err, locks->items[i]))
			return false;
	return true;
}

static bool
find_waiting(struct all_waiting *out, const struct heap *h, const struct heap_locks *awaited,
	     const struct stacks *stacks, const char *patterns, struct progress *progress,
	     struct error *err)
{
	for (uint32_t i = 0; i < stacks->count; i++) {
		const struct stack *stack = &stacks->items[i];
		const struct heap_thread *t = &h->memory->threads[stack->thread];
		const struct content_frame *own = stack_own_frame(&stack->frames, patterns);
		struct waiting found = { .method = own ? own->text : "",
					 .id = t->id ? t->id : t->os_id,
					 .is_of_system = !t->id };

		if (progress_is_cancelled(progress))
			return error_cancelled(err);
		if (stack_state(t, &stack->frames, patterns) != stack_waits_for_lock)
			continue;
		found.lock = awaited_lock(h, awaited, t->os_id, progress);
		if (found.lock && !APPEND(out->items, out->count, out->room, err, found))
			return false;
	}
	if (out->count)
		qsort(out->items, out->count, sizeof(*out->items), compare_waiting);
	return true;
}

/* --- in words ------------------------------------------------------------- */

static size_t
count_methods(struct in_method *methods, const struct waiting *first, size_t count)
{
	size_t methods_count = 0;

	for (size_t i = 0; i < count; i++) {
		size_t at = 0;

		while (at < methods_count && strcmp(methods[at].method, first[i].method) != 0)
			at++;
		methods_count += at == methods_count;
		methods[at].method = first[i].method;
		methods[at].count++;
	}
	qsort(methods, methods_count, sizeof(*methods), compare_methods);
	return methods_count;
}

static const char *
methods_text(const struct waiting *first, size_t count, struct arena *a, struct error *err)
{
	struct in_method *methods = memory_new(count, sizeof(*methods), err);
	char bytes[METHODS_BYTES];
	struct text text = text_in(bytes, sizeof bytes);
	size_t methods_count, others = 0;

	if (!methods)
		return NULL;
	methods_count = count_methods(methods, first, count);
	for (size_t i = 0; i < methods_count; i++)
		if (i < METHODS_SHOWN && *methods[i].method)
			text_addf(&text, "%s%zu in %s", i ? ", " : "", methods[i].count,
				  methods[i].method);
		else
			others += methods[i].count;
	if (others)
		text_addf(&text, "%s%zu in other methods", others < count ? ", " : "", others);
	memory_free(methods);
	return arena_printf(a, err, "%s", bytes);
}

static const char *
ids_text(const struct waiting *first, size_t count, struct arena *a, struct error *err)
{
	char bytes[IDS_BYTES];
	struct text text = text_in(bytes, sizeof bytes);

	for (size_t i = 0; i < count && i < IDS_SHOWN; i++)
		text_addf(&text, "%s%s%" PRIu64, i ? ", " : "", first[i].is_of_system ? "OS " : "",
			  first[i].id);
	if (count > IDS_SHOWN)
		text_add(&text, " …");
	return arena_printf(a, err, "%s", bytes);
}

static size_t
count_same_lock(const struct all_waiting *all, size_t first)
{
	size_t end = first;

	while (end < all->count && all->items[end].lock == all->items[first].lock)
		end++;
	return end - first;
}

static bool
is_same(const struct heap_lock *a, const struct heap_lock *b)
{
	return a->object == b->object && a->index == b->index && a->is_object == b->is_object;
}

/* Both lists are sorted alike. */
static bool
describe(struct lock_waiters *out, const struct heap_locks *locks, const struct all_waiting *all,
	 struct arena *a, struct error *err)
{
	size_t at = 0, count;

	for (size_t first = 0; first < all->count; first += count) {
		const struct waiting *waiting = &all->items[first];

		count = count_same_lock(all, first);
		while (at < locks->count && !is_same(&locks->items[at], waiting->lock))
			at++;
		if (at == locks->count)
			break;
		out[at].methods = methods_text(waiting, count, a, err);
		out[at].ids = ids_text(waiting, count, a, err);
		if (!out[at].methods || !out[at].ids)
			return false;
	}
	return true;
}

bool
lock_waiters_name(struct lock_waiters *out, const struct heap *h, const struct heap_locks *locks,
		  const char *patterns, struct arena *a, struct progress *progress,
		  struct error *err)
{
	struct heap_locks awaited = { 0 };
	struct all_waiting all = { 0 };
	struct stacks stacks = { 0 };
	bool ok = find_awaited(&awaited, locks, err);

	if (ok && awaited.count && h->memory->contents->frames)
		ok = stacks_read(&stacks, h, 0, progress, err) &&
		     find_waiting(&all, h, &awaited, &stacks, patterns, progress, err) &&
		     describe(out, locks, &all, a, err);
	stacks_clear(&stacks);
	memory_free(all.items);
	memory_free(awaited.items);
	return ok;
}
