#ifndef TUI_SESSION_ANALYSES_H
#define TUI_SESSION_ANALYSES_H

/*
 * Starts the computations of a loaded heap: cheapest paths to the roots and referrers, then
 * retained sizes, each as soon as memory allows (budget.h). Called on the screen's thread; jobs do
 * the work, and session_poll() takes their results.
 */
#include "tui/session/session.h"

/*
 * Starts what is missing of `needs` (enum need) and not running yet. Results that memory does not
 * allow now wait in s->waiting; those that it never allows are reported by analyses_refusal().
 * Neither is an error.
 */
bool analyses_start(struct session *s, unsigned needs, struct waker waker,
		    struct error *err) MUST_USE;
/* Starts retained sizes if referrers are there and no paths are being computed; else does nothing.
   Without paths, only what types retain is the result. */
bool analyses_start_retention(struct session *s, struct waker waker, struct error *err) MUST_USE;
/*
 * Starts retained sizes after new paths or referrers have arrived or failed. `were_there`: start
 * even without a waker, as there were some before.
 */
void analyses_continue(struct session *s, bool were_there);
/* Starts what waited for memory, after any job has ended. */
void analyses_start_waiting(struct session *s);

/* Adds to `needs` (enum need) what they are computed from, where it is missing.
 */
unsigned analyses_needs(const struct session *s, unsigned needs);
/* The same where nothing more will be asked for: what types retain then takes no paths, unless the
   file has results that belong to them. */
unsigned analyses_needs_once(const struct session *s, unsigned needs);
/* Returns why memory does not allow one of `needs`, a sentence, or NULL. */
const char *analyses_refusal(const struct session *s, unsigned needs);
/* Returns the needs refused for lack of memory (enum need). */
unsigned analyses_refused_needs(const struct session *s);

/*
 * To compute the paths again with other parameters, stop them, change the parameters, and restart.
 * The old paths stay until the new ones arrive.
 *
 * Stop fails, and stops nothing, if there is no memory for new paths. If the new ones do not start,
 * or are cancelled, the parameters revert to those of the old paths.
 */
bool analyses_stop_reach(struct session *s, struct error *err) MUST_USE;
bool analyses_restart_reach(struct session *s, struct error *err) MUST_USE;
void analyses_revert_reach(struct session *s);

#endif
