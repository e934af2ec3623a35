#include "tui/widget/map_picture.h"
#include "model/heap/root_gaps.h"
#include "model/base/format.h"
#include "model/base/text.h"
#include <stdio.h>

enum {
	LABEL_HEAP = 5,     /* columns, for "h12 " */
	LABEL_GEN = 7,      /* "frozen " */
	LABEL_ADDRESS = 13, /* "7fe01c001d70 " */
	WIDE = 64,          /* from this width on lines show their address */
	LEGEND_BYTES = 256
};

static const struct look_of_kind {
	const char *glyph; /* NULL: the sign of its generation */
	const char *word, *capture_word, *capture_brief;
	const char *unknown_word; /* if roots are missing; NULL: the same */
	enum style style;
} looks[MAP_KINDS] = {
	[MAP_LIVE] = { NULL, "live", "reachable", "reached", NULL, STYLE_BAR },
	[MAP_DEAD] = { "▒", "dead", "unreachable", "not", "unknown", STYLE_WARNING },
	[MAP_FREE] = { "░", "free", "no objects", "empty", NULL, STYLE_DIM },
	[MAP_MIXED] = { "▚", "mixed", "mixed", "mixed", NULL, STYLE_CYCLE },
};
static const enum map_kind legend[] = { MAP_LIVE, MAP_DEAD, MAP_FREE, MAP_MIXED };
static const char generation_signs[GEN_COUNT + 1] = "012LPF?";

static bool
is_wide(const struct view *v)
{
	return v->area.width >= WIDE;
}

static bool
is_from_memory(const struct view *v)
{
	return v->session->heap->memory != NULL;
}

static int
label_width(const struct view *v, const struct map_lines *lines)
{
	return (lines->has_heaps ? LABEL_HEAP : 0) + LABEL_GEN + (is_wide(v) ? LABEL_ADDRESS : 0);
}

uint32_t
map_picture_across(const struct view *v, const struct map_lines *lines)
{
	int across = v->area.width - label_width(v, lines);

	return across > 0 ? (uint32_t)across : 1;
}

uint64_t
map_picture_other_bytes(const struct map_stretch *s)
{
	return s->end - s->start - s->live_bytes - s->dead_bytes - s->free_bytes;
}

/* --- the legend ----------------------------------------------------------- */

/* Writes the signs of the generations that occur, such as "012L". */
static const char *
signs_of(const struct map_lines *lines, char out[GEN_COUNT + 1])
{
	size_t len = 0;

	for (int gen = 0; gen < GEN_COUNT; gen++)
		if (lines->generations & 1U << gen)
			out[len++] = generation_signs[gen];
	out[len] = '\0';
	return out;
}

static const char *
word_of(const struct view *v, const struct look_of_kind *k)
{
	if (k->unknown_word && !heap_knows_roots(v->session->heap))
		return k->unknown_word;
	return is_from_memory(v) ? k->word : is_wide(v) ? k->capture_word : k->capture_brief;
}

static void
draw_legend(const struct view *v, struct screen *s, const struct heap_map *map,
	    const struct map_lines *lines, int line)
{
	const char *gap = is_wide(v) ? "  " : " ";
	char signs[GEN_COUNT + 1], text[LEGEND_BYTES], bytes[FORMAT_BYTES], cut[LEGEND_BYTES];
	size_t len = 0;

	for (size_t i = 0; i < sizeof legend / sizeof *legend; i++) {
		const struct look_of_kind *k = &looks[legend[i]];

		len += (size_t)snprintf(text + len, sizeof text - len, "%s %s%s",
					k->glyph ? k->glyph : signs_of(lines, signs), word_of(v, k),
					gap);
	}
	snprintf(text + len, sizeof text - len, "cell: %s",
		 format_size(UINT64_C(1) << map->shift, bytes));
	if (text_width(text) > v->area.width)
		text[len] = '\0'; /* no room; the view's table has it as well */
	screen_restyle(s, line, v->area.column, v->area.width, STYLE_HEADER);
	screen_put(s, line, v->area.column, v->area.width, STYLE_HEADER,
		   text_fit(text, v->area.width, cut, sizeof cut));
}

/* --- lines ---------------------------------------------------------------- */

static void
draw_label(const struct view *v, struct screen *s, const struct heap_map *map,
	   const struct map_lines *lines, const struct map_line *l, int line, bool is_top)
{
	const struct map_stretch *first = &map->stretches[l->first];
	const struct range *r = heap_map_range(map, first);
	int column = v->area.column;
	char address[24];

	if (lines->has_heaps) {
		if (is_top || l->begins_group)
			screen_printf(s, line, column, LABEL_HEAP - 1, STYLE_ROOT, "h%d",
				      (int)r->heap_number);
		column += LABEL_HEAP;
	}
	if (is_top || l->begins_group)
		screen_put(s, line, column, LABEL_GEN - 1, STYLE_TYPE,
			   generation_name((enum generation)r->generation));
	column += LABEL_GEN;
	if (is_wide(v))
		screen_put(s, line, column, LABEL_ADDRESS - 1, STYLE_ADDRESS,
			   address_format(first->start, address));
}

static void
draw_cells(const struct view *v, struct screen *s, const struct heap_map *map,
	   const struct map_line *l, int line, int column, bool has_focus)
{
	const struct range *r = heap_map_range(map, &map->stretches[l->first]);
	const char sign[2] = { generation_signs[r->generation], '\0' };

	for (uint32_t i = l->first; i < l->end; i++, column++) {
		const struct look_of_kind *k = &looks[heap_map_kind(&map->stretches[i])];

		screen_put(s, line, column, 1, k->style, k->glyph ? k->glyph : sign);
		if (i != v->cursor)
			continue;
		screen_restyle(s, line, column, 1, has_focus ? STYLE_CURSOR : STYLE_TAGGED);
		if (has_focus)
			s->cursor_row = line;
	}
}

void
map_picture_draw(const struct view *v, struct screen *s, const struct heap_map *map,
		 const struct map_lines *lines, bool has_focus)
{
	int line = v->area.row + v->heading_lines;
	int column = v->area.column + label_width(v, lines);
	struct map_line l = map_line_of(lines, v->top);

	draw_legend(v, s, map, lines, line++);
	for (int i = 0; i < v->rows_shown; i++, line++) {
		draw_label(v, s, map, lines, &l, line, !i);
		draw_cells(v, s, map, &l, line, column, has_focus);
		if (map_line_is_last(lines, &l))
			break;
		l = map_line_of(lines, l.end);
	}
}

size_t
map_picture_pick(const struct view *v, const struct map_lines *lines, int line, int column)
{
	int at = column - v->area.column - label_width(v, lines);
	struct map_line l = map_line_of(lines, v->top);

	for (; line > 1; line--) {
		if (map_line_is_last(lines, &l))
			return SIZE_MAX;
		l = map_line_of(lines, l.end);
	}
	return line == 1 && at >= 0 && (uint32_t)at < l.end - l.first ? l.first + (uint32_t)at
								      : SIZE_MAX;
}

/* --- the cell under the cursor -------------------------------------------- */

static void
describe_briefly(const struct view *v, const struct map_stretch *s, const struct range *r,
		 struct value *out)
{
	bool is_memory = is_from_memory(v);
	const char *unreached = word_of(v, &looks[MAP_DEAD]);
	char heap[16] = "", start[24], live[FORMAT_BYTES], dead[FORMAT_BYTES], space[FORMAT_BYTES],
	     rest[FORMAT_BYTES];
	const char *gen = generation_name((enum generation)r->generation);

	if (r->heap_number >= 0)
		snprintf(heap, sizeof heap, "h%d ", (int)r->heap_number);
	address_format(s->start, start);
	format_size(s->live_bytes, live);
	format_size(s->dead_bytes, dead);
	format_size(s->free_bytes, space);
	format_size(map_picture_other_bytes(s), rest);
	if (is_memory)
		value_printf(out, STYLE_NORMAL, "%s%s %s: %s live, %s %s, %s free, %s rest", heap,
			     gen, start, live, dead, unreached, space, rest);
	else
		value_printf(out, STYLE_NORMAL, "%s%s %s: %s reached, %s %s, %s rest", heap, gen,
			     start, live, dead, unreached, rest);
}

void
map_picture_describe(const struct view *v, const struct heap_map *map, struct value *out)
{
	const struct map_stretch *s = &map->stretches[v->cursor];
	const struct range *r = heap_map_range(map, s);
	bool is_memory = is_from_memory(v);
	char heap[24] = "", start[24], end[24], live[FORMAT_BYTES], dead[FORMAT_BYTES],
	     live_count[FORMAT_BYTES], dead_count[FORMAT_BYTES], space[FORMAT_BYTES],
	     rest[FORMAT_BYTES], free_text[FORMAT_BYTES + 16] = "";

	if (!is_wide(v)) {
		describe_briefly(v, s, r, out);
		return;
	}
	if (r->heap_number >= 0)
		snprintf(heap, sizeof heap, "heap %d ", (int)r->heap_number);
	if (is_memory)
		snprintf(free_text, sizeof free_text, "%s free, ",
			 format_size(s->free_bytes, space));
	value_printf(out, STYLE_NORMAL, "%s%s %s to %s: %s %s in %s, %s %s in %s, %s%s %s", heap,
		     generation_name((enum generation)r->generation),
		     address_format(s->start, start), address_format(s->end, end),
		     format_size(s->live_bytes, live), is_memory ? "live" : "reachable",
		     format_count(s->live_count, live_count), format_size(s->dead_bytes, dead),
		     word_of(v, &looks[MAP_DEAD]), format_count(s->dead_count, dead_count),
		     free_text, format_size(map_picture_other_bytes(s), rest),
		     is_memory ? "in between" : "in no object");
}
