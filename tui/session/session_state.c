/* The state of a session: what it has and what it still computes. */
#include "tui/session/session.h"

bool
session_start_job(struct session *s, enum session_job kind, const char *what,
		  job_run *run, struct waker waker, struct error *err)
{
	error_clear(&s->job_errors[kind]);
	/* Leave the CPU to the captured process. Loading itself lowers its
	   priority when it no longer holds the process up. */
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
	return !s->heap && !s->jobs[JOB_LOAD] &&
	       s->job_errors[JOB_LOAD].kind != ERROR_NONE;
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
		.results_version = s->results_version,
		.has = s->has,
		.shows_short_names = s->shows_short_names,
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
			   ? "reading was stopped: there are only the types "
			     "counted until then; :capture starts again"
			   : "reading was stopped: there are only the types "
			     "counted until then; :read-again reads all";
	if (!s->has_only_types)
		return NULL;
	if (*s->refused[JOB_LOAD])
		return s->refused[JOB_LOAD];
	return losses_are_incomplete(&s->heap->info.losses)
		   ? "this file is cut short and has only types, no objects"
		   : "this file has only types, no objects";
}

struct retained_sum
session_retained(const struct session *s, node_id n)
{
	return retained_of(s->retention->retained, n);
}
