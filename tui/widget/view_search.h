#ifndef TUI_WIDGET_VIEW_SEARCH_H
#define TUI_WIDGET_VIEW_SEARCH_H

/*
 * Search in a view: `/`, `n` and `N`. All rows are searched, from the selected one on; by a job if
 * there are many and there is a heap. The cursor moves to the next match as soon as it is known,
 * and the match's number is shown once counted. If rows change, they are searched again.
 */
#include "tui/widget/view.h"

/* `regex` "": the previous one. */
bool view_search(struct view *v, const char *regex, struct error *err);
bool view_search_again(struct view *v, bool backwards, struct error *err);
/* Writes "match 3 of 1,234+ … " if the selected row is a match of the search, else "". */
void view_search_text(const struct view *v, char *out, size_t out_size);

/* Whether a search is running, or will start when rows arrive. */
bool view_is_searching(const struct view *v);
bool view_search_is_due(const struct view *v);

/* Moves to the wanted match, or restarts the search. For view.c. */
bool view_search_update(struct view *v, struct error *err);
/* Call before rows change. */
void view_search_leave(struct view *v);
/* Stops the search; it does not restart. */
void view_search_stop(struct view *v);
/* Frees the search; waits for its job. */
void view_search_clear(struct view *v);

#endif
