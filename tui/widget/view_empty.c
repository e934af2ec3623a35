/* The text in place of missing rows: why there are none, and what to do
   next. */
#include "model/heap/memory.h"
#include "model/heap/root_gaps.h"
#include "tui/session/describe.h"
#include "tui/session/analyses.h"
#include "tui/widget/view.h"

/* True if data for the rows, their filter or their order is missing. */
static bool
lacks_data(const struct view *v)
{
	return v->is_waiting || view_row_needs(v) & ~(view_needs(v->ops) | v->session->has);
}

/* Returns the job that the rows wait for; NULL: none is running. */
static const struct job *
job_for_rows(const struct view *v)
{
	if (view_is_busy(v))
		return view_job(v);
	return lacks_data(v) ? session_job(v->session) : NULL;
}

/* True while the heap is being read or waits behind other heaps. */
static bool
is_being_read(const struct session *s)
{
	return session_is_loading(s) || (!s->heap && !s->is_empty && !session_has_failed(s));
}

/* True if the missing data will not arrive by itself. */
static bool
is_stuck(const struct view *v)
{
	const struct session *s = v->session;

	return lacks_data(v) && s->heap && !session_job(s) &&
	       !session_unavailable(s, view_row_needs(v));
}

bool
view_was_stopped(const struct view *v)
{
	return !view_is_busy(v) && (v->was_stopped || is_stuck(v));
}

bool
view_begin_again(struct view *v, struct error *err)
{
	return session_want(v->session, view_row_needs(v), err) && view_reload(v, err);
}

/* Returns NULL if nothing is missing and nothing was stopped. */
static const char *
missing_text(const struct view *v, char out[VALUE_TEXT_BYTES])
{
	const struct session *s = v->session;
	const struct job *job = job_for_rows(v);

	bool lacks_types = s->heap && heap_lacks_objects(s->heap) && view_needs(v->ops) & ~s->has;

	if (lacks_types || (lacks_data(v) && session_only_types(s))) {
		snprintf(out, VALUE_TEXT_BYTES, "%s%s", session_only_types(s),
			 session_only_types_hint(s));
		return out;
	}
	if (is_being_read(s))
		return v->is_waiting
			   ? "the heap is still being read: :types shows what is there so far, Esc "
			     "stops it"
			   : "the heap is still being read; Esc stops that";
	if (lacks_data(v) && analyses_refusal(s, view_row_needs(v)))
		return analyses_refusal(s, view_row_needs(v));
	if (job)
		snprintf(out, VALUE_TEXT_BYTES, "%s …; Esc stops that", job_what(job));
	else if (view_was_stopped(v))
		snprintf(out, VALUE_TEXT_BYTES,
			 "stopped before it was finished; :%s starts it again",
			 v->ops->command.name);
	else
		return NULL;
	return out;
}

const char *
view_no_rows(const struct view *v)
{
	return v->is_waiting ? "the rows are not ready yet" : "there are no rows";
}

const char *
view_empty_text(const struct view *v, char out[VALUE_TEXT_BYTES])
{
	const char *missing = missing_text(v, out);

	if (missing)
		return missing;
	if (*v->trouble)
		return v->trouble;
	if (v->is_stale)
		return "…";
	if (v->filter)
		return "no row matches the filter; Esc clears it, & changes it";
	return v->ops->words.no_roots && !heap_knows_roots(v->session->heap)
		   ? v->ops->words.no_roots
		   : v->ops->words.no_rows;
}
