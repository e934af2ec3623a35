#include "tui/session/recording_view.h"
#include "tui/session/snapshots.h"

static struct recording *
find(struct session *s, struct error *err)
{
	int32_t pid = snapshots_pid(s);
	struct session *other;

	if (s->recording)
		return s->recording;
	other = s->snapshots ? snapshots_recording_of(s->snapshots, pid) : NULL;
	if (other)
		return other->recording;
	if (s->loader.allocations) {
		s->recording = recording_new(&s->loader, s->waker, err);
		return s->recording;
	}
	error_set(err, ERROR_USAGE,
		  pid ? "its allocations are not recorded yet: :record shows what that costs"
		      : "allocations can only be recorded in a process: heaptop -a PID");
	return NULL;
}

bool
recording_view_open(struct recording_view *w, struct session *s, struct error *err)
{
	w->of = find(s, err);
	if (w->of)
		w->of->views_count++;
	return w->of != NULL;
}

void
recording_view_close(struct recording_view *w)
{
	struct recording *r = w->of;

	allocations_free(w->shown);
	if (r && !--r->views_count && r->from && r->from->is_live)
		recording_cancel(r);
	*w = (struct recording_view){ 0 };
}

bool
recording_view_check(const struct recording_view *w, struct error *err)
{
	const struct recording *r = w->of;

	if (r->newest || r->err.kind == ERROR_NONE)
		return true;
	*err = r->err;
	return false;
}

void
recording_view_show(struct recording_view *w, struct allocations *a)
{
	allocations_hold(a);
	allocations_free(w->shown);
	w->shown = a;
}
