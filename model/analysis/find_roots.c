/*
 * Findings about objects that only certain roots keep: objects waiting for their finalizer, values
 * of dependent handles, pinned objects, thread static variables.
 */
#include "model/analysis/awaited_lock.h"
#include "model/analysis/awaited_lock.h"
#include "model/analysis/finder.h"
#include "model/base/hash.h"
#include "model/heap/bits.h"
#include "model/heap/contents.h"
#include "model/heap/framework.h"
#include <string.h>

enum {
	DEPENDENTS_MIN = 1000,
	PINNED_MIN = 100,
	STUCK_MIN = 20,     /* objects behind a finalizer that waits for a lock */
	RETAINED_PARTS = 5, /* times `much`, of what dependent and thread static objects retain */
	RETAINED_MIN = 256 << 10,
	LOOK_EVERY = 65536,
};

/* Objects of the roots of one kind, sorted. */
struct rooted {
	struct finder *f;
	struct members members;
	uint64_t bytes;
};

/* Returns true if so much is retained that it needs a finding, however small the objects. */
static bool
is_large(const struct finder *f, uint64_t retained)
{
	return f->retained && retained >= RETAINED_PARTS * f->much && retained >= RETAINED_MIN;
}

typedef bool is_wanted(const struct finder *f, const struct root *root);

/* Gathers the objects of the roots that `wanted` accepts, each under its
   `key`. */
static bool
gather(struct rooted *r, is_wanted *wanted, uint64_t (*key)(const struct root *root),
       struct error *err)
{
	const struct heap *h = r->f->heap;

	for (uint32_t i = 0; i < h->roots_count; i++) {
		const struct root *root = &h->roots[i];

		if (i % LOOK_EVERY == 0 && progress_is_cancelled(r->f->progress))
			return error_cancelled(err);
		if (!wanted(r->f, root))
			continue;
		/* An object may have several such roots, one after another. */
		if (r->members.count && r->members.items[r->members.count - 1].node == root->object)
			continue;
		if (!members_add(&r->members,
				 (struct member){
				     .key = key ? key(root) : 0, .node = root->object, .other = i },
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

/* Reports all objects as one finding, under the type that names them best. */
static struct finding *
report_all(struct rooted *r, const struct finding_kind *kind, struct error *err)
{
	struct finder *f = r->f;
	struct finding *out = finder_add(f, kind, err);

	if (!out)
		return NULL;
	for (uint32_t i = 0; i < r->members.count; i++)
		tally_add(&f->tally, f->heap, r->members.items[i].node);
	out->type = finder_best_own(f);
	out->type_count = f->tally.counts[out->type];
	tally_clear(&f->tally);
	out->count = r->members.count;
	return finding_set_members(f, out, &r->members, 0, r->members.count, err) ? out : NULL;
}

/* --- finalizers ---------------------------------------------------------- */

/* Returns true if only the finalizer queue keeps the object. A registered object that another root
   keeps does not wait. */
static bool
waits_for_finalizer(const struct finder *f, const struct root *root)
{
	return is_kept_by(f, root, ROOT_FINALIZER);
}

/* The state of the finalizer thread. */
struct finalizing {
	const char *method;           /* "" if unknown */
	const struct heap_lock *lock; /* it waits for this lock, or NULL */
	bool is_running;              /* a finalizer is on its stack: busy with it, or stuck */
};

/* Returns the finalizer that is on a stack, "" if none is. Events and the frames of managed threads
   name the methods there. */
static const char *
running_finalizer(const struct heap *h)
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

/* Returns true if unusually many objects wait. A capture collects first, so some objects of the
   framework always wait. */
static bool
is_backlog(const struct rooted *r)
{
	const struct finder *f = r->f;
	uint64_t own = 0;

	for (uint32_t i = 0; i < r->members.count; i++)
		own += !type_is_of_framework(heap_type(f->heap, r->members.items[i].node));
	return own >= f->many || r->bytes >= f->much || r->members.count >= LIBRARY_TIMES * f->many;
}

static const struct heap_thread *
finalizer_thread(const struct heap *h)
{
	const struct heap_memory *m = h->memory;

	for (uint32_t i = 0; m && i < m->threads_count; i++)
		if (m->threads[i].is_finalizer)
			return &m->threads[i];
	return NULL;
}

/* Puts the objects that wait for finalizers into `seen`, or takes them out. */
static void
mark_queue(struct finder *f, void (*mark)(uint64_t *bits, node_id n))
{
	const struct heap_memory *m = f->heap->memory;

	for (uint32_t i = 0; i < m->finalizables_count; i++)
		mark(f->seen, m->finalizables[i].object);
}

/* Returns true for an object of the application that had to be finalized and has left the queue,
   which is in `seen`. */
static bool
is_being_finalized(struct finder *f, node_id n)
{
	const struct heap_memory *m = f->heap->memory;
	struct error ignored = { 0 };
	struct content_table table;

	return !type_is_of_framework(heap_type(f->heap, n)) &&
	       m->contents->table(m->source, contents_table(f->heap, n), &table, &f->scratch,
				  &ignored) &&
	       table.has_finalizer && !bits_has(f->seen, n);
}

/* Names the running finalizer by its object on the stack, since precompiled methods are not
   recognised there. NULL sets `err`. */
static const char *
method_of_object(struct finder *f, uint64_t os_id, struct error *err)
{
	const struct heap *h = f->heap;
	const struct type *type = NULL;

	mark_queue(f, bits_add);
	for (uint32_t i = 0; i < h->roots_count && !type; i++)
		if (root_is_of_thread(&h->roots[i], os_id) &&
		    is_being_finalized(f, h->roots[i].object))
			type = heap_type(h, h->roots[i].object);
	mark_queue(f, bits_remove);
	return type ? arena_printf(&f->out->arena, err, "%s.Finalize", type->name) : "";
}

static bool
look_at_thread(struct finder *f, struct finalizing *out, struct error *err)
{
	const struct heap_thread *thread = finalizer_thread(f->heap);

	*out = (struct finalizing){ .method = running_finalizer(f->heap) };
	out->is_running = *out->method;
	if (!thread || !contents_have_fields(f->heap))
		return true;
	/* If that is cancelled, the passes over the objects that follow report it. */
	out->lock = awaited_lock(f->heap, &f->locks, thread->os_id, f->progress);
	out->method = finder_method(f, thread->os_id, err);
	if (out->method && !*out->method)
		out->method = method_of_object(f, thread->os_id, err);
	return out->method != NULL;
}

/* A lock is often held for a moment, so a few objects behind it mean
   nothing. */
static bool
is_stuck(const struct rooted *r, const struct finalizing *now)
{
	return now->is_running || (now->lock && r->members.count >= STUCK_MIN);
}

static bool
report_backlog(struct rooted *r, const struct finalizing *now, bool is_stall, struct error *err)
{
	struct finder *f = r->f;
	struct finding *out = report_all(r, &finding_finalizer, err);

	if (!out)
		return false;
	out->name = now->method;
	out->is_stall = is_stall;
	if (!now->lock)
		return true;
	out->subject = now->lock->object;
	out->thread = lock_holder(f->heap, now->lock, &f->out->arena, err);
	return out->thread != NULL;
}

static bool
find_backlog(struct finder *f, struct error *err)
{
	struct rooted r = { .f = f };
	struct finalizing now;
	bool ok = gather(&r, waits_for_finalizer, NULL, err);

	if (ok && r.members.count) {
		bool is_large = is_backlog(&r);

		ok = look_at_thread(f, &now, err) &&
		     (!(is_large || is_stuck(&r, &now)) ||
		      report_backlog(&r, &now, now.lock || (now.is_running && is_large), err));
	}
	memory_free(r.members.items);
	return ok;
}

static void
why_finalizer(struct finding_words *w, struct text *out)
{
	const struct finding *f = w->finding;

	why_others(w, out);
	text_add(out, verb_for(f->count, "waits for its finalizer", "wait for their finalizers"));
	if (*f->name || *f->thread)
		text_add(out, "; the finalizer thread");
	if (*f->name)
		text_addf(out, " is in %s", words_name(w, f->name));
	if (*f->name && *f->thread)
		text_add(out, " and");
	if (*f->thread)
		text_addf(out, " waits for a lock that %s holds", words_name(w, f->thread));
}

/*
 * Objects that only the finalizer queue keeps alive: `many` or `much`. For types of System and
 * Microsoft the limit is 50 times higher; while the finalizer thread runs a finalizer, one object
 * is enough, and if it waits for a lock, 20. `type`: the application's type with the most bytes, if
 * that is a tenth of all, otherwise the most frequent type; `name`: the running finalizer or the
 * innermost method of the application that it has called, "" if unknown. If the thread waits for a
 * lock: `subject`: the lock; `thread`: the one that holds it.
 */
const struct finding_kind finding_finalizer = {
	.id = "finalizer",
	.title = "finalizer backlog",
	.harmless = "no leak if they died just now: the capture triggers a collection, and its "
		    "dead objects then wait for their finalizers; in a second capture, other "
		    "objects wait",
	.harmless_in_memory = "no leak if the finalizer thread keeps up: in a second capture, "
			      "other objects wait",
	.find = find_backlog,
	.what = what_named,
	.why = why_finalizer,
};

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
	uint64_t retained = 0;
	bool ok = gather(&r, depends_on_key, NULL, err);

	if (ok && r.members.count)
		ok = finder_retained(f, &r.members, 0, r.members.count, &retained, err);
	if (ok && r.members.count &&
	    ((r.members.count >= DEPENDENTS_MIN && r.members.count >= f->many) ||
	     r.bytes >= f->much || is_large(f, retained)))
		ok = report_all(&r, &finding_dependent, err) != NULL;
	memory_free(r.members.items);
	return ok;
}

static void
why_dependent(struct finding_words *w, struct text *out)
{
	why_others(w, out);
	text_addf(out, "%s kept by dependent handles (ConditionalWeakTable)",
		  verb_for(w->finding->count, "is", "are"));
}

/* Values that only dependent handles keep alive: at least 1,000 and `many`, or `much`, or they
   retain 5 times `much` and 256 KiB. `type` as
   for finding_finalizer. */
const struct finding_kind finding_dependent = {
	.id = "dependent",
	.title = "values of dependent handles",
	.harmless = "no leak if their keys are still needed: a value is freed with its key, which "
		    "the file does not record",
	.harmless_in_memory = "no leak if their keys are still needed: a value is freed with its "
			      "key",
	.find = find_dependents,
	.what = what_named,
	.why = why_dependent,
};

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
		ok = report_all(&r, &finding_pinned, err) != NULL;
	memory_free(r.members.items);
	return ok;
}

static void
why_pinned(struct finding_words *w, struct text *out)
{
	why_others(w, out);
	text_add(out, "are pinned by handles in generations 0 to 2");
}

/*
 * `many` and at least 100 objects in generations 0 to 2 are pinned by handles; the collector must
 * leave gaps around them. `type` as for finding_finalizer.
 */
const struct finding_kind finding_pinned = {
	.id = "pinned",
	.title = "pinned objects",
	.harmless = "harmless if they were allocated early and together, and stay: gaps arise "
		    "where the objects around them die",
	.find = find_pinned,
	.what = what_named,
	.why = why_pinned,
	.is_waste = true,
};

/* --- thread static variables --------------------------------------------- */

static bool
is_thread_static(const struct finder *f, const struct root *root)
{
	return root->kind == ROOT_THREAD_STATIC && finder_is_live(f, root->object);
}

/* Key by name; two names have the same key with a probability of 2^-64. */
static uint64_t
name_key(const struct root *root)
{
	return hash_text(HASH_START, root->name);
}

static bool
report_variable(void *context, const struct members *m, uint32_t from, uint32_t end,
		struct error *err)
{
	struct finder *f = context;
	const struct heap *h = f->heap;
	const struct member *first = &m->items[from];
	uint64_t bytes = 0, retained;
	struct finding *out;

	if (finder_is_pooled(f, first->node))
		return true;
	for (uint32_t i = from; i < end; i++)
		bytes += heap_size(h, m->items[i].node);
	if (!finder_retained(f, m, from, end, &retained, err))
		return false;
	if (bytes < f->much && !is_large(f, retained))
		return true;
	out = finder_add(f, &finding_thread_static, err);
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

static void
why_thread_static(struct finding_words *w, struct text *out)
{
	(void)w;
	text_add(out, "are values of one variable on all threads");
}

static void
held_by_variable(struct finding_words *w, struct text *out)
{
	text_addf(out, "thread static %s", words_name(w, w->finding->name));
}

/* The objects of one thread static variable take `much` over all threads, or retain 5 times `much`
   and 256 KiB. `name`: the variable. */
const struct finding_kind finding_thread_static = {
	.id = "thread-static",
	.title = "thread static variables",
	.harmless = "no leak if there are few threads and each needs its own object, such as a "
		    "buffer",
	.find = find_thread_statics,
	.what = what_such,
	.why = why_thread_static,
	.held = held_by_variable,
	.id_parts = ID_NAME,
};
