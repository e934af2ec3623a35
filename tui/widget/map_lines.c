#include "tui/widget/map_lines.h"
#include "model/base/sorted.h"

bool
map_lines_init(struct map_lines *lines, const struct heap_map *map, struct error *err)
{
	const struct range *last = NULL;

	*lines = (struct map_lines){ .across = 1 };
	lines->groups = memory_new((size_t)map->heap->ranges_count + 1, sizeof *lines->groups, err);
	for (uint32_t i = 0; lines->groups && i < map->count; i++) {
		const struct range *r = heap_map_range(map, &map->stretches[i]);
		bool is_other_heap = last && r->heap_number != last->heap_number;

		if (!last || is_other_heap || r->generation != last->generation)
			lines->groups[lines->groups_count++] = i;
		lines->has_heaps = lines->has_heaps || is_other_heap;
		lines->generations |= 1U << r->generation;
		last = r;
	}
	if (lines->groups)
		lines->groups[lines->groups_count] = map->count;
	return lines->groups != NULL;
}

void
map_lines_clear(struct map_lines *lines)
{
	memory_free(lines->groups);
	*lines = (struct map_lines){ 0 };
}

struct map_line
map_line_of(const struct map_lines *lines, size_t stretch)
{
	uint32_t next, begin, end;
	struct map_line l;

	LOWER_BOUND(next, 1, lines->groups_count, lines->groups[next] <= stretch);
	begin = lines->groups[next - 1];
	end = lines->groups[next];
	l.first = begin + ((uint32_t)stretch - begin) / lines->across * lines->across;
	l.end = end - l.first < lines->across ? end : l.first + lines->across;
	l.begins_group = l.first == begin;
	return l;
}

bool
map_line_is_last(const struct map_lines *lines, const struct map_line *l)
{
	return l->end == lines->groups[lines->groups_count];
}

struct map_line
map_line_from(const struct map_lines *lines, struct map_line l, long long by)
{
	for (; by > 0 && !map_line_is_last(lines, &l); by--)
		l = map_line_of(lines, l.end);
	for (; by < 0 && l.first; by++)
		l = map_line_of(lines, l.first - 1);
	return l;
}

struct map_line
map_lines_top(const struct map_lines *lines, size_t top, size_t cursor, int rows)
{
	struct map_line wanted = map_line_of(lines, cursor), last;
	struct map_line first = map_line_of(lines, top);

	if (first.first > wanted.first)
		first = wanted;
	if (map_line_from(lines, first, rows - 1).end < wanted.end)
		first = map_line_from(lines, wanted, 1 - rows);
	/* Leave no blank lines at the end while there are lines above. */
	last = map_line_from(lines, first, rows - 1);
	return map_line_is_last(lines, &last) ? map_line_from(lines, last, 1 - rows) : first;
}
