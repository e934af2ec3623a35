#ifndef TUI_WIDGET_MAP_LINES_H
#define TUI_WIDGET_MAP_LINES_H

/*
 * Stretches of a map as lines of cells: a line is of one generation of one
 * heap, and as long as the screen is wide. Nothing is kept for each line, so
 * any width costs the same; a step from line to line is a binary search.
 */
#include "model/analysis/heap_map.h"

struct map_lines {
	/* First stretch of each generation of each heap, and behind the last.
	 */
	uint32_t *groups;
	uint32_t groups_count;
	bool has_heaps;       /* more than one */
	unsigned generations; /* 1 << enum generation of all there are */
	uint32_t across;      /* cells in a line; set by the caller, not 0 */
};

struct map_line {
	uint32_t first, end; /* stretches, end excluded */
	bool begins_group;
};

bool map_lines_init(struct map_lines *lines, const struct heap_map *map,
		    struct error *err) MUST_USE;
void map_lines_clear(struct map_lines *lines);

/* The line that a stretch of the map is in. */
struct map_line map_line_of(const struct map_lines *lines, size_t stretch);
/* The line so many below, or above, as far as there are any. */
struct map_line map_line_from(const struct map_lines *lines, struct map_line l,
			      long long by);
bool map_line_is_last(const struct map_lines *lines, const struct map_line *l);
/* The first of `rows` lines that show `top` if they can, and `cursor`. */
struct map_line map_lines_top(const struct map_lines *lines, size_t top,
			      size_t cursor, int rows);

#endif
