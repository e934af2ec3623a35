/* What waits: timers for their time, async methods for what they await. */
#include "model/finder.h"
#include <string.h>

enum { TIMERS_MIN = 100, TASKS_ASKED = 4, REFERRERS_ASKED = 64 };

/* --- timers -------------------------------------------------------------- */

/* A timer refers to others, because they form lists, and to what it needs; the
   rest is what it was made with. */
static bool
is_of_timer(const struct type *t)
{
	static const char *const names[] = {
		"System.Threading.TimerQueue",
		"System.Threading.TimerQueueTimer",
		"System.Threading.ExecutionContext",
		"System.Threading.Timer",
		"System.Threading.TimerHolder",
	};

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (!strcmp(t->raw, names[i]))
			return true;
	return false;
}

/* What a timer carries, else what its callback is a method of. */
static node_id
subject_of_timer(const struct heap *h, node_id timer)
{
	struct refs r = heap_refs(h, timer);
	node_id target, callback = NODE_NONE;

	while (refs_next(&r, &target)) {
		const struct type *t = heap_type(h, target);

		if (!strcmp(t->raw, "System.Threading.TimerCallback"))
			callback = target;
		else if (!is_of_timer(t))
			return target;
	}
	if (callback == NODE_NONE)
		return timer;
	r = heap_refs(h, callback);
	return refs_next(&r, &target) ? target : timer;
}

static bool
tell_timers(struct finder *f, const struct members *m, uint32_t from,
	    uint32_t end, struct error *err)
{
	uint64_t bytes = 0;
	struct finding *out;

	for (uint32_t i = from; i < end; i++)
		bytes += heap_size(f->heap, m->items[i].node);
	if (bytes < f->much &&
	    (end - from < TIMERS_MIN || end - from < f->many))
		return true;
	out = finder_add(f, FINDING_TIMER, err);
	if (!out)
		return false;
	out->type = (type_id)m->items[from].key;
	out->count = end - from;
	out->subject = m->items[from].node;
	return finding_set_members(f, out, m, from, end, err);
}

bool
find_timers(struct finder *f, struct error *err)
{
	const struct node_list *timers = &f->by_role[ROLE_TIMER];
	struct members m = { 0 };
	uint64_t steps = 0;
	bool ok = true;

	for (uint32_t i = 0; ok && i < timers->count; i++) {
		node_id timer = timers->items[i];
		node_id subject = subject_of_timer(f->heap, timer);

		ok =
		    members_add(&m,
				(struct member){ heap_type_of(f->heap, subject),
						 0, timer, subject },
				err) &&
		    finder_may_go_on(f, &steps, err);
	}
	members_sort(&m);
	for (uint32_t from = 0; ok && from < m.count;) {
		uint32_t end = members_end(&m, from);

		ok = tell_timers(f, &m, from, end, err);
		from = end;
	}
	memory_free(m.items);
	return ok;
}

/* --- async methods ------------------------------------------------------- */

static bool
refers_to(const struct heap *h, node_id source, node_id wanted)
{
	struct refs r = heap_refs(h, source);
	node_id target;

	while (refs_next(&r, &target))
		if (target == wanted)
			return true;
	return false;
}

/*
 * A task that completes forgets who waits for it and refers instead to an
 * object that a static variable of Task holds for this.
 */
static node_id
completion_mark(const struct heap *h)
{
	static const char field[] = "s_taskCompletionSentinel";
	size_t field_len = sizeof field - 1;

	for (uint32_t i = 0; i < h->roots_count; i++) {
		const char *name = h->roots[i].name;
		size_t len = strlen(name);

		/* Perhaps with the class in front. */
		if (h->roots[i].kind == ROOT_STATIC && len >= field_len &&
		    !strcmp(name + len - field_len, field))
			return h->roots[i].object;
	}
	return NODE_NONE;
}

static bool
is_task(const struct finder *f, node_id n)
{
	type_id type = heap_type_of(f->heap, n);

	return f->roles[type] == ROLE_ASYNC ||
	       raw_begins(&f->heap->types[type], "System.Threading.Tasks.Task");
}

/*
 * A task refers to the call that goes on after it; if several do, in a list. A
 * call may refer as well to a task that waits for it.
 */
static bool
goes_on_after(const struct finder *f, node_id call, node_id task)
{
	struct referrers r = reverse_of(f->reverse, call);
	node_id source;

	for (int i = 0; i < REFERRERS_ASKED && referrers_next(&r, &source);
	     i++) {
		if (source == task)
			return true;
		if (strcmp(heap_type(f->heap, source)->raw, "System.Object[]"))
			continue;
		source = finder_only_referrer(f, source, NODE_NONE);
		if (source != NODE_NONE &&
		    finder_only_referrer(f, source, NODE_NONE) == task)
			return true;
	}
	return false;
}

/* The one task that all of them wait for, or NODE_NONE. A call awaits one thing
   at a time: the first few tasks that it refers to are enough. */
static node_id
awaited_by_all(const struct finder *f, const struct members *m, uint32_t from,
	       uint32_t end)
{
	struct refs r = heap_refs(f->heap, m->items[from].node);
	int asked = 0;
	node_id task;

	while (asked < TASKS_ASKED && refs_next(&r, &task)) {
		uint32_t i = from;

		if (!is_task(f, task) || task == m->items[from].node ||
		    !goes_on_after(f, m->items[from].node, task))
			continue;
		asked++;
		while (i < end && refers_to(f->heap, m->items[i].node, task))
			i++;
		if (i == end)
			return task;
	}
	return NODE_NONE;
}

static bool
tell_async(struct finder *f, const struct members *m, uint32_t from,
	   uint32_t end, bool is_guess, struct error *err)
{
	type_id type = (type_id)m->items[from].key;
	bool is_library = is_of_library(&f->heap->types[type]);
	struct finding *out;

	/* Each connection of a web server is a dozen of such calls. */
	if (end - from < f->many * (is_library ? LIBRARY_TIMES : 1))
		return true;
	out = finder_add(f, FINDING_ASYNC, err);
	if (!out)
		return false;
	out->type = type;
	out->count = end - from;
	out->whole = f->heap->types[out->type].count;
	out->is_guess = is_guess;
	out->subject = awaited_by_all(f, m, from, end);
	if (out->subject != NODE_NONE)
		out->other_type = heap_type_of(f->heap, out->subject);
	return finding_set_members(f, out, m, from, end, err);
}

bool
find_async(struct finder *f, struct error *err)
{
	const struct node_list *calls = &f->by_role[ROLE_ASYNC];
	node_id mark = completion_mark(f->heap);
	struct members m = { 0 };
	uint64_t steps = 0;
	bool ok = true;

	for (uint32_t i = 0; ok && i < calls->count; i++) {
		node_id call = calls->items[i];

		if (mark != NODE_NONE && refers_to(f->heap, call, mark))
			continue;
		ok = members_add(&m,
				 (struct member){ heap_type_of(f->heap, call),
						  0, call, 0 },
				 err) &&
		     finder_may_go_on(f, &steps, err);
	}
	members_sort(&m);
	for (uint32_t from = 0; ok && from < m.count;) {
		uint32_t end = members_end(&m, from);

		ok = tell_async(f, &m, from, end, mark == NODE_NONE, err);
		from = end;
	}
	memory_free(m.items);
	return ok;
}
