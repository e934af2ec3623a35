/*
 * Objects that own a resource of the operating system and are held in numbers. A resource is a
 * handle of the base library (SafeFileHandle) or a pool of connections (SocketsHttpHandler). Its
 * owner is the object that a program disposes: from the resource, follow referrers through other
 * types of the framework, such as FileStreamStrategy, to FileStream. An application's
 * type that refers to such inner parts derives from the owner's type.
 *
 * Owners that the framework holds are not reported: the sockets of a server's connections are in
 * use.
 */
#include "model/analysis/finder.h"
#include "model/heap/contents.h"
#include <string.h>

enum {
	OWNERS_MIN = 100,
	PARTS_MAX = 8,       /* steps from a resource to its owner */
	HOLDERS_MAX = 16,    /* steps from an owner to its holder */
	WRAPPERS_MAX = 2,    /* of these, objects of the framework */
	REFERRERS_ASKED = 8, /* parts have fewer */
};

struct disposables {
	struct finder *f;
	/* `key`: type of owner; `key2`: type of holder; `node`: owner;
	   `other`: holder. */
	struct members members;
	type_id *resources; /* by type of owner: of one of its resources */
	uint64_t steps;
};

/* --- resources ------------------------------------------------------------ */

/* Returns true if no program refers to such objects, except by deriving from the types that own
   them. */
static bool
is_inner(const struct finder *f, node_id n)
{
	const struct type *t = heap_type(f->heap, n);

	return f->roles[heap_type_of(f->heap, n)] == ROLE_RESOURCE || raw_ends(t, "Strategy") ||
	       raw_ends(t, "HttpClientHandler");
}

/* Returns true if the resource has been released; without contents this is unknown. The lowest bit
   in the state of a handle means that it is closed. */
static bool
is_released(const struct heap *h, node_id resource)
{
	struct error ignored = { 0 };
	int64_t value;

	return contents_have_fields(h) &&
	       (contents_integer(h, resource, "_state", &value, &ignored) ||
		contents_integer(h, resource, "_disposed", &value, &ignored)) &&
	       value & 1;
}

/* --- owners --------------------------------------------------------------- */

/* Returns true for objects that hold others without being their owner. */
static bool
is_container(const struct finder *f, node_id n)
{
	const struct type *t = heap_type(f->heap, n);

	return t->flags & TYPE_ARRAY || is_collection(t);
}

/* The referrer that is nearest to a root. */
struct nearest {
	node_id node; /* NODE_NONE if several are equally near, or none is */
	uint32_t distance;
};

static void
take_nearer(struct nearest *best, node_id source, uint32_t distance)
{
	if (source == best->node || distance > best->distance)
		return;
	best->node = distance < best->distance ? source : NODE_NONE;
	best->distance = distance;
}

/*
 * Returns the referrer that may own `n`, or NODE_NONE. The owner is nearer to a root than what `n`
 * itself keeps, such as a callback to it. Objects to which `n` refers are its own parts if anything
 * else refers to `n`.
 */
static node_id
owner_above(const struct finder *f, node_id n)
{
	struct nearest outer = { NODE_NONE, DISTANCE_UNREACHABLE };
	struct nearest mutual = outer;
	struct referrers r = reverse_of(f->reverse, n);
	node_id source;

	for (int i = 0; i < REFERRERS_ASKED && referrers_next(&r, &source); i++) {
		if (source == n || is_container(f, source) || !finder_is_live(f, source))
			continue;
		take_nearer(part_refers_to(f->heap, n, source) ? &mutual : &outer, source,
			    f->reach->distance[source]);
	}
	return outer.distance == DISTANCE_UNREACHABLE ? mutual.node : outer.node;
}

static node_id
owner_of(const struct finder *f, node_id resource)
{
	node_id owner = resource;

	for (int i = 0; i < PARTS_MAX && is_inner(f, owner); i++) {
		node_id up = owner_above(f, owner);

		if (up == NODE_NONE)
			break;
		owner = up;
		if (f->is_own[heap_type_of(f->heap, up)])
			break;
	}
	return owner;
}

/* --- holders -------------------------------------------------------------- */

/* Objects that wait for their finalizers are held by nothing, and the class of a static variable
   may be the framework's. */
static bool
is_of_program(const struct root *root)
{
	return root->kind != ROOT_FINALIZER && !framework_declares(root->name, "");
}

/*
 * Returns the collection, else the application's object, that keeps `owner` alive, or NODE_NONE if
 * the framework does. The outermost of nested collections counts. Without any, a root does: returns
 * the owner. An object or two of the framework may lie around the owner, as a StreamReader does.
 */
static node_id
holder_of(const struct finder *f, node_id owner)
{
	node_id at = owner, holder = owner;
	int wrappers = 0;

	for (int i = 0; i < HOLDERS_MAX && f->reach->distance[at]; i++) {
		at = f->reach->next[at];
		if (f->is_own[heap_type_of(f->heap, at)] && !is_container(f, at))
			return holder == owner ? at : holder;
		if (is_container(f, at))
			holder = at;
		else if (holder != owner || ++wrappers > WRAPPERS_MAX)
			return NODE_NONE;
	}
	return !finder_root(f, at) || is_of_program(finder_root(f, at)) ? holder : NODE_NONE;
}

static bool
add_owner(struct disposables *d, node_id resource, struct error *err)
{
	const struct heap *h = d->f->heap;
	node_id owner, holder;
	type_id type;

	if (is_released(h, resource))
		return true;
	owner = owner_of(d->f, resource);
	holder = holder_of(d->f, owner);
	if (holder == NODE_NONE)
		return true;
	type = heap_type_of(h, owner);
	d->resources[type] = heap_type_of(h, resource);
	return members_add(&d->members,
			   (struct member){ type, heap_type_of(h, holder), owner, holder }, err);
}

/* --- findings ------------------------------------------------------------- */

static bool
report_owners(void *context, const struct members *m, uint32_t from, uint32_t end,
	      struct error *err)
{
	const struct member *first = &m->items[from];
	struct disposables *d = context;
	struct finder *f = d->f;
	/* An owner may have several resources. */
	uint32_t count = members_nodes(m, from, end);
	struct finding *out;

	if (count < OWNERS_MIN || count < f->many)
		return true;
	out = finder_add(f, &finding_disposable, err);
	if (!out)
		return false;
	out->type = (type_id)first->key;
	out->holder_type = (type_id)first->key2;
	out->name = f->heap->types[d->resources[out->type]].short_name;
	out->is_guess = !contents_have_fields(f->heap);
	out->count = count;
	return members_others(m, from, end, &out->holders_count, &out->subject, err) &&
	       finding_set_members(f, out, m, from, end, err);
}

static bool
find_disposables(struct finder *f, struct error *err)
{
	const struct node_list *resources = &f->by_role[ROLE_RESOURCE];
	struct disposables d = { .f = f };
	bool ok;

	d.resources = arena_array(&f->scratch, type_id, (size_t)f->heap->types_count + 1, err);
	ok = d.resources != NULL;
	for (uint32_t i = 0; ok && i < resources->count; i++)
		ok = add_owner(&d, resources->items[i], err) && finder_may_go_on(f, &d.steps, err);
	ok = ok && members_report(&d.members, report_owners, &d, err);
	memory_free(d.members.items);
	return ok;
}

/* --- in words ------------------------------------------------------------- */

/* Writes the resource, and what holds the objects unless a root does. */
static void
why_disposable(struct finding_words *w, struct text *out)
{
	const struct finding *f = w->finding;
	const char *resource = words_name(w, f->name);

	if (f->is_guess)
		text_addf(out, "own a %s each, disposed or not", resource);
	else
		text_addf(out, "are not disposed and own a %s each", resource);
	if (f->holder_type != f->type)
		text_addf(out, ", in %s %s", words_one_or(w, f->holders_count), words_holder(w));
}

/*
 * `many` and at least 100 objects of one type, each of which owns a resource of the operating
 * system, and which objects of one type of the application, or its collections, hold. `type`: the
 * objects; `name`: the type of the resource; `subject`: the first of the holders. `is_guess`: some
 * may have been disposed; otherwise none has.
 */
const struct finding_kind finding_disposable = {
	.id = "disposable",
	.title = "undisposed resources",
	.harmless = "no leak if all of them are in use, such as one for each open connection",
	.find = find_disposables,
	.what = what_count,
	.why = why_disposable,
	.held = held_by_root,
	.id_parts = ID_TYPE,
};
