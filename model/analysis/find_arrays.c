/*
 * Findings from large arrays: collections that hold most objects of a type, and arrays that are
 * mostly empty. Invocation lists of delegates go to find_events().
 */
#include "model/analysis/find_held.h"
#include "model/base/sorted.h"
#include "model/base/text.h"
#include "model/heap/bits.h"
#include <stdlib.h>
#include <string.h>

enum {
	ELEMENTS_MIN = 100,  /* elements of a collection, at least */
	ARRAY_LARGE = 85000, /* bytes; larger arrays are in the large object heap */
	EMPTY_PART = 4,      /* mostly empty: less than a quarter is in use */
	ENTRY_BYTES = 32,    /* bytes of the array that count for each element */
	CLIMB_MAX = 8,       /* steps from an array to its collection, at most */
	REFERRERS_ASKED = 1000,
};

/* The array that refers to the most objects of a type. */
struct holder {
	node_id array; /* NODE_NONE if there is none */
	uint32_t count;
	uint64_t bytes;
};

struct arrays {
	struct finder *f;
	struct holder *holders;  /* by type_id of the elements */
	uint8_t *has_references; /* by type_id of the array: elements are
				    references, not structs that contain some */
	struct node_list lists;
	/* Nearly empty arrays. Key: their type; `other`: number of
	   references. */
	struct members empty;
	uint64_t steps;
};

/* --- one array ----------------------------------------------------------- */

/* Tally the objects that the array refers to, each once. */
static bool
count_elements(struct arrays *a, node_id array, uint64_t *refs_count, struct error *err)
{
	struct finder *f = a->f;
	struct refs r = heap_refs(f->heap, array);
	node_id target;
	bool ok = true;

	*refs_count = r.left;
	while (ok && refs_next(&r, &target)) {
		if (!bits_has(f->seen, target))
			tally_add(&f->tally, f->heap, target);
		bits_add(f->seen, target);
		ok = finder_may_go_on(f, &a->steps, err);
	}
	r = heap_refs(f->heap, array);
	while (refs_next(&r, &target))
		bits_remove(f->seen, target);
	return ok;
}

/* Returns true if "Foo[]" refers to a Foo, since a struct is no object of its own. */
static bool
is_of_references(const struct finder *f, node_id array)
{
	const char *raw = heap_type(f->heap, array)->raw;
	size_t len = strlen(raw);

	if (!strcmp(raw, "System.Object[]"))
		return true;
	if (len < 2 || strcmp(raw + len - 2, "[]"))
		return false;
	for (uint32_t i = 0; i < f->tally.types_count; i++) {
		const char *element = f->heap->types[f->tally.types[i]].raw;

		if (!strncmp(raw, element, len - 2) && !element[len - 2])
			return true;
	}
	return false;
}

/*
 * Returns true if a delegate with several handlers refers to the array as its invocation list. The
 * list has delegates of the same type. If the runtime made it an Object[], the delegate must also
 * refer to itself.
 */
static bool
is_invocation_list(const struct finder *f, node_id array, type_id delegate)
{
	const char *raw = heap_type(f->heap, array)->raw;
	bool is_typed =
	    !strcmp(raw, "System.Delegate[]") || !strcmp(raw, "System.Delegate+Wrapper[]");
	struct referrers r = reverse_of(f->reverse, array);
	node_id source, target;

	if (f->tally.types_count != 1 || (!is_typed && strcmp(raw, "System.Object[]")))
		return false;
	for (int i = 0; i < REFERRERS_ASKED && referrers_next(&r, &source); i++) {
		struct refs refs = heap_refs(f->heap, source);

		if (heap_type_of(f->heap, source) != delegate || refs.left > 4)
			continue;
		while (refs_next(&refs, &target))
			if (is_typed || target == source)
				return true;
	}
	return false;
}

/* --- collections --------------------------------------------------------- */

/* Returns the collection that an array belongs to: follow the only referrer while it is part of a
   collection. */
static node_id
collection_of(const struct finder *f, node_id array)
{
	node_id owner = array;

	for (int i = 0; i < CLIMB_MAX && !finder_root(f, owner); i++) {
		node_id up = finder_only_referrer(f, owner, NODE_NONE);

		if (up == NODE_NONE || !is_collection(heap_type(f->heap, up)))
			break;
		owner = up;
	}
	return finder_whole(f, owner);
}

static void
note_holder(struct arrays *a, node_id array)
{
	const struct tally *tally = &a->f->tally;

	for (uint32_t i = 0; i < tally->types_count; i++) {
		type_id type = tally->types[i];
		struct holder *best = &a->holders[type];

		if (tally->counts[type] > best->count)
			*best = (struct holder){ array, tally->counts[type], tally->bytes[type] };
	}
}

/* Returns true for the objects that join calls of runtime async: the finding about these calls says
   more. */
static bool
joins_calls(const struct type *t)
{
	return text_begins(t->raw, "System.Runtime.CompilerServices.") &&
	       text_ends(t->raw, strlen(t->raw), "AsyncTaskContinuation");
}

static bool
is_worth_reporting(const struct finder *f, type_id type, const struct holder *h)
{
	const struct type *t = &f->heap->types[type];
	uint64_t much = is_description(t) ? 5 * f->much : f->much;
	uint64_t size = heap_size(f->heap, h->array);
	uint64_t entries = (uint64_t)h->count * ENTRY_BYTES;

	/* Unused elements do not count: mostly empty arrays are another finding. */
	if (size > entries)
		size = entries;
	return h->count >= ELEMENTS_MIN && h->count >= f->many &&
	       (f->ignores_shares || h->count >= t->count - h->count) && h->bytes + size >= much &&
	       !is_nested(t) && !joins_calls(t);
}

/* Sets the objects of `type` that the array refers to as evidence, ascending. */
static bool
list_elements(struct arrays *a, struct finding *out, type_id type, const struct holder *holder,
	      struct error *err)
{
	struct finder *f = a->f;
	struct refs r = heap_refs(f->heap, holder->array);
	node_id *nodes = memory_new(holder->count, sizeof *nodes, err);
	node_id first = NODE_NONE, last = 0, target;
	uint32_t count = 0;
	bool ok;

	if (!nodes)
		return false;
	while (refs_next(&r, &target)) {
		if (heap_type_of(f->heap, target) != type)
			continue;
		bits_add(f->seen, target);
		first = target < first ? target : first;
		last = target > last ? target : last;
	}
	for (node_id n = first; count < holder->count && n <= last; n++) {
		if (!f->seen[n >> 6]) {
			n |= 63;
		} else if (bits_has(f->seen, n)) {
			bits_remove(f->seen, n);
			nodes[count++] = n;
		}
	}
	ok = finding_set_nodes(f, out, nodes, count, err);
	memory_free(nodes);
	return ok;
}

/* Elements of the framework, such as scopes and continuations, say less than the application's
   objects that they hold. */
static bool
name_elements(struct arrays *a, struct finding *out, struct error *err)
{
	struct finder *f = a->f;
	const struct held_words *held;

	if (f->is_own[out->type] || f->heap->types[out->type].flags & (TYPE_STRING | TYPE_ARRAY))
		return true;
	if (!held_set(f, out, NULL, err))
		return false;
	held = out->more;
	if (held && !f->is_own[held->type])
		out->more = NULL;
	return true;
}

static bool
report_collections(struct arrays *a, struct error *err)
{
	struct finder *f = a->f;

	for (type_id t = 0; t < f->heap->types_count; t++) {
		const struct holder *holder = &a->holders[t];
		struct finding *out;

		if (!holder->count || !is_worth_reporting(f, t, holder))
			continue;
		out = finder_add(f, &finding_collection, err);
		if (!out)
			return false;
		out->type = t;
		out->count = holder->count;
		out->all_count = f->heap->types[t].count;
		out->subject = collection_of(f, holder->array);
		out->holder_type = heap_type_of(f->heap, out->subject);
		if (!list_elements(a, out, t, holder, err) || !name_elements(a, out, err))
			return false;
		if (progress_is_cancelled(f->progress))
			return error_cancelled(err);
	}
	return true;
}

/* --- mostly empty arrays ------------------------------------------------- */

static uint64_t
pointer_bytes(const struct heap *h)
{
	return h->info.is_64bit ? 8 : 4;
}

static uint64_t
elements_of(const struct heap *h, node_id array)
{
	uint64_t head = 3 * pointer_bytes(h), size = heap_size(h, array);

	return size > head ? (size - head) / pointer_bytes(h) : 0;
}

static bool
note_empty(struct arrays *a, node_id array, uint64_t refs_count, struct error *err)
{
	const struct heap *h = a->f->heap;
	uint64_t elements = elements_of(h, array);

	if (heap_size(h, array) < ARRAY_LARGE || refs_count > UINT32_MAX ||
	    refs_count >= elements / EMPTY_PART)
		return true;
	return members_add(
	    &a->empty, (struct member){ heap_type_of(h, array), 0, array, (uint32_t)refs_count },
	    err);
}

/* Reports the arrays of one type; `other` is the number of references of
   each. */
static bool
report_empty(void *context, const struct members *m, uint32_t from, uint32_t end, struct error *err)
{
	const struct member *arrays = m->items;
	struct arrays *a = context;
	struct finder *f = a->f;
	uint64_t used = 0, elements = 0;
	struct finding *out;

	for (uint32_t i = from; i < end; i++) {
		used += arrays[i].other;
		elements += elements_of(f->heap, arrays[i].node);
	}
	if (!a->has_references[arrays[from].key] ||
	    (elements - used) * pointer_bytes(f->heap) < f->much)
		return true;
	out = finder_add(f, &finding_array, err);
	if (!out)
		return false;
	out->type = (type_id)arrays[from].key;
	out->subject = arrays[from].node;
	out->count = used;
	out->all_count = elements;
	return finding_set_members(f, out, m, from, end, err);
}

/* --- all arrays ---------------------------------------------------------- */

static bool
is_static_table(const struct reach *reach, node_id n)
{
	return reach->static_tables_count &&
	       bsearch(&n, reach->static_tables, reach->static_tables_count, sizeof n, compare_u32);
}

static bool
look_at_array(struct arrays *a, node_id array, struct error *err)
{
	struct finder *f = a->f;
	uint64_t refs_count;
	bool ok = count_elements(a, array, &refs_count, err);

	if (ok && f->tally.types_count && is_invocation_list(f, array, f->tally.types[0]))
		ok = node_list_add(&a->lists, array, err);
	else if (ok && refs_count >= ELEMENTS_MIN && !is_static_table(f->reach, array))
		note_holder(a, array);
	if (ok && !a->has_references[heap_type_of(f->heap, array)])
		a->has_references[heap_type_of(f->heap, array)] = is_of_references(f, array);
	tally_clear(&f->tally);
	return ok && note_empty(a, array, refs_count, err);
}

static bool
arrays_init(struct arrays *a, struct finder *f, struct error *err)
{
	size_t types = (size_t)f->heap->types_count + 1;

	*a = (struct arrays){ .f = f };
	a->holders = arena_array(&f->scratch, struct holder, types, err);
	a->has_references = arena_array(&f->scratch, uint8_t, types, err);
	return a->holders && a->has_references;
}

static bool
find_in_arrays(struct finder *f, struct error *err)
{
	const struct node_list *arrays = &f->by_role[ROLE_ARRAY];
	struct arrays a;
	bool ok = arrays_init(&a, f, err);

	progress_begin(f->progress, "looking into arrays", "arrays", arrays->count);
	for (uint32_t i = 0; ok && i < arrays->count; i++) {
		ok = look_at_array(&a, arrays->items[i], err);
		if (ok && i % 1024 == 0 && !progress_add(f->progress, 1024))
			ok = error_cancelled(err);
	}
	ok = ok && report_collections(&a, err) && members_report(&a.empty, report_empty, &a, err) &&
	     find_events(f, &a.lists, err);
	memory_free(a.lists.items);
	memory_free(a.empty.items);
	return ok;
}

/* --- in words ------------------------------------------------------------ */

static void
why_collection(struct finding_words *w, struct text *out)
{
	text_addf(out, "are in one %s", words_holder(w));
	write_held(w, out);
}

/*
 * One array, owned by a collection, refers to `many` and at least 100 objects of a type, which are
 * at least half of all its objects. Together with the array they take `much`, or 5 times `much` if
 * they are the runtime's descriptions of types; at most 32 bytes of the array count for each
 * object. `type`: those objects; `subject`: the collection; `more`: what
 * objects of the framework hold of the application, a struct held_words, or NULL.
 */
const struct finding_kind finding_collection = {
	.id = "collection",
	.title = "collections with most objects of a type",
	.harmless = "no leak if it is a cache or an index with a limit, or holds the main data of "
		    "the program",
	.find = find_in_arrays,
	.what = what_part,
	.why = why_collection,
	.held = held_by_root,
	.id_parts = ID_TYPE | ID_SUBJECT_TYPE | ID_STATIC,
	.subject_holds = true,
	.subject_counts = true,
};

static void
what_array(struct finding_words *w, struct text *out)
{
	text_addf(out, "%s large %s", words_count(w, w->finding->nodes_count), words_type(w));
}

static void
why_array(struct finding_words *w, struct text *out)
{
	const struct finding *f = w->finding;

	text_addf(out, "%s %s references in %s elements", verb_for(f->nodes_count, "has", "have"),
		  words_count(w, f->count), words_count(w, f->all_count));
}

/*
 * Large arrays of references, at least three quarters of them null, with `much` unused. `type`: the
 * arrays; `count`: references of all elements.
 */
const struct finding_kind finding_array = {
	.id = "array",
	.title = "mostly empty arrays",
	.harmless = "no leak if they are about to be filled, or the pool that they belong to is "
		    "meant to keep them",
	.what = what_array,
	.why = why_array,
	.held = held_by_root,
	.id_parts = ID_TYPE,
	.is_waste = true,
};
