#ifndef TUI_SESSION_GCS_H
#define TUI_SESSION_GCS_H

/*
 * The collections of a process or trace: a thread that watches, and a log that changes only in
 * gcs_poll(), on the screen's thread.
 */
#include "model/table/value.h"
#include "tui/session/session.h"

struct gcs {
	struct gc_log log;
	struct gc_source_facts facts; /* valid once it has ended */
	struct error err;             /* why it ended; or ERROR_NONE */
	bool has_ended;
	uint32_t version; /* changes whenever the log does */

	const struct loader *from;
	struct gc_feed feed;
	struct job *job;
};

/*
 * `from` must outlive it. Without a waker a file is read before this returns, and a process is
 * refused. NULL sets `err`.
 */
struct gcs *gcs_new(const struct loader *from, struct waker waker, struct error *err) MUST_USE;
/* Asks the thread to stop, without waiting. */
void gcs_cancel(struct gcs *g);
/* Stops the thread and waits for it; the log stays. */
void gcs_stop(struct gcs *g);
/* Moves new collections to the log. True if anything changed, or it has ended. */
bool gcs_poll(struct gcs *g);
/*
 * Puts why the source ended, or what is missing, into `out`. False: nothing to report, or the error
 * is shown in place of the rows.
 */
bool gcs_note(const struct gcs *g, struct value *out);
/* Stops it first. NULL is allowed. */
void gcs_free(struct gcs *g);

#endif
