#ifndef TUI_TABLES_GC_CHART_H
#define TUI_TABLES_GC_CHART_H

/*
 * Collections as a chart: the heap after each and the pause of each, a column
 * of the screen a collection, the oldest on the left, their generations below.
 * For views whose v->state begins with a struct gc_cells and whose rows are
 * collections, the newest first or last. Drawing looks at all rows for the
 * largest number: some thousands.
 */
#include "tui/widget/view.h"

/* As view_picture.layout: false if there is too little room. */
bool gc_chart_layout(struct view *v);
void gc_chart_draw(const struct view *v, struct screen *s, bool is_newest_first,
		   bool has_focus);
/* As view_picture.pick. */
size_t gc_chart_pick(const struct view *v, int line, int column,
		     bool is_newest_first);

#endif
