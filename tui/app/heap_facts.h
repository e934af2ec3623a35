#ifndef TUI_APP_HEAP_FACTS_H
#define TUI_APP_HEAP_FACTS_H

/*
 * The line below the title: objects, bytes, roots, and losses of the heap. If space is short,
 * losses come first, in the order of their importance, then the bytes; losses that do not fit are
 * counted: "3 losses (:summary)". Numbers are never cut. Takes about 5 us.
 */
#include "tui/session/session.h"
#include "tui/term/line.h"

/* The session must have a heap. */
void heap_facts_draw(const struct session *session, bool says_memory, struct line *l);

#endif
