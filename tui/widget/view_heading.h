#ifndef TUI_WIDGET_VIEW_HEADING_H
#define TUI_WIDGET_VIEW_HEADING_H

/*
 * The lines above a table: what view_heading() tells, broken to the width of
 * the screen, of ways too long for it the ends. For view_layout.c and
 * view_draw.c; the room for it is view_heading_room() in view.h.
 */
#include "tui/widget/view.h"

/*
 * How many lines, of the area that is set. Where the selected row is what they
 * tell of, as many as the longest of all rows takes, if those fit the area: the
 * cursor is moved over them and put back.
 */
int view_heading_measure(struct view *v);
/* Those of v->heading_lines; the last says so if it is cut. */
void view_heading_draw(const struct view *v, struct screen *s);

#endif
