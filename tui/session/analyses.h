#ifndef TUI_SESSION_ANALYSES_H
#define TUI_SESSION_ANALYSES_H

/*
 * What a session computes of a heap that is there: ways to the roots and
 * referrers, then what everything holds; when each begins, as budget.h allows,
 * and the ways anew when they are wanted otherwise. On the screen's thread;
 * the work is done by jobs, and session_poll() takes what they made.
 */
#include "tui/session/session.h"

/*
 * Begins what is missing of these (enum need) and not on its way. What memory
 * does not allow waits in s->waiting or is told by analyses_lacking(); neither
 * is an error.
 */
bool analyses_start(struct session *s, unsigned needs, struct waker waker,
		    struct error *err) MUST_USE;
/* Once there is what retention are made of; until then nothing happens. */
bool analyses_start_retention(struct session *s, struct waker waker,
			      struct error *err) MUST_USE;
/* New ways or referrers have come, or did not: retention are computed of them,
   without anybody to be woken only if there were some before. */
void analyses_follow(struct session *s, bool were_there);
/* What waited for memory: something has ended, of this heap or another. */
void analyses_start_waiting(struct session *s);

/* Why some of these will not come, a sentence, if it is for memory; NULL: none
   is lacking for that. */
const char *analyses_lacking(const struct session *s, unsigned needs);
/* What was refused for want of memory; enum need. */
unsigned analyses_refused(const struct session *s);

/*
 * Ways to the roots anew. They are stopped first: what they are computed with
 * may change then, which their worker reads; false: there is no memory for new
 * ones, and nothing was stopped. The old ones stay until the new ones are
 * there; where those do not begin, or were stopped, what is wanted is again
 * what the old ones are.
 */
bool analyses_stop_ways(struct session *s, struct error *err) MUST_USE;
bool analyses_restart_ways(struct session *s, struct error *err) MUST_USE;
void analyses_revert_ways(struct session *s);

#endif
