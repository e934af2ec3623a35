/* The state of a session: what it has and what it still computes. */
#include "model/heap/memory.h"
#include "tui/session/session.h"

bool
session_start_job(struct session *s, enum session_job kind, const char *what, job_run *run,
		  struct waker waker, struct error *err)
{
	error_clear(&s->job_errors[kind]);
	/* Leave the CPU to the captured process. Loading itself lowers its priority when it no
	   longer holds the process up. */
	s->jobs[kind] = s->loader.capture && kind != JOB_LOAD
			    ? job_start_low_priority(what, run, s, waker, err)
			    : job_start(what, run, s, waker, err);
	return s->jobs[kind] != NULL;
}

bool
session_is_loading(const struct session *s)
{
	return s->jobs[JOB_LOAD] != NULL;
}

bool
session_has_failed(const struct session *s)
{
	return !s->heap && !s->jobs[JOB_LOAD] && s->job_errors[JOB_LOAD].kind != ERROR_NONE;
}

const struct job *
session_job(const struct session *s)
{
	for (int kind = 0; kind < JOB_KINDS; kind++)
		if (s->jobs[kind])
			return s->jobs[kind];
	return NULL;
}

struct facts
session_facts(const struct session *s)
{
	return (struct facts){
		.heap = s->heap,
		.types = s->types,
		.types_count = s->types_count,
		.reverse = s->reverse,
		.reach = s->reach,
		.roots = s->roots,
		.retention = s->retention,
		.earlier = s->earlier.detail ? &s->earlier : NULL,
		.before = s->before.heap ? &s->before : NULL,
		.results_version = s->results_version,
		.has = s->has,
		.shows_short_names = s->shows_short_names,
		.shown_names = s->shown_names,
		.samples = s->samples,
		.is_new = s->is_new,
		.is_gone = s->is_gone,
		.shows_mine = s->shows_mine,
		.my_modules = s->my_modules,
	};
}

const char *
session_type_name(const struct session *s, type_id type)
{
	const struct facts facts = session_facts(s);

	return facts_type_name(&facts, type);
}

const struct root *
session_root_of(const struct session *s, node_id n)
{
	return s->roots ? root_index_find(s->roots, n) : NULL;
}

const char *
session_only_types(const struct session *s)
{
	if (s->is_stopped)
		return s->loader.capture
			   ? "reading was stopped: there are only the types counted until then; "
			     ":capture starts again"
			   : "reading was stopped: there are only the types counted until then; "
			     ":read-again reads all";
	if (!s->has_only_types)
		return NULL;
	if (*s->refused[JOB_LOAD])
		return s->refused[JOB_LOAD];
	if (heap_lacks_objects(s->heap))
		return s->heap->memory->lacks_objects;
	return losses_are_incomplete(&s->heap->info.losses)
		   ? "this file is cut short and has only types, no objects"
		   : "this file has only types, no objects";
}

const char *
session_only_types_hint(const struct session *s)
{
	return s->heap && heap_lacks_objects(s->heap) ? "" : "; :types shows them";
}

struct retained_sum
session_retained(const struct session *s, node_id n)
{
	return retained_of(s->retention->retained, n);
}

static bool
no_heap_yet(const struct session *s, struct error *err)
{
	if (s->loader.pid)
		return error_set(err, ERROR_USAGE,
				 "there is no heap yet: c, then y, captures process %d",
				 (int)s->loader.pid);
	return error_set(err, ERROR_USAGE,
			 s->gcs ? "there is no heap here, only collections"
				: "there is no heap yet: Enter on a process, then y, captures one");
}

bool
session_can_have(const struct session *s, unsigned needs, struct error *err)
{
	if (s->is_empty && needs)
		return no_heap_yet(s, err);
	return !session_only_types(s) || !(needs & ~s->has) ||
	       error_set(err, ERROR_USAGE, "%s%s", session_only_types(s),
			 session_only_types_hint(s));
}

bool
session_has_settled(const struct session *s, struct error *err)
{
	return s->heap || s->is_empty || s->is_stopped || s->preview.is_final ||
	       error_set(err, ERROR_USAGE,
			 "types are still being counted: wait until that is done, or stop it with "
			 "Esc");
}
