#ifndef TUI_WIDGET_TREEMAP_PICTURE_H
#define TUI_WIDGET_TREEMAP_PICTURE_H

/*
 * Drawing a treemap below a view's heading: rectangles with names and sizes,
 * and below them the one under the cursor in numbers. Rows and their names are
 * asked of the view; the first `drawn` of them have a rectangle.
 */
#include "model/graph/retained.h"
#include "tui/widget/treemap_layout.h"
#include "tui/widget/view.h"

struct treemap_picture {
	/* Set by the view: what a row stands for; the bytes are the area. */
	struct retained_sum (*weight)(const struct cells *in,
				      const struct row *row);
	uint64_t bytes; /* of all rows */
	/* Set by layout. */
	struct treemap_rect rects[TREEMAP_MAX];
	size_t seen, drawn; /* rows with a rectangle; with that of the others */
};

/* False: there is too little room. `count` is from 1 to TREEMAP_MAX. */
bool treemap_picture_layout(const struct view *v, struct treemap_picture *p,
			    const uint64_t *weights, size_t count);
void treemap_picture_draw(const struct view *v, const struct treemap_picture *p,
			  struct screen *s, bool has_focus);
/* The row whose rectangle is there, as view_picture.pick has it. */
size_t treemap_picture_pick(const struct view *v,
			    const struct treemap_picture *p, int line,
			    int column);

#endif
