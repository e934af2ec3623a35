#ifndef TUI_SESSION_DESCRIBE_H
#define TUI_SESSION_DESCRIBE_H

/*
 * Sentences about objects and roots, the same in every view and in batch mode.
 */
#include "model/table/root_text.h"
#include "tui/session/session.h"
#include "model/table/value.h"
#include "model/graph/stack_words.h"

/*
 * Why it lives: "kept by static Sessions → List<Session> → Session[] →
 * Session"; the middle of long ways is left out and counted. Needs
 * NEED_REACH. Without a way to a root "no root in the file leads to this
 * Session", or that this is unknown; describe_no_root() says more.
 */
const char *describe_why(const struct session *s, node_id node, char *out,
			 size_t out_size);
/*
 * What else may hold it, behind that sentence: "2 words on stacks may hold it
 * too"; brief "2 stack words too"; empty if nothing does. What counts last is
 * said all the same: it may be the one thing that somebody looks for.
 */
const char *describe_stack_words(const struct stack_words *words, bool is_brief,
				 char *out, size_t out_size);
/*
 * A way in the same words: "static Sessions → List<Session> → Session". The
 * objects come outermost first; `left_out` more stand before them. `start` is
 * a root in words, or what stands for it.
 */
const char *describe_way(const struct heap *h, const char *start,
			 const node_id *nodes, uint32_t count,
			 uint32_t left_out, char *out, size_t out_size);
/*
 * What it means that no root leads to an object of this type, or why nobody
 * can tell: roots or references are missing. A literal, or written to `out`.
 */
const char *describe_no_root(const struct session *s, type_id type, char *out,
			     size_t out_size);
/* "Leaky.Session 7fe01c001d70": for titles and messages. */
const char *describe_node(const struct session *s, node_id node, char *out,
			  size_t out_size);

#endif
