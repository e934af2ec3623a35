/* Locks that many threads wait for, and the methods that threads are in. Only memory has locks. */
#include "model/analysis/awaited_lock.h"
#include "model/analysis/finder.h"
#include "model/analysis/stacks.h"
#include "model/heap/contents.h"
#include "model/heap/framework.h"
#include "model/table/table.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { WAITERS_MIN = 10, FRAMES_MAX = 512 };

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
	out->thread = lock_holder(f->heap, lock, &f->out->arena, err);
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
			/* Findings beyond the most that are shown need no method. */
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
