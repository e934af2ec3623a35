/*
 * Callbacks that pile up on one source of cancellation. A source has a Registrations object with a
 * list of CallbackNodes, each with a delegate and the delegate's argument. A node without a
 * delegate is free: its registration has been disposed. A linked source registers with its parent
 * like any other object, so it is looked through: it keeps the objects that are registered with
 * itself.
 */
#include "model/analysis/finder.h"
#include <string.h>

enum {
	CALLBACKS_MIN = 100,
	FIELDS_ASKED = 16, /* of a source, a list or a callback: none has more */
	STEPS_MAX = 8      /* from a callback to what it keeps */
};

/* One CallbackNode. */
struct callback {
	node_id list;  /* the Registrations that it belongs to */
	node_id state; /* the delegate's argument, else its target; NODE_NONE if it has neither */
	bool is_used;  /* it has a delegate */
};

struct callbacks {
	struct finder *f;
	/* `key`: list; `node`: CallbackNode in use; `other`: what it calls. */
	struct members members;
	/* The callbacks of lists that have enough. `key`: list; `key2`: types of the object kept
	   and of the linked source; `node`: that object; `other`: the source. */
	struct members kept;
	uint64_t steps;
};

/* --- one callback --------------------------------------------------------- */

static enum role
role_at(const struct finder *f, node_id n)
{
	return (enum role)f->roles[heap_type_of(f->heap, n)];
}

static bool
is_context(const struct type *t)
{
	return !strcmp(t->raw, "System.Threading.ExecutionContext") ||
	       raw_ends(t, "SynchronizationContext");
}

/* The fields are Registrations, Prev, Next, Callback, CallbackState and two contexts, in that
   order. */
static struct callback
callback_of(const struct finder *f, node_id node)
{
	struct callback c = { NODE_NONE, NODE_NONE, false };
	struct refs r = heap_refs(f->heap, node);
	node_id target, delegate = NODE_NONE;

	for (int i = 0; i < FIELDS_ASKED && c.state == NODE_NONE && refs_next(&r, &target); i++) {
		enum role role = role_at(f, target);

		if (!c.is_used && role == ROLE_CALLBACK_LIST) {
			c.list = target;
		} else if (!c.is_used && role != ROLE_CALLBACK) {
			c.is_used = true;
			delegate = target;
		} else if (c.is_used && !is_context(heap_type(f->heap, target))) {
			c.state = target;
		}
	}
	if (c.is_used && c.state == NODE_NONE)
		c.state = delegate_target(f->heap, delegate);
	return c;
}

/* Returns the first reference that has the role, or NODE_NONE. */
static node_id
part_of(const struct finder *f, node_id n, enum role role)
{
	struct refs r = heap_refs(f->heap, n);
	node_id target;

	for (int i = 0; i < FIELDS_ASKED && refs_next(&r, &target); i++)
		if (role_at(f, target) == role)
			return target;
	return NODE_NONE;
}

/* Returns the source that owns a list: its other references are nodes. */
static node_id
source_of(const struct finder *f, node_id list)
{
	return part_of(f, list, ROLE_NONE);
}

/* --- what it keeps -------------------------------------------------------- */

/* Returns an object that is registered with the source `n`, or NODE_NONE if none is or `n` is no
   source. */
static node_id
registered_with(const struct finder *f, node_id n, bool *is_source)
{
	node_id list = part_of(f, n, ROLE_CALLBACK_LIST), node;
	struct refs r;

	*is_source = list != NODE_NONE && source_of(f, list) == n;
	if (!*is_source)
		return NODE_NONE;
	r = heap_refs(f->heap, list);
	for (int i = 0; i < FIELDS_ASKED && refs_next(&r, &node); i++)
		if (role_at(f, node) == ROLE_CALLBACK) {
			struct callback c = callback_of(f, node);

			if (c.state != NODE_NONE)
				return c.state;
		}
	return NODE_NONE;
}

/* Follows delegates without an argument and linked sources, and sets the first such source. Then
   looks through relays of the framework to the object of the application. */
static node_id
kept_by(const struct finder *f, node_id n, node_id *linked)
{
	node_id through;

	*linked = NODE_NONE;
	for (int i = 0; i < STEPS_MAX; i++) {
		bool is_source = false;
		node_id next;

		if (!strcmp(heap_type(f->heap, n)->raw, "System.Action"))
			next = delegate_target(f->heap, n);
		else
			next = registered_with(f, n, &is_source);
		if (is_source && *linked == NODE_NONE)
			*linked = n;
		if (next == NODE_NONE)
			break;
		n = next;
	}
	through = finder_captured(f, n);
	return through == NODE_NONE ? n : through;
}

/* --- all callbacks -------------------------------------------------------- */

static bool
add_callback(struct callbacks *c, node_id node, struct error *err)
{
	struct callback callback = callback_of(c->f, node);
	struct member m = { .key = callback.list, .node = node, .other = callback.state };

	return !callback.is_used || callback.list == NODE_NONE || callback.state == NODE_NONE ||
	       members_add(&c->members, m, err);
}

/* Looks into the callbacks of one list, if they are enough. */
static bool
resolve_list(void *context, const struct members *m, uint32_t from, uint32_t end, struct error *err)
{
	struct callbacks *c = context;
	struct finder *f = c->f;
	node_id source = source_of(f, (node_id)m->items[from].key);

	if (end - from < CALLBACKS_MIN || end - from < f->many || source == NODE_NONE)
		return true;
	for (uint32_t i = from; i < end; i++) {
		node_id linked, kept = kept_by(f, m->items[i].other, &linked);
		type_id through = linked == NODE_NONE || linked == kept
				      ? TYPE_NONE
				      : heap_type_of(f->heap, linked);
		struct member out = {
			.key = m->items[from].key,
			.key2 = (uint64_t)heap_type_of(f->heap, kept) << 32 | through,
			.node = kept,
			.other = source,
		};

		if (!members_add(&c->kept, out, err) || !finder_may_go_on(f, &c->steps, err))
			return false;
	}
	return true;
}

/* The framework registers callbacks for work that is going on, also through linked sources of its
   own, so its objects need more to be a pile. A linked source with nothing left to cancel has not
   been disposed, whoever made it. */
static bool
is_pile(const struct finder *f, const struct member *first, uint64_t count)
{
	type_id type = (type_id)(first->key2 >> 32);
	bool is_link = raw_ends(&f->heap->types[type], "CancellationTokenSource");
	uint64_t times = f->is_own[type] || is_link ? 1 : LIBRARY_TIMES;

	return count >= CALLBACKS_MIN && count >= f->many * times;
}

static bool
report_pile(void *context, const struct members *m, uint32_t from, uint32_t end, struct error *err)
{
	const struct member *first = &m->items[from];
	struct callbacks *c = context;
	struct finder *f = c->f;
	struct finding *out;

	if (!is_pile(f, first, end - from))
		return true;
	out = finder_add(f, &finding_registration, err);
	if (!out)
		return false;
	out->type = (type_id)(first->key2 >> 32);
	out->holder_type = (type_id)first->key2;
	out->subject = first->other;
	out->count = end - from;
	return node_list_add(&f->reported, (node_id)first->key, err) &&
	       finding_set_members(f, out, m, from, end, err);
}

static bool
find_callbacks(struct finder *f, struct error *err)
{
	const struct node_list *nodes = &f->by_role[ROLE_CALLBACK];
	struct callbacks c = { .f = f };
	bool ok = true;

	for (uint32_t i = 0; ok && i < nodes->count; i++)
		ok = add_callback(&c, nodes->items[i], err) && finder_may_go_on(f, &c.steps, err);
	ok = ok && members_report(&c.members, resolve_list, &c, err) &&
	     members_report(&c.kept, report_pile, &c, err);
	memory_free(c.members.items);
	memory_free(c.kept.items);
	return ok;
}

/* --- in words ------------------------------------------------------------- */

/* An object may have registered several callbacks. */
static void
what_registration(struct finding_words *w, struct text *out)
{
	const struct finding *f = w->finding;

	text_addf(out, "%s %s%s", words_count(w, f->count),
		  f->count == f->nodes_count ? "" : "callbacks of ", words_type(w));
}

static void
why_registration(struct finding_words *w, struct text *out)
{
	type_id source = heap_type_of(w->facts->heap, w->finding->subject);

	text_addf(out, "stay registered with one %s", words_type_name(w, source));
	if (w->finding->holder_type != TYPE_NONE)
		text_addf(out, " through undisposed %s", words_holder(w));
}

/*
 * `many` and at least 100 callbacks are registered with one source of cancellation for objects of
 * one type; 50 times as many for types of the framework. `type`: the objects that they keep, which
 * are the evidence; `subject`: the source; `holder_type`: the type of the linked sources that
 * registered, or TYPE_NONE; `count`: callbacks.
 */
const struct finding_kind finding_registration = {
	.id = "registration",
	.title = "cancellation callbacks",
	.harmless = "no leak if each belongs to work that is still running; disposing a "
		    "registration or a linked source ends it",
	.find = find_callbacks,
	.what = what_registration,
	.why = why_registration,
	.held = held_by_root,
	.id_parts = ID_TYPE,
	.subject_counts = true,
};
