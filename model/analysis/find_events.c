/* Event handlers. An invocation list is an array of delegates that a delegate refers to. */
#include "model/analysis/finder.h"
#include <string.h>

enum { HANDLERS_MIN = 50, REFERRERS_ASKED = 1000 };

/* Returns the object with the event: it refers to the delegate with the
   list. */
static node_id
publisher_of(const struct finder *f, node_id list, type_id delegate)
{
	struct referrers r = reverse_of(f->reverse, list);
	node_id source, publisher = NODE_NONE;

	for (int i = 0; i < REFERRERS_ASKED && referrers_next(&r, &source); i++) {
		if (heap_type_of(f->heap, source) != delegate)
			continue;
		publisher = finder_only_referrer(f, source, list);
		if (publisher != NODE_NONE)
			return publisher;
		publisher = source;
		if (finder_root(f, source))
			return publisher; /* a static event */
	}
	return publisher;
}

struct events {
	struct finder *f;
	/* `key`: types of publisher and delegate; `key2`: type of target; `node`: target; `other`:
	   publisher. */
	struct members members;
	uint64_t steps;
};

/* Returns the object of the application that a delegate reaches through relays of the framework,
   such as the subscriptions of options; otherwise the target of the delegate. */
static node_id
subscriber_of(const struct finder *f, node_id handler)
{
	node_id target = delegate_target(f->heap, handler), subscriber;

	if (target == NODE_NONE || (f->is_own[heap_type_of(f->heap, target)] &&
				    !strstr(heap_type(f->heap, target)->raw, "<>c")))
		return target;
	subscriber = finder_captured(f, target);
	return subscriber == NODE_NONE ? target : subscriber;
}

static bool
count_targets(struct events *e, node_id list, struct error *err)
{
	struct finder *f = e->f;
	struct refs r = heap_refs(f->heap, list);
	node_id handler, target;

	while (refs_next(&r, &handler)) {
		target = subscriber_of(f, handler);
		if (target != NODE_NONE)
			tally_add(&f->tally, f->heap, target);
		if (!finder_may_go_on(f, &e->steps, err))
			return false;
	}
	return true;
}

/* Adds the handlers of one list whose targets have `type`, the most frequent one. */
static bool
note_handlers(struct events *e, node_id list, type_id type, struct error *err)
{
	struct finder *f = e->f;
	struct refs r = heap_refs(f->heap, list);
	type_id delegate = TYPE_NONE;
	node_id handler, publisher = NODE_NONE;

	while (refs_next(&r, &handler)) {
		node_id target = subscriber_of(f, handler);
		struct member m;

		if (target == NODE_NONE || heap_type_of(f->heap, target) != type)
			continue;
		if (delegate == TYPE_NONE) {
			delegate = heap_type_of(f->heap, handler);
			publisher = publisher_of(f, list, delegate);
		}
		m = (struct member){
			.key = (uint64_t)(publisher == NODE_NONE ? TYPE_NONE
								 : heap_type_of(f->heap, publisher))
				   << 32 |
			       delegate,
			.key2 = type,
			.node = target,
			.other = publisher,
		};
		if (!members_add(&e->members, m, err))
			return false;
	}
	return true;
}

static bool
report_event(void *context, const struct members *m, uint32_t from, uint32_t end, struct error *err)
{
	struct finder *f = context;
	struct finding *out = finder_add(f, &finding_event, err);

	if (!out)
		return false;
	out->type = (type_id)m->items[from].key2;
	out->holder_type = (type_id)(m->items[from].key & UINT32_MAX);
	out->count = end - from;
	return members_others(m, from, end, &out->holders_count, &out->subject, err) &&
	       finding_set_members(f, out, m, from, end, err);
}

bool
find_events(struct finder *f, const struct node_list *lists, struct error *err)
{
	struct events e = { .f = f };
	bool ok = true;

	for (uint32_t i = 0; ok && i < lists->count; i++) {
		type_id most;

		ok = count_targets(&e, lists->items[i], err);
		most = tally_best(&f->tally);
		if (ok && most != TYPE_NONE && f->tally.counts[most] >= HANDLERS_MIN)
			ok = note_handlers(&e, lists->items[i], most, err) &&
			     node_list_add(&f->reported, lists->items[i], err);
		tally_clear(&f->tally);
	}
	ok = ok && members_report(&e.members, report_event, f, err);
	memory_free(e.members.items);
	return ok;
}

/* --- in words ------------------------------------------------------------ */

static void
what_event(struct finding_words *w, struct text *out)
{
	text_addf(out, "%s handlers of %s", words_count(w, w->finding->count), words_type(w));
}

static void
why_event(struct finding_words *w, struct text *out)
{
	const struct finding *f = w->finding;
	type_id publisher = heap_type_of(w->facts->heap, f->subject);

	text_add(out, "are registered with ");
	if (publisher == f->holder_type)
		text_addf(out, "one %s", words_holder(w));
	else
		text_addf(out, "%s %s as %s", words_one_or(w, f->holders_count),
			  words_type_name(w, publisher), words_holder(w));
}

/*
 * One invocation list of a delegate has 50 or more handlers whose targets have the same type.
 * `type`: the targets; `holder_type`: the delegate; `subject`: the first publisher, the object with
 * the event; `holders_count`: publishers of its type; `count`: handlers registered with them.
 */
const struct finding_kind finding_event = {
	.id = "event",
	.title = "event handlers",
	.harmless = "no leak if the subscribers live as long as the publisher anyway",
	.what = what_event,
	.why = why_event,
	.held = held_by_root,
	.id_parts = ID_TYPE | ID_HOLDER_TYPE | ID_SUBJECT_TYPE | ID_STATIC,
	.subject_holds = true,
};
