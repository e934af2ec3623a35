/* Continuations of async calls, derived from types and references. */
#include "model/analysis/async_state.h"
#include <string.h>

node_id
async_completion_mark(const struct heap *h)
{
	static const char field[] = "s_taskCompletionSentinel";
	size_t field_len = sizeof(field) - 1;

	for (uint32_t i = 0; i < h->roots_count; i++) {
		const char *name = h->roots[i].name;
		size_t len = strlen(name);

		/* The name may begin with the class. */
		if (h->roots[i].kind == ROOT_STATIC && len >= field_len &&
		    !strcmp(name + len - field_len, field))
			return h->roots[i].object;
	}
	return NODE_NONE;
}

/* Add a node; returns true if it was in the set already. */
static bool
was_seen(uint64_t *seen, node_id n)
{
	bool was = seen && bits_has(seen, n);

	if (seen)
		bits_add(seen, n);
	return was;
}

static bool
each_element(const struct heap *h, node_id list, uint64_t *seen,
	     bool (*go_on)(void *to, node_id next, bool is_listed), void *to)
{
	struct refs r = heap_refs(h, list), elements;
	node_id array, next;

	if (was_seen(seen, list))
		return true;
	while (refs_next(&r, &array)) {
		if (strcmp(heap_type(h, array)->raw, "System.Object[]") != 0 ||
		    was_seen(seen, array))
			continue;
		elements = heap_refs(h, array);
		while (refs_next(&elements, &next))
			if (!go_on(to, next, true))
				return false;
	}
	return true;
}

bool
async_each_next(const struct heap *h, node_id task, uint64_t *seen,
		bool (*go_on)(void *to, node_id next, bool is_listed), void *to)
{
	static const char list[] = "System.Collections.Generic.List<";
	struct refs r = heap_refs(h, task);
	node_id next;

	while (refs_next(&r, &next)) {
		const char *raw = heap_type(h, next)->raw;

		if (!strncmp(raw, list, sizeof(list) - 1)
			? !each_element(h, next, seen, go_on, to)
			: !go_on(to, next, false))
			return false;
	}
	return true;
}

/* --- calls and tasks ------------------------------------------------------ */

struct by_references {
	node_id mark;
};

/* Returns true for "DelayPromise" and the like; the name often lacks the
   enclosing type, Task. */
static bool
is_promise(const struct type *t)
{
	size_t len = strcspn(t->raw, "<`[");

	return len >= 7 && !strncmp(t->raw + len - 7, "Promise", 7);
}

static bool
look(struct async_finder *f, void *context, node_id n, struct error *err)
{
	const struct by_references *b = context;
	const struct type *t = heap_type(f->heap, n);
	bool is_call = type_is_async(t), has_ended;
	uint32_t item;

	if (!is_call && strcmp(t->raw, "System.Threading.Tasks.Task") != 0 &&
	    strncmp(t->raw, "System.Threading.Tasks.Task<", 28) != 0 &&
	    !is_promise(t))
		return true;
	has_ended = b->mark != NODE_NONE && heap_refers_to(f->heap, n, b->mark);
	f->out->completed_count += has_ended && is_call;
	f->out->calls_count += !has_ended && is_call;
	if (has_ended && !f->in->with_completed)
		return true;
	item = async_item_add(f, n, is_call ? ASYNC_CALL : ASYNC_TASK, err);
	if (item != UINT32_MAX)
		f->out->items[item].is_completed = has_ended;
	return item != UINT32_MAX;
}

/* --- continuations ------------------------------------------------------- */

struct joining {
	struct async_finder *f;
	struct error *err;
	uint32_t item;
	bool has_seen_task; /* a direct reference to a task was found */
};

/* Count the tasks to which `n` refers. A call also refers to itself, because of
   its builder. */
static uint32_t
tasks_of(const struct async_finder *f, node_id n)
{
	struct refs r = heap_refs(f->heap, n);
	uint32_t count = 0;
	node_id target;

	while (refs_next(&r, &target))
		count += target != n && node_map_find(&f->map, target) != NULL;
	return count;
}

static bool
is_first_of(const struct async_finder *f, node_id n, node_id wanted)
{
	struct refs r = heap_refs(f->heap, n);
	node_id target;

	while (refs_next(&r, &target))
		if (target != n && node_map_find(&f->map, target))
			return target == wanted;
	return false;
}

/*
 * Returns true if `to` is the continuation of `task`. If they refer to each
 * other, one awaits the other and is its continuation. A continuation is the
 * first task to which an object refers. If each is the first for the other, the
 * one that also awaits something else is the awaited one.
 */
static bool
goes_on_after(const struct joining *j, node_id task,
	      const struct async_item *to)
{
	const struct async_finder *f = j->f;
	bool is_call = to->kind == ASYNC_CALL;
	bool is_mutual = heap_refers_to(f->heap, to->node, task);

	if (!is_call && !is_promise(heap_type(f->heap, to->node)))
		return false;
	if (f->out->items[j->item].kind != ASYNC_CALL)
		return is_call;
	if (!is_mutual)
		return !is_call;
	return !is_first_of(f, to->node, task) ||
	       tasks_of(f, task) > tasks_of(f, to->node);
}

static bool
join(void *to, node_id next, bool is_listed)
{
	struct joining *j = to;
	const uint32_t *at = node_map_find(&j->f->map, next);
	node_id task = j->f->out->items[j->item].node;

	if (!at || *at == j->item || (j->has_seen_task && !is_listed))
		return true;
	j->has_seen_task |= !is_listed;
	return !goes_on_after(j, task, &j->f->out->items[*at]) ||
	       async_next_add(j->f, j->item, *at, j->err);
}

bool
async_find_by_references(struct async_finder *f, struct error *err)
{
	struct by_references b = { async_completion_mark(f->heap) };
	bool ok =
	    async_each_object(f, "looking for async calls", look, &b, err);
	uint32_t count = f->out->items_count;

	f->out->is_guess = true;
	progress_begin(f->progress, "joining async calls", "calls", count);
	for (uint32_t i = 0; ok && i < count; i++) {
		struct joining j = { f, err, i, false };

		ok = progress_add(f->progress, 1) || error_cancelled(err);
		if (ok && !f->out->items[i].is_completed)
			ok = async_each_next(f->heap, f->out->items[i].node,
					     f->seen, join, &j);
	}
	return ok;
}
