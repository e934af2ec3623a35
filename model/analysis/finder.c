#include "model/analysis/finder.h"
#include "model/analysis/collection_parts.h"
#include "model/analysis/library_types.h"
#include "model/analysis/timers.h"
#include "model/base/text.h"
#include "model/heap/framework.h"
#include <stdlib.h>
#include <string.h>

enum { LOOK_EVERY = 65536, OWNERS_ASKED = 4096, WHOLE_STEPS = 8 };

bool
finder_may_go_on(struct finder *f, uint64_t *steps, struct error *err)
{
	return ++*steps % LOOK_EVERY || !progress_is_cancelled(f->progress) || error_cancelled(err);
}

bool
raw_ends(const struct type *t, const char *end)
{
	return text_ends(t->raw, strlen(t->raw), end);
}

static bool
is_of_runtime(const struct type *t)
{
	const char *file = type_module_file(t);

	return !strncmp(file, "System.", 7) || !strncmp(file, "mscorlib", 8);
}

bool
is_nested(const struct type *t)
{
	size_t len = strcspn(t->raw, "<[+`");

	return is_of_runtime(t) && (!memchr(t->raw, '.', len) || nested_name(t->raw));
}

bool
is_part(const struct type *t)
{
	size_t len = strcspn(t->raw, "<[+`");

	return type_is_of_framework(t) &&
	       (nested_name(t->raw) || !memchr(t->raw, '.', len) ||
		library_type_of(t, LIBRARY_PART) || part_kind_of(t) == PART_INNER ||
		part_kind_of(t) == PART_NODE);
}

node_id
finder_whole(const struct finder *f, node_id n)
{
	node_id at = n;

	for (int i = 0;
	     i < WHOLE_STEPS && is_part(heap_type(f->heap, at)) && f->reach->distance[at]; i++)
		at = f->reach->next[at];
	return type_is_of_framework(heap_type(f->heap, at)) ? at : n;
}

bool
may_own_collections(const struct type *t)
{
	return type_is_of_framework(t) && !type_is_async(t) && !(t->flags & TYPE_ARRAY) &&
	       !is_part(t) &&
	       (library_type_of(t, LIBRARY_OWNER) || !library_type_of(t, LIBRARY_RELAY));
}

bool
is_collection(const struct type *t)
{
	return text_begins(t->raw, "System.Collections.") || is_nested(t);
}

bool
is_description(const struct type *t)
{
	return text_begins(t->raw, "System.Reflection.") ||
	       text_begins(t->raw, "System.RuntimeType");
}

/* Returns true for a nested type of the base library with that name; the
   heap's name may lack the enclosing type. */
static bool
is_nested_named(const struct type *t, const char *name)
{
	const char *joint = strrchr(t->raw, '+');

	return !strcmp(joint ? joint + 1 : t->raw, name) && is_nested(t);
}

/* Returns the name without namespace and enclosing types. */
static const char *
own_name(const struct type *t)
{
	const char *name = t->raw + strlen(t->raw);

	while (name > t->raw && name[-1] != '.' && name[-1] != '+')
		name--;
	return name;
}

static bool
is_resource(const struct type *t)
{
	const char *name = own_name(t);

	return ((!strncmp(name, "Safe", 4) && raw_ends(t, "Handle")) ||
		!strcmp(name, "ZLibStreamHandle") ||
		!strcmp(t->raw, "System.Net.Http.SocketsHttpHandler")) &&
	       type_is_of_framework(t);
}

enum role
role_of(const struct type *t)
{
	if (!t->count)
		return ROLE_NONE;
	if (library_type_of(t, LIBRARY_POOL))
		return ROLE_POOL;
	if (type_is_call_site(t))
		return ROLE_CALL_SITE;
	if (t->flags & TYPE_ARRAY)
		return t->flags & TYPE_HAS_REFS ? ROLE_ARRAY : ROLE_NONE;
	if (type_is_async(t) || type_is_continuation(t))
		return ROLE_ASYNC;
	if (type_is_timer(t))
		return ROLE_TIMER;
	if (!strcmp(t->raw, "System.Reflection.LoaderAllocator"))
		return ROLE_CONTEXT;
	if (text_begins(t->raw, "System.Runtime.CompilerServices.ConditionalWeakTable<") &&
	    !nested_name(t->raw))
		return ROLE_WEAK_TABLE;
	if (is_nested_named(t, "CallbackNode"))
		return ROLE_CALLBACK;
	if (is_nested_named(t, "Registrations"))
		return ROLE_CALLBACK_LIST;
	return is_resource(t) ? ROLE_RESOURCE : ROLE_NONE;
}

bool
node_list_add(struct node_list *list, node_id n, struct error *err)
{
	return APPEND(list->items, list->count, list->room, err, n);
}

const struct root *
finder_root(const struct finder *f, node_id n)
{
	uint32_t root;

	if (!f->reach->distance[n])
		return &f->heap->roots[f->reach->next[n]];
	/* The path of an object with a root may begin elsewhere. In lesser tiers it does only if a
	   better root reaches the object. */
	root = reach_own_root(f->reach, NULL, n, 0);
	return root == ROOT_NOWHERE ? NULL : &f->heap->roots[root];
}

node_id
finder_only_referrer(const struct finder *f, node_id n, node_id except)
{
	struct referrers r = reverse_of(f->reverse, n);
	node_id source, only = NODE_NONE;

	while (referrers_next(&r, &source)) {
		if (source == n || source == except || source == only ||
		    reach_is_static_ref(f->reach, source, n))
			continue;
		if (only != NODE_NONE)
			return NODE_NONE;
		only = source;
	}
	return only;
}

bool
part_refers_to(const struct heap *h, node_id source, node_id wanted)
{
	struct refs r = heap_refs(h, source);
	node_id target;

	for (int i = 0; i < REFS_ASKED && refs_next(&r, &target); i++)
		if (target == wanted)
			return true;
	return false;
}

/* Returns true for what a delegate of .NET 11 may refer to before its target: the method or the
   load context of its code. */
static bool
is_helper(const struct type *t)
{
	return !strncmp(t->raw, "System.Reflection.", 18);
}

node_id
delegate_target(const struct heap *h, node_id delegate)
{
	struct refs r = heap_refs(h, delegate);
	node_id target;

	for (int i = 0; i < REFS_ASKED && refs_next(&r, &target); i++)
		if (!is_helper(heap_type(h, target)))
			return target == delegate ? NODE_NONE : target;
	return NODE_NONE;
}

type_id
finder_owner(const struct finder *f, node_id n)
{
	struct referrers r = reverse_of(f->reverse, n);
	node_id source;

	for (int i = 0; i < OWNERS_ASKED && referrers_next(&r, &source); i++) {
		const struct type *t = heap_type(f->heap, source);

		if (finder_is_live(f, source) && !type_is_async(t) && !(t->flags & TYPE_ARRAY) &&
		    !type_is_of_framework(t) && !reach_is_static_ref(f->reach, source, n))
			return heap_type_of(f->heap, source);
	}
	return TYPE_NONE;
}

void
tally_add(struct tally *t, const struct heap *h, node_id n)
{
	type_id type = heap_type_of(h, n);

	if (!t->counts[type]++)
		t->types[t->types_count++] = type;
	t->bytes[type] += heap_size(h, n);
}

type_id
tally_best(const struct tally *t)
{
	type_id best = TYPE_NONE;

	for (uint32_t i = 0; i < t->types_count; i++) {
		type_id type = t->types[i];

		if (best == TYPE_NONE || t->counts[type] > t->counts[best] ||
		    (type < best && t->counts[type] == t->counts[best]))
			best = type;
	}
	return best;
}

type_id
finder_best_own(const struct finder *f)
{
	const struct tally *t = &f->tally;
	type_id best = TYPE_NONE;
	uint64_t all = 0;

	for (uint32_t i = 0; i < t->types_count; i++) {
		type_id type = t->types[i];

		all += t->bytes[type];
		if (f->is_own[type] && (best == TYPE_NONE || t->bytes[type] > t->bytes[best]))
			best = type;
	}
	return best != TYPE_NONE && t->bytes[best] >= all / OWN_PART ? best : tally_best(t);
}

void
tally_clear(struct tally *t)
{
	for (uint32_t i = 0; i < t->types_count; i++) {
		t->counts[t->types[i]] = 0;
		t->bytes[t->types[i]] = 0;
	}
	t->types_count = 0;
}

struct finding *
finder_add(struct finder *f, const struct finding_kind *kind, struct error *err)
{
	struct findings *out = f->out;

	if (!MAKE_ROOM(out->items, out->count + 1, f->room, err))
		return NULL;
	out->items[out->count] = (struct finding){
		.kind = kind,
		.type = TYPE_NONE,
		.holder_type = TYPE_NONE,
		.owner_type = TYPE_NONE,
		.subject = NODE_NONE,
		.keeper = { .node = NODE_NONE, .field = "" },
		.name = "",
		.thread = "",
	};
	return &out->items[out->count++];
}

bool
finding_set_nodes(struct finder *f, struct finding *out, const node_id *nodes, uint32_t count,
		  struct error *err)
{
	node_id *copy = arena_array(&f->out->arena, node_id, count, err);

	if (!copy)
		return false;
	for (uint32_t i = 0; i < count; i++) {
		copy[i] = nodes[i];
		out->bytes += heap_size(f->heap, nodes[i]);
	}
	out->nodes = copy;
	out->nodes_count = count;
	return true;
}

bool
members_add(struct members *m, struct member member, struct error *err)
{
	return APPEND(m->items, m->count, m->room, err, member);
}

static int
compare_members(const void *x, const void *y)
{
	const struct member *a = x, *b = y;

	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	if (a->key2 != b->key2)
		return a->key2 < b->key2 ? -1 : 1;
	if (a->node != b->node)
		return a->node < b->node ? -1 : 1;
	return (a->other > b->other) - (a->other < b->other);
}

void
members_sort(struct members *m)
{
	if (m->count)
		qsort(m->items, m->count, sizeof *m->items, compare_members);
}

static uint32_t
group_end(const struct members *m, uint32_t from)
{
	uint32_t end = from;

	while (end < m->count && m->items[end].key == m->items[from].key &&
	       m->items[end].key2 == m->items[from].key2)
		end++;
	return end;
}

bool
members_report(struct members *m, report_group *report, void *context, struct error *err)
{
	bool ok = true;

	members_sort(m);
	for (uint32_t from = 0; ok && from < m->count;) {
		uint32_t end = group_end(m, from);

		ok = report(context, m, from, end, err);
		from = end;
	}
	return ok;
}

uint32_t
members_nodes(const struct members *m, uint32_t from, uint32_t end)
{
	uint32_t count = 0;

	for (uint32_t i = from; i < end; i++)
		count += i == from || m->items[i].node != m->items[i - 1].node;
	return count;
}

bool
finder_retained(struct finder *f, const struct members *m, uint32_t from, uint32_t end,
		uint64_t *bytes, struct error *err)
{
	struct retained_sum sum = { 0 };
	node_id *nodes;
	bool ok;

	for (uint32_t i = from; i < end; i++)
		if (i == from || m->items[i].node != m->items[i - 1].node)
			sum.bytes += heap_size(f->heap, m->items[i].node);
	*bytes = sum.bytes;
	if (!f->retained)
		return true;
	nodes = memory_new(end - from, sizeof *nodes, err);
	if (!nodes)
		return false;
	for (uint32_t i = from; i < end; i++)
		nodes[i - from] = m->items[i].node;
	sum = (struct retained_sum){ 0 };
	ok = retained_of_list(f->retained, nodes, end - from, &sum, err);
	memory_free(nodes);
	*bytes = sum.bytes;
	return ok;
}

bool
members_others(const struct members *m, uint32_t from, uint32_t end, uint64_t *count,
	       node_id *first, struct error *err)
{
	struct members others = { 0 };
	bool ok = true;

	for (uint32_t i = from; ok && i < end; i++)
		ok = members_add(&others, (struct member){ .node = m->items[i].other }, err);
	members_sort(&others);
	*count = 0;
	for (uint32_t i = 0; i < others.count; i++)
		*count += !i || others.items[i].node != others.items[i - 1].node;
	*first = others.count ? others.items[0].node : NODE_NONE;
	memory_free(others.items);
	return ok;
}

bool
finding_set_members(struct finder *f, struct finding *out, const struct members *m, uint32_t from,
		    uint32_t end, struct error *err)
{
	node_id *nodes = memory_new(end - from, sizeof *nodes, err);
	uint32_t count = 0;
	bool ok;

	if (!nodes)
		return false;
	for (uint32_t i = from; i < end; i++)
		if (i == from || m->items[i].node != m->items[i - 1].node)
			nodes[count++] = m->items[i].node;
	ok = finding_set_nodes(f, out, nodes, count, err);
	memory_free(nodes);
	return ok;
}
