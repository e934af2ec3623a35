#ifndef TUI_WIDGET_MAP_PICTURE_H
#define TUI_WIDGET_MAP_PICTURE_H

/*
 * Drawing the map of the heap, below a view's heading: a legend, then lines of
 * cells, each labelled with its heap and generation. What lives is drawn as the
 * sign of its generation, so that colours need not tell it. Only what is on the
 * screen is looked at.
 */
#include "tui/widget/map_lines.h"
#include "tui/widget/view.h"

/* Cells that a line of the view has room for, at least one. */
uint32_t map_picture_across(const struct view *v,
			    const struct map_lines *lines);
void map_picture_draw(const struct view *v, struct screen *s,
		      const struct heap_map *map, const struct map_lines *lines,
		      bool has_focus);
/* As view_picture.pick. */
size_t map_picture_pick(const struct view *v, const struct map_lines *lines,
			int line, int column);
/* The cell under the cursor in numbers; fewer words on a narrow screen. */
void map_picture_tell(const struct view *v, const struct heap_map *map,
		      struct value *out);
/* Bytes that are in no object, and not told to be free either. */
uint64_t map_picture_rest(const struct map_stretch *s);

#endif
