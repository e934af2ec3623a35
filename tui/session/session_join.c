/* Joins a heap with a recording of what its process allocates. */
#include "model/allocations/join.h"
#include "tui/session/session.h"

static bool
run_join(void *context, struct progress *progress, struct error *err)
{
	struct session *s = context;

	s->loaded_samples = samples_join(s->recorded, s->heap, s->join_modules, progress, err);
	return s->loaded_samples != NULL;
}

bool
session_lacks_samples(const struct session *s)
{
	return s->recorded && !s->jobs[JOB_JOIN] &&
	       (!s->samples || s->join_modules != s->my_modules);
}

void
session_join_again(struct session *s)
{
	struct error *err = &s->job_errors[JOB_JOIN];

	if (!session_lacks_samples(s))
		return;
	s->join_modules = s->my_modules;
	if (!session_start_job(s, JOB_JOIN, "finding samples in the heap", run_join, s->waker, err))
		s->version++;
}

void
session_join(struct session *s, struct allocations *a)
{
	s->recorded = a;
	session_join_again(s);
}
