#ifndef TUI_INSPECT_HEADING_H
#define TUI_INSPECT_HEADING_H

/*
 * What stands above the inspector: what the object is, what it holds and why it
 * is here. As heading() of a view whose target is an object, those lines first
 * that must not be cut off; each costs a few lookups.
 */
#include "tui/view.h"

/* `why`: of describe_why(), which may walk far; borrowed by `out`. */
bool inspect_heading(const struct view *v, const char *why, unsigned line,
		     struct value *out);

#endif
