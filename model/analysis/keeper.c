#include "model/analysis/keeper.h"
#include "model/analysis/finder.h"
#include "model/analysis/library_types.h"
#include "model/heap/contents.h"
#include <string.h>

enum {
	PATH_STEPS = 128,        /* from one type to another */
	LIST_STEPS = 1 << 16,    /* within lists; up to 1 ms */
	REFERRERS_ASKED = 8192,  /* a service has one for each subscription */
	REFERRERS_MAX = 4 << 20, /* of one search */
	FIELDS_ASKED = 64,
	STATIC_OF_APPLICATION = 2, /* costs of roots that name the reason themselves */
};

struct keeper_search
keeper_search_of(const struct heap *h, const struct reverse *reverse, const struct reach *reach)
{
	struct keeper_search s = {
		.heap = h, .reverse = reverse, .reach = reach, .left = REFERRERS_MAX
	};

	for (type_id t = 0; t < h->types_count && !s.has_container; t++)
		s.has_container = h->types[t].count && type_is_call_site(&h->types[t]);
	return s;
}

/* Returns true if the scope is the one that lives as long as its container, which refers to it. */
static bool
is_root_scope(const struct keeper_search *s, node_id scope)
{
	struct referrers r = reverse_of(s->reverse, scope);
	node_id source;

	for (int i = 0; i < REFERRERS_ASKED && referrers_next(&r, &source); i++)
		if (type_is_container(heap_type(s->heap, source)))
			return true;
	return false;
}

/* Returns what the object is in a service container, or KEEPER_PLAIN. */
static enum keeper_role
role_of_service(struct keeper_search *s, node_id n)
{
	struct referrers r = reverse_of(s->reverse, n);
	enum keeper_role role = KEEPER_PLAIN;
	node_id source;

	if (!s->has_container)
		return KEEPER_PLAIN;
	if (type_is_scope(heap_type(s->heap, n)))
		return is_root_scope(s, n) ? KEEPER_ROOT_SCOPE : KEEPER_SCOPE;
	if (type_is_call_site(heap_type(s->heap, n)))
		return KEEPER_PLAIN;
	for (int i = 0; i < REFERRERS_ASKED && referrers_next(&r, &source); i++) {
		const struct type *t = heap_type(s->heap, source);

		if (--s->left < 0)
			break;
		if (type_is_hosted_services(t))
			return KEEPER_HOSTED;
		if (type_is_call_site(t))
			role = KEEPER_SINGLETON;
	}
	return role;
}

/* Returns true for objects of the application that have a name worth saying: no arrays, closures or
   async calls. */
static bool
is_named(const struct type *t)
{
	return !(t->flags & TYPE_ARRAY) && !strstr(t->raw, "<>c") && !type_is_async(t) &&
	       !type_is_of_framework(t);
}

/* Returns the last of the objects of one type of the framework from `n` on towards the root, such
   as neighbours in a list of timers. */
static node_id
end_of_list(const struct keeper_search *s, node_id n, node_id *below, int *steps)
{
	const struct reach *reach = s->reach;
	type_id type = heap_type_of(s->heap, n);

	if (!type_is_of_framework(&s->heap->types[type]))
		return n;
	while (reach->distance[n] && heap_type_of(s->heap, reach->next[n]) == type &&
	       --*steps > 0) {
		*below = n;
		n = reach->next[n];
	}
	return n;
}

struct keeper
keeper_find(struct keeper_search *s, node_id subject)
{
	struct keeper k = { .node = NODE_NONE, .held = NODE_NONE, .field = "" };
	node_id at = subject, below = NODE_NONE;
	int lists = LIST_STEPS;

	for (int i = 0; i < PATH_STEPS; i++) {
		enum keeper_role role;

		at = end_of_list(s, at, &below, &lists);
		role = role_of_service(s, at);
		if (role != KEEPER_PLAIN || (at != subject && is_named(heap_type(s->heap, at))))
			return (struct keeper){ at, below, role, "" };
		if (library_type_of(heap_type(s->heap, at), LIBRARY_REGISTRY))
			k = (struct keeper){ at, below, KEEPER_REGISTRY, "" };
		if (!s->reach->distance[at])
			break;
		below = at;
		at = s->reach->next[at];
	}
	return k;
}

/* Returns the name of a field without the compiler's marks: "<Cache>k__BackingField" is the
   property Cache. */
static const char *
field_name(const char *name, struct arena *a, struct error *err)
{
	const char *end = *name == '<' ? strchr(name, '>') : NULL;

	if (end)
		return arena_printf(a, err, "%.*s", (int)(end - name - 1), name + 1);
	return arena_printf(a, err, "%s", name);
}

bool
keeper_set_field(const struct heap *h, struct keeper *k, struct arena *a, struct error *err)
{
	const struct heap_memory *m = h->memory;
	struct content rows[FIELDS_ASKED];
	struct error ignored = { 0 };
	uint64_t total;
	size_t count;

	if (k->node == NODE_NONE || k->held == NODE_NONE || !contents_have_fields(h) ||
	    !m->contents->rows(m->source, k->node, 0, FIELDS_ASKED, rows, &count, &total, a,
			       &ignored))
		return true;
	for (size_t i = 0; i < count; i++) {
		if (rows[i].kind != CONTENT_REFERENCE || rows[i].target != k->held)
			continue;
		k->field = field_name(rows[i].name, a, err);
		return k->field != NULL;
	}
	return true;
}

/* Returns true if the object of a static variable of the application is a host, a container or the
   like, behind which the reason lies. */
static bool
is_of_plumbing(const struct heap *h, const struct root *root, node_id subject)
{
	const struct type *t = heap_type(h, root->object);

	return root->object != subject && may_own_collections(t) && !is_collection(t);
}

bool
keeper_is_needed(const struct keeper_search *s, node_id subject)
{
	const struct root *root;

	if (subject == NODE_NONE || s->reach->distance[subject] == DISTANCE_UNREACHABLE)
		return false;
	root = reach_root(s->reach, subject);
	return root && ((root->kind != ROOT_STATIC && root->kind != ROOT_THREAD_STATIC) ||
			s->reach->costs.roots[root - s->heap->roots] > STATIC_OF_APPLICATION ||
			is_of_plumbing(s->heap, root, subject));
}

static bool
is_list(const struct heap *h, node_id n)
{
	return text_begins(heap_type(h, n)->raw, "System.Collections.Generic.List<");
}

const char *
keeper_role_name(enum keeper_role role)
{
	static const char *const names[] = {
		[KEEPER_PLAIN] = "",
		[KEEPER_SINGLETON] = "singleton of the service container",
		[KEEPER_HOSTED] = "hosted service",
		[KEEPER_ROOT_SCOPE] = "the root scope of the service container",
		[KEEPER_SCOPE] = "a scope of the service container",
		[KEEPER_REGISTRY] = "",
	};

	return names[role];
}

void
keeper_text(const struct heap *h, const struct keeper *k, node_id subject, const char *name,
	    struct text *out)
{
	const char *role = keeper_role_name(k->role);

	if (k->role == KEEPER_REGISTRY) {
		text_add(out, library_type_of(heap_type(h, k->node), LIBRARY_REGISTRY)->name);
	} else if (k->role == KEEPER_ROOT_SCOPE || k->role == KEEPER_SCOPE) {
		/* Its services are in a dictionary. */
		text_addf(out, "%s%s",
			  subject != NODE_NONE && is_list(h, subject) ? "the disposables of " : "",
			  role);
	} else if (k->node == subject) {
		text_addf(out, "the service container, as a %s",
			  k->role == KEEPER_HOSTED ? role : "singleton");
	} else {
		text_add(out, name);
		if (*k->field)
			text_addf(out, ".%s", k->field);
		if (*role)
			text_addf(out, " (%s)", role);
	}
}

bool
keeper_is_link(struct keeper_search *s, node_id n)
{
	return type_is_of_framework(heap_type(s->heap, n)) && role_of_service(s, n) == KEEPER_PLAIN;
}

bool
keeper_is_plumbing(const struct type *t)
{
	return library_type_of(t, LIBRARY_PLUMBING) != NULL;
}

uint32_t
keeper_links(struct keeper_search *s, const struct keeper *k)
{
	const struct reach *reach = s->reach;
	uint32_t links = 0, plumbing = 0;
	node_id at = k->node;

	if (at == NODE_NONE)
		return 0;
	for (uint32_t i = 0; i < KEEPER_LINKS_MAX && reach->distance[at]; i++) {
		const struct type *t;

		at = reach->next[at];
		t = heap_type(s->heap, at);
		links += type_is_of_framework(t);
		plumbing += keeper_is_plumbing(t);
	}
	return links >= KEEPER_LINKS_MIN && plumbing >= KEEPER_PLUMBING_MIN ? links : 0;
}

/* Returns the run of objects of one type of the framework that begins here. */
static struct keeper_run
run_of_list(const struct heap *h, const node_id *nodes, uint32_t count, uint32_t first)
{
	type_id type = heap_type_of(h, nodes[first]);
	struct keeper_run run = { first, 1, type };

	while (first + run.count < count && heap_type_of(h, nodes[first + run.count]) == type)
		run.count++;
	if (run.count < KEEPER_LINKS_MIN || !type_is_of_framework(&h->types[type]))
		run.count = 0;
	return run;
}

/* Returns the run of links that begins here and ends before another object of the path. */
static struct keeper_run
run_of_links(const struct heap *h, const node_id *nodes, const bool *is_link, uint32_t count,
	     uint32_t first)
{
	struct keeper_run run = { first, 0, TYPE_NONE };
	uint32_t plumbing = 0;

	while (first + run.count < count && is_link[first + run.count])
		plumbing += keeper_is_plumbing(heap_type(h, nodes[first + run.count++]));
	if (first + run.count == count || run.count < KEEPER_LINKS_MIN ||
	    plumbing < KEEPER_PLUMBING_MIN)
		run.count = 0;
	return run;
}

struct keeper_run
keeper_next_run(struct keeper_search *s, const node_id *nodes, uint32_t count, uint32_t from)
{
	struct keeper_run run = { from, 0, TYPE_NONE };
	bool is_link[KEEPER_NODES_MAX];
	const uint32_t start = from;

	if (count > KEEPER_NODES_MAX)
		count = KEEPER_NODES_MAX;
	for (uint32_t i = from; i < count; i++)
		is_link[i] = keeper_is_link(s, nodes[i]);
	for (; from < count && !run.count; from++) {
		if (from == start || !is_link[from - 1])
			run = run_of_links(s->heap, nodes, is_link, count, from);
		if (!run.count)
			run = run_of_list(s->heap, nodes, count - 1, from);
	}
	return run;
}
