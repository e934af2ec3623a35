#ifndef TUI_WIDGET_TREEMAP_LAYOUT_H
#define TUI_WIDGET_TREEMAP_LAYOUT_H

/*
 * A squarified treemap: rectangles of screen cells with areas proportional to weights. The layout
 * is exact first, counting a cell as twice as high as wide; then every edge is rounded to the
 * nearest cell. Edges that meet are rounded alike, so the rectangles cover every cell once, and
 * each is within a cell of its exact height and width. No memory is allocated; a layout takes at
 * most TREEMAP_MAX squared steps.
 */
#include <stddef.h>
#include <stdint.h>

enum { TREEMAP_MAX = 256 }; /* rectangles */
struct treemap_rect {
	int row, column, height, width; /* cells; may be empty */
};

/* Lays out one rectangle for each weight; the shapes are best if the largest comes first. `count`
   is 1 to TREEMAP_MAX. */
void treemap_layout(const uint64_t *weights, size_t count, int height, int width,
		    struct treemap_rect *rects);

/*
 * The same, but every rectangle is large enough to be seen. Returns how many of the first weights
 * have their own rectangle. The rest share one after those, which is counted in `drawn`, unless
 * even that would be too small.
 */
size_t treemap_fit(const uint64_t *weights, size_t count, int height, int width,
		   struct treemap_rect *rects, size_t *drawn);

/*
 * Returns the neighbour of `from` in the direction of `rows` and `columns` (-1, 0, 1) from its
 * middle, or `from` at the edge. Every rectangle can be reached.
 */
size_t treemap_neighbour(const struct treemap_rect *rects, size_t count, size_t from, int rows,
			 int columns);

#endif
