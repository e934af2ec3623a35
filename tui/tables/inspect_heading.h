#ifndef TUI_TABLES_INSPECT_HEADING_H
#define TUI_TABLES_INSPECT_HEADING_H

/*
 * What stands above the inspector: what the object is, what it holds and why it
 * is here. As heading() of a view whose target is an object, those lines first
 * that must not be cut off; each costs a few lookups.
 */
#include "tui/widget/view.h"

/* What must be looked for, and is not each time that something is drawn. */
struct inspect_reasons {
	char why[VALUE_TEXT_BYTES]; /* of describe_why() */
	/* Of describe_stack_words(): also brief, both may be empty. */
	char words[160], brief_words[60];
};
/* Without an error: what takes too much memory is not told. */
void inspect_reasons_find(const struct session *s, node_id node,
			  struct inspect_reasons *out);

/* `why` is borrowed by `out`. */
bool inspect_heading(const struct view *v, const struct inspect_reasons *why,
		     unsigned line, struct value *out);

#endif
