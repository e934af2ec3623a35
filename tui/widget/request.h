#ifndef TUI_WIDGET_REQUEST_H
#define TUI_WIDGET_REQUEST_H

/*
 * What a command wants of the app when it has returned: another view, another
 * command, a message. A view names the view that it wants by its command word,
 * so that it needs to know neither that view nor the app.
 *
 * Each function returns true, for `return request_open(…)`.
 */
#include "model/table/value.h"
#include "tui/widget/call.h"

enum request_filter {
	REQUEST_OPENED_WITH, /* what the view shows: Esc does not take it away
			      */
	REQUEST_WHERE,       /* an expression, as if it had been typed */
	REQUEST_TYPED,       /* a pattern or an expression, as after `&` */
};

struct request {
	const char *view;        /* "objects"; NULL: no view */
	struct session *session; /* its heap; NULL: the one that is shown */
	struct target target;
	char title[VALUE_TEXT_BYTES]; /* of target.nodes and the like */
	const char *where; /* its filter, or NULL; in the asking view's arena,
			      or in `buffer` */
	enum request_filter filter;
	char buffer[512];
	bool closes_view; /* the asking view goes first */
	bool awaits_ways; /* what is ignored has changed: say what that frees */
	const char *command; /* run instead of the one that asks; or NULL */
	enum style style;
	char message[256]; /* for the bottom line; "": none */
};

/* Opens a view on top of the current one. Copies the target and its title;
   what else the target borrows must live until the view is open. */
bool request_open(const struct call *call, const char *view,
		  const struct target *target);
/* The same on another of the heaps that are open. */
bool request_open_in(const struct call *call, struct session *s,
		     const char *view, const struct target *target);
/* The same with a filter, which is what it shows. */
bool request_open_where(const struct call *call, const char *view,
			const struct target *target, const char *format, ...)
    PRINTF_LIKE(4, 5);
/* Lists those objects that begin at addresses from `start` to below `end`. */
bool request_objects_between(const struct call *call, uint64_t start,
			     uint64_t end);
/* The app's own command of this name, where the view has nothing to do. */
bool request_command(const struct call *call, const char *name);
/* After what_if_stop_ignoring(): what came of it, as soon as it is known. */
bool request_ways(const struct call *call);
/* The line at the bottom, until the next key. */
bool request_message(const struct call *call, enum style style,
		     const char *format, ...) PRINTF_LIKE(3, 4);

#endif
