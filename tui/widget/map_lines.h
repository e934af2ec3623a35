#ifndef TUI_WIDGET_MAP_LINES_H
#define TUI_WIDGET_MAP_LINES_H

/*
 * The stretches of a heap map as lines of screen cells: each line belongs to one generation of one
 * heap and is at most as long as the screen is wide. Lines are computed when asked for, so any
 * width costs the same; a step from line to line is a binary search.
 */
#include "model/analysis/heap_map.h"

struct map_lines {
	/* First stretch of each generation of each heap, then the end. */
	uint32_t *groups;
	uint32_t groups_count;
	bool has_heaps;       /* more than one */
	unsigned generations; /* bit set of the generations that occur */
	uint32_t across;      /* cells per line, at least 1; set by the caller */
};

struct map_line {
	uint32_t first, end; /* stretches, end excluded */
	bool begins_group;
};

bool map_lines_init(struct map_lines *lines, const struct heap_map *map,
		    struct error *err) MUST_USE;
void map_lines_clear(struct map_lines *lines);

/* Returns the line that contains a stretch. */
struct map_line map_line_of(const struct map_lines *lines, size_t stretch);
/* Returns the line `by` lines below (above if negative), or the last (first) line. */
struct map_line map_line_from(const struct map_lines *lines, struct map_line l, long long by);
bool map_line_is_last(const struct map_lines *lines, const struct map_line *l);
/* Returns the first of `rows` lines that show `cursor`, starting at `top` if possible. */
struct map_line map_lines_top(const struct map_lines *lines, size_t top, size_t cursor, int rows);

#endif
