#ifndef TUI_SESSION_RECORDING_VIEW_H
#define TUI_SESSION_RECORDING_VIEW_H

/* A view's hold on a recording of allocations, which may go on. */
#include "tui/session/recording.h"

/* A view shows the rows of a copy that it holds. */
struct recording_view {
	struct recording *of;
	struct allocations *shown; /* NULL: nothing yet */
};

/* Finds the session's own recording, or one of its process, or begins to read its file. */
bool recording_view_open(struct recording_view *w, struct session *s, struct error *err) MUST_USE;
/* The last view of a process's recording ends it; a file is read on, for the next view. */
void recording_view_close(struct recording_view *w);
/* Returns false and sets `err` if it failed before there was a copy to show. */
bool recording_view_check(const struct recording_view *w, struct error *err) MUST_USE;
/* Shows another copy, of which the view has made its rows. */
void recording_view_show(struct recording_view *w, struct allocations *a);

#endif
