#ifndef TUI_WIDGET_TREEMAP_PICTURE_H
#define TUI_WIDGET_TREEMAP_PICTURE_H

/*
 * Draws a treemap below a view's heading: rectangles with names and sizes, and below them a legend
 * of their colours and the numbers of the one under the cursor. Rows and names come from
 * the view; the first `drawn` rows have a rectangle.
 */
#include "model/graph/retained.h"
#include "tui/widget/treemap_areas.h"
#include "tui/widget/view.h"

struct treemap_picture {
	/* Set by the view. Returns what a row retains; its bytes are the
	   area. */
	struct retained_sum (*weight)(const struct cells *in, const struct row *row);
	uint64_t bytes; /* bytes of all rows */
	struct treemap_areas areas;
	/* Set by layout. */
	struct treemap_rect rects[TREEMAP_MAX];
	size_t seen, drawn; /* rows with their own rectangle; all rectangles */
};

/* Returns false if there is too little room. `count` is 1 to TREEMAP_MAX. */
bool treemap_picture_layout(const struct view *v, struct treemap_picture *p,
			    const uint64_t *weights, size_t count);
void treemap_picture_draw(const struct view *v, const struct treemap_picture *p, struct screen *s,
			  bool has_focus);
/* Returns the row at a place, see view_picture.pick. */
size_t treemap_picture_pick(const struct view *v, const struct treemap_picture *p, int line,
			    int column);

#endif
