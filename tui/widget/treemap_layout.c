#include "tui/widget/treemap_layout.h"

#include <stdbool.h>

enum {
	CELL_HEIGHT = 2,  /* height of a cell in cell widths */
	WIDTH_LEAST = 3,  /* least columns of a visible rectangle */
	HEIGHT_LEAST = 1, /* rows */
};

/* A rectangle before rounding. */
struct piece {
	double x, y, width, height;
};

static double
sum_of(const uint64_t *weights, size_t count)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += (double)weights[i];
	return sum;
}

/* Returns the aspect ratio, at least 1, of a rectangle of this area in a row `depth` deep. */
static double
ratio(double area, double depth)
{
	double length = area / depth;

	return length > depth ? length / depth : depth / length;
}

/* Returns how many weights make the next row along the shorter side, so that its worst rectangle is
   as nearly square as possible. */
static size_t
row_length(const uint64_t *weights, size_t count, double scale, double side, double *sum)
{
	double least = (double)weights[0], most = least, worst = 0;
	size_t n = 0;

	*sum = 0;
	for (; n < count && weights[n]; n++) {
		double weight = (double)weights[n];
		double with = *sum + weight, depth = with * scale / side;
		double low = weight < least ? weight : least;
		double high = weight > most ? weight : most;
		double at_low = ratio(low * scale, depth);
		double at_high = ratio(high * scale, depth);
		double now = at_low > at_high ? at_low : at_high;

		if (n && now > worst)
			break;
		worst = now;
		least = low;
		most = high;
		*sum = with;
	}
	return n;
}

static int
nearest(double x)
{
	return (int)(x + 0.5);
}

/* Each edge is rounded by itself, so shared edges round alike. */
static struct treemap_rect
rounded(double x, double y, double x_end, double y_end)
{
	struct treemap_rect r = { .row = nearest(y / CELL_HEIGHT), .column = nearest(x) };

	r.height = nearest(y_end / CELL_HEIGHT) - r.row;
	r.width = nearest(x_end) - r.column;
	return r;
}

/*
 * Places a row at the left or upper side of the remaining area. The last rectangle ends exactly
 * where the area does, whatever the rounding of the sums.
 */
static void
place_row(const uint64_t *weights, size_t count, double sum, bool is_left, double edge,
	  const struct piece *left, struct treemap_rect *rects)
{
	double x_end = left->x + left->width, y_end = left->y + left->height;
	double length = is_left ? left->height : left->width;
	double at = is_left ? left->y : left->x, before = 0;
	double begin = at;

	for (size_t i = 0; i < count; i++) {
		double end;

		before += (double)weights[i];
		end = begin + length * (before / sum);
		if (i + 1 == count)
			end = is_left ? y_end : x_end;
		rects[i] =
		    is_left ? rounded(left->x, at, edge, end) : rounded(at, left->y, end, edge);
		at = end;
	}
}

void
treemap_layout(const uint64_t *weights, size_t count, int height, int width,
	       struct treemap_rect *rects)
{
	struct piece left = { 0, 0, width, (double)height * CELL_HEIGHT };
	double total = sum_of(weights, count);
	size_t at = 0;

	for (size_t i = 0; i < count; i++)
		rects[i] = (struct treemap_rect){ 0 };
	if (!(total > 0))
		rects[0] = (struct treemap_rect){ 0, 0, height, width };
	while (at < count && total > 0 && left.width > 0 && left.height > 0) {
		bool is_left = left.width >= left.height;
		double side = is_left ? left.height : left.width;
		double from = is_left ? left.x : left.y;
		double end = from + (is_left ? left.width : left.height);
		double scale = left.width * left.height / total, sum, edge;
		size_t n = row_length(weights + at, count - at, scale, side, &sum);
		double rest = sum_of(weights + at + n, count - at - n);

		if (!n) { /* a weight of 0 has no area */
			at++;
			continue;
		}
		edge = rest > 0 ? from + (end - from) * (sum / (sum + rest)) : end;
		place_row(weights + at, n, sum, is_left, edge, &left, rects + at);
		if (is_left) {
			left.x = edge;
			left.width = end - edge;
		} else {
			left.y = edge;
			left.height = end - edge;
		}
		total = rest;
		at += n;
	}
}

/* ---- what is to be seen -------------------------------------------------- */

/* Returns the first rectangle that is too small; `count`: none. */
static size_t
first_too_small(const struct treemap_rect *rects, size_t count)
{
	size_t i = 0;

	while (i < count && rects[i].width >= WIDTH_LEAST && rects[i].height >= HEIGHT_LEAST)
		i++;
	return i;
}

/* Returns UINT64_MAX if the sum overflows. */
static uint64_t
others_of(const uint64_t *weights, size_t first, size_t count)
{
	uint64_t sum = 0;

	for (size_t i = first; i < count; i++)
		if (__builtin_add_overflow(sum, weights[i], &sum))
			return UINT64_MAX;
	return sum;
}

size_t
treemap_fit(const uint64_t *weights, size_t count, int height, int width,
	    struct treemap_rect *rects, size_t *drawn)
{
	uint64_t tried[TREEMAP_MAX] = { 0 };
	size_t seen = count, small;

	for (size_t i = 0; i < count; i++)
		tried[i] = weights[i];
	for (;;) {
		*drawn = seen < count ? seen + 1 : count;
		if (seen < count)
			tried[seen] = others_of(weights, seen, count);
		treemap_layout(tried, *drawn, height, width, rects);
		small = first_too_small(rects, *drawn);
		if (!seen || small == *drawn)
			return seen;
		if (small == seen) { /* the rectangle of the rest */
			*drawn = seen;
			treemap_layout(tried, seen, height, width, rects);
			small = first_too_small(rects, seen);
			if (small == seen)
				return seen;
		}
		seen = small;
	}
}

/* ---- from one to the next ------------------------------------------------ */

size_t
treemap_neighbour(const struct treemap_rect *rects, size_t count, size_t from, int rows,
		  int columns)
{
	const struct treemap_rect *r = &rects[from];
	int row = rows < 0 ? r->row - 1 : rows > 0 ? r->row + r->height : r->row + r->height / 2;
	int column = columns < 0   ? r->column - 1
		     : columns > 0 ? r->column + r->width
				   : r->column + r->width / 2;

	for (size_t i = 0; i < count; i++)
		if (row >= rects[i].row && row < rects[i].row + rects[i].height &&
		    column >= rects[i].column && column < rects[i].column + rects[i].width)
			return i;
	return from;
}
