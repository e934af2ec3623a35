#ifndef TUI_SESSION_WHAT_IF_TEXT_H
#define TUI_SESSION_WHAT_IF_TEXT_H

/* Text about the ignored references and what would be freed without them. */
#include "tui/session/session.h"

/* "static Sessions", "the references of List<Session> 7fe01c001d70". */
const char *what_if_describe(const struct session *s, const struct what_if_list *list, size_t item,
			     char *out, size_t out_size);
/* "ignoring static Sessions: 5,003 objects, 912 KiB would be freed". */
const char *what_if_summary(const struct session *s, char *out, size_t out_size);

#endif
