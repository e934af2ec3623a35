/*
 * The object that a programmer would name first as what keeps the subject of a finding. In a hosted
 * program everything hangs on the sockets of a server, on Main or on a service container, so the
 * root says little: the keeper is the nearest object of the application on the path, or the place
 * in the container. Services are found by the references of call sites: a singleton is the Value of
 * its ServiceCallSite, whichever path reaches it first.
 */
#include "model/analysis/finder.h"
#include "model/analysis/library_types.h"
#include "model/heap/contents.h"
#include <string.h>

enum {
	PATH_STEPS = 128,        /* longer paths lead through linked lists */
	REFERRERS_ASKED = 8192,  /* a service has one for each subscription */
	REFERRERS_MAX = 4 << 20, /* of all findings */
	FIELDS_ASKED = 64,
	STATIC_OF_APPLICATION = 2, /* costs of roots that name the reason themselves */
};

/* Returns true if the scope is the one that lives as long as its container, which refers to it. */
static bool
is_root_scope(const struct finder *f, node_id scope)
{
	struct referrers r = reverse_of(f->reverse, scope);
	node_id source;

	for (int i = 0; i < REFERRERS_ASKED && referrers_next(&r, &source); i++)
		if (type_is_container(heap_type(f->heap, source)))
			return true;
	return false;
}

/* Returns what the object is in a service container, or KEEPER_PLAIN. `left`: how many referrers
   may still be read. */
static enum keeper_role
role_of_service(const struct finder *f, node_id n, int *left)
{
	struct referrers r = reverse_of(f->reverse, n);
	enum keeper_role role = KEEPER_PLAIN;
	node_id source;

	if (!f->by_role[ROLE_CALL_SITE].count)
		return KEEPER_PLAIN; /* the program has no container */
	if (type_is_scope(heap_type(f->heap, n)))
		return is_root_scope(f, n) ? KEEPER_ROOT_SCOPE : KEEPER_SCOPE;
	if (type_is_call_site(heap_type(f->heap, n)))
		return KEEPER_PLAIN;
	for (int i = 0; i < REFERRERS_ASKED && referrers_next(&r, &source); i++) {
		const struct type *t = heap_type(f->heap, source);

		if (--*left < 0)
			break;
		if (type_is_hosted_services(t))
			return KEEPER_HOSTED;
		if (f->roles[heap_type_of(f->heap, source)] == ROLE_CALL_SITE)
			role = KEEPER_SINGLETON;
	}
	return role;
}

/* Returns true for objects of the application that have a name worth saying: no arrays, closures or
   async calls. */
static bool
is_named(const struct finder *f, node_id n)
{
	const struct type *t = heap_type(f->heap, n);

	return f->is_own[heap_type_of(f->heap, n)] && !(t->flags & TYPE_ARRAY) &&
	       !type_is_async(t) && !strstr(t->raw, "<>c");
}

/* Returns the name of a field without the compiler's marks: "<Cache>k__BackingField" is the
   property Cache. */
static const char *
field_name(struct finder *f, const char *name, struct error *err)
{
	const char *end = *name == '<' ? strchr(name, '>') : NULL;

	if (end)
		return arena_printf(&f->out->arena, err, "%.*s", (int)(end - name - 1), name + 1);
	return arena_printf(&f->out->arena, err, "%s", name);
}

/* Returns the field of `n` that refers to `target`, or "" if that is unknown. NULL sets `err`. */
static const char *
field_to(struct finder *f, node_id n, node_id target, struct error *err)
{
	const struct heap_memory *m = f->heap->memory;
	struct content rows[FIELDS_ASKED];
	struct error ignored = { 0 };
	uint64_t total;
	size_t count;

	if (!contents_have_fields(f->heap) || target == NODE_NONE ||
	    !m->contents->rows(m->source, n, 0, FIELDS_ASKED, rows, &count, &total, &f->scratch,
			       &ignored))
		return "";
	for (size_t i = 0; i < count; i++)
		if (rows[i].kind == CONTENT_REFERENCE && rows[i].target == target)
			return field_name(f, rows[i].name, err);
	return "";
}

static bool
set_keeper(struct finder *f, struct finding *out, int *left, struct error *err)
{
	node_id at = out->subject, below = NODE_NONE;

	for (int i = 0; i < PATH_STEPS; i++) {
		enum keeper_role role = role_of_service(f, at, left);

		if (role != KEEPER_PLAIN || (at != out->subject && is_named(f, at))) {
			out->keeper = at;
			out->keeper_role = (uint8_t)role;
			out->keeper_field = field_to(f, at, below, err);
			return out->keeper_field != NULL;
		}
		if (!f->reach->distance[at])
			return true;
		below = at;
		at = f->reach->next[at];
	}
	return true;
}

/* Returns true if the object of a static variable of the application is a host, a container or the
   like, behind which the reason lies. */
static bool
is_of_plumbing(const struct finder *f, const struct root *root, node_id subject)
{
	const struct type *t = heap_type(f->heap, root->object);

	return root->object != subject && may_own_collections(t) && !is_collection(t);
}

/* Returns true if the root of the subject names no reason itself. Variables of the application
   mostly do. */
static bool
needs_keeper(const struct finder *f, const struct finding *finding)
{
	const struct root *root;

	if (finding->subject == NODE_NONE || finding->kind->held != held_by_root ||
	    !finder_is_live(f, finding->subject))
		return false;
	root = reach_root(f->reach, finding->subject);
	return root && ((root->kind != ROOT_STATIC && root->kind != ROOT_THREAD_STATIC) ||
			f->reach->costs.roots[root - f->heap->roots] > STATIC_OF_APPLICATION ||
			is_of_plumbing(f, root, finding->subject));
}

bool
finder_set_keepers(struct finder *f, struct error *err)
{
	int left = REFERRERS_MAX;
	bool ok = true;

	for (uint32_t i = 0; ok && i < f->out->count; i++)
		if (needs_keeper(f, &f->out->items[i]))
			ok = set_keeper(f, &f->out->items[i], &left, err);
	return ok;
}
