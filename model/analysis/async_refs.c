/* Continuations of async calls, derived from types and references. */
#include "model/analysis/async_runtime.h"
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

/* Adds a node; returns true if it was in the set already. */
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

		if (!strncmp(raw, list, sizeof(list) - 1) ? !each_element(h, next, seen, go_on, to)
							  : !go_on(to, next, false))
			return false;
	}
	return true;
}

/* --- calls and tasks ------------------------------------------------------ */

struct by_references {
	node_id mark;
};

/* Returns true for "DelayPromise" and the like; the name often lacks the enclosing type, Task. */
static bool
is_promise(const struct type *t)
{
	size_t len = strcspn(t->raw, "<`[");

	return len >= 7 && !strncmp(t->raw + len - 7, "Promise", 7);
}

static bool
is_task(const struct type *t)
{
	return !strcmp(t->raw, "System.Threading.Tasks.Task") ||
	       !strncmp(t->raw, "System.Threading.Tasks.Task<", 28) || is_promise(t);
}

/* Returns false for an object that is no item. */
static bool
kind_of(const struct async_finder *f, node_id n, enum async_kind *kind)
{
	const struct type *t = heap_type(f->heap, n);

	switch (async_part_of(f, n)) {
	case ASYNC_PART_CONTINUATION:
		*kind = ASYNC_CALL;
		return true;
	case ASYNC_PART_PROMISE:
		*kind = ASYNC_PROMISE;
		return true;
	default:
		*kind = type_is_async(t) ? ASYNC_CALL : ASYNC_TASK;
		return *kind == ASYNC_CALL || is_task(t);
	}
}

static bool
is_completed(const struct async_finder *f, const struct by_references *b, node_id n)
{
	if (async_part_of(f, n) == ASYNC_PART_CONTINUATION)
		return !bits_has(f->suspended, n);
	return b->mark != NODE_NONE && heap_refers_to(f->heap, n, b->mark);
}

/* Each thread keeps continuations that mark the end of a chain. */
static bool
is_idle(const struct async_finder *f, node_id n)
{
	struct refs r = heap_refs(f->heap, n);
	node_id target;

	return async_part_of(f, n) == ASYNC_PART_CONTINUATION && !refs_next(&r, &target) &&
	       !bits_has(f->suspended, n);
}

static bool
look(struct async_finder *f, void *context, node_id n, struct error *err)
{
	const struct by_references *b = context;
	enum async_kind kind;
	bool has_ended;
	uint32_t item;

	if (!kind_of(f, n, &kind) || is_idle(f, n))
		return true;
	has_ended = is_completed(f, b, n);
	f->out->completed_count += has_ended && kind == ASYNC_CALL;
	f->out->calls_count += !has_ended && kind == ASYNC_CALL;
	if (has_ended && !f->in->with_completed)
		return true;
	item = async_item_add(f, n, kind, err);
	if (item == UINT32_MAX)
		return false;
	f->out->items[item].is_completed = has_ended;
	/* Calls of one method have one size. */
	if (async_part_of(f, n) == ASYNC_PART_CONTINUATION && !type_is_async(heap_type(f->heap, n)))
		f->out->items[item].code = heap_size(f->heap, n);
	return true;
}

/* --- runtime async -------------------------------------------------------- */

/* Returns the first reference, if it is a continuation: the field Next precedes all others, and no
   other refers to a continuation. */
static node_id
link_next(const struct async_finder *f, void *context, node_id n)
{
	struct refs r = heap_refs(f->heap, n);
	node_id first;

	(void)context;
	return refs_next(&r, &first) && async_part_of(f, first) == ASYNC_PART_CONTINUATION
		   ? first
		   : NODE_NONE;
}

/* The awaited task precedes the promise, and may be of the same type. */
static node_id
link_promise(const struct async_finder *f, void *context, node_id helper)
{
	struct refs r = heap_refs(f->heap, helper);
	node_id last = NODE_NONE, target;

	(void)context;
	while (refs_next(&r, &target))
		if (async_part_of(f, target) == ASYNC_PART_PROMISE)
			last = target;
	return last;
}

/* A promise refers to the helper of its own calls before that of the call that awaits it; the
   latter has another promise. */
static node_id
link_head(const struct async_finder *f, void *context, node_id promise)
{
	struct refs r = heap_refs(f->heap, promise);
	node_id target;

	while (refs_next(&r, &target)) {
		enum async_part part = async_part_of(f, target);

		if (part == ASYNC_PART_SOURCE_HELPER || part == ASYNC_PART_CONTINUATION)
			return target;
		if (part == ASYNC_PART_TASK_HELPER)
			return link_promise(f, context, target) == promise ? target : NODE_NONE;
	}
	return NODE_NONE;
}

static bool
link_has_completed(const struct async_finder *f, void *context, node_id promise)
{
	return is_completed(f, context, promise);
}

/* --- continuations ------------------------------------------------------- */

struct joining {
	struct async_finder *f;
	struct error *err;
	uint32_t item;
	bool has_seen_task; /* a direct reference to a task was found */
};

/* Counts the tasks to which `n` refers. A call also refers to itself, because of its builder. */
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
 * Returns true if `to` is the continuation of `task`. If they refer to each other, one awaits the
 * other and is its continuation. A continuation is the first task to which an object refers. If
 * each is the first for the other, the one that also awaits something else is the awaited one.
 */
static bool
goes_on_after(const struct joining *j, node_id task, const struct async_item *to)
{
	const struct async_finder *f = j->f;
	bool is_call = to->kind == ASYNC_CALL;
	bool is_mutual = heap_refers_to(f->heap, to->node, task);

	if (!is_call && !is_promise(heap_type(f->heap, to->node)))
		return false;
	if (f->out->items[j->item].kind == ASYNC_PROMISE)
		return is_call || !is_mutual;
	if (f->out->items[j->item].kind != ASYNC_CALL)
		return is_call;
	if (!is_mutual)
		return !is_call;
	return !is_first_of(f, to->node, task) || tasks_of(f, task) > tasks_of(f, to->node);
}

/* Joins a task with the calls behind a helper: those that await the task, not those whose own task
   it is. */
static bool
join_helper(struct joining *j, node_id task, node_id helper)
{
	node_id first = link_next(j->f, NULL, helper);
	const uint32_t *at = first == NODE_NONE || link_promise(j->f, NULL, helper) == task
				 ? NULL
				 : node_map_find(&j->f->map, first);

	return !at || async_next_add(j->f, j->item, *at, j->err);
}

static bool
join(void *to, node_id next, bool is_listed)
{
	struct joining *j = to;
	const uint32_t *at = node_map_find(&j->f->map, next);
	node_id task = j->f->out->items[j->item].node;

	if (async_part_is_helper(async_part_of(j->f, next)))
		return async_part_of(j->f, next) != ASYNC_PART_TASK_HELPER ||
		       join_helper(j, task, next);
	if (!at || *at == j->item || (j->has_seen_task && !is_listed))
		return true;
	j->has_seen_task |= !is_listed;
	return !goes_on_after(j, task, &j->f->out->items[*at]) ||
	       async_next_add(j->f, j->item, *at, j->err);
}

/* A continuation goes on with that of its caller, or completes its promise. */
static bool
join_item(struct joining *j)
{
	const struct async_finder *f = j->f;
	node_id n = f->out->items[j->item].node, next;
	const uint32_t *at;

	if (async_part_of(f, n) != ASYNC_PART_CONTINUATION)
		return async_each_next(f->heap, n, f->seen, join, j);
	next = link_next(f, NULL, n);
	if (next == NODE_NONE)
		next = async_promise_of(f, n);
	at = next == NODE_NONE ? NULL : node_map_find(&f->map, next);
	return !at || async_next_add(j->f, j->item, *at, j->err);
}

/* The state machine of an async iterator is the source of its values: return
   the call, which has the state machine in its box. Others return themselves.
 */
static node_id
call_of(const struct async_finder *f, node_id source)
{
	struct refs r = heap_refs(f->heap, source);
	node_id target;

	while (refs_next(&r, &target)) {
		const uint32_t *at = node_map_find(&f->map, target);

		if (at && f->out->items[*at].kind == ASYNC_CALL &&
		    heap_refers_to(f->heap, target, source))
			return target;
	}
	return source;
}

/* Joins a helper's continuation, if it follows nothing yet, with what the helper refers to next:
   the awaited task or source. */
static bool
add_awaited(struct async_finder *f, void *context, node_id n, struct error *err)
{
	struct refs r = heap_refs(f->heap, n);
	node_id first, awaited;

	if (!async_part_is_helper(async_part_of(f, n)))
		return true;
	first = link_next(f, context, n);
	if (first == NODE_NONE || !refs_next(&r, &awaited) || !refs_next(&r, &awaited) ||
	    awaited == link_promise(f, context, n))
		return true;
	if (is_completed(f, context, awaited))
		return true;
	if (async_part_of(f, n) == ASYNC_PART_TASK_HELPER)
		return async_awaited_add(f, awaited, first, ASYNC_TASK, err);
	return async_awaited_add(f, call_of(f, awaited), first, ASYNC_SOURCE, err);
}

bool
async_find_by_references(struct async_finder *f, struct error *err)
{
	struct by_references b = { async_completion_mark(f->heap) };
	const struct async_links links = { link_next, link_promise, link_head, link_has_completed,
					   &b };
	bool ok = async_runtime_find(f, &links, err) &&
		  async_each_object(f, "looking for async calls", look, &b, err);
	uint32_t count = f->out->items_count;

	f->out->ordered_count = count;
	f->out->is_guess = true;
	progress_begin(f->progress, "joining async calls", "calls", count);
	for (uint32_t i = 0; ok && i < count; i++) {
		struct joining j = { f, err, i, false };

		ok = progress_add(f->progress, 1) || error_cancelled(err);
		if (ok && !f->out->items[i].is_completed)
			ok = join_item(&j);
	}
	if (ok && f->parts)
		ok = async_each_object(f, "looking for awaited objects", add_awaited, &b, err);
	return ok;
}
