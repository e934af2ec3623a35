#ifndef TUI_SESSION_DESCRIBE_H
#define TUI_SESSION_DESCRIBE_H

/* Sentences about objects and roots, for all views and batch mode. */
#include "model/table/root_text.h"
#include "tui/session/session.h"
#include "model/table/value.h"
#include "model/graph/stack_words.h"

/*
 * Says why an object is alive: "kept by static Sessions → List<Session> → Session[] → Session", or
 * in hosted programs "kept by Cache.items (singleton of the service container), through static …".
 * The middle of a long path is replaced by its length. Needs NEED_REACH. For unreachable objects it
 * is "no root in the file leads to this Session", or that this is unknown; describe_no_root() says
 * more.
 */
const char *describe_why(const struct session *s, node_id node, char *out, size_t out_size);
/* Returns the same sentence. It is made anew only if the object or the paths have changed, so that
   a heading costs nothing in each frame. `kept` begins as zeros. */
struct described_why {
	node_id node;
	uint32_t reach_version; /* 0: nothing is described yet */
	bool has_referrers;
	char text[VALUE_TEXT_BYTES];
};
const char *describe_why_once(const struct session *s, node_id node, struct described_why *kept);
/*
 * Adds what a programmer would name first as what keeps an object, if its root does not name it:
 * "Cache.items (singleton of the service container)". Needs NEED_REVERSE, too. False: nothing.
 */
bool describe_keeper(const struct session *s, node_id node, struct text *out);
/*
 * What else may hold it, to follow that sentence: "2 stack slots may also keep it too", brief "2
 * stack words too", or empty. Stack words are the weakest roots, but one of them may be the only
 * thing that keeps the object.
 */
const char *describe_stack_words(const struct stack_words *words, bool is_brief, char *out,
				 size_t out_size);
/*
 * A path: "static Sessions → List<Session> → Session". `start` describes a root, or what stands for
 * one. `nodes` are outermost first, as in struct way; `left_out` objects are missing after the
 * first WAY_FIRST_STEPS, or precede them if they are no more than that.
 */
const char *describe_way(const struct heap *h, const char *start, const node_id *nodes,
			 uint32_t count, uint32_t left_out, char *out, size_t out_size);
/*
 * Says why no root leads to an object of this type, or why that is unknown: roots or references are
 * missing. Returns a literal or `out`.
 */
const char *describe_no_root(const struct session *s, type_id type, char *out, size_t out_size);
/* "Leaky.Session 7fe01c001d70", for titles and messages. */
const char *describe_node(const struct session *s, node_id node, char *out, size_t out_size);
#endif
