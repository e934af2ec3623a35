/*
 * Findings about objects that only certain roots keep: objects waiting for
 * their finalizer, values of dependent handles, pinned objects, thread static
 * variables.
 */
#include "model/analysis/finder.h"
#include "model/base/hash.h"
#include <string.h>

enum { DEPENDENTS_MIN = 1000, PINNED_MIN = 100, LOOK_EVERY = 65536 };

/* Objects of the roots of one kind, sorted. */
struct rooted {
	struct finder *f;
	struct members members;
	uint64_t bytes;
};

typedef bool is_wanted(const struct finder *f, const struct root *root);

/* Gather the objects of the roots that `wanted` accepts, each under its
   `key`. */
static bool
gather(struct rooted *r, is_wanted *wanted,
       uint64_t (*key)(const struct root *root), struct error *err)
{
	const struct heap *h = r->f->heap;

	for (uint32_t i = 0; i < h->roots_count; i++) {
		const struct root *root = &h->roots[i];

		if (i % LOOK_EVERY == 0 &&
		    progress_is_cancelled(r->f->progress))
			return error_cancelled(err);
		if (!wanted(r->f, root))
			continue;
		/* An object may have several such roots, one after another. */
		if (r->members.count &&
		    r->members.items[r->members.count - 1].node == root->object)
			continue;
		if (!members_add(&r->members,
				 (struct member){ .key = key ? key(root) : 0,
						  .node = root->object,
						  .other = i },
				 err))
			return false;
		r->bytes += heap_size(h, root->object);
	}
	members_sort(&r->members);
	return true;
}

/* Returns true if the root is of this kind and no better root keeps its
   object. */
static bool
is_kept_by(const struct finder *f, const struct root *root, enum root_kind kind)
{
	const struct root *best;

	if (root->kind != kind || !finder_is_live(f, root->object))
		return false;
	best = finder_root(f, root->object);
	return best && best->kind == kind;
}

/* Report all objects as one finding, under the type that names them best. */
static struct finding *
report_all(struct rooted *r, enum finding_kind kind, struct error *err)
{
	struct finder *f = r->f;
	struct finding *out = finder_add(f, kind, err);

	if (!out)
		return NULL;
	for (uint32_t i = 0; i < r->members.count; i++)
		tally_add(&f->tally, f->heap, r->members.items[i].node);
	out->type = finder_best_own(f);
	out->whole = f->tally.counts[out->type];
	tally_clear(&f->tally);
	out->count = r->members.count;
	return finding_set_members(f, out, &r->members, 0, r->members.count,
				   err)
		   ? out
		   : NULL;
}

/* --- finalizers ---------------------------------------------------------- */

/* Returns true if only the finalizer queue keeps the object. A registered
   object that another root keeps does not wait. */
static bool
waits_for_finalizer(const struct finder *f, const struct root *root)
{
	return is_kept_by(f, root, ROOT_FINALIZER);
}

/* Returns the finalizer that is on a stack, "" if none is: the finalizer thread
   is busy with it, or stuck. */
static const char *
busy_finalizer(const struct heap *h)
{
	static const char method[] = ".Finalize";

	for (uint32_t i = 0; i < h->roots_count; i++) {
		const char *name = h->roots[i].name;
		size_t len = strlen(name), end = sizeof method - 1;

		if (h->roots[i].kind == ROOT_STACK && len > end &&
		    !strcmp(name + len - end, method))
			return name;
	}
	return "";
}

/* Returns true if unusually many objects wait. A capture collects first, so
   some objects of the framework always wait. */
static bool
is_backlog(const struct rooted *r)
{
	const struct finder *f = r->f;
	uint64_t own = 0;

	for (uint32_t i = 0; i < r->members.count; i++)
		own += !type_is_of_framework(
		    heap_type(f->heap, r->members.items[i].node));
	return own >= f->many || r->bytes >= f->much ||
	       r->members.count >= LIBRARY_TIMES * f->many;
}

static bool
find_backlog(struct finder *f, struct error *err)
{
	struct rooted r = { .f = f };
	const char *busy = busy_finalizer(f->heap);
	bool ok = gather(&r, waits_for_finalizer, NULL, err);

	if (ok && r.members.count && (*busy || is_backlog(&r))) {
		struct finding *out = report_all(&r, FINDING_FINALIZER, err);

		ok = out != NULL;
		if (ok)
			out->name = busy;
	}
	memory_free(r.members.items);
	return ok;
}

/* --- dependent handles --------------------------------------------------- */

static bool
depends_on_key(const struct finder *f, const struct root *root)
{
	return is_kept_by(f, root, ROOT_DEPENDENT);
}

static bool
find_dependents(struct finder *f, struct error *err)
{
	struct rooted r = { .f = f };
	bool ok = gather(&r, depends_on_key, NULL, err);

	if (ok && r.members.count &&
	    ((r.members.count >= DEPENDENTS_MIN &&
	      r.members.count >= f->many) ||
	     r.bytes >= f->much))
		ok = report_all(&r, FINDING_DEPENDENT, err) != NULL;
	memory_free(r.members.items);
	return ok;
}

/* --- pinned objects ------------------------------------------------------ */

static bool
is_in_the_way(const struct finder *f, const struct root *root)
{
	return (root->kind == ROOT_PINNED || root->kind == ROOT_ASYNC_PINNED) &&
	       heap_generation(f->heap, root->object) <= GEN_2;
}

static bool
find_pinned(struct finder *f, struct error *err)
{
	struct rooted r = { .f = f };
	bool ok = gather(&r, is_in_the_way, NULL, err);

	if (ok && r.members.count >= PINNED_MIN && r.members.count >= f->many)
		ok = report_all(&r, FINDING_PINNED, err) != NULL;
	memory_free(r.members.items);
	return ok;
}

/* --- thread static variables --------------------------------------------- */

static bool
is_thread_static(const struct finder *f, const struct root *root)
{
	return root->kind == ROOT_THREAD_STATIC &&
	       finder_is_live(f, root->object);
}

/* Key by name; two names have the same key with a probability of 2^-64. */
static uint64_t
name_key(const struct root *root)
{
	return hash_text(HASH_START, root->name);
}

static bool
report_variable(void *context, const struct members *m, uint32_t from,
		uint32_t end, struct error *err)
{
	struct finder *f = context;
	const struct heap *h = f->heap;
	const struct member *first = &m->items[from];
	uint64_t bytes = 0;
	struct finding *out;

	for (uint32_t i = from; i < end; i++)
		bytes += heap_size(h, m->items[i].node);
	if (bytes < f->much)
		return true;
	out = finder_add(f, FINDING_THREAD_STATIC, err);
	if (!out)
		return false;
	out->name = h->roots[first->other].name;
	out->type = heap_type_of(h, first->node);
	out->subject = first->node;
	out->count = end - from;
	return finding_set_members(f, out, m, from, end, err);
}

static bool
find_thread_statics(struct finder *f, struct error *err)
{
	struct rooted r = { .f = f };
	bool ok = gather(&r, is_thread_static, name_key, err) &&
		  members_report(&r.members, report_variable, f, err);

	memory_free(r.members.items);
	return ok;
}

bool
find_by_roots(struct finder *f, struct error *err)
{
	return find_backlog(f, err) && find_dependents(f, err) &&
	       find_pinned(f, err) && find_thread_statics(f, err);
}
