/* Draws a view as view_layout() has placed it. */
#include "model/base/text.h"
#include "tui/widget/drawn_cell.h"
#include "tui/widget/name_cut.h"
#include "tui/widget/view_heading.h"
#include <string.h>

enum { CUT_BYTES = 1024 }; /* of a text cut to its column */

static void
draw_tree_mark(const struct view *v, struct screen *s, int line, int column, int indent,
	       const struct row *row)
{
	const char *mark = row->fold == FOLD_OPEN     ? "▾"
			   : row->fold == FOLD_CLOSED ? "▸"
			   : row->kind == ROW_CYCLE   ? "↻"
						      : "";

	if (!view_code(v->ops)->tree)
		return;
	if ((int)row->depth * DRAWN_INDENT > indent)
		screen_printf(s, line, column, indent - DRAWN_MARK, STYLE_DIM, "%u", row->depth);
	screen_put(s, line, column + indent - DRAWN_MARK, 1, STYLE_DIM, mark);
}

static void
mark_match(const struct view *v, struct screen *s, int line, int column, int width,
	   const char *text)
{
	char piece[CUT_BYTES];
	size_t from, to;
	int begin, end;

	if (!v->search || strlen(text) >= sizeof piece ||
	    !pattern_find(v->search, text, &from, &to) || from == to)
		return;
	memcpy(piece, text, to);
	piece[to] = '\0';
	end = text_width(piece);
	piece[from] = '\0';
	begin = text_width(piece);
	if (end > width)
		end = width;
	if (begin < end)
		screen_restyle(s, line, column + begin, end - begin, STYLE_MATCH);
}

static size_t
index_of_line(const struct view *v, int line)
{
	int below = line - v->area.row - v->heading_lines - 1;

	return v->top + (size_t)(below / v->row_lines);
}

/* Cuts a name so that it differs from its neighbours, unless they are the
   same. */
static const char *
cut_name(const struct view *v, int line, int width, const char *text, char cut[CUT_BYTES])
{
	size_t index = index_of_line(v, line);
	const struct column *name = table_name_column(v->ops->table);
	char out[VALUE_TEXT_BYTES], usual[CUT_BYTES];
	struct value other;

	if (v->ops->list.flags & VIEW_NAMES_SELECTED || name_is_chain(text))
		return name_fit_short(text, width, cut, CUT_BYTES);
	text_fit(text, width, usual, sizeof usual);
	name_fit_apart(text, drawn_text_of(v, name, index - 1, &other, out), width, cut, CUT_BYTES);
	if (!strcmp(cut, usual))
		name_fit_apart(text, drawn_text_of(v, name, index + 1, &other, out), width, cut,
			       CUT_BYTES);
	return cut;
}

/* Dim the platform's namespace: it distinguishes few types. */
static void
dim_platform(struct screen *s, int line, int column, int width, const struct value *value,
	     const char *text)
{
	const struct type *t = value->type;
	size_t len;

	if (!t || value->style != STYLE_TYPE || value->text != t->name)
		return;
	len = name_platform_bytes(t);
	for (size_t i = 0; i < len; i++)
		if (text[i] != t->name[i])
			len = i; /* cut within it */
	if ((int)len > width)
		len = (size_t)width;
	screen_restyle(s, line, column, (int)len, STYLE_DIM);
}

/* Draws the marks before a name; returns their width. */
static int
draw_marks(const struct view *v, struct screen *s, int line, int column, int width,
	   const struct row *row)
{
	int used = 0;

	if (drawn_as_ignored(v, row) && width > DRAWN_MARK) {
		screen_put(s, line, column, 1, STYLE_WARNING, "✗");
		used += DRAWN_MARK;
	}
	if (drawn_as_marked(v, row) && width > used + DRAWN_MARK) {
		screen_put(s, line, column + used, 1, STYLE_TAGGED, "◆");
		used += DRAWN_MARK;
	}
	return used;
}

static void
draw_name(const struct view *v, struct screen *s, int line, int column, int width,
	  const struct row *row, const struct value *value)
{
	int indent = drawn_indent(v, row, width);
	char out[VALUE_TEXT_BYTES], cut[CUT_BYTES];
	const char *text =
	    drawn_text(v, table_name_column(v->ops->table), index_of_line(v, line), value, out);
	int used;

	draw_tree_mark(v, s, line, column, indent, row);
	column += indent;
	width -= indent;
	used = draw_marks(v, s, line, column, width, row);
	column += used;
	width -= used;
	if (v->left && *text) {
		/* One more column, for the … that shows the text continues to the left. */
		text += text_bytes(text, v->left + 1);
		column += screen_put(s, line, column, 1, STYLE_DIM, "…");
		width--;
	} else if (text_width(text) > width) {
		text = cut_name(v, line, width, text, cut);
	}
	screen_put(s, line, column, width, value->style, text);
	if (!v->left)
		dim_platform(s, line, column, width, value, text);
	mark_match(v, s, line, column, width, text);
}

/* Draws the bar, rounded to an eighth of a cell. */
static void
draw_share_bar(struct screen *s, int line, int column, const struct value *share)
{
	static const char *const eighths[] = { "", "▏", "▎", "▍", "▌", "▋", "▊", "▉" };
	double part;
	int filled;

	if (share->kind != VALUE_SHARE || !share->whole)
		return;
	part = (double)share->number / (double)share->whole;
	filled = (int)(part * DRAWN_BAR * 8 + 0.5);
	for (int i = 0; i < filled / 8; i++)
		screen_put(s, line, column + i, 1, STYLE_BAR, "█");
	screen_put(s, line, column + filled / 8, 1, STYLE_BAR, eighths[filled % 8]);
}

static void
draw_cell(const struct view *v, struct screen *s, int line, int column, int index,
	  const struct row *row)
{
	const struct column *c = &v->ops->table->columns[index];
	int width = v->widths[index];
	char out[VALUE_TEXT_BYTES], cut[CUT_BYTES];
	struct value value;
	const char *text;

	view_cell(v, c, row, &value);
	if (c->width == FILL) {
		draw_name(v, s, line, column, width, row, &value);
		return;
	}
	text = drawn_text(v, c, index_of_line(v, line), &value, out);
	if (text_width(text) > width)
		text = c->flags & COLUMN_BELOW ? name_fit_short(text, width, cut, sizeof cut)
					       : text_fit(text, width, cut, sizeof cut);
	if (c->flags & COLUMN_BAR && width > DRAWN_BAR + text_width(text))
		draw_share_bar(s, line, column, &value);
	if (c->width > 0 && text_width(text) < width) {
		column += width - text_width(text);
		width = text_width(text);
	}
	screen_put(s, line, column, width, value.style, text);
	mark_match(v, s, line, column, width, text);
}

/*
 * The title of a group of rows starts at the left if the columns before the name are blank. Returns
 * how many columns of the order it covers; *columns is their width.
 */
static int
columns_before_title(const struct view *v, const struct row *row, int *columns)
{
	int name = (int)(table_name_column(v->ops->table) - v->ops->table->columns), n = 0;
	struct value value;

	*columns = 0;
	if (row->kind != ROW_GROUP || view_code(v->ops)->tree)
		return 0;
	for (; n < v->order_count && v->order[n] != name; n++) {
		if (!v->widths[v->order[n]])
			continue;
		view_cell(v, &v->ops->table->columns[v->order[n]], row, &value);
		if (value.kind != VALUE_BLANK)
			break;
		*columns += v->widths[v->order[n]] + COLUMN_GAP;
	}
	if (n < v->order_count && v->order[n] == name && v->widths[name])
		return n;
	*columns = 0;
	return 0;
}

/* Draws the texts that found no room beside the row, cut if they need more lines. */
static void
draw_below(const struct view *v, struct screen *s, int line, const struct row *row)
{
	int indent = drawn_below_indent(v), width = v->area.width - indent;
	int column = v->area.column + indent;
	int lines = v->row_lines - 1, room = lines * width;
	char whole[DRAWN_BELOW_BYTES], text[DRAWN_BELOW_BYTES], piece[DRAWN_BELOW_BYTES];

	drawn_below(v, row, whole);
	/* Whole words may need more room than the text has columns. */
	do {
		name_fit_short(whole, room, text, sizeof text);
	} while (text_line(text, width, lines, piece, sizeof piece) && --room > width / 2);
	for (int i = 0; i < lines; i++) {
		if (!text_line(text, width, i, piece, sizeof piece))
			return;
		screen_put(s, line + 1 + i, column, width, STYLE_NORMAL, piece);
		mark_match(v, s, line + 1 + i, column, width, piece);
	}
}

static void
draw_row(const struct view *v, struct screen *s, int line, size_t index)
{
	int column = v->area.column, n, room;
	struct value value;
	struct row row;

	view_row(v, index, &row);
	n = columns_before_title(v, &row, &room);
	if (room) {
		int name = v->order[n++];

		view_cell(v, &v->ops->table->columns[name], &row, &value);
		draw_name(v, s, line, column, room + v->widths[name], &row, &value);
		column += room + v->widths[name] + COLUMN_GAP;
	}
	for (; n < v->order_count; n++) {
		int i = v->order[n];

		if (!v->widths[i])
			continue;
		draw_cell(v, s, line, column, i, &row);
		column += v->widths[i] + COLUMN_GAP;
	}
	if (v->row_lines > 1)
		draw_below(v, s, line, &row);
	if (drawn_as_ignored(v, &row))
		screen_restyle(s, line, v->area.column, v->area.width, STYLE_DIM);
}

static void
draw_column_title(const struct view *v, struct screen *s, int line, int column, int index)
{
	const struct column *c = &v->ops->table->columns[index];
	int by = table_sort_column(v->ops->table, index);
	bool is_sorted = by == v->sort;
	enum style style = is_sorted ? STYLE_SORTED : STYLE_HEADER;
	const char *mark = v->awaited.is_set && by == v->awaited.sort ? s->is_ascii ? "~" : "…"
			   : !is_sorted                               ? ""
			   : v->is_descending                         ? s->is_ascii ? " v" : "▼"
			   : s->is_ascii                              ? " ^"
								      : "▲";
	int room = v->widths[index] - text_width(mark);
	char title[64], cut[64];

	snprintf(title, sizeof title, "%s%s", text_fit(c->title, room, cut, sizeof cut), mark);
	if (c->width <= 0)
		screen_put(s, line, column, v->widths[index], style, title);
	else
		screen_put_right(s, line, column, v->widths[index], style, title);
}

static void
draw_column_titles(const struct view *v, struct screen *s, int line)
{
	int column = v->area.column;

	screen_restyle(s, line, column, v->area.width, STYLE_HEADER);
	for (int n = 0; n < v->order_count; n++) {
		int i = v->order[n];

		if (!v->widths[i])
			continue;
		draw_column_title(v, s, line, column, i);
		column += v->widths[i] + COLUMN_GAP;
	}
}

static void
draw_empty(const struct view *v, struct screen *s, int line)
{
	char out[VALUE_TEXT_BYTES], piece[CUT_BYTES];
	const char *text = view_empty_text(v, out);

	for (int i = 0; line + i < v->area.row + v->area.height &&
			text_line(text, v->area.width, i, piece, sizeof piece);
	     i++)
		screen_put(s, line + i, v->area.column, v->area.width, STYLE_DIM, piece);
}

static void
draw_cursor(const struct view *v, struct screen *s, int line, bool has_focus)
{
	for (int i = 0; i < v->row_lines; i++)
		screen_restyle(s, line + i, v->area.column, v->area.width,
			       has_focus ? STYLE_CURSOR : STYLE_TAGGED);
	if (has_focus)
		s->cursor_row = line;
}

void
view_draw(const struct view *v, struct screen *s, bool has_focus)
{
	int line = v->area.row + v->heading_lines;

	view_heading_draw(v, s);
	if (v->is_picture) {
		view_code(v->ops)->picture->draw(v, s, has_focus);
		return;
	}
	draw_column_titles(v, s, line++);
	if (!v->rows_count || v->is_waiting) {
		draw_empty(v, s, line);
		return;
	}
	for (int i = 0; i < v->rows_shown; i++, line += v->row_lines) {
		size_t index = v->top + (size_t)i;

		if (index >= v->rows_count)
			break;
		draw_row(v, s, line, index);
		if (index == v->cursor)
			draw_cursor(v, s, line, has_focus);
	}
}

void
view_draw_summary(const struct view *v, struct screen *s, int line, int lines, const char *text)
{
	int column = v->area.column, width = v->area.width;
	char piece[CUT_BYTES];

	for (int i = 0; i < lines; i++) {
		screen_restyle(s, line + i, column, width, STYLE_HEADER);
		if (text_line(text, width, i, piece, sizeof piece))
			screen_put(s, line + i, column, width, STYLE_HEADER, piece);
	}
	if (text_line(text, width, lines, piece, sizeof piece))
		screen_put(s, line + lines - 1, column + width - 1, 1, STYLE_HEADER, "…");
}

const char *
view_whole_text(const struct value *value, char out[VALUE_TEXT_BYTES])
{
	const struct type *t = value->type;

	/* A shown name may be the end of the whole one. */
	if (t && (value->text == t->short_name ||
		  (value->text >= t->name && value->text <= t->name + strlen(t->name))))
		return t->name;
	return value_for_people(value, out);
}

bool
view_cut_name(const struct view *v, struct value *out)
{
	const struct column *name = table_name_column(v->ops->table);
	int width = v->widths[name - v->ops->table->columns];
	char text[VALUE_TEXT_BYTES];
	const char *drawn, *whole;
	struct row row;
	bool is_cut;

	if ((v->ops->list.flags & VIEW_NAMES_SELECTED && v->heading_lines) || v->is_waiting ||
	    !view_selected(v, &row))
		return false;
	view_cell(v, name, &row, out);
	if (out->kind != VALUE_TEXT)
		return false;
	drawn = drawn_text(v, name, v->cursor, out, text);
	whole = view_whole_text(out, text);
	is_cut = v->left || strcmp(drawn, whole) != 0 ||
		 text_width(drawn) > width - drawn_indent(v, &row, width);
	drawn = drawn_ends(whole, text);
	if (drawn == text)
		value_printf(out, out->style, "%s", text);
	else
		out->text = drawn;
	return is_cut;
}
