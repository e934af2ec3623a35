#include "model/analysis/async_runtime.h"
#include "model/base/text.h"
#include "model/heap/framework.h"
#include <string.h>

/* --- types ---------------------------------------------------------------- */

static bool
is_named(const char *name, size_t len, const char *wanted)
{
	return strlen(wanted) == len && !memcmp(name, wanted, len);
}

/* The types are known by their own names, as events leave out the enclosing class of a nested
   type. */
static enum async_part
part_of_type(const struct type *t)
{
	static const struct {
		const char *name;
		enum async_part part;
	} parts[] = {
		{ "RuntimeAsyncTaskContinuation", ASYNC_PART_TASK_HELPER },
		{ "ValueTaskSourceContinuation", ASYNC_PART_SOURCE_HELPER },
		{ "RuntimeAsyncTask", ASYNC_PART_PROMISE },
	};
	size_t len = strcspn(t->raw, "<`["), start = len;

	if (type_is_continuation(t))
		return ASYNC_PART_CONTINUATION;
	if (t->flags & TYPE_ARRAY)
		return ASYNC_PART_NONE;
	while (start && t->raw[start - 1] != '.' && t->raw[start - 1] != '+')
		start--;
	for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
		if (is_named(t->raw + start, len - start, parts[i].name) && type_is_of_framework(t))
			return parts[i].part;
	return ASYNC_PART_NONE;
}

bool
async_runtime_init(struct async_finder *f, struct error *err)
{
	const struct heap *h = f->heap;
	uint8_t *parts = memory_new((size_t)h->types_count + 1, 1, err);
	size_t words = bits_words(h->nodes_count);
	bool has_any = false;

	if (!parts)
		return false;
	for (type_id t = 0; t < h->types_count; t++) {
		parts[t] = (uint8_t)part_of_type(&h->types[t]);
		has_any |= parts[t] == ASYNC_PART_CONTINUATION;
	}
	if (!has_any) {
		memory_free(parts);
		return true;
	}
	f->parts = parts;
	f->suspended = memory_new(words, sizeof *f->suspended, err);
	f->running = memory_new(words, sizeof *f->running, err);
	return f->suspended && f->running;
}

void
async_runtime_clear(struct async_finder *f)
{
	memory_free(f->parts);
	memory_free(f->suspended);
	memory_free(f->running);
	node_map_clear(&f->promises);
}

node_id
async_promise_of(const struct async_finder *f, node_id outermost)
{
	const uint32_t *promise = node_map_find(&f->promises, outermost);

	return promise ? *promise : NODE_NONE;
}

/* --- chains --------------------------------------------------------------- */

struct following {
	struct async_finder *f;
	const struct async_links *links;
};

static node_id
next_of(const struct following *w, node_id n)
{
	node_id next = w->links->next(w->f, w->links->context, n);

	return next != NODE_NONE && async_part_of(w->f, next) == ASYNC_PART_CONTINUATION
		   ? next
		   : NODE_NONE;
}

/* Returns the first continuation behind a helper, a continuation itself, or NODE_NONE. */
static node_id
first_of(const struct following *w, node_id head)
{
	enum async_part part = head == NODE_NONE ? ASYNC_PART_NONE : async_part_of(w->f, head);

	if (async_part_is_helper(part))
		return next_of(w, head);
	return part == ASYNC_PART_CONTINUATION ? head : NODE_NONE;
}

/* Adds the continuations from `first` on to the suspended ones. Returns the outermost of those that
   are new, or NODE_NONE. Each belongs to one chain, so all walks together are linear. */
static node_id
suspend(const struct following *w, node_id first)
{
	node_id last = NODE_NONE;

	for (node_id at = first; at != NODE_NONE && !bits_has(w->f->suspended, at);
	     at = next_of(w, at)) {
		bits_add(w->f->suspended, at);
		last = at;
	}
	return last;
}

static bool
follow_promise(const struct following *w, node_id promise, node_id head, struct error *err)
{
	node_id last;

	if (promise == NODE_NONE || async_part_of(w->f, promise) != ASYNC_PART_PROMISE ||
	    w->links->has_completed(w->f, w->links->context, promise))
		return true;
	last = suspend(w, first_of(w, head));
	return last == NODE_NONE || node_map_add(&w->f->promises, last, promise, err);
}

static bool
look(struct async_finder *f, void *context, node_id n, struct error *err)
{
	const struct following *w = context;
	const struct async_links *l = w->links;
	enum async_part part = async_part_of(f, n);

	if (part == ASYNC_PART_PROMISE)
		return follow_promise(w, n, l->head(f, l->context, n), err);
	if (part == ASYNC_PART_TASK_HELPER)
		return follow_promise(w, l->promise(f, l->context, n), n, err);
	return true;
}

/* A method that runs has no continuation; the one of its caller hangs from the stack. */
static void
add_running(const struct following *w)
{
	const struct heap *h = w->f->heap;

	for (uint32_t i = 0; i < h->roots_count; i++) {
		const struct root *root = &h->roots[i];
		node_id first;

		if (root->kind != ROOT_STACK && root->kind != ROOT_STACK_WORD)
			continue;
		first = first_of(w, root->object);
		if (first == NODE_NONE || bits_has(w->f->suspended, first))
			continue;
		bits_add(w->f->running, first);
		(void)suspend(w, first);
	}
}

bool
async_runtime_find(struct async_finder *f, const struct async_links *links, struct error *err)
{
	struct following w = { f, links };

	if (!f->parts)
		return true;
	if (!async_each_object(f, "looking for suspended calls", look, &w, err))
		return false;
	add_running(&w);
	return true;
}

bool
async_awaited_add(struct async_finder *f, node_id awaited, node_id continuation,
		  enum async_kind kind, struct error *err)
{
	const uint32_t *found = node_map_find(&f->map, continuation);
	uint32_t next = found ? *found : UINT32_MAX, item;

	if (next == UINT32_MAX || f->out->items[next].has_previous)
		return true;
	found = node_map_find(&f->map, awaited);
	if (found && (f->out->items[*found].nexts_count || f->out->items[*found].is_completed))
		return true;
	item = found ? *found : async_item_add(f, awaited, kind, err);
	return item != UINT32_MAX && async_next_add(f, item, next, err);
}
