#include "model/analysis/timers.h"
#include "model/base/sorted.h"
#include "model/heap/contents.h"
#include "model/heap/node_map.h"
#include <stdlib.h>
#include <string.h>

enum { LOOK_EVERY = 65536 };

bool
type_is_timer(const struct type *t)
{
	return !strcmp(t->raw, "System.Threading.TimerQueueTimer");
}

/* --- from references ------------------------------------------------------ */

/* Returns true for types to which every timer refers: its neighbours in the list and its
   infrastructure. Any other reference is the timer's state. */
static bool
is_of_timer(const struct type *t)
{
	static const char *const names[] = {
		"System.Threading.TimerQueue",       "System.Threading.TimerQueueTimer",
		"System.Threading.ExecutionContext", "System.Threading.Timer",
		"System.Threading.TimerHolder",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(t->raw, names[i]))
			return true;
	return false;
}

static node_id
first_reference(const struct heap *h, node_id n)
{
	struct refs r = heap_refs(h, n);
	node_id target;

	return refs_next(&r, &target) ? target : NODE_NONE;
}

static void
read_references(const struct heap *h, struct timer *t)
{
	struct refs r = heap_refs(h, t->node);
	node_id target;

	while (refs_next(&r, &target)) {
		const struct type *type = heap_type(h, target);

		if (!strcmp(type->raw, "System.Threading.TimerCallback"))
			t->callback = target;
		else if (t->state == NODE_NONE && !is_of_timer(type))
			t->state = target;
	}
	if (t->callback != NODE_NONE)
		t->target = first_reference(h, t->callback);
}

static struct timer
timer_of(node_id n)
{
	return (struct timer){ .node = n,
			       .state = NODE_NONE,
			       .callback = NODE_NONE,
			       .target = NODE_NONE,
			       .method = "",
			       .due_ms = TIMER_NEVER,
			       .period_ms = TIMER_NEVER,
			       .list = TIMER_UNKNOWN };
}

node_id
timer_subject(const struct heap *h, node_id timer)
{
	struct timer t = timer_of(timer);

	read_references(h, &t);
	if (t.state != NODE_NONE)
		return t.state;
	return t.target != NODE_NONE ? t.target : timer;
}

node_id
timer_callback(const struct heap *h, node_id timer)
{
	struct timer t = timer_of(timer);

	read_references(h, &t);
	return t.callback;
}

/* --- from fields ---------------------------------------------------------- */

static bool
read_fields(const struct heap *h, struct timer *t, struct error *err)
{
	int64_t due, period;

	if (!contents_integer(h, t->node, "_dueTime", &due, err) ||
	    !contents_integer(h, t->node, "_period", &period, err) ||
	    !contents_reference(h, t->node, "_state", &t->state, err) ||
	    !contents_reference(h, t->node, "_timerCallback", &t->callback, err))
		return false;
	t->due_ms = (uint32_t)due;
	t->period_ms = (uint32_t)period;
	t->list = TIMER_UNSET;
	if (t->callback != NODE_NONE &&
	    !contents_reference(h, t->callback, "_target", &t->target, err))
		t->target = NODE_NONE;
	/* A delegate to a static method is its own target. */
	if (t->target == t->callback)
		t->target = NODE_NONE;
	return true;
}

static struct timer *
find(const struct timers *t, node_id n)
{
	uint32_t at;

	LOWER_BOUND(at, 0, t->count, t->items[at].node < n);
	return at < t->count && t->items[at].node == n ? &t->items[at] : NULL;
}

/* Each timer is in one list; a timer that is marked already ends the list. */
static void
mark_list(const struct heap *h, node_id queue, const char *name, enum timer_list list,
	  struct timers *t)
{
	struct error ignored = { 0 };
	node_id n;
	bool is_there = contents_reference(h, queue, name, &n, &ignored);

	while (is_there && n != NODE_NONE) {
		struct timer *timer = find(t, n);

		if (!timer || timer->list != TIMER_UNSET)
			return;
		timer->list = (uint8_t)list;
		t->set_count++;
		is_there = contents_reference(h, n, "_next", &n, &ignored);
	}
}

/* Sets the name of the callback. Many timers share a delegate: `map` has the first timer of each.
 */
static bool
name_method(const struct heap *h, struct timers *t, uint32_t item, struct node_map *map,
	    struct error *err)
{
	struct timer *timer = &t->items[item];
	const struct heap_memory *m = h->memory;
	struct error ignored = { 0 };
	struct content_method method;
	const uint32_t *first;

	if (timer->callback == NODE_NONE)
		return true;
	first = node_map_find(map, timer->callback);
	if (first) {
		timer->method = t->items[*first].method;
		return true;
	}
	if (m->contents->method(m->source, timer->callback, &method, &t->texts, &ignored))
		timer->method = method.text;
	return node_map_add(map, timer->callback, item, err);
}

static bool
name_methods(const struct heap *h, struct timers *t, struct progress *progress, struct error *err)
{
	struct node_map map = { 0 };
	bool ok = true;

	progress_begin(progress, "naming callbacks", "timers", t->count);
	for (uint32_t i = 0; ok && i < t->count; i++)
		ok = (progress_add(progress, 1) || error_cancelled(err)) &&
		     name_method(h, t, i, &map, err);
	node_map_clear(&map);
	return ok;
}

/* --- all timers ---------------------------------------------------------- */

struct nodes {
	node_id *items;
	uint32_t count;
	size_t room;
};

static bool
add_timer(const struct heap *h, struct timers *t, size_t *room, node_id n, struct error *err)
{
	struct timer timer = timer_of(n);
	struct error ignored = { 0 };

	if (!MAKE_ROOM(t->items, t->count + 1, *room, err))
		return false;
	if (!contents_have_fields(h) || !read_fields(h, &timer, &ignored)) {
		timer = timer_of(n);
		read_references(h, &timer);
	}
	t->items[t->count++] = timer;
	return true;
}

enum role { ROLE_NONE, ROLE_TIMER, ROLE_QUEUE };

/* Returns enum role for each type. */
static uint8_t *
roles_of_types(const struct heap *h, struct error *err)
{
	uint8_t *roles = memory_new(h->types_count + 1UL, 1, err);

	for (type_id i = 0; roles && i < h->types_count; i++)
		if (type_is_timer(&h->types[i]))
			roles[i] = ROLE_TIMER;
		else if (!strcmp(h->types[i].raw, "System.Threading.TimerQueue"))
			roles[i] = ROLE_QUEUE;
	return roles;
}

static bool
look_at_all(const struct heap *h, struct timers *out, struct nodes *queues,
	    struct progress *progress, struct error *err)
{
	uint8_t *roles = roles_of_types(h, err);
	size_t room = 0;
	bool ok = roles != NULL;

	progress_begin(progress, "looking for timers", "objects", h->nodes_count);
	for (node_id n = 0; ok && n < h->nodes_count; n++) {
		uint8_t role = roles[heap_type_of(h, n)];

		if (n % LOOK_EVERY == 0 && !progress_add(progress, LOOK_EVERY))
			ok = error_cancelled(err);
		else if (role == ROLE_TIMER)
			ok = add_timer(h, out, &room, n, err);
		else if (role == ROLE_QUEUE)
			ok = APPEND(queues->items, queues->count, queues->room, err, n);
	}
	memory_free(roles);
	return ok;
}

bool
timers_find(const struct heap *h, struct timers *out, struct progress *progress, struct error *err)
{
	struct nodes queues = { 0 };
	bool ok;

	arena_init(&out->texts, 0);
	ok = look_at_all(h, out, &queues, progress, err);
	for (uint32_t i = 0; ok && contents_have_fields(h) && i < queues.count; i++) {
		mark_list(h, queues.items[i], "_shortTimers", TIMER_SHORT, out);
		mark_list(h, queues.items[i], "_longTimers", TIMER_LONG, out);
	}
	memory_free(queues.items);
	return ok && (!contents_have_fields(h) || name_methods(h, out, progress, err));
}

void
timers_clear(struct timers *t)
{
	memory_free(t->items);
	arena_clear(&t->texts);
	*t = (struct timers){ 0 };
}

/* --- what timers retain --------------------------------------------------- */

/* Positions of the objects that a timer dominates. Two of these are nested or disjoint. */
struct span {
	uint32_t first, end;
	bool is_given; /* otherwise it is the neighbour of one that is */
};

struct spans {
	struct span *items;
	size_t count, room;
};

static bool
add_spans(struct spans *s, const struct retained *r, node_id timer, struct error *err)
{
	const struct dominators *d = r->dominators;
	uint32_t first = d->positions[timer];
	struct span span = { first, dominators_end(d, first), true };
	struct refs refs = heap_refs(r->heap, timer);
	node_id target;

	if (!APPEND(s->items, s->count, s->room, err, span))
		return false;
	while (refs_next(&refs, &target)) {
		uint32_t next = d->positions[target];

		if (d->parents[next] != first + 1 || !type_is_timer(heap_type(r->heap, target)))
			continue;
		span = (struct span){ next, dominators_end(d, next), false };
		if (!APPEND(s->items, s->count, s->room, err, span))
			return false;
	}
	return true;
}

/* By position; a timer that is given comes last, as the innermost. */
static int
compare_spans(const void *x, const void *y)
{
	const struct span *a = x, *b = y;

	if (a->first != b->first)
		return a->first < b->first ? -1 : 1;
	return a->is_given - b->is_given;
}

/* Adds the positions whose innermost span is a given one. */
static void
add_up(const struct spans *s, const struct retained *r, uint32_t *open, struct retained_sum *sum)
{
	uint32_t at = 0, depth = 0;

	for (size_t i = 0; i < s->count || depth;) {
		const struct span *top = depth ? &s->items[open[depth - 1]] : NULL;
		bool ends = top && (i == s->count || top->end <= s->items[i].first);
		uint32_t end = ends ? top->end : s->items[i].first;

		if (top && top->is_given) {
			struct retained_sum more = retained_between(r, at, end);

			sum->count += more.count;
			sum->bytes += more.bytes;
		}
		at = end;
		if (ends)
			depth--;
		else
			open[depth++] = (uint32_t)i++;
	}
}

bool
timers_retained(const struct retained *r, const node_id *timers, uint32_t count,
		struct retained_sum *sum, struct error *err)
{
	struct spans s = { 0 };
	uint32_t *open;
	bool ok = true;

	*sum = (struct retained_sum){ 0 };
	for (uint32_t i = 0; ok && i < count; i++)
		ok = add_spans(&s, r, timers[i], err);
	if (s.count)
		qsort(s.items, s.count, sizeof *s.items, compare_spans);
	open = ok ? memory_new(s.count + 1, sizeof *open, err) : NULL;
	ok = open != NULL;
	if (ok)
		add_up(&s, r, open, sum);
	memory_free(open);
	memory_free(s.items);
	return ok;
}
