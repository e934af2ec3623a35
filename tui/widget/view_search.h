#ifndef TUI_WIDGET_VIEW_SEARCH_H
#define TUI_WIDGET_VIEW_SEARCH_H

/*
 * `/`, `n` and `N`. All rows are looked at once, beginning at the selected one:
 * by a job, if they are many and there is a heap. The next that matches is gone
 * to as soon as it is known, and which of how many it is is told as soon as
 * that is. Other rows, or a new order of them, are looked at anew.
 */
#include "tui/widget/view.h"

/* "": what was searched for last. */
bool view_search(struct view *v, const char *regex, struct error *err);
bool view_search_again(struct view *v, bool backwards, struct error *err);
/* "match 3 of 1,234+ …  " at the row where it led, else "". */
void view_search_text(const struct view *v, char *out, size_t out_size);

/* It runs; or it will, when the rows are there. */
bool view_is_searching(const struct view *v);
bool view_search_is_due(const struct view *v);

/* For view.c. Goes where the job led, or begins again. */
bool view_search_update(struct view *v, struct error *err);
/* The rows are about to be others. */
void view_search_leave(struct view *v);
/* Not to begin again. */
void view_search_stop(struct view *v);
/* Waits for its job. */
void view_search_clear(struct view *v);

#endif
