/* Looks through the framework's delegates, closures, subscriptions and execution contexts to the
   object of the application that they stand for. */
#include "model/analysis/finder.h"
#include "model/base/text.h"
#include <string.h>

enum {
	RELAYS_MAX = 32,    /* looked through, at most */
	TARGETS_ASKED = 16, /* references of each */
};

static bool
is_delegate(const struct type *t)
{
	return text_begins(t->raw, "System.Action") || text_begins(t->raw, "System.Func<") ||
	       raw_ends(t, "EventHandler") || raw_ends(t, "Callback") || raw_ends(t, "Delegate") ||
	       text_begins(t->raw, "System.EventHandler");
}

/* Returns true for objects of the framework that only pass on to another object. */
static bool
is_relay(const struct type *t)
{
	return is_delegate(t) || !strcmp(t->raw, "System.Threading.ExecutionContext") ||
	       (is_part(t) && !is_collection(t));
}

static bool
is_wanted(const struct finder *f, node_id n)
{
	return f->is_own[heap_type_of(f->heap, n)] && !(heap_type(f->heap, n)->flags & TYPE_ARRAY);
}

/* Returns the object whose method made a closure of the application, if the closure has captured
   it, else an object of the application that nothing else refers to, else the closure. */
static node_id
maker_of(const struct finder *f, node_id closure)
{
	const struct heap *h = f->heap;
	const char *raw = heap_type(h, closure)->raw, *mark = strstr(raw, "+<>c__DisplayClass");
	struct refs r = heap_refs(h, closure);
	node_id target, alone = closure;

	for (int i = 0; mark && i < TARGETS_ASKED && refs_next(&r, &target); i++) {
		const char *other = heap_type(h, target)->raw;

		if (strlen(other) == (size_t)(mark - raw) &&
		    !memcmp(other, raw, (size_t)(mark - raw)))
			return target;
		if (alone == closure && is_wanted(f, target) && !strstr(other, "<>c") &&
		    finder_only_referrer(f, target, NODE_NONE) == closure)
			alone = target;
	}
	return alone;
}

/* Breadth first, so that the nearest object counts. */
node_id
finder_captured(const struct finder *f, node_id n)
{
	node_id queue[RELAYS_MAX];
	unsigned count = 0, at = 0;

	queue[count++] = n;
	while (at < count) {
		node_id relay = queue[at++], target;
		struct refs r;

		if (is_wanted(f, relay) && !is_delegate(heap_type(f->heap, relay)))
			return maker_of(f, relay);
		if (!is_relay(heap_type(f->heap, relay)))
			continue;
		r = heap_refs(f->heap, relay);
		for (int i = 0; i < TARGETS_ASKED && refs_next(&r, &target); i++)
			if (count < RELAYS_MAX && target != relay)
				queue[count++] = target;
	}
	return NODE_NONE;
}
