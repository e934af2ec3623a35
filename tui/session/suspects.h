#ifndef TUI_SESSION_SUSPECTS_H
#define TUI_SESSION_SUSPECTS_H

/*
 * The findings of a session's heap, for the view that opens: looked for in the background as soon
 * as paths, referrers and retained sizes are known, or known to be missing. One pass over the heap,
 * see model/analysis/findings.h; the view `findings` makes its own rows.
 */
#include "tui/session/session.h"

struct finding;
struct suspects;

/* Starts to look for them, unless that has been done or the results that they are made of are still
   computed. Errors are not reported: there are no suspects then. */
void suspects_want(struct session *s);
/* Takes those that were found; false: nothing has arrived. */
bool suspects_poll(struct session *s);
/* Forgets them, before a result that they are made of is replaced; waits for the job to stop. */
void suspects_forget(struct session *s);
/* Returns finding `n`, the most important first, or NULL; borrowed until suspects_forget(). */
const struct finding *suspects_at(const struct session *s, uint32_t n);
/* Returns the first finding that says why most objects of this type are alive, or NULL. */
const struct finding *suspects_about(const struct session *s, type_id type);
/* Returns its key in the view `findings`. */
uint64_t suspects_key(const struct session *s, const struct finding *f);

#endif
