#ifndef TUI_WIDGET_REQUEST_H
#define TUI_WIDGET_REQUEST_H

/*
 * The request that a command leaves for the app: another view, another command, a message. A view
 * is named by its command word, so that views need to know neither each other nor the app.
 *
 * Each function returns true, for `return request_open(…)`.
 */
#include "model/filter/filter.h"
#include "model/table/value.h"
#include "tui/widget/call.h"

struct request {
	const char *view;        /* "objects"; NULL: no view */
	struct session *session; /* its heap; NULL: the current one */
	struct target target;
	char title[VALUE_TEXT_BYTES]; /* storage for the target's nodes_title */
	/* Its filter, in the calling view's arena or in `buffer`; no text: none. */
	struct filter_value filter;
	bool is_opened_with; /* the filter is part of what the view shows: Esc keeps it */
	char buffer[512];
	bool closes_view;    /* close the calling view first */
	bool awaits_ways;    /* ignored objects changed: report what that frees */
	const char *command; /* run instead of the calling one; or NULL */
	enum style style;
	char message[256]; /* for the bottom line; "": none */
};

/* Opens a view on top of the current one. Copies the target and its title; the target's other
   pointers must stay valid until the view is open. */
bool request_open(const struct call *call, const char *view, const struct target *target);
/* The same, on another of the open heaps. */
bool request_open_in(const struct call *call, struct session *s, const char *view,
		     const struct target *target);
/* The same, with a filter that is part of what the view shows. */
bool request_open_where(const struct call *call, const char *view, const struct target *target,
			const char *format, ...) PRINTF_LIKE(4, 5);
/* Lists the objects that start at addresses from `start` to below `end`. */
bool request_objects_between(const struct call *call, uint64_t start, uint64_t end);
/* Runs the app's own command of this name instead. */
bool request_command(const struct call *call, const char *name);
/* Reports the effect of what_if_stop_ignoring() as soon as it is known. */
bool request_ways(const struct call *call);
/* Shows a message on the bottom line until the next key. */
bool request_message(const struct call *call, enum style style, const char *format, ...)
    PRINTF_LIKE(3, 4);

#endif
