/* Lays out a view: which columns fit, how wide they are, and which rows are shown. */
#include "model/base/text.h"
#include "model/table/column_choice.h"
#include "tui/widget/drawn_cell.h"
#include "tui/widget/view_heading.h"
#include <limits.h>
#include <string.h>

enum {
	NAME_MIN = 22,      /* columns are dropped until names have this */
	TREE_MIN = 40,      /* the same for indented names */
	WORD_MIN = 8,       /* a narrower text is of no use */
	SENTENCE_MIN = 16,  /* the same for names that may be dropped */
	NAME_READABLE = 40, /* optional columns need names at least this wide */
	RANK_BASIC = 4,     /* columns of at most this rank are not optional */
	NAME_ENOUGH = 60,   /* wider only if a longer name was shown */
	NAME_STEP = 20,
	BARS_LEAST = 48 /* names at least this wide leave room for bars */
};

/* --- columns ------------------------------------------------------------- */

static int
column_width(const struct column *c)
{
	return c->width < 0 ? -c->width : c->width;
}

/* Returns whether all rows have lines for what finds no room beside them. */
static bool
has_lines_below(const struct view *v)
{
	return v->rows_count && !v->is_waiting && !v->area.is_read_aloud &&
	       v->rows_count * 2 <= (size_t)v->rows_shown;
}

/* Returns the column to drop first: the last of the highest rank; -1: none. Nothing is lost with
   one that goes to the lines below, and the one by which the user sorts the rows goes last. */
static int
column_to_drop(const struct view *v)
{
	bool has_lines = has_lines_below(v);
	int drop = -1, highest = 1;

	for (int i = 0; v->ops->table->columns[i].id; i++) {
		const struct column *c = &v->ops->table->columns[i];
		bool goes_below = has_lines && c->flags & COLUMN_BELOW;
		int rank = c->rank + (goes_below ? UCHAR_MAX : 0);

		if (v->is_order_chosen && table_sort_column(v->ops->table, i) == v->sort) {
			if (drop >= 0)
				continue;
			rank = rank ? 1 : 0;
		}
		if (v->widths[i] && c->width != FILL && rank >= highest) {
			drop = i;
			highest = rank;
		}
	}
	return drop;
}

/* Texts that can go to the lines below are shown in full beside the row, or cut if there are no
   such lines. */
static int
width_beside(const struct view *v, const struct column *c, const char *text)
{
	int most = v->area.width * 3 / 10, width;

	if (!(c->flags & COLUMN_BELOW))
		return 0;
	width = text_width(text);
	return has_lines_below(v) || width < most ? width : most;
}

/* Numbers are never cut: their column is as wide as those on screen. Returns 0 for most other
   text. */
static int
cell_width(const struct view *v, const struct column *c, size_t index, const struct row *row)
{
	char out[VALUE_TEXT_BYTES];
	struct value value;

	view_cell(v, c, row, &value);
	if (c->width == FILL)
		return text_width(drawn_text(v, c, index, &value, out)) +
		       drawn_indent(v, row, v->area.width) + drawn_marks_width(v, row);
	if (!value_is_number(&value) && value.style != STYLE_NUMBER)
		return width_beside(v, c, value_for_people(&value, out));
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

/* Places the name column, if not chosen, before the columns that it precedes by default. */
static void
place_name_column(struct view *v)
{
	int name = (int)(table_name_column(v->ops->table) - v->ops->table->columns), at = 0;

	if (is_placed(v, name))
		return;
	while (at < v->order_count && v->order[at] < name)
		at++;
	memmove(&v->order[at + 1], &v->order[at],
		(size_t)(v->order_count - at) * sizeof v->order[0]);
	v->order[at] = name;
	v->order_count++;
}

/* Orders the columns from left to right, as chosen. */
static void
order_columns(struct view *v)
{
	const char *at = v->wanted ? v->wanted : "";
	struct column_choice c;
	struct error ignored = { 0 };

	v->order_count = 0;
	memset(v->chosen_widths, 0, sizeof v->chosen_widths);
	for (int i = 0; !*at && v->ops->table->columns[i].id; i++)
		v->order[v->order_count++] = i;
	while (column_choice_next(&at, v->ops->table, &c, &ignored)) {
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
	const struct column *c = &v->ops->table->columns[column];

	if (!view_has_column(v, c, false))
		return 0;
	return c->width != FILL && v->chosen_widths[column] ? v->chosen_widths[column]
							    : column_width(c);
}

/* Sets the least width of every available column. */
static void
measure_columns(struct view *v)
{
	size_t last = v->top + (size_t)v->rows_shown;
	struct row row;

	if (last > v->rows_count)
		last = v->rows_count;
	for (int i = 0; v->ops->table->columns[i].id; i++)
		v->widths[i] = least_width(v, i);
	for (size_t at = v->top; at < last && !v->is_waiting; at++) {
		view_row(v, at, &row);
		for (int i = 0; v->ops->table->columns[i].id; i++) {
			const struct column *c = &v->ops->table->columns[i];
			int width =
			    v->widths[i] || c->width == FILL ? cell_width(v, c, at, &row) : 0;

			if (width > v->widths[i])
				v->widths[i] = width;
		}
	}
}

/* False if the view scrolled by one row, which a terminal does itself for a few bytes. */
static bool
is_all_drawn_anew(const struct view *v)
{
	return v->top == 0 || v->rows_count != v->laid_rows || v->top > v->laid_top + 1 ||
	       v->top + 1 < v->laid_top;
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

/* Returns the width of names: all that is left, but not much more than they need, so that the
   columns after them stay close. */
static int
name_width(const struct view *v, const struct column *name, int left)
{
	int index = (int)(name - v->ops->table->columns);
	int enough = v->chosen_widths[index];

	if (!enough && !stands_before_others(v, index))
		return left;
	if (!enough)
		enough = v->longest_name <= NAME_ENOUGH
			     ? NAME_ENOUGH
			     : (v->longest_name + NAME_STEP - 1) / NAME_STEP * NAME_STEP;
	return left < enough ? left : enough;
}

/* Widen columns for bars. Returns the width taken from the names. */
static int
widen_for_bars(struct view *v, int left)
{
	int taken = 0;

	for (int i = 0; v->ops->table->columns[i].id; i++) {
		if (!v->widths[i] || v->chosen_widths[i] ||
		    !(v->ops->table->columns[i].flags & COLUMN_BAR) || left - taken < BARS_LEAST)
			continue;
		v->widths[i] += DRAWN_BAR + COLUMN_GAP;
		taken += DRAWN_BAR + COLUMN_GAP;
	}
	return taken;
}

/* Updates the longest name only when everything is redrawn, and never shrinks it: moving columns is
   slow on slow connections. */
static void
note_longest_name(struct view *v, int width)
{
	if (width > v->longest_name && is_all_drawn_anew(v))
		v->longest_name = width;
}

/*
 * Returns the width that names keep if this column is shown: more on a wide screen, so that adding
 * columns never leaves them less than on a narrow one.
 */
static int
least_for_names(const struct view *v, int column)
{
	int most = view_code(v->ops)->tree ? TREE_MIN : NAME_MIN, width = v->area.width;
	int least = view_code(v->ops)->tree ? width / 2 : width * 2 / 5;
	/* A sentence says what optional columns would repeat. */
	int readable = v->ops->list.flags & VIEW_NAMES_SELECTED ? width / 2 : width * 3 / 10;

	if (least > most)
		least = most;
	if (readable > NAME_READABLE)
		readable = NAME_READABLE;
	if (readable > v->longest_name)
		readable = v->longest_name;
	if ((v->wanted && *v->wanted) || v->ops->table->columns[column].rank <= RANK_BASIC)
		return least;
	return readable > least ? readable : least;
}

/* Narrow text columns by `columns` in total, so that they are cut visibly and not at the edge of
   the screen. */
static void
narrow_texts(struct view *v, int columns)
{
	for (int n = v->order_count - 1; n >= 0 && columns > 0; n--) {
		int i = v->order[n], spare = v->widths[i] - WORD_MIN;

		if (v->ops->table->columns[i].width >= FILL || spare <= 0)
			continue;
		spare = spare < columns ? spare : columns;
		v->widths[i] -= spare;
		columns -= spare;
	}
}

/* Returns by how many text columns can be narrowed. */
static int
spare_of_texts(const struct view *v)
{
	int sum = 0;

	for (int i = 0; v->ops->table->columns[i].id; i++)
		if (v->ops->table->columns[i].width < 0 && v->widths[i] > WORD_MIN)
			sum += v->widths[i] - WORD_MIN;
	return sum;
}

/* Narrows text columns, so that names get about as much as these. */
static int
share_with_names(struct view *v, int left)
{
	int spare = spare_of_texts(v), wanted = 2 * WORD_MIN - left;

	if (left >= WORD_MIN || left + spare < WORD_MIN || v->ops->list.flags & VIEW_NAMES_SELECTED)
		return left;
	if (wanted > spare)
		wanted = spare;
	narrow_texts(v, wanted);
	return left + wanted;
}

static void
layout_columns(struct view *v)
{
	const struct column *name = table_name_column(v->ops->table);
	int left = v->area.width, drop;

	order_columns(v);
	measure_columns(v);
	note_longest_name(v, v->widths[name - v->ops->table->columns]);
	for (int i = 0; v->ops->table->columns[i].id; i++)
		if (v->widths[i] && v->ops->table->columns[i].width != FILL)
			left -= v->widths[i] + COLUMN_GAP;
	while ((drop = column_to_drop(v)) >= 0 && left < least_for_names(v, drop)) {
		left += v->widths[drop] + COLUMN_GAP;
		v->widths[drop] = 0;
	}
	left -= widen_for_bars(v, left);
	if (name->rank && left < SENTENCE_MIN) {
		v->widths[name - v->ops->table->columns] = 0;
		narrow_texts(v, -left - COLUMN_GAP);
		return;
	}
	left = share_with_names(v, left);
	v->widths[name - v->ops->table->columns] = left < 1 ? 1 : name_width(v, name, left);
}

/* --- scrolling ----------------------------------------------------------- */

/* Scroll no further than the end of the longest name on screen. */
static int
longest_cut(const struct view *v)
{
	const struct column *name = table_name_column(v->ops->table);
	int width = v->widths[name - v->ops->table->columns], most = 0, cut;
	size_t last = v->top + (size_t)v->rows_shown;
	struct row row;

	if (width < 2)
		return 0; /* no room for names */
	for (size_t at = v->top; at < last && at < v->rows_count; at++) {
		view_row(v, at, &row);
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

static void
layout_scroll(struct view *v, size_t shown)
{
	bool is_same = v->cursor == v->scrolled.cursor && v->rows_count == v->scrolled.rows_count &&
		       v->top == v->laid_top;

	if (is_same)
		v->top = v->scrolled.top;
	if (v->cursor >= v->rows_count)
		v->cursor = v->rows_count ? v->rows_count - 1 : 0;
	if (v->top > v->cursor)
		v->top = v->cursor;
	if (v->cursor >= v->top + shown)
		v->top = v->cursor - shown + 1;
	/* Leave no blank lines at the end while there are rows above. */
	if (v->top + shown > v->rows_count)
		v->top = v->rows_count > shown ? v->rows_count - shown : 0;
	if (is_same)
		return;
	v->scrolled.cursor = v->cursor;
	v->scrolled.top = v->top;
	v->scrolled.rows_count = v->rows_count;
}

/* Rows that are lines of text are broken anew for the current width. */
static void
fit_rows(struct view *v)
{
	const struct column *name = table_name_column(v->ops->table);
	int width = v->area.is_read_aloud ? INT_MAX : v->widths[name - v->ops->table->columns];
	struct error ignored = { 0 };

	if (!(v->ops->list.flags & VIEW_FITS) || v->fitted == width ||
	    (v->rows_count && view_is_busy(v)))
		return;
	v->fitted = width;
	if (!v->rows_count) /* rows still to come are made for this width */
		return;
	(void)view_reload(v, &ignored);
	layout_scroll(v, (size_t)v->rows_shown);
}

/* Gives every row enough lines for the texts that found no room beside it, if all rows fit then. */
static void
layout_row_lines(struct view *v)
{
	int width = v->area.width - drawn_below_indent(v), needed = 1;
	char text[DRAWN_BELOW_BYTES], line[DRAWN_BELOW_BYTES];
	struct row row;

	v->row_lines = 1;
	if (!has_lines_below(v))
		return;
	for (size_t at = 0; at < v->rows_count; at++) {
		view_row(v, at, &row);
		drawn_below(v, &row, text);
		while (*text && text_line(text, width, needed - 1, line, sizeof line))
			needed++;
	}
	v->row_lines = v->rows_shown / (int)v->rows_count;
	if (v->row_lines > needed)
		v->row_lines = needed;
}

static void
layout_heading(struct view *v)
{
	v->heading_lines = view_heading_measure(v);
	v->rows_shown = v->area.height - v->heading_lines - 1;
	if (v->rows_shown < 1)
		v->rows_shown = 1;
}

void
view_layout(struct view *v, struct area area)
{
	int lines;

	v->area = area;
	layout_heading(v);

	/* A screen reader gets the numbers that the picture shows. */
	v->is_picture = v->rows_count && !v->is_waiting && !area.is_read_aloud &&
			view_code(v->ops)->picture && view_code(v->ops)->picture->layout(v);
	if (v->is_picture)
		return;
	layout_scroll(v, (size_t)v->rows_shown);
	layout_columns(v);
	/* The heading may list the columns that did not fit. */
	lines = v->heading_lines;
	layout_heading(v);
	if (v->heading_lines != lines)
		layout_scroll(v, (size_t)v->rows_shown);
	fit_rows(v);
	layout_row_lines(v);
	v->laid_top = v->top;
	v->laid_rows = v->rows_count;
	(void)view_move_names(v, 0);
}
