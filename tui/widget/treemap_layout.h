#ifndef TUI_WIDGET_TREEMAP_LAYOUT_H
#define TUI_WIDGET_TREEMAP_LAYOUT_H

/*
 * Rectangles of cells whose areas are as weights: a squarified treemap. Exact
 * first, a cell counted as twice as high as wide; then every edge is rounded
 * to the nearest cell. Edges that meet are rounded alike, so the rectangles
 * cover every cell once, and each is within a cell of its exact height and
 * width. No memory; at most the square of TREEMAP_MAX steps a try.
 */
#include <stddef.h>
#include <stdint.h>

enum { TREEMAP_MAX = 256 }; /* rectangles */
struct treemap_rect {
	int row, column, height, width; /* cells; perhaps none */
};

/* One for each weight, best with the largest first. `count` is from 1 to
   TREEMAP_MAX. */
void treemap_layout(const uint64_t *weights, size_t count, int height,
		    int width, struct treemap_rect *rects);

/*
 * The same where each is to be seen. Returns how many of the first are; the
 * others are one, which comes behind those and counts in `drawn`, but where
 * all of them together are too small.
 */
size_t treemap_fit(const uint64_t *weights, size_t count, int height, int width,
		   struct treemap_rect *rects, size_t *drawn);

/* The one beside `from`, so many rows and columns (-1, 0, 1) on from its
 * middle; `from` at the edge. Every one can be reached. */
size_t treemap_beside(const struct treemap_rect *rects, size_t count,
		      size_t from, int rows, int columns);

#endif
