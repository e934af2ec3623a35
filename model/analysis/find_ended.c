/*
 * Why a queue does not drain: its reader has ended with an exception. The reader is an object of
 * the application that refers to the queue, or to the service around it, and to a task that has
 * failed; a background service keeps the task of its loop so. It may also be a writer, so that the
 * words only say that it uses the queue.
 */
#include "model/analysis/exceptions.h"
#include "model/analysis/finder.h"
#include "model/analysis/finding_text.h"
#include "model/analysis/library_types.h"
#include "model/base/text.h"
#include <string.h>

enum {
	READERS_ASKED = 64, /* referrers of a queue or service */
	TASK_OBJECTS = 32,  /* between a task and its exception */
};

static bool
is_task(const struct type *t)
{
	return type_is_async(t) || text_begins(t->raw, "System.Threading.Tasks.") ||
	       text_begins(t->raw, "System.Runtime.CompilerServices.AsyncTaskMethodBuilder");
}

/* Returns true for the objects in which a task keeps its exception. */
static bool
holds_exception(const struct type *t)
{
	return (raw_ends(t, "ContingentProperties") || raw_ends(t, "TaskExceptionHolder") ||
		raw_ends(t, "ExceptionDispatchInfo") || raw_ends(t, "ExceptionDispatchInfo>") ||
		raw_ends(t, "ExceptionDispatchInfo[]")) &&
	       type_is_of_framework(t);
}

/* Returns the exception with which a task has failed, or NODE_NONE. */
static node_id
exception_of(const struct heap *h, node_id task)
{
	node_id queue[TASK_OBJECTS], target;
	unsigned count = 0, at = 0;

	queue[count++] = task;
	while (at < count) {
		struct refs r = heap_refs(h, queue[at++]);

		for (int i = 0; i < REFS_ASKED && refs_next(&r, &target); i++) {
			const struct type *t = heap_type(h, target);

			if (at > 1 && type_is_exception(h, t))
				return target;
			if (count < TASK_OBJECTS && holds_exception(t))
				queue[count++] = target;
		}
	}
	return NODE_NONE;
}

/* Returns the exception of a task that the object refers to, or NODE_NONE. */
static node_id
exception_below(const struct finder *f, node_id reader)
{
	struct refs r = heap_refs(f->heap, reader);
	node_id task, found = NODE_NONE;

	for (int i = 0; i < REFS_ASKED && found == NODE_NONE && refs_next(&r, &task); i++)
		if (is_task(heap_type(f->heap, task)))
			found = exception_of(f->heap, task);
	return found;
}

/* Looks for a reader among the objects of the application that refer to `n`, and `n` itself. */
static node_id
reader_of(const struct finder *f, node_id n, node_id *exception)
{
	struct referrers r = reverse_of(f->reverse, n);
	node_id source = n;

	for (int i = 0; i < READERS_ASKED; i++) {
		*exception = f->is_own[heap_type_of(f->heap, source)] ? exception_below(f, source)
								      : NODE_NONE;
		if (*exception != NODE_NONE)
			return source;
		if (!referrers_next(&r, &source))
			break;
	}
	return NODE_NONE;
}

/* Returns true if the keeper is one object or service. Scopes of the service container and
   registries are not: who refers to them may not use the queue. */
static bool
is_one_service(const struct keeper *k)
{
	return k->node != NODE_NONE &&
	       (k->role == KEEPER_PLAIN || k->role == KEEPER_SINGLETON || k->role == KEEPER_HOSTED);
}

static bool
set_ended(struct finder *f, struct finding *out, struct error *err)
{
	struct exception e;
	node_id exception, reader = reader_of(f, out->subject, &exception);

	if (reader == NODE_NONE && is_one_service(&out->keeper))
		reader = reader_of(f, out->keeper.node, &exception);
	if (reader == NODE_NONE)
		return true;
	if (!exception_read(f->heap, exception, &e, &f->out->arena, err))
		return false;
	out->ended = arena_new(&f->out->arena, struct ended_reader, err);
	if (out->ended)
		*out->ended = (struct ended_reader){ heap_type_of(f->heap, reader), e.type,
						     e.message, e.method };
	return out->ended != NULL;
}

bool
finder_set_ended(struct finder *f, struct error *err)
{
	for (uint32_t i = 0; i < f->out->count; i++) {
		struct finding *finding = &f->out->items[i];

		if (finding->subject != NODE_NONE && finding->kind->held == held_by_root &&
		    library_type_of(heap_type(f->heap, finding->subject), LIBRARY_QUEUE) &&
		    !set_ended(f, finding, err))
			return false;
	}
	return true;
}

void
write_ended(struct finding_words *w, struct text *out)
{
	const struct ended_reader *e = w->finding->ended;

	if (!e)
		return;
	text_addf(out, "; %s, which uses it, has ended with %s", words_type_name(w, e->reader),
		  words_type_name(w, e->exception));
	if (*e->message)
		text_addf(out, ": %s", words_name(w, e->message));
	if (*e->method)
		text_addf(out, " in %s", words_name(w, e->method));
}
