#include "tui/session/analyses.h"
#include "tui/session/budget.h"
#include <stdio.h>

static bool
run_reach(void *context, struct progress *progress, struct error *err)
{
	struct session *s = context;

	s->computed_reach =
	    what_if_compute(&s->what_if, s->heap, s->reach, s->prefers_statics, progress, err);
	if (!s->computed_reach)
		return false;
	s->computed_roots = root_index_new(s->computed_reach, progress, err);
	if (s->computed_roots)
		return true;
	reach_free(s->computed_reach);
	return false;
}

static bool
run_reverse(void *context, struct progress *progress, struct error *err)
{
	struct session *s = context;

	s->computed_reverse = reverse_compute_in_turns(s->heap, s->reverse_turns, progress, err);
	return s->computed_reverse != NULL;
}

static bool
run_retention(void *context, struct progress *progress, struct error *err)
{
	struct session *s = context;
	s->computed_retention = retention_compute(s->heap, s->reverse, s->reach, s->what_if.ignored,
						  s->retention_limit, progress, err);
	return s->computed_retention != NULL;
}

static const struct analysis {
	unsigned need;
	enum session_job job;
	const char *what;
	job_run *run;
} analyses[] = {
	/* Sorted by priority: memory may not allow all at once. */
	{ NEED_REACH, JOB_REACH, "finding paths to roots", run_reach },
	{ NEED_REVERSE, JOB_REVERSE, "finding referrers", run_reverse },
	{ NEED_RETAINED, JOB_RETENTION, "computing retained sizes", run_retention },
};
enum { ANALYSES = sizeof(analyses) / sizeof(analyses[0]) };

unsigned
analyses_needs(const struct session *s, unsigned needs)
{
	if (needs & ~s->has & NEED_TYPE_RETAINED)
		needs |= NEED_RETAINED;
	if (needs & ~s->has & NEED_RETAINED)
		needs |= NEED_REVERSE | NEED_REACH;
	return needs;
}

unsigned
analyses_needs_once(const struct session *s, unsigned needs)
{
	bool needs_paths =
	    needs & (NEED_REACH | NEED_RETAINED) || !s->prefers_statics || s->heap->derived;

	needs = analyses_needs(s, needs);
	return needs_paths ? needs : needs & ~(unsigned)NEED_REACH;
}

/* Starts it now, lets it wait for another job to end, or refuses it (s->refused). */
static bool
start_analysis(struct session *s, const struct analysis *a, struct waker waker, struct error *err)
{
	struct error too_large = { 0 };

	s->refused[a->job][0] = '\0';
	s->waiting &= ~a->need;
	switch (budget_check(s, a->job, &too_large)) {
	case BUDGET_FITS:
		return session_start_job(s, a->job, a->what, a->run, waker, err);
	case BUDGET_LATER:
		s->waiting |= a->need;
		return true;
	case BUDGET_NEVER:
		break;
	}
	snprintf(s->refused[a->job], sizeof s->refused[a->job], "%s", too_large.message);
	s->job_errors[a->job] = too_large;
	s->version++;
	return true;
}

bool
analyses_start_retention(struct session *s, struct waker waker, struct error *err)
{
	if (!s->reverse || s->jobs[JOB_REACH] || s->jobs[JOB_RETENTION])
		return true;
	return start_analysis(s, &analyses[ANALYSES - 1], waker, err);
}

bool
analyses_start(struct session *s, unsigned needs, struct waker waker, struct error *err)
{
	/* Without objects every result would be 0. */
	if (session_only_types(s))
		return true;
	for (size_t i = 0; i < ANALYSES - 1; i++) {
		const struct analysis *a = &analyses[i];

		if (a->need & needs & ~s->has && !s->jobs[a->job] &&
		    !start_analysis(s, a, waker, err))
			return false;
	}
	return !(needs & NEED_RETAINED) || s->retention || !s->reach ||
	       analyses_start_retention(s, waker, err);
}

void
analyses_continue(struct session *s, bool were_there)
{
	if (s->retention || !s->reach || (!s->waker.wake && !were_there))
		return;
	if (!analyses_start_retention(s, s->waker, &s->job_errors[JOB_RETENTION]))
		s->version++;
}

void
analyses_start_waiting(struct session *s)
{
	unsigned needs = s->waiting;

	if (needs & NEED_RETAINED)
		analyses_continue(s, true);
	if (!analyses_start(s, needs & ~(unsigned)NEED_RETAINED, s->waker,
			    &s->job_errors[JOB_REVERSE]))
		s->version++;
}

const char *
analyses_refusal(const struct session *s, unsigned needs)
{
	needs = analyses_needs(s, needs);
	for (size_t i = 0; i < ANALYSES; i++)
		if (analyses[i].need & needs & ~s->has && *s->refused[analyses[i].job])
			return s->refused[analyses[i].job];
	return NULL;
}

unsigned
analyses_refused_needs(const struct session *s)
{
	unsigned needs = 0;

	for (size_t i = 0; i < ANALYSES; i++)
		if (*s->refused[analyses[i].job])
			needs |= analyses[i].need;
	return needs;
}

/* Cancels a job. Returns whether it has left a result all the same. */
static bool
stop_job(struct session *s, enum session_job kind)
{
	struct job *j = s->jobs[kind];

	if (!j)
		return false;
	s->jobs[kind] = NULL;
	job_cancel(j);
	return job_finish(j, NULL);
}

bool
analyses_stop_reach(struct session *s, struct error *err)
{
	if (s->has & NEED_OBJECTS && budget_check(s, JOB_REACH, err) != BUDGET_FITS)
		return error_set(err, ERROR_SYSTEM,
				 "memory does not allow that while something else is computed");
	/* It reads the old paths; analyses_continue() starts it again. */
	if (stop_job(s, JOB_RETENTION))
		retention_free(s->computed_retention);
	if (stop_job(s, JOB_REACH)) {
		root_index_free(s->computed_roots);
		reach_free(s->computed_reach);
	}
	return true;
}

void
analyses_revert_reach(struct session *s)
{
	what_if_revert(&s->what_if);
	if (s->reach)
		s->prefers_statics = s->reach_prefers_statics;
}

bool
analyses_restart_reach(struct session *s, struct error *err)
{
	const struct analysis *ways = &analyses[0];

	if (!(s->has & NEED_OBJECTS))
		return true;
	if (session_start_job(s, ways->job, ways->what, ways->run, s->waker, err))
		return true;
	analyses_revert_reach(s);
	analyses_continue(s, false);
	if (!s->reach)
		s->waiting |= NEED_REACH;
	return false;
}
