#ifndef TUI_SESSION_GCS_H
#define TUI_SESSION_GCS_H

/*
 * The collections of a process, or of a trace, as they come: a thread that
 * watches, and the log of what it has told so far. The log changes only in
 * gcs_poll(), on the screen's thread.
 */
#include "model/table/value.h"
#include "tui/session/session.h"

struct gcs {
	struct gc_log log;
	struct gc_source_facts facts; /* of use once it has ended */
	struct error err;             /* why it ended without; ERROR_NONE */
	bool has_ended;
	uint32_t version; /* changes with the log */

	const struct loader *from;
	struct gc_feed feed;
	struct job *job;
};

/*
 * `from` must outlive it. Without a waker all of a file is read at once, and a
 * process cannot be watched. NULL sets `err`.
 */
struct gcs *gcs_new(const struct loader *from, struct waker waker,
		    struct error *err) MUST_USE;
/* Tells it to stop; it ends a moment later. */
void gcs_cancel(struct gcs *g);
/* The same, and waits for that; what has come stays in the log. */
void gcs_stop(struct gcs *g);
/* Takes in what has come. True if anything has, or if it has ended. */
bool gcs_poll(struct gcs *g);
/*
 * Why no more will come, or what is missing; false: nothing of that, or it
 * stands where the rows would.
 */
bool gcs_note(const struct gcs *g, struct value *out);
/* Stops it first; NULL is allowed. */
void gcs_free(struct gcs *g);

#endif
