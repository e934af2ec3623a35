/* Saves a heap, and with some formats all that is computed about it. */
#include "tui/session/analyses.h"
#include "tui/session/snapshots.h"

static const unsigned results[] = { NEED_REVERSE, NEED_REACH, NEED_RETAINED };
enum { RESULTS = sizeof results / sizeof *results };

bool
session_require_allowed(struct session *s, unsigned needs, struct error *err)
{
	struct error why;

	for (size_t i = 0; i < RESULTS; i++) {
		error_clear(&why);
		if (!(needs & results[i]) || session_require(s, results[i], &why) ||
		    (why.kind == ERROR_SYSTEM && !why.is_memory &&
		     analyses_refusal(s, results[i])) ||
		    s->has_only_types)
			continue;
		*err = why;
		return false;
	}
	return true;
}

/* Have what the file is to have; on the screen it is computed already, or is
   on its way. */
static bool
have_results(struct session *s, struct error *err)
{
	if (!s->waker.wake)
		return session_require_allowed(s, s->save_needs, err);
	return !(s->save_needs & ~s->has) || !session_job(s) ||
	       error_set(err, ERROR_USAGE,
			 "the file would lack what is still being computed: save again when that "
			 "is done, or stop it with Esc");
}

static bool
run_save(void *context, struct progress *progress, struct error *err)
{
	struct session *s = context;

	return s->snapshots->save(s->save_path, s->save_replaces, &s->save_facts, s->name,
				  s->save_warning, progress, err);
}

bool
session_save(struct session *s, const char *path, bool may_replace, struct error *err)
{
	const struct snapshots *all = s->snapshots;

	if (all && !secure_allows(&all->secure, SECURE_WRITE, "save", err))
		return false;
	if (!s->heap || !all || !all->save)
		return error_set(err, ERROR_USAGE, "there is no heap to save yet");
	if (!all->may_save(path, err) || !all->may_write(path, may_replace, "save", err))
		return false;
	if (s->jobs[JOB_SAVE])
		return error_set(err, ERROR_USAGE, "%.200s is still being written; Esc stops that",
				 s->save_path);
	if (snprintf(s->save_path, sizeof s->save_path, "%s", path) >= (int)sizeof s->save_path)
		return error_set(err, ERROR_USAGE, "the name is too long");
	s->save_replaces = may_replace;
	s->save_needs = all->save_needs ? all->save_needs(path) : 0;
	if (!have_results(s, err))
		return false;
	s->save_facts = session_facts(s);
	if (!session_start_job(s, JOB_SAVE, "writing", run_save, s->waker, err))
		return false;
	/* Without a waker it has ended already. */
	return s->waker.wake || session_take_at_once(s, err);
}
