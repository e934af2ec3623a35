/*
 * Locks that many threads wait for, and which thread waits for which lock. Only memory has locks;
 * stacks are scanned conservatively, so a thread counts as waiting for a lock if one of its words
 * refers to the lock's object, or to the System.Threading.Lock of its sync block.
 */
#include "model/analysis/finder.h"
#include "model/analysis/stacks.h"
#include "model/heap/contents.h"
#include "model/heap/framework.h"
#include "model/heap/thread_title.h"
#include "model/table/table.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { WAITERS_MIN = 10, FRAMES_MAX = 512 };

bool
root_is_of_thread(const struct root *root, uint64_t os_id)
{
	return root->kind == ROOT_STACK_WORD && os_id && thread_title_os_id(root->name) == os_id;
}

static bool
has_stack_root(const struct finder *f, node_id object, uint64_t os_id)
{
	uint32_t count = 0;
	const struct root *roots =
	    object == NODE_NONE ? NULL : heap_roots_of(f->heap, object, &count);

	for (uint32_t i = 0; i < count; i++)
		if (root_is_of_thread(&roots[i], os_id))
			return true;
	return false;
}

/* If that is cancelled it returns NULL, and the passes over the objects that follow report it. */
const struct heap_lock *
finder_awaited_lock(const struct finder *f, uint64_t os_id)
{
	for (size_t i = 0; i < f->locks.count && !progress_is_cancelled(f->progress); i++) {
		const struct heap_lock *lock = &f->locks.items[i];

		if (lock->entered && lock->os_id != os_id &&
		    (has_stack_root(f, lock->object, os_id) ||
		     has_stack_root(f, lock->monitor, os_id)))
			return lock;
	}
	return NULL;
}

/* The os_id 0 is unknown in a lock, and that of all threads which have exited: then the managed id
   tells which one it is. */
static bool
is_holder(const struct heap_thread *t, const struct heap_lock *lock)
{
	if (lock->os_id)
		return t->id && t->os_id == lock->os_id;
	return t->id && t->id == lock->thread;
}

const char *
finder_lock_holder(struct finder *f, const struct heap_lock *lock, struct error *err)
{
	const struct heap_memory *m = f->heap->memory;
	struct arena *a = &f->out->arena;
	char title[THREAD_TITLE_BYTES];

	if (!lock->entered)
		return "";
	for (uint32_t i = 0; i < m->threads_count; i++) {
		const struct heap_thread *t = &m->threads[i];

		if (!is_holder(t, lock))
			continue;
		thread_title(t->id, t->os_id, title);
		return *t->name ? arena_printf(a, err, "%s \"%s\"", title, t->name)
				: arena_printf(a, err, "%s", title);
	}
	if (!lock->thread)
		return "an unknown thread";
	return arena_printf(a, err, "%s", thread_title(lock->thread, lock->os_id, title));
}

/* --- methods on stacks --------------------------------------------------- */

const char *
finder_method(struct finder *f, uint64_t os_id, struct error *err)
{
	const struct heap_memory *m = f->heap->memory;
	struct arena_mark mark = arena_mark(&f->scratch);
	const struct content_frame *own;
	struct content_frames frames;
	const char *method;

	if (!m->contents->frames(m->source, os_id, FRAMES_MAX, &frames, &f->scratch, err))
		return NULL;
	own = stack_own_frame(&frames, NULL);
	method = own ? own->text : "";
	method = arena_printf(&f->out->arena, err, "%s", method);
	arena_reset(&f->scratch, mark);
	return method;
}

/* --- findings ------------------------------------------------------------ */

static bool
report_lock(struct finder *f, const struct heap_lock *lock, bool names_method, struct error *err)
{
	struct finding *out = finder_add(f, &finding_lock, err);

	if (!out)
		return false;
	out->type = heap_type_of(f->heap, lock->object);
	out->subject = lock->object;
	out->count = lock->waiters;
	out->is_stall = true;
	if (type_is_of_framework(&f->heap->types[out->type]))
		out->owner_type = finder_owner(f, lock->object);
	out->thread = finder_lock_holder(f, lock, err);
	if (lock->os_id && names_method)
		out->name = finder_method(f, lock->os_id, err);
	return out->thread && out->name && finding_set_nodes(f, out, &lock->object, 1, err);
}

bool
finder_list_locks(struct finder *f, struct error *err)
{
	const struct heap_memory *m = f->heap->memory;

	return !contents_have_fields(f->heap) ||
	       m->contents->awaited_locks(m->source, &f->locks, f->progress, err);
}

static bool
find_locks(struct finder *f, struct error *err)
{
	uint32_t count = 0;
	bool ok = true;

	for (size_t i = 0; ok && i < f->locks.count; i++) {
		if (progress_is_cancelled(f->progress))
			return error_cancelled(err);
		if (f->locks.items[i].waiters >= WAITERS_MIN &&
		    finder_is_live(f, f->locks.items[i].object))
			/* Scanning a stack takes long; most of more findings would be left out. */
			ok = report_lock(f, &f->locks.items[i], count++ < FINDINGS_MAX, err);
	}
	return ok;
}

/* --- in words ------------------------------------------------------------ */

static void
what_lock(struct finding_words *w, struct text *out)
{
	text_addf(out, "%s threads", words_count(w, w->finding->count));
}

static void
why_lock(struct finding_words *w, struct text *out)
{
	const struct finding *f = w->finding;

	text_addf(out, "wait for one lock: the %s", words_type(w));
	if (f->owner_type != TYPE_NONE)
		text_addf(out, " of %s", words_type_name(w, f->owner_type));
	text_addf(out, ", which %s holds", words_name(w, *f->thread ? f->thread : "no thread"));
	if (*f->name)
		text_addf(out, " in %s", words_name(w, f->name));
}

static uint64_t
threads_waiting(const struct finding *f)
{
	return f->count;
}

/*
 * A lock for which 10 or more threads wait. `subject` and evidence: the object that is locked;
 * `type`: its type; `owner_type`: if that is of the framework, the application's type that refers
 * to it; `count`: the threads; `thread`: the thread that holds it; `name`: the innermost method of
 * the application on its stack.
 */
const struct finding_kind finding_lock = {
	.id = "lock",
	.title = "locks that many threads wait for",
	.harmless = "harmless if the holder is about to release it; in a second capture, another "
		    "thread holds it and others wait",
	.heaps = OF_FIELDS,
	.find = find_locks,
	.what = what_lock,
	.why = why_lock,
	.held = held_by_root,
	.id_parts = ID_TYPE,
	.weight = threads_waiting,
};
