#ifndef TUI_WIDGET_MAP_PICTURE_H
#define TUI_WIDGET_MAP_PICTURE_H

/*
 * Draws the map of the heap below a view's heading: a legend, then lines of cells, each labelled
 * with its heap and generation. Live cells are drawn as the sign of their generation, so that the
 * map is readable without colours. The cost is that of the cells on screen.
 */
#include "tui/widget/map_lines.h"
#include "tui/widget/view.h"

/* Returns how many cells fit in a line of the view, at least one. */
uint32_t map_picture_across(const struct view *v, const struct map_lines *lines);
void map_picture_draw(const struct view *v, struct screen *s, const struct heap_map *map,
		      const struct map_lines *lines, bool has_focus);
/* See view_picture.pick. */
size_t map_picture_pick(const struct view *v, const struct map_lines *lines, int line, int column);
/* Describes the cell under the cursor in numbers, with fewer words on a narrow screen. */
void map_picture_describe(const struct view *v, const struct heap_map *map, struct value *out);
/* Returns the bytes that are neither in an object nor known to be free. */
uint64_t map_picture_other_bytes(const struct map_stretch *s);

#endif
