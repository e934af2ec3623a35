#include "tui/widget/spot.h"

bool
area_has(const struct area *area, int row, int column)
{
	return row >= area->row && row < area->row + area->height && column >= area->column &&
	       column < area->column + area->width;
}

/* Finds the title or edge at a column of the title line. */
static struct spot
title_at(const struct view *v, int column)
{
	struct spot spot = { .kind = SPOT_NOTHING };
	int end = v->area.column;

	for (int n = 0; n < v->order_count; n++) {
		spot.column = v->order[n];
		if (!v->widths[spot.column])
			continue;
		end += v->widths[spot.column];
		if (column <= end) {
			spot.kind = column < end ? SPOT_TITLE : SPOT_EDGE;
			break;
		}
		end += COLUMN_GAP;
	}
	return spot;
}

struct spot
spot_at(const struct view *v, int row, int column)
{
	struct spot spot = { .kind = SPOT_NOTHING };
	int line = row - v->area.row - v->heading_lines;

	if (!area_has(&v->area, row, column))
		return spot;
	if (line < 0) {
		spot.kind = SPOT_HEADING;
		spot.row = (size_t)(row - v->area.row);
		return spot;
	}
	if (v->is_picture)
		spot.row = view_code(v->ops)->picture->pick(v, line, column);
	else if (line == 0)
		return title_at(v, column);
	else
		spot.row = v->top + (size_t)((line - 1) / v->row_lines);
	if (spot.row < v->rows_count && !v->is_waiting)
		spot.kind = SPOT_ROW;
	return spot;
}
