/*
 * Single objects that retain much: at least 10 % of the heap, and as deep in the dominator tree as
 * possible, because all dominators of such an object retain as much. In a linked list each node
 * retains all nodes after it; only the first is reported.
 */
#include "model/analysis/find_held.h"
#include "model/analysis/timers.h"
#include "model/base/hash.h"
#include "model/heap/bits.h"

enum {
	HELD_PARTS = 10,      /* times `much` */
	HELD_MIN = 256 << 10, /* services and caches of every program retain less */
	ALIKE_PARTS = 5,      /* the collection retains at most a quarter more */
	TOGETHER_MIN = 3,     /* of one type and root are one finding */
	LOOK_EVERY = 65536,
};

struct heights {
	struct finder *f;
	const struct dominators *d;
	uint64_t *is_above; /* bits by position: a descendant retains enough */
	struct node_list found;
	struct members subjects; /* of findings */
	struct held held;
	uint64_t enough, steps;
};

/* Returns false only if the positions from `first` to `end` have fewer bytes. It compares two
   prefix sums, of which there is one for each 64 positions. */
static bool
may_hold(const struct finder *f, uint32_t first, uint32_t end, uint64_t bytes)
{
	const uint64_t *before = f->retained->before;

	return before[(end + 63ULL) >> 6] - before[first >> 6] >= bytes;
}

/* Decides about `position` after its whole subtree, which ends at `end`, has been visited. */
static bool
leave(struct heights *s, uint32_t position, uint32_t end, struct error *err)
{
	uint32_t parent = s->d->parents[position];
	bool is_above = bits_has(s->is_above, position);

	if (!is_above && (!may_hold(s->f, position, end, s->enough) ||
			  retained_between(s->f->retained, position, end).bytes < s->enough))
		return true;
	if (parent)
		bits_add(s->is_above, parent - 1);
	return is_above || node_list_add(&s->found, s->d->objects[position], err);
}

/*
 * Visits subtrees in postorder. Positions are in preorder: between two positions, exactly those
 * subtrees end that do not contain the second. Their roots are the first position and some of its
 * dominators, so no stack is needed.
 */
static bool
find_lowest(struct heights *s, struct error *err)
{
	uint32_t count = s->d->reachable_count;

	for (uint32_t p = 1; p <= count; p++) {
		uint32_t parent = p < count ? s->d->parents[p] : 0;

		for (uint32_t at = p; at != parent; at = s->d->parents[at - 1])
			if (!leave(s, at - 1, p, err))
				return false;
		if (!finder_may_go_on(s->f, &s->steps, err))
			return false;
	}
	return true;
}

static uint64_t
held_at(const struct heights *s, uint32_t position)
{
	return retained_between(s->f->retained, position, dominators_end(s->d, position)).bytes;
}

/* Returns true if `up` is a collection that retains hardly more than its array at `position`; the
   finding then names the collection. */
static bool
is_its_collection(const struct heights *s, uint32_t up, uint32_t position)
{
	const struct heap *h = s->f->heap;

	return is_collection(heap_type(h, s->d->objects[up])) &&
	       held_at(s, up) / ALIKE_PARTS <= held_at(s, position) / (ALIKE_PARTS - 1);
}

/* Returns true if a person would name `up` rather than the object at `position`: parts belong to
   what they are parts of, and a collection to a cache or channel that retains hardly more. */
static bool
belongs_to(const struct heights *s, uint32_t up, uint32_t position)
{
	const struct heap *h = s->f->heap;
	const struct type *t = heap_type(h, s->d->objects[position]);
	const struct type *above = heap_type(h, s->d->objects[up]);
	bool is_below = is_part(above) || is_collection(above) || may_own_collections(above);

	if (!is_below || !type_is_of_framework(above))
		return false;
	if (is_part(t) || t->flags & TYPE_ARRAY)
		return true;
	return is_collection(t) &&
	       held_at(s, up) / ALIKE_PARTS <= held_at(s, position) / (ALIKE_PARTS - 1);
}

/* Returns the first node of a linked list, or the collection, cache or channel that a part belongs
   to. */
static node_id
subject_of(struct heights *s, node_id n)
{
	const struct heap *h = s->f->heap;
	const node_id *objects = s->d->objects;
	uint32_t at = s->d->positions[n];
	struct error ignored = { 0 };

	while (s->d->parents[at] && finder_may_go_on(s->f, &s->steps, &ignored)) {
		uint32_t up = s->d->parents[at] - 1;

		if (heap_type_of(h, objects[up]) != heap_type_of(h, objects[at]) &&
		    !is_its_collection(s, up, at) && !belongs_to(s, up, at))
			break;
		at = up;
	}
	return objects[at];
}

/* Returns the object that a part belongs to if words on stacks, which may be left over, keep the
   part as well, so that nothing dominates it. It follows the cheapest path. */
static node_id
whole_of(const struct heights *s, node_id n)
{
	const struct finder *f = s->f;
	node_id at = finder_whole(f, n);

	return finder_is_pooled(f, at) || held_at(s, s->d->positions[at]) >= s->enough ? at : n;
}

/* Returns true if a collection, event or list of callbacks, which is more specific, is reported for
   `n` or for what it is a part of. */
static bool
is_reported(const struct finder *f, node_id n)
{
	if (finder_is_pooled(f, n))
		return true;
	for (uint32_t i = 0; i < f->reported.count; i++)
		if (f->reported.items[i] == n)
			return true;
	for (uint32_t i = 0; i < f->out->count; i++) {
		const struct finding *other = &f->out->items[i];

		if (other->subject == n &&
		    (other->kind == &finding_collection || other->kind == &finding_registration))
			return true;
	}
	return false;
}

/* --- what it holds -------------------------------------------------------- */

/* Adds up what the subjects from `from` to before `end` retain. */
static bool
add_held(struct heights *s, const struct members *m, uint32_t from, uint32_t end,
	 struct finding *out, uint64_t *all, struct error *err)
{
	for (uint32_t i = from; i < end; i++) {
		uint32_t first = s->d->positions[m->items[i].node];
		uint32_t last = dominators_end(s->d, first);

		*all += retained_between(s->f->retained, first, last).bytes;
		out->count += last - first;
		if (!held_add(&s->held, first, last, false, err))
			return false;
	}
	return true;
}

static bool
report(struct heights *s, const struct members *m, uint32_t from, uint32_t end, struct error *err)
{
	struct finder *f = s->f;
	struct finding *out = finder_add(f, &finding_dominator, err);
	uint64_t *held = arena_new(&f->out->arena, uint64_t, err);
	uint64_t all = 0;

	if (!out || !held)
		return false;
	out->subject = m->items[from].node;
	out->holder_type = heap_type_of(f->heap, out->subject);
	out->more = held;
	if (!add_held(s, m, from, end, out, &all, err))
		return false;
	*held = held_name(&s->held, all, out);
	return finding_set_members(f, out, m, from, end, err);
}

/* Reports subjects of one type and one root, each alone or, if they are many, together: the values
   of a ThreadLocal on all threads are one cause. */
static bool
report_alike(void *context, const struct members *m, uint32_t from, uint32_t end, struct error *err)
{
	uint32_t step = end - from >= TOGETHER_MIN ? end - from : 1;

	for (uint32_t i = from; i < end; i += step)
		if (!report(context, m, i, i + step, err))
			return false;
	return true;
}

/* Adds a subject unless it has been added. `key`: its type; `key2`: kind and name of its root. */
static bool
add_subject(struct heights *s, node_id n, struct error *err)
{
	const struct finder *f = s->f;
	const struct root *root = reach_root(f->reach, n);
	struct member m = { .key = heap_type_of(f->heap, n), .node = n };

	if (bits_has(f->seen, n))
		return true;
	bits_add(f->seen, n);
	if (root)
		m.key2 = hash_text(HASH_START + root->kind, root->name);
	return members_add(&s->subjects, m, err);
}

static bool
find_dominators(struct finder *f, struct error *err)
{
	struct heights s = { .f = f };
	bool ok;

	s.d = f->retained->dominators;
	s.enough = HELD_PARTS * f->much;
	if (s.enough < HELD_MIN)
		s.enough = HELD_MIN;
	s.is_above = memory_new(bits_words(f->heap->nodes_count), sizeof *s.is_above, err);
	progress_begin(f->progress, "finding large dominators", "objects", f->heap->nodes_count);
	ok = held_init(&s.held, f, err) && s.is_above && find_lowest(&s, err);
	for (uint32_t i = 0; ok && i < s.found.count; i++) {
		node_id n = whole_of(&s, subject_of(&s, s.found.items[i]));

		/* Timers hold each other in a list of the runtime: what one of them dominates is
		   chance. */
		ok = is_reported(f, n) || is_reported(f, finder_whole(f, n)) ||
		     type_is_timer(heap_type(f->heap, n)) || add_subject(&s, n, err);
	}
	for (uint32_t i = 0; i < s.subjects.count; i++)
		bits_remove(f->seen, s.subjects.items[i].node);
	ok = ok && members_report(&s.subjects, report_alike, &s, err);
	memory_free(s.subjects.items);
	memory_free(s.is_above);
	memory_free(s.found.items);
	return ok;
}

/* --- in words ------------------------------------------------------------ */

static void
what_dominator(struct finding_words *w, struct text *out)
{
	text_addf(out, "%s %s", words_one_or(w, w->finding->nodes_count), words_holder(w));
}

static void
why_dominator(struct finding_words *w, struct text *out)
{
	const struct finding *f = w->finding;
	const uint64_t *held = f->more;

	if (f->count == f->nodes_count) {
		text_addf(out, "%s %s", verb_for(f->nodes_count, "takes", "take"),
			  words_size(w, f->bytes));
		return;
	}
	text_addf(out, "%s %s %s (%s)", verb_for(f->nodes_count, "retains", "retain"),
		  words_count(w, f->type_count), words_type(w), words_size(w, *held));
	if (f->type_count != f->count)
		text_addf(out, ", %s objects in all", words_count(w, f->count));
}

/*
 * One object retains at least 10 times `much`, and 256 KiB. `subject` and evidence: that object;
 * `count`: objects it retains, itself included; three or more subjects of one type and root are one
 * finding, whose evidence they are; `type`: the application's type whose objects among
 * these retain most, if that is a tenth of all, otherwise the type with the most bytes; `more`: the
 * bytes that these retain.
 */
const struct finding_kind finding_dominator = {
	.id = "dominator",
	.title = "objects that retain much",
	.harmless = "no leak if it is meant to hold so much: a cache with a limit, a model that "
		    "was loaded",
	.find = find_dominators,
	.needs_retained = true,
	.comes_last = true,
	.what = what_dominator,
	.why = why_dominator,
	.held = held_by_root,
	.id_parts = ID_HOLDER_TYPE | ID_STATIC,
	.subject_holds = true,
	.table = "dominators",
};
