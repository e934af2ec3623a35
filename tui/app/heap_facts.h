#ifndef TUI_APP_HEAP_FACTS_H
#define TUI_APP_HEAP_FACTS_H

/*
 * The line that tells what heap it is: objects, bytes, roots, and all that is
 * lost of it. Where room is short, losses come first, those that matter most
 * before others, then the bytes; losses that do not fit are counted: "3 losses
 * (:summary)". No number is cut. About 5 us.
 */
#include "tui/session/session.h"
#include "tui/term/line.h"

/* `session` has a heap. */
void heap_facts_draw(const struct session *session, struct line *l);

#endif
