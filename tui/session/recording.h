#ifndef TUI_SESSION_RECORDING_H
#define TUI_SESSION_RECORDING_H

/*
 * A recording of allocations that goes on: a thread that records, and the newest copy of what it
 * has, which changes only in recording_poll(), on the screen's thread. Copies arrive about once a
 * second.
 */
#include "model/allocations/allocations.h"
#include "model/table/value.h"
#include "tui/session/session.h"
#include <stdatomic.h>

struct recording {
	struct allocations *newest; /* NULL: nothing has arrived yet */
	struct error err;           /* why it has failed; or ERROR_NONE */
	bool has_ended;
	struct allocations *still; /* held, for views to show; or NULL */
	unsigned views_count;      /* that show it; the last one ends it */

	const struct loader *from; /* NULL: it is whole */
	_Atomic(struct allocations *) arrived;
	atomic_bool counts_anew; /* requested */
	struct waker waker;
	struct job *job;
};

/*
 * `from` must outlive it. Without a waker a file is read before this returns, and a process is
 * refused. NULL sets `err`.
 */
struct recording *recording_new(const struct loader *from, struct waker waker,
				struct error *err) MUST_USE;
/* One that is whole; it takes over `a`, even if it fails. */
struct recording *recording_of(struct allocations *a, struct error *err);
/* Asks the thread to stop, without waiting. What was recorded stays. */
void recording_cancel(struct recording *r);
/* The same, and waits for it. */
void recording_stop(struct recording *r);
/* Holds the newest copy still for views, or shows the newest again. */
void recording_turn_still(struct recording *r);
/* The copy that views show; NULL: nothing has arrived yet. */
struct allocations *recording_shown(const struct recording *r);
/* Counts anew from now on; the next copy has only that. */
void recording_restart(struct recording *r);
/* Takes the newest copy. True if there is one, or it has ended. */
bool recording_poll(struct recording *r);
/* Whether it goes on. */
bool recording_is_on(const struct recording *r);
/* Words before and after the sentence about its total; or "". The copy itself may say why it
   ended. */
const char *recording_still_text(const struct recording *r);
const char *recording_end_text(const struct recording *r);
/* Stops it first. NULL is allowed. */
void recording_free(struct recording *r);

#endif
