#include "tui/widget/treemap_picture.h"
#include "model/base/format.h"
#include "model/base/text.h"
#include <stdio.h>

enum {
	WIDE = 100,        /* columns: from here the numbers take one line… */
	SUMMARY_LINES = 2, /* …else two */
	PICTURE_ROWS = 3,  /* a lower picture becomes a table */
	LABEL_LEAST = 6,   /* least columns of a cut name */
	FRAME = 1,         /* the line that closes the boxes on the right and below */
	EDGE_LINES = 3,    /* lines of the cursor below its upper edge */
	LEGEND_ROWS = 8,   /* a lower picture has no legend */
	SWATCH = 2,        /* columns of a colour in the legend */
};

/* Drawn in every other cell of an area whose colour cannot be told from
   others. */
static const char *const patterns[TREEMAP_AREAS] = { ".", "/", "+", "\\", ":" };

static int
summary_lines(const struct view *v)
{
	return v->area.width >= WIDE ? 1 : SUMMARY_LINES;
}

static bool
has_legend(const struct view *v)
{
	return v->rows_shown - summary_lines(v) >= LEGEND_ROWS;
}

/* The line of column titles is part of the picture. */
static int
picture_height(const struct view *v)
{
	return v->rows_shown + 1 - summary_lines(v) - has_legend(v);
}

bool
treemap_picture_layout(const struct view *v, struct treemap_picture *p, const uint64_t *weights,
		       size_t count)
{
	if (picture_height(v) < PICTURE_ROWS)
		return false;
	p->seen = treemap_fit(weights, count, picture_height(v) - FRAME, v->area.width - FRAME,
			      p->rects, &p->drawn);
	return true;
}

/* --- rectangles ----------------------------------------------------------- */

/* Returns the area of a row, or TREEMAP_NO_AREA. All that share the last rectangle may have one as
   well. */
static uint8_t
area_of(const struct treemap_picture *p, size_t index)
{
	return index < p->seen ? p->areas.of_rows[index] : p->areas.of_all;
}

static enum style
area_style(uint8_t area)
{
	return area == TREEMAP_NO_AREA ? STYLE_DIM : (enum style)(STYLE_AREA_1 + area);
}

/* Returns the text of a cell inside a rectangle without an area. */
static const char *
filling_of(const struct view *v, size_t index, enum style *style)
{
	struct row row;

	view_row(v, index, &row);
	*style = STYLE_DIM;
	if (row.kind == ROW_GROUP) {
		*style = STYLE_WARNING;
		return "▒";
	}
	return row.kind == ROW_OBJECT || row.kind == ROW_TYPE ? " " : "░";
}

static void
fill_area(struct screen *s, const struct treemap_rect *r, uint8_t area)
{
	for (int i = 0; i < r->height; i++)
		for (int j = 0; j < r->width; j++)
			screen_put(s, r->row + i, r->column + j, 1, area_style(area),
				   s->draws_patterns && (i + j) % 2 ? patterns[area] : " ");
}

/* Draws the upper and left edges; the others belong to its neighbours. */
static void
draw_edges(struct screen *s, const struct treemap_rect *r, enum style style)
{
	for (int i = 1; i < r->width; i++)
		screen_put(s, r->row, r->column + i, 1, style, "─");
	for (int i = 1; i < r->height; i++)
		screen_put(s, r->row + i, r->column, 1, style, "│");
	screen_put(s, r->row, r->column, 1, style, "┌");
}

/* Draws the picture's right and lower edges. */
static void
draw_frame(const struct view *v, const struct treemap_picture *p, struct screen *s)
{
	int top = v->area.row + v->heading_lines;
	int height = picture_height(v) - FRAME, width = v->area.width - FRAME;
	int bottom = top + height, right = v->area.column + width;

	for (size_t i = 0; i < p->drawn; i++) {
		const struct treemap_rect *r = &p->rects[i];
		bool is_right = r->column + r->width == width;
		bool is_bottom = r->row + r->height == height;

		for (int j = 0; is_right && j < r->height; j++)
			screen_put(s, top + r->row + j, right, 1, STYLE_DIM,
				   j        ? "│"
				   : r->row ? "┤"
					    : "┐");
		for (int j = 0; is_bottom && j < r->width; j++)
			screen_put(s, bottom, v->area.column + r->column + j, 1, STYLE_DIM,
				   j           ? "─"
				   : r->column ? "┴"
					       : "└");
	}
	screen_put(s, bottom, right, 1, STYLE_DIM, "┘");
}

/* Returns the name to draw: a type's short name if the full one does not fit, and "" if a cut name
   would not be recognizable. */
static const char *
label_of(const struct value *name, int room, char out[VALUE_TEXT_BYTES])
{
	char text[VALUE_TEXT_BYTES];
	const char *whole = value_for_people(name, text);

	if (name->type && text_width(whole) > room)
		whole = name->type->short_name;
	if (text_width(whole) > room && room < LABEL_LEAST)
		return "";
	return text_fit(whole, room, out, VALUE_TEXT_BYTES);
}

static struct retained_sum
weigh(const struct view *v, const struct treemap_picture *p, const struct row *row)
{
	struct facts facts;
	const struct cells in = view_cells(v, &facts);

	/* cppcheck-suppress returnDanglingLifetime ; it is returned by value */
	return p->weight(&in, row);
}

static void
draw_labels(const struct view *v, const struct treemap_picture *p, struct screen *s, size_t index,
	    const struct treemap_rect *r)
{
	char cut[VALUE_TEXT_BYTES], bytes[FORMAT_BYTES], share[FORMAT_BYTES],
	    size[2 * FORMAT_BYTES + 1];
	uint8_t area = area_of(p, index);
	int room = r->width - 2;
	struct retained_sum sum;
	struct value name;
	struct row row;

	if (room < 1)
		return;
	view_row(v, index, &row);
	view_cell(v, table_name_column(v->ops->table), &row, &name);
	sum = weigh(v, p, &row);
	screen_put(s, r->row, r->column + 1, room + 1,
		   area == TREEMAP_NO_AREA ? name.style : area_style(area),
		   label_of(&name, room + 1, cut));
	snprintf(size, sizeof size, "%s %s", format_size(sum.bytes, bytes),
		 format_share(sum.bytes, p->bytes, share));
	if (text_width(size) > room)
		snprintf(size, sizeof size, "%s", bytes);
	if (r->height > 1 && text_width(size) <= room)
		screen_put(s, r->row + 1, r->column + 1, room,
			   area == TREEMAP_NO_AREA ? STYLE_NUMBER : area_style(area), size);
}

/* Marks the upper edge and the beginning of the left one: every further line costs 50 bytes per
   change, twice a key, which slow connections notice. */
static void
mark_rect(struct screen *s, const struct treemap_rect *r, bool has_focus)
{
	enum style style = has_focus ? STYLE_CURSOR : STYLE_TAGGED;

	screen_restyle(s, r->row, r->column, r->width, style);
	for (int i = 1; i < r->height && i <= EDGE_LINES; i++)
		screen_restyle(s, r->row + i, r->column, 1, style);
	if (has_focus)
		s->cursor_row = r->row;
}

static void
draw_rect(const struct view *v, const struct treemap_picture *p, struct screen *s, size_t index,
	  bool has_focus)
{
	struct treemap_rect r = p->rects[index], inside;
	uint8_t area = area_of(p, index);
	const char *filling;
	enum style style;

	r.row += v->area.row + v->heading_lines;
	r.column += v->area.column;
	inside = (struct treemap_rect){ r.row + 1, r.column + 1, r.height - 1, r.width - 1 };
	filling = filling_of(v, index, &style);
	if (area != TREEMAP_NO_AREA)
		fill_area(s, &inside, area);
	for (int i = 1; area == TREEMAP_NO_AREA && i < r.height; i++)
		for (int j = 1; j < r.width; j++)
			screen_put(s, r.row + i, r.column + j, 1, style, filling);
	draw_edges(s, &r, area_style(area));
	draw_labels(v, p, s, index, &r);
	if (index == v->cursor)
		mark_rect(s, &r, has_focus);
}

/* Names the colours that are on the screen, as far as there is room. */
static void
draw_legend(const struct view *v, const struct treemap_picture *p, struct screen *s, int line)
{
	int at = v->area.column, end = at + v->area.width;

	for (int i = 0; i < TREEMAP_AREAS; i++) {
		const struct treemap_area *area = &p->areas.items[i];
		const struct treemap_rect swatch = { line, at, 1, SWATCH };
		int width = SWATCH + 1 + text_width(area->name);

		if (!area->is_shown || at + width > end)
			continue;
		fill_area(s, &swatch, (uint8_t)i);
		screen_put(s, line, at + SWATCH + 1, end - at, STYLE_NORMAL, area->name);
		at += width + SWATCH;
	}
	if (p->areas.has_others)
		screen_put(s, line, at, end - at, STYLE_DIM, "others uncoloured");
}

/* True if the row stands for the rest of a page or picture, not for one object or type. */
static bool
is_of_many(const struct row *row)
{
	return row->kind == ROW_MORE || row->kind == ROW_NOTE || row->kind == ROW_SKIP;
}

/* Describes the rectangle under the cursor in numbers. */
static void
describe_rect(const struct view *v, const struct treemap_picture *p, char *out, size_t out_size)
{
	char bytes[FORMAT_BYTES], count[FORMAT_BYTES], share[FORMAT_BYTES], here[FORMAT_BYTES],
	    text[VALUE_TEXT_BYTES], address[40] = "", objects[64] = "";
	struct retained_sum sum;
	struct value name;
	struct row row;

	view_row(v, v->cursor, &row);
	view_cell(v, table_name_column(v->ops->table), &row, &name);
	sum = weigh(v, p, &row);
	if (row.node != NODE_NONE) {
		address[0] = ' ';
		address_format(heap_address(v->session->heap, row.node), address + 1);
	}
	if (!is_of_many(&row))
		snprintf(objects, sizeof objects, " in %s object%s", format_count(sum.count, count),
			 plural(sum.count));
	snprintf(out, out_size, "%s%s, %s of the heap, %s of this: %s%s",
		 format_bytes(sum.bytes, bytes), objects,
		 format_share(sum.bytes, v->session->heap->bytes_count, share),
		 format_share(sum.bytes, p->bytes, here), value_for_people(&name, text), address);
}

void
treemap_picture_draw(const struct view *v, const struct treemap_picture *p, struct screen *s,
		     bool has_focus)
{
	int line = v->area.row + v->heading_lines + picture_height(v);
	char summary[2 * VALUE_TEXT_BYTES];

	for (size_t i = 0; i < p->drawn; i++)
		draw_rect(v, p, s, i, has_focus);
	draw_frame(v, p, s);
	if (has_legend(v))
		draw_legend(v, p, s, line++);
	describe_rect(v, p, summary, sizeof summary);
	view_draw_summary(v, s, line, summary_lines(v), summary);
}

size_t
treemap_picture_pick(const struct view *v, const struct treemap_picture *p, int line, int column)
{

	column -= v->area.column;
	for (size_t i = 0; i < p->drawn; i++) {
		const struct treemap_rect *r = &p->rects[i];

		if (line >= r->row && line < r->row + r->height && column >= r->column &&
		    column < r->column + r->width)
			return i;
	}
	return SIZE_MAX;
}
