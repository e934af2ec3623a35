#ifndef TUI_WIDGET_SPOT_H
#define TUI_WIDGET_SPOT_H

/* Hit testing: what is at a place on the screen, as the view was last laid
   out. */
#include "tui/widget/view.h"

enum spot_kind {
	SPOT_NOTHING,
	SPOT_TITLE, /* a column's title */
	SPOT_EDGE,  /* the blank after a title */
	SPOT_ROW,   /* or its part of a picture */
	SPOT_HEADING,
};
struct spot {
	enum spot_kind kind;
	int column; /* for a title or an edge: index into ops->table->columns */
	size_t row; /* for a row: its index; for the heading: the line */
};

bool area_has(const struct area *area, int row, int column);
struct spot spot_at(const struct view *v, int row, int column);

#endif
