#ifndef TUI_SESSION_EARLIER_H
#define TUI_SESSION_EARLIER_H

/*
 * The memory of a process at an earlier capture: growth is measured from the
 * last open heap of the same process that was captured before this one.
 */
#include "tui/session/session.h"

/* Set s->earlier, if there is such a heap. The session must have its heap. */
void earlier_note(struct session *s);

#endif
