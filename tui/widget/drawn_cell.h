#ifndef TUI_WIDGET_DRAWN_CELL_H
#define TUI_WIDGET_DRAWN_CELL_H

/*
 * The text drawn for one cell, and the marks before a row's name. view_layout.c measures it,
 * view_draw.c draws it. Each call reads at most VALUE_TEXT_BYTES of a text; with folded names, also
 * of the neighbouring rows' names.
 */
#include "tui/widget/view.h"

/* Widths in screen cells. */
enum {
	DRAWN_INDENT = 2, /* per level of a tree */
	DRAWN_MARK = 2,   /* "▸ ", "◆ " or "✗ " */
	DRAWN_BAR = 8,    /* the bar before a share */
	DRAWN_BELOW_BYTES = 3 * VALUE_TEXT_BYTES
};

/* Returns `text`, or its beginning and end in `out`: a made-up dump may have names of megabytes,
   which every frame would measure. */
const char *drawn_ends(const char *text, char out[VALUE_TEXT_BYTES]);
/* Returns the text of the cell `value` of the row `index`: the value's own, or in `out`. */
const char *drawn_text(const struct view *v, const struct column *c, size_t index,
		       const struct value *value, char out[VALUE_TEXT_BYTES]);
/* Returns the same for any row, reading its cell into `value`; "" if there is no such row. */
const char *drawn_text_of(const struct view *v, const struct column *c, size_t index,
			  struct value *value, char out[VALUE_TEXT_BYTES]);

/* Writes what the row has on the lines below it: its texts that found no room beside it. Returns
   `out`, "" if there are none. */
const char *drawn_below(const struct view *v, const struct row *row, char out[DRAWN_BELOW_BYTES]);
/* Returns the indent of these lines, mostly that of the name. */
int drawn_below_indent(const struct view *v);

/* Returns the indent of a tree's row in a name column of that width, including its mark; 0 in other
   views. */
int drawn_indent(const struct view *v, const struct row *row, int width);
/* Whether the row is drawn with ◆ or ✗, and the width of its marks. */
bool drawn_as_marked(const struct view *v, const struct row *row);
bool drawn_as_ignored(const struct view *v, const struct row *row);
int drawn_marks_width(const struct view *v, const struct row *row);

#endif
