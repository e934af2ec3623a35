#ifndef TUI_TABLES_GC_CHART_H
#define TUI_TABLES_GC_CHART_H

/*
 * A chart of collections, one per screen column, the oldest on the left: the heap after each, its
 * pause, and below these its generation. The view's v->state begins with a struct gc_cells, and its
 * rows are collections, the newest first or last. Drawing reads all rows, some thousands, for the
 * largest number.
 */
#include "tui/widget/view.h"

/* See view_picture.layout: false if there is too little room. */
bool gc_chart_layout(struct view *v);
void gc_chart_draw(const struct view *v, struct screen *s, bool is_newest_first, bool has_focus);
/* See view_picture.pick. */
size_t gc_chart_pick(const struct view *v, int line, int column, bool is_newest_first);

#endif
