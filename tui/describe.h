#ifndef TUI_DESCRIBE_H
#define TUI_DESCRIBE_H

/*
 * Sentences about objects and roots, the same in every view and in batch mode.
 */
#include "tui/session.h"
#include "tui/value.h"

/* "static Sessions", "strong handle", "stack Main". */
const char *describe_root(const struct root *root, char *out, size_t out_size);
/* The same with all a row needs: style, the source's own words for search. */
void describe_root_value(const struct root *root, struct value *out);
/*
 * Why it lives: "kept by static Sessions → List<Session> → Session[] →
 * Session"; the middle of long ways is left out and counted. Needs
 * NEED_REACH; says so if nothing keeps it.
 */
const char *describe_why(const struct session *s, node_id node, char *out,
			 size_t out_size);
/* "Leaky.Session 7fe01c001d70": for titles and messages. */
const char *describe_node(const struct session *s, node_id node, char *out,
			  size_t out_size);

#endif
