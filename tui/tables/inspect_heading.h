#ifndef TUI_TABLES_INSPECT_HEADING_H
#define TUI_TABLES_INSPECT_HEADING_H

/*
 * The heading of the inspector: what the object is, what it retains and why it is alive. A
 * heading() for views whose target is an object; the most important lines come first. Each line
 * costs a few lookups.
 */
#include "model/table/samples.h"
#include "tui/widget/view.h"

/* Parts of the heading that are too slow to compute at every redraw. */
struct inspect_reasons {
	char why[VALUE_TEXT_BYTES]; /* from describe_why() */
	/* From describe_stack_words(), full and brief; either may be empty. */
	char words[160], brief_words[60];
	char allocated[SAMPLE_TEXT_BYTES + 80]; /* who allocated it; or "" */
};
/* Cannot fail: without memory the texts stay empty. */
void inspect_reasons_find(const struct session *s, node_id node, struct inspect_reasons *out);

/* `out` borrows `why`. */
bool inspect_heading(const struct view *v, const struct inspect_reasons *why, unsigned line,
		     struct value *out);

#endif
