/*
 * What the calls of a finding wait for: the object at the beginning of each call's chain of
 * continuations, or the semaphore, channel or other object of the base library that will complete
 * it. Types of the base library are recognised by name, since programs cannot rename them.
 */
#include "model/analysis/async.h"
#include "model/analysis/finder.h"
#include "model/base/sorted.h"
#include "model/base/text.h"
#include "model/heap/framework.h"
#include "model/heap/node_map.h"
#include <string.h>

#define NO_ITEM UINT32_MAX

/* State for all findings. */
struct awaiting {
	struct finder *f;
	struct async_calls *calls;
	uint32_t *previous;    /* by item: the item that it continues */
	struct node_map known; /* from an awaited object to its resource */
	struct node_list list; /* a list of waiters, while it is searched */
};

/* --- the chain of a call ------------------------------------------------- */

static bool
awaiting_init(struct awaiting *a, struct finder *f, struct error *err)
{
	const struct async_input in = { .heap = f->heap, .links_only = true, .only = NODE_NONE };
	const struct async_calls *c;

	*a = (struct awaiting){ .f = f };
	c = a->calls = async_find(&in, f->progress, err);
	if (!c)
		return false;
	a->previous = memory_new((size_t)c->items_count + 1, sizeof *a->previous, err);
	if (!a->previous)
		return false;
	memset(a->previous, 0xff, c->items_count * sizeof *a->previous);
	for (uint32_t i = 0; i < c->items_count; i++) {
		const struct async_item *item = &c->items[i];

		for (uint32_t k = 0; k < item->nexts_count; k++) {
			uint32_t next = c->nexts[item->nexts_first + k];

			if (a->previous[next] == NO_ITEM)
				a->previous[next] = i;
		}
	}
	return true;
}

static void
awaiting_clear(struct awaiting *a)
{
	async_free(a->calls);
	memory_free(a->previous);
	node_map_clear(&a->known);
	memory_free(a->list.items);
}

/* Returns the first item of the chain. Halving the path keeps all walks together linear; the limit
   ends a walk in a circle. */
static uint32_t
first_item(struct awaiting *a, uint32_t item)
{
	uint32_t *previous = a->previous;

	for (int depth = 0; previous[item] != NO_ITEM && depth < ASYNC_DEPTH_MAX; depth++) {
		uint32_t before = previous[previous[item]];

		if (before != NO_ITEM)
			previous[item] = before;
		item = previous[item];
	}
	return item;
}

/*
 * Returns the object of the framework that has the call as its continuation, if the call awaits no
 * task: a source of a ValueTask, or a waiter that only memory shows to be a task. It and the call
 * refer to each other.
 */
static node_id
source_of(const struct heap *h, node_id call)
{
	struct refs r = heap_refs(h, call);
	node_id source;

	for (int i = 0; i < REFS_ASKED && refs_next(&r, &source); i++) {
		const struct type *t = heap_type(h, source);

		if (source != call && !(t->flags & (TYPE_ARRAY | TYPE_STRING)) &&
		    !type_is_async(t) && part_refers_to(h, source, call) && type_is_of_framework(t))
			return source;
	}
	return NODE_NONE;
}

/* Returns the object for which the call waits, directly or by other calls; NODE_NONE if it is
   unknown. */
static node_id
awaited_by(struct awaiting *a, node_id call)
{
	const struct async_calls *c = a->calls;
	uint32_t at;

	LOWER_BOUND(at, 0, c->ordered_count, c->items[at].node < call);
	if (at == c->ordered_count || c->items[at].node != call)
		return NODE_NONE;
	at = first_item(a, at);
	return c->items[at].kind == ASYNC_CALL ? source_of(a->f->heap, c->items[at].node)
					       : c->items[at].node;
}

/* --- the resource -------------------------------------------------------- */

/* Returns true if the raw name, without type arguments, ends so. */
static bool
ends(const char *raw, const char *end)
{
	return text_ends(raw, strcspn(raw, "<`["), end);
}

#define CHANNELS "System.Threading.Channels."
#define SOCKET   "System.Net.Sockets.Socket"

/* Nested types continue after the type arguments. */
static bool
is_channel(const char *raw)
{
	return text_begins(raw, CHANNELS) && ends(raw, "Channel") && raw[strlen(raw) - 1] == '>';
}

/* Returns true for types whose objects complete tasks of other types. */
static bool
is_waited_for(const struct type *t)
{
	static const char *const names[] = {
		"System.Threading.SemaphoreSlim", "System.Threading.Tasks.TaskCompletionSource",
		"System.Threading.PeriodicTimer", SOCKET,
		"System.IO.Pipelines.Pipe",
	};
	size_t len = strcspn(t->raw, "<`");

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (strlen(names[i]) == len && !memcmp(t->raw, names[i], len))
			return true;
	return is_channel(t->raw);
}

/* Returns true for waiters and for the lists in which a semaphore or a channel keeps its
   waiters. */
static bool
is_waiter_list(const struct type *t)
{
	return text_begins(t->raw, CHANNELS) || ends(t->raw, "TaskNode") ||
	       text_begins(t->raw, "System.Collections.Generic.Deque<");
}

static bool
list_add(struct awaiting *a, node_id n, struct error *err)
{
	bits_add(a->f->seen, n);
	return node_list_add(&a->list, n, err);
}

/* Examine the referrers of one object of the list: set the resource, or add those that belong to
   the list. */
static bool
look_around(struct awaiting *a, node_id n, bool is_listed, node_id *resource, struct error *err)
{
	const struct finder *f = a->f;
	struct referrers r = reverse_of(f->reverse, n);
	node_id source;

	while (*resource == NODE_NONE && referrers_next(&r, &source)) {
		const struct type *t = heap_type(f->heap, source);
		const uint32_t *known;

		if (!finder_is_live(f, source))
			continue;
		if (is_waited_for(t)) {
			*resource = source;
		} else if (is_listed && is_waiter_list(t) && !bits_has(f->seen, source)) {
			known = node_map_find(&a->known, source);
			if (known && *known != NODE_NONE)
				*resource = *known;
			else if (!known && !list_add(a, source, err))
				return false;
		}
	}
	return true;
}

/* Several operations of a socket may be in progress; it refers to one. */
static node_id
socket_of(const struct heap *h, node_id operation)
{
	struct refs r = heap_refs(h, operation);
	node_id target;

	if (!ends(heap_type(h, operation)->raw, "SocketAsyncEventArgs"))
		return NODE_NONE;
	for (int i = 0; i < REFS_ASKED && refs_next(&r, &target); i++)
		if (!strcmp(heap_type(h, target)->raw, SOCKET))
			return target;
	return NODE_NONE;
}

/* Finds the resource of an awaited object by what refers to it; the same for all of a list, so that
   each list is searched once. NODE_NONE: there is none. */
static bool
search(struct awaiting *a, node_id awaited, node_id *resource, struct error *err)
{
	const uint32_t *known = node_map_find(&a->known, awaited);
	bool is_listed = is_waiter_list(heap_type(a->f->heap, awaited));
	bool ok;

	*resource = known ? *known : socket_of(a->f->heap, awaited);
	if (known || *resource != NODE_NONE)
		return true;
	a->list.count = 0;
	ok = list_add(a, awaited, err);
	for (uint32_t i = 0; ok && *resource == NODE_NONE && i < a->list.count; i++)
		ok = look_around(a, a->list.items[i], is_listed, resource, err);
	for (uint32_t i = 0; i < a->list.count; i++) {
		bits_remove(a->f->seen, a->list.items[i]);
		ok = ok && node_map_add(&a->known, a->list.items[i], *resource, err);
	}
	return ok;
}

/* --- findings ------------------------------------------------------------ */

/* Gathers what the calls wait for, by type. */
static bool
gather(struct awaiting *a, const struct finding *finding, struct members *m, struct error *err)
{
	const struct heap *h = a->f->heap;
	uint64_t steps = 0;
	bool ok = true;

	for (uint32_t i = 0; ok && i < finding->nodes_count; i++) {
		node_id awaited = awaited_by(a, finding->nodes[i]), resource;

		if (awaited == NODE_NONE)
			continue;
		ok = search(a, awaited, &resource, err);
		if (resource == NODE_NONE)
			resource = awaited;
		ok = ok &&
		     members_add(m, (struct member){ heap_type_of(h, resource), 0, resource, i },
				 err) &&
		     finder_may_go_on(a->f, &steps, err);
	}
	return ok;
}

struct best {
	uint32_t from, end;
};

static bool
take_largest(void *context, const struct members *m, uint32_t from, uint32_t end, struct error *err)
{
	struct best *best = context;

	(void)m;
	(void)err;
	if (end - from > best->end - best->from)
		*best = (struct best){ from, end };
	return true;
}

/* Returns how many calls wait for `holder_type`. */
static uint64_t
waiting_count(const struct finding *f)
{
	const uint64_t *count = f->more;

	return count ? *count : 0;
}

/* Claim nothing about calls that may have completed, or if fewer than half of the calls wait for
   the same type. */
static bool
describe(struct finder *f, struct finding *out, const struct members *m, const struct best *best,
	 struct error *err)
{
	uint32_t count = best->end - best->from;
	node_id first = m->items[best->from].node;
	uint64_t *waiting;

	if (count < (out->is_guess ? out->count : (out->count + 1) / 2))
		return true;
	out->more = waiting = arena_new(&f->out->arena, uint64_t, err);
	if (!waiting)
		return false;
	*waiting = count;
	out->holder_type = heap_type_of(f->heap, first);
	out->holders_count = members_nodes(m, best->from, best->end);
	if (out->holders_count > 1)
		return true;
	out->subject = first;
	if (is_waited_for(heap_type(f->heap, first)))
		out->owner_type = finder_owner(f, first);
	return true;
}

/* Returns true for calls of unknown methods, perhaps of the framework, unless there are very many,
   or as many as matter wait for one object. */
static bool
is_doubtful(const struct finder *f, const struct finding *finding)
{
	return type_is_nameless_call(&f->heap->types[finding->type]) &&
	       finding->count < f->many * LIBRARY_TIMES &&
	       (finding->holders_count != 1 || waiting_count(finding) < f->many);
}

static void
drop_doubtful(struct finder *f, const struct finding_kind *kind)
{
	struct findings *out = f->out;
	uint32_t kept = 0;

	for (uint32_t i = 0; i < out->count; i++)
		if (out->items[i].kind != kind || !is_doubtful(f, &out->items[i]))
			out->items[kept++] = out->items[i];
	out->count = kept;
}

bool
find_awaited(struct finder *f, const struct finding_kind *kind, struct error *err)
{
	struct awaiting a;
	bool ok = awaiting_init(&a, f, err);

	for (uint32_t i = 0; ok && i < f->out->count; i++) {
		struct finding *finding = &f->out->items[i];
		struct members m = { 0 };
		struct best best = { 0 };

		if (finding->kind != kind)
			continue;
		ok = gather(&a, finding, &m, err) && members_report(&m, take_largest, &best, err) &&
		     (!best.end || describe(f, finding, &m, &best, err));
		memory_free(m.items);
	}
	if (ok)
		drop_doubtful(f, kind);
	awaiting_clear(&a);
	return ok;
}

/* --- in words ------------------------------------------------------------ */

/* Tasks that the base library makes, by the call that returns them. */
static const char *
task_maker(const char *raw)
{
	static const struct {
		const char *type, *maker;
	} makers[] = {
		{ "DelayPromise", "Task.Delay" },
		{ "DelayPromiseWithCancellation", "Task.Delay" },
		{ "WhenAllPromise", "Task.WhenAll" },
		{ "WhenAnyPromise", "Task.WhenAny" },
		{ "TwoTaskWhenAnyPromise", "Task.WhenAny" },
		{ "CancellationPromise", "Task.WaitAsync" },
	};
	const char *own = strrchr(raw, '+');
	size_t len;

	own = own ? own + 1 : raw;
	len = strcspn(own, "<`");
	for (size_t i = 0; i < sizeof makers / sizeof makers[0]; i++)
		if (strlen(makers[i].type) == len && !memcmp(own, makers[i].type, len))
			return makers[i].maker;
	return NULL;
}

/* Writes ": all wait for one SemaphoreSlim of Foo", or nothing if it is unknown. */
void
write_awaited(struct finding_words *w, struct text *out)
{
	const struct finding *f = w->finding;
	uint64_t waiting = waiting_count(f);
	bool is_each = f->holders_count == waiting;
	const char *maker;

	if (f->holder_type == TYPE_NONE)
		return;
	maker = task_maker(w->facts->heap->types[f->holder_type].raw);
	text_addf(out, ": %s wait for ", waiting == f->count ? "all" : words_count(w, waiting));
	if (maker)
		text_add(out, maker);
	else
		text_addf(out, "%s %s", is_each ? "one" : words_one_or(w, f->holders_count),
			  words_holder(w));
	if (f->owner_type != TYPE_NONE)
		text_addf(out, " of %s", words_type_name(w, f->owner_type));
	if (is_each && !maker)
		text_add(out, " each");
}
