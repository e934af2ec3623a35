#ifndef TUI_WIDGET_VIEW_HEADING_H
#define TUI_WIDGET_VIEW_HEADING_H

/*
 * The lines above a table: view_heading() broken to the width of the screen, with the middle cut
 * out of long paths. For view_layout.c and view_draw.c; view_heading_room() in view.h returns the
 * room for it.
 */
#include "tui/widget/view.h"

/*
 * Returns the number of lines in the view's area. If the heading describes the selected row, it is
 * the maximum over all rows if those fit the area; the cursor is moved and restored.
 */
int view_heading_measure(struct view *v);
/* Draws v->heading_lines lines; a cut last line ends in "…". */
void view_heading_draw(const struct view *v, struct screen *s);

#endif
