#ifndef TUI_SESSION_EARLIER_H
#define TUI_SESSION_EARLIER_H

/*
 * The memory of a process at an earlier capture: growth is measured from the last open heap of the
 * same process that was captured before this one.
 */
#include "tui/session/session.h"

/* Sets s->earlier, if there is such a heap, and that of later captures of the process that are
   open. The session must have its heap. */
void earlier_note(struct session *s);
/* Returns the heap that another one is compared with: the last capture of its process before it, or
   else the open heap in front of it, or behind it if it is the first; NULL: there is none. */
struct session *earlier_before(const struct session *s);
/* Returns the last capture of the session's process among the open heaps, at least the session
   itself. */
struct session *earlier_latest(struct session *s);

#endif
