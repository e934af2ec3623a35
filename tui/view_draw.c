/* How a view takes its place on the screen, and drawing it there. */
#include "tui/column_choice.h"
#include "tui/name_cut.h"
#include <string.h>

enum {
	NAME_MIN = 22,    /* columns that go make room until this is reached */
	TREE_MIN = 40,    /* the same where names are indented */
	NAME_ENOUGH = 60, /* wider only if a name that was shown is */
	NAME_STEP = 20,
	ROWS_MIN = 3,     /* heading lines give way to these */
	INDENT = 2,       /* of a tree, for each level */
	TREE_MARK = 2,    /* "▸ " */
	MARK_WIDTH = 2,   /* "◆ " */
	CUT_BYTES = 1024, /* of a name cut to a column */
	SHARE_BAR = 8,    /* cells of a bar before a share */
	BARS_LEAST = 48   /* with so many columns for names there are bars */
};

/* --- layout -------------------------------------------------------------- */

static int
column_width(const struct column *c)
{
	return c->width < 0 ? -c->width : c->width;
}

/* The column that goes first: of the highest rank, the last one. */
static int
column_to_drop(const struct view *v)
{
	int drop = -1;

	for (int i = 0; v->ops->columns[i].id; i++) {
		const struct column *c = &v->ops->columns[i];

		if (v->widths[i] && c->rank &&
		    (drop < 0 || c->rank >= v->ops->columns[drop].rank))
			drop = i;
	}
	return drop;
}

/*
 * Names of megabytes are possible in a made-up dump: of those the ends are
 * enough, or each frame would measure all of it.
 */
static const char *
ends_of(const char *text, char out[VALUE_TEXT_BYTES])
{
	size_t len = strlen(text), half = VALUE_TEXT_BYTES / 2 - 4;

	if (len <= 4 * VALUE_TEXT_BYTES)
		return text;
	snprintf(out, VALUE_TEXT_BYTES, "%.*s…%s", (int)half, text,
		 text + len - half);
	return out;
}

/* Of another row; "": there is none. */
static const char *
cell_text(const struct view *v, const struct column *c, size_t index,
	  struct value *value, char out[VALUE_TEXT_BYTES])
{
	struct row row;

	if (index >= v->rows_count)
		return "";
	v->ops->row(v, index, &row);
	view_cell(v, c, &row, value);
	return ends_of(value_for_people(value, out), out);
}

/* What is drawn of a cell in the row `index`. */
static const char *
drawn_text(const struct view *v, const struct column *c, size_t index,
	   const struct value *value, char out[VALUE_TEXT_BYTES])
{
	const char *text = ends_of(value_for_people(value, out), out);
	char room[2][VALUE_TEXT_BYTES];
	const char *folded = NULL;
	struct value beside[2];

	if (v->session->folds_names && value->kind == VALUE_TEXT &&
	    value->style == STYLE_TYPE && text != out && strchr(text, '<'))
		folded = name_fold_apart(
		    text, cell_text(v, c, index - 1, &beside[0], room[0]),
		    cell_text(v, c, index + 1, &beside[1], room[1]), out,
		    VALUE_TEXT_BYTES);
	return folded ? folded : text;
}

/* How far a tree's row is moved to the right, its mark included. */
static int
row_indent(const struct view *v, const struct row *row, int width)
{
	int most = width / 2, indent;

	if (!v->ops->fold)
		return 0;
	/* Deep rows stay readable: from here on only the number tells. */
	indent = row->depth > (uint32_t)most ? most : (int)row->depth * INDENT;
	return (indent > most ? most : indent) + TREE_MARK;
}

static int
mark_width(const struct view *v, const struct row *row)
{
	const struct marks *marks = v->session ? &v->session->marks : NULL;

	return marks && marks_find(marks, row->node, row->type) ? MARK_WIDTH
								: 0;
}

/* A number is never cut: its column is as wide as those on the screen. */
static int
cell_width(const struct view *v, const struct column *c, size_t index,
	   const struct row *row)
{
	char out[VALUE_TEXT_BYTES];
	struct value value;

	view_cell(v, c, row, &value);
	if (c->width == FILL)
		return text_width(drawn_text(v, c, index, &value, out)) +
		       row_indent(v, row, v->area.width) + mark_width(v, row);
	if (!value_is_number(&value) && value.style != STYLE_NUMBER)
		return 0;
	return text_width(value_for_people(&value, out));
}

static bool
is_placed(const struct view *v, int column)
{
	for (int i = 0; i < v->order_count; i++)
		if (v->order[i] == column)
			return true;
	return false;
}

/* Before those that it stands before where nobody has chosen an order. */
static void
place_name_column(struct view *v)
{
	int name = (int)(view_name_column(v->ops) - v->ops->columns), at = 0;

	if (is_placed(v, name))
		return;
	while (at < v->order_count && v->order[at] < name)
		at++;
	memmove(&v->order[at + 1], &v->order[at],
		(size_t)(v->order_count - at) * sizeof v->order[0]);
	v->order[at] = name;
	v->order_count++;
}

/* From left to right, as chosen. */
static void
order_columns(struct view *v)
{
	const char *at = v->wanted ? v->wanted : "";
	struct column_choice c;
	struct error ignored = { 0 };

	v->order_count = 0;
	memset(v->chosen_widths, 0, sizeof v->chosen_widths);
	for (int i = 0; !*at && v->ops->columns[i].id; i++)
		v->order[v->order_count++] = i;
	while (column_choice_next(&at, v->ops, &c, &ignored)) {
		if (c.column < 0 || is_placed(v, c.column))
			continue;
		v->order[v->order_count++] = c.column;
		v->chosen_widths[c.column] = c.width;
	}
	place_name_column(v);
}

static int
least_width(const struct view *v, int column)
{
	const struct column *c = &v->ops->columns[column];

	if (!view_has_column(v, c, false))
		return 0;
	return c->width != FILL && v->chosen_widths[column]
		   ? v->chosen_widths[column]
		   : column_width(c);
}

/* The columns there are, as wide as they must be. */
static void
measure_columns(struct view *v)
{
	size_t last = v->top + (size_t)v->rows_shown;
	struct row row;

	if (last > v->rows_count)
		last = v->rows_count;
	for (int i = 0; v->ops->columns[i].id; i++)
		v->widths[i] = least_width(v, i);
	for (size_t at = v->top; at < last && !v->is_waiting; at++) {
		v->ops->row(v, at, &row);
		for (int i = 0; v->ops->columns[i].id; i++) {
			const struct column *c = &v->ops->columns[i];
			int width = v->widths[i] || c->width == FILL
					? cell_width(v, c, at, &row)
					: 0;

			if (width > v->widths[i])
				v->widths[i] = width;
		}
	}
}

/* Not one row further: the terminal itself can do that, for a few bytes. */
static bool
is_all_drawn_anew(const struct view *v)
{
	return v->top == 0 || v->rows_count != v->laid_rows ||
	       v->top > v->laid_top + 1 || v->top + 1 < v->laid_top;
}

static bool
stands_before_others(const struct view *v, int column)
{
	bool is_behind = false;

	for (int i = 0; i < v->order_count; i++) {
		if (is_behind && v->widths[v->order[i]])
			return true;
		is_behind = is_behind || v->order[i] == column;
	}
	return false;
}

/*
 * What the names get: all that is left; but where more is left than they need,
 * what stands behind them stays within reach of the eye. That moves only when
 * all is drawn anew, and never back: lines may be slow.
 */
static int
name_width(struct view *v, const struct column *name, int left)
{
	int index = (int)(name - v->ops->columns);
	int wanted = v->widths[index], chosen = v->chosen_widths[index];

	if (chosen)
		return left < chosen ? left : chosen;
	if (!stands_before_others(v, index))
		return left;
	if (v->name_width < NAME_ENOUGH)
		v->name_width = NAME_ENOUGH;
	if (wanted > v->name_width && is_all_drawn_anew(v))
		v->name_width = wanted + NAME_STEP - wanted % NAME_STEP;
	return left < v->name_width ? left : v->name_width;
}

/* What the bars take of the room for names. */
static int
widen_for_bars(struct view *v, int left)
{
	int taken = 0;

	for (int i = 0; v->ops->columns[i].id; i++) {
		if (!v->widths[i] || v->chosen_widths[i] ||
		    !(v->ops->columns[i].flags & COLUMN_BAR) ||
		    left - taken < BARS_LEAST)
			continue;
		v->widths[i] += SHARE_BAR + COLUMN_GAP;
		taken += SHARE_BAR + COLUMN_GAP;
	}
	return taken;
}

static void
layout_columns(struct view *v)
{
	const struct column *name = view_name_column(v->ops);
	int most = v->ops->fold ? TREE_MIN : NAME_MIN;
	int left = v->area.width, drop;
	int least = v->ops->fold ? left / 2 : left * 2 / 5;

	if (least > most)
		least = most;
	order_columns(v);
	measure_columns(v);
	for (int i = 0; v->ops->columns[i].id; i++)
		if (v->widths[i] && v->ops->columns[i].width != FILL)
			left -= v->widths[i] + COLUMN_GAP;
	while (left < least && (drop = column_to_drop(v)) >= 0) {
		left += v->widths[drop] + COLUMN_GAP;
		v->widths[drop] = 0;
	}
	left -= widen_for_bars(v, left);
	v->widths[name - v->ops->columns] =
	    left < 1 ? 1 : name_width(v, name, left);
}

/* The n-th line above the table. */
static bool
heading_line(const struct view *v, int n, char *out, size_t out_size,
	     enum style *style)
{
	char text[VALUE_TEXT_BYTES];
	struct value value;

	if (!v->ops->heading || v->is_waiting)
		return false;
	for (unsigned i = 0; v->ops->heading(v, i, &value); i++) {
		const char *whole = value_for_people(&value, text);
		int lines = 0;

		*style = value.style;
		if (text_line(whole, v->area.width, n, out, out_size))
			return true;
		while (text_line(whole, v->area.width, lines, out, out_size))
			lines++;
		n -= lines;
	}
	return false;
}

static int
count_heading_lines(const struct view *v)
{
	char text[CUT_BYTES];
	enum style style;
	int lines = 0;

	while (lines < HEADING_MAX &&
	       heading_line(v, lines, text, sizeof text, &style))
		lines++;
	return lines;
}

/* No further than the longest name on the screen goes on. */
static int
longest_cut(const struct view *v)
{
	const struct column *name = view_name_column(v->ops);
	int width = v->widths[name - v->ops->columns], most = 0, cut;
	size_t last = v->top + (size_t)v->rows_shown;
	struct row row;

	for (size_t at = v->top; at < last && at < v->rows_count; at++) {
		v->ops->row(v, at, &row);
		cut = cell_width(v, name, at, &row) - width;
		most = cut > most ? cut : most;
	}
	return most;
}

bool
view_move_names(struct view *v, int columns)
{
	int before = v->left, most;

	v->left += columns;
	if (v->left > 0 && !v->is_waiting) {
		most = longest_cut(v);
		v->left = v->left > most ? most : v->left;
	}
	if (v->left < 0)
		v->left = 0;
	return v->left != before;
}

void
view_layout(struct view *v, struct area area)
{
	int spare = area.height - 1 - ROWS_MIN;
	size_t shown;

	v->area = area;
	v->heading_lines = count_heading_lines(v);
	if (v->heading_lines > spare)
		v->heading_lines = spare > 0 ? spare : 0;
	v->rows_shown = area.height - v->heading_lines - 1;
	if (v->rows_shown < 1)
		v->rows_shown = 1;

	v->is_picture = v->rows_count && !v->is_waiting &&
			v->ops->layout_picture && v->ops->layout_picture(v);
	if (v->is_picture)
		return;
	shown = (size_t)v->rows_shown;
	if (v->cursor >= v->rows_count)
		v->cursor = v->rows_count ? v->rows_count - 1 : 0;
	if (v->top > v->cursor)
		v->top = v->cursor;
	if (v->cursor >= v->top + shown)
		v->top = v->cursor - shown + 1;
	/* No blank lines at the end while there are rows above. */
	if (v->top + shown > v->rows_count)
		v->top = v->rows_count > shown ? v->rows_count - shown : 0;
	layout_columns(v);
	v->laid_top = v->top;
	v->laid_rows = v->rows_count;
	(void)view_move_names(v, 0);
}

/* --- drawing ------------------------------------------------------------- */

static void
draw_tree_mark(const struct view *v, struct screen *s, int line, int column,
	       int indent, const struct row *row)
{
	const char *mark = row->fold == FOLD_OPEN     ? "▾"
			   : row->fold == FOLD_CLOSED ? "▸"
			   : row->kind == ROW_CYCLE   ? "↻"
						      : "";

	if (!v->ops->fold)
		return;
	if ((int)row->depth * INDENT > indent)
		screen_printf(s, line, column, indent - TREE_MARK, STYLE_DIM,
			      "%u", row->depth);
	screen_put(s, line, column + indent - TREE_MARK, 1, STYLE_DIM, mark);
}

static void
mark_match(const struct view *v, struct screen *s, int line, int column,
	   int width, const char *text)
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
		screen_restyle(s, line, column + begin, end - begin,
			       STYLE_MATCH);
}

/* What the row draws there; "": nothing to compare with. */
static const char *
neighbour_text(const struct view *v, size_t index, struct value *value,
	       char out[VALUE_TEXT_BYTES])
{
	const struct column *name = view_name_column(v->ops);
	struct row row;

	if (index >= v->rows_count)
		return "";
	v->ops->row(v, index, &row);
	view_cell(v, name, &row, value);
	return drawn_text(v, name, index, value, out);
}

static size_t
index_of_line(const struct view *v, int line)
{
	return v->top + (size_t)(line - v->area.row - v->heading_lines - 1);
}

/* So that it looks like neither of the rows beside it, unless it is the same.
 */
static const char *
cut_name(const struct view *v, int line, int width, const char *text,
	 char cut[CUT_BYTES])
{
	size_t index = index_of_line(v, line);
	char out[VALUE_TEXT_BYTES], usual[CUT_BYTES];
	struct value other;

	text_fit(text, width, usual, sizeof usual);
	name_fit_apart(text, neighbour_text(v, index - 1, &other, out), width,
		       cut, CUT_BYTES);
	if (!strcmp(cut, usual))
		name_fit_apart(text, neighbour_text(v, index + 1, &other, out),
			       width, cut, CUT_BYTES);
	return cut;
}

/* What everybody's names begin with stands back behind what follows it. */
static void
dim_platform(struct screen *s, int line, int column, int width,
	     const struct value *value, const char *text)
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

static void
draw_name(const struct view *v, struct screen *s, int line, int column,
	  int width, const struct row *row, const struct value *value)
{
	int indent = row_indent(v, row, width), mark = mark_width(v, row);
	char out[VALUE_TEXT_BYTES], cut[CUT_BYTES];
	const char *text = drawn_text(v, view_name_column(v->ops),
				      index_of_line(v, line), value, out);

	draw_tree_mark(v, s, line, column, indent, row);
	column += indent;
	width -= indent;
	if (mark && width > mark) {
		screen_put(s, line, column, 1, STYLE_TAGGED, "◆");
		column += mark;
		width -= mark;
	}
	if (v->left && *text) {
		/* One more: that it goes on to the left must be seen. */
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

/* To the nearest eighth of a cell. */
static void
draw_share_bar(struct screen *s, int line, int column,
	       const struct value *share)
{
	static const char *const eighths[] = { "",  "▏", "▎", "▍",
					       "▌", "▋", "▊", "▉" };
	double part;
	int filled;

	if (share->kind != VALUE_SHARE || !share->whole)
		return;
	part = (double)share->number / (double)share->whole;
	filled = (int)(part * SHARE_BAR * 8 + 0.5);
	for (int i = 0; i < filled / 8; i++)
		screen_put(s, line, column + i, 1, STYLE_BAR, "█");
	screen_put(s, line, column + filled / 8, 1, STYLE_BAR,
		   eighths[filled % 8]);
}

static void
draw_cell(const struct view *v, struct screen *s, int line, int column,
	  int index, const struct row *row)
{
	const struct column *c = &v->ops->columns[index];
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
		text = text_fit(text, width, cut, sizeof cut);
	if (c->flags & COLUMN_BAR && width > SHARE_BAR + text_width(text))
		draw_share_bar(s, line, column, &value);
	if (c->width > 0 && text_width(text) < width) {
		column += width - text_width(text);
		width = text_width(text);
	}
	screen_put(s, line, column, width, value.style, text);
	mark_match(v, s, line, column, width, text);
}

static void
draw_row(const struct view *v, struct screen *s, int line, size_t index)
{
	int column = v->area.column;
	struct row row;

	v->ops->row(v, index, &row);
	for (int n = 0; n < v->order_count; n++) {
		int i = v->order[n];

		if (!v->widths[i])
			continue;
		draw_cell(v, s, line, column, i, &row);
		column += v->widths[i] + COLUMN_GAP;
	}
}

static void
draw_column_title(const struct view *v, struct screen *s, int line, int column,
		  int index)
{
	const struct column *c = &v->ops->columns[index];
	bool is_sorted = index == v->sort;
	enum style style = is_sorted ? STYLE_SORTED : STYLE_HEADER;
	const char *mark = !is_sorted         ? ""
			   : v->is_descending ? s->is_ascii ? "(v)" : "▼"
			   : s->is_ascii      ? "(^)"
					      : "▲";
	int room = v->widths[index] - text_width(mark);
	char title[64], cut[64];

	snprintf(title, sizeof title, "%s%s",
		 text_fit(c->title, room, cut, sizeof cut), mark);
	if (c->width <= 0)
		screen_put(s, line, column, v->widths[index], style, title);
	else
		screen_put_right(s, line, column, v->widths[index], style,
				 title);
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
draw_heading(const struct view *v, struct screen *s)
{
	int line = v->area.row, column = v->area.column, used = 0;
	char text[CUT_BYTES];
	enum style style = STYLE_NORMAL;

	for (int i = 0; i < v->heading_lines; i++, line++)
		if (heading_line(v, i, text, sizeof text, &style))
			used = screen_put(s, line, column, v->area.width, style,
					  text);
	/* Lines have given way to rows. */
	if (!v->heading_lines ||
	    !heading_line(v, v->heading_lines, text, sizeof text, &style))
		return;
	used += used > 0;
	if (used >= v->area.width)
		used = v->area.width - 1;
	screen_put(s, line - 1, column + used, 1, STYLE_DIM, "…");
}

static void
draw_empty(const struct view *v, struct screen *s, int line)
{
	char out[VALUE_TEXT_BYTES], piece[CUT_BYTES];
	const char *text = view_empty_text(v, out);

	for (int i = 0; line + i < v->area.row + v->area.height &&
			text_line(text, v->area.width, i, piece, sizeof piece);
	     i++)
		screen_put(s, line + i, v->area.column, v->area.width,
			   STYLE_DIM, piece);
}

void
view_draw(const struct view *v, struct screen *s, bool has_focus)
{
	int line = v->area.row + v->heading_lines;

	draw_heading(v, s);
	if (v->is_picture) {
		v->ops->draw_picture(v, s, has_focus);
		return;
	}
	draw_column_titles(v, s, line++);
	if (!v->rows_count || v->is_waiting) {
		draw_empty(v, s, line);
		return;
	}
	for (int i = 0; i < v->rows_shown; i++, line++) {
		size_t index = v->top + (size_t)i;

		if (index >= v->rows_count)
			break;
		draw_row(v, s, line, index);
		if (index != v->cursor)
			continue;
		screen_restyle(s, line, v->area.column, v->area.width,
			       has_focus ? STYLE_CURSOR : STYLE_TAGGED);
		if (has_focus)
			s->cursor_row = line;
	}
}

/* Of a type, with namespaces and all, however it is shown. */
static const char *
whole_text(const struct value *value)
{
	const struct type *t = value->type;

	if (t && (value->text == t->name || value->text == t->short_name))
		return t->name;
	return value->text;
}

bool
view_cut_name(const struct view *v, struct value *out)
{
	const struct column *name = view_name_column(v->ops);
	int width = v->widths[name - v->ops->columns];
	char text[VALUE_TEXT_BYTES];
	const char *drawn, *whole;
	struct row row;
	bool is_cut;

	if (v->is_waiting || !view_selected(v, &row))
		return false;
	view_cell(v, name, &row, out);
	if (out->kind != VALUE_TEXT)
		return false;
	drawn = drawn_text(v, name, v->cursor, out, text);
	whole = whole_text(out);
	is_cut = v->left || strcmp(drawn, whole) != 0 ||
		 text_width(drawn) > width - row_indent(v, &row, width);
	drawn = ends_of(whole, text);
	if (drawn == text)
		value_printf(out, out->style, "%s", text);
	else
		out->text = drawn;
	return is_cut;
}
