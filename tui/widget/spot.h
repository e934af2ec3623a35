#ifndef TUI_WIDGET_SPOT_H
#define TUI_WIDGET_SPOT_H

/* What of a view stands at a place on the screen, as it was laid out last. */
#include "tui/widget/view.h"

enum spot_kind {
	SPOT_NOTHING,
	SPOT_TITLE, /* of a column */
	SPOT_EDGE,  /* the blank behind that */
	SPOT_ROW,   /* or the part of a picture that is one */
};
struct spot {
	enum spot_kind kind;
	int column; /* of a title or an edge: index into ops->table->columns */
	size_t row; /* of a row: its index */
};

bool area_has(const struct area *area, int row, int column);
struct spot spot_at(const struct view *v, int row, int column);

#endif
