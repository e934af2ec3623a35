#ifndef TUI_WIDGET_DRAWN_CELL_H
#define TUI_WIDGET_DRAWN_CELL_H

/*
 * What is drawn of one cell: its text, and what stands before the name in it.
 * view_layout.c asks how wide that is, view_draw.c puts it on the screen. Each
 * costs a walk over at most VALUE_TEXT_BYTES; with folded names, over those of
 * the rows beside it as well.
 */
#include "tui/widget/view.h"

/* Cells of the screen. */
enum {
	DRAWN_INDENT = 2, /* of a tree, for each level */
	DRAWN_MARK = 2,   /* "▸ ", "◆ ", "✗ " */
	DRAWN_BAR = 8     /* before a share */
};

/*
 * `text`, or in `out` what it begins and ends with: names of megabytes are
 * possible in a made-up dump, and each frame would measure all of it.
 */
const char *drawn_ends(const char *text, char out[VALUE_TEXT_BYTES]);
/* Of the row `index`, whose cell `value` is; the value's own or in `out`. */
const char *drawn_text(const struct view *v, const struct column *c,
		       size_t index, const struct value *value,
		       char out[VALUE_TEXT_BYTES]);
/* The same of any row, into `value` too; "": there is none of that index. */
const char *drawn_text_of(const struct view *v, const struct column *c,
			  size_t index, struct value *value,
			  char out[VALUE_TEXT_BYTES]);

/*
 * How far a tree's row is moved to the right in a name column of that width,
 * its mark included; 0 in other views.
 */
int drawn_indent(const struct view *v, const struct row *row, int width);
/* Signs behind that: ◆ ✗, and the cells of both. */
bool drawn_as_marked(const struct view *v, const struct row *row);
bool drawn_as_left_out(const struct view *v, const struct row *row);
int drawn_marks_width(const struct view *v, const struct row *row);

#endif
