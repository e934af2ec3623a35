#include "tui/term/term_cells.h"
#include "model/base/utf8.h"
#include <string.h>
#include <wchar.h>
#include <wctype.h>

enum { CHARS_PER_CELL = 5 /* the limit of curses */ };

/* ---- looks ---- */

static attr_t
look_attrs(const struct term_cells *c, const struct look *look)
{
	/* clang-format off */
	static const struct { uint8_t attr; attr_t curses; } attrs[] = {
		{ ATTR_BOLD,      A_BOLD },      { ATTR_DIM,       A_DIM },
		{ ATTR_REVERSE,   A_REVERSE },   { ATTR_ITALIC,    A_ITALIC },
		{ ATTR_UNDERLINE, A_UNDERLINE },
	};
	/* clang-format on */
	attr_t got = A_NORMAL;

	for (size_t i = 0; i < sizeof(attrs) / sizeof(attrs[0]); i++)
		if (look->attrs & attrs[i].attr)
			got |= attrs[i].curses;
	/* With 8 colours, bold stands for the bright half of 16. */
	if (c->colours > 0 && c->colours < 16 && look->front.kind == COLOUR_INDEX &&
	    look->front.index >= 8 && look->front.index < 16)
		got |= A_BOLD;
	return got;
}

static int
look_colour(const struct term_cells *c, struct colour wanted)
{
	/* With 16 million colours, numbers below 256 are the palette. */
	if (c->colours > 256 && wanted.kind == COLOUR_RGB && (wanted.red || wanted.green))
		return wanted.red << 16 | wanted.green << 8 | wanted.blue;
	return colour_nearest(wanted, c->colours > 256 ? 256 : c->colours);
}

/*
 * The curses pair of these colours. Styles share pairs; otherwise, curses would send the same
 * colours again between them.
 */
static short
pair_of(const struct term_cells *c, int style, int front, int back)
{
	int other_front, other_back;

	for (int i = 0; i < style; i++)
		if (extended_pair_content(c->pairs[i], &other_front, &other_back) == OK &&
		    other_front == front && other_back == back)
			return c->pairs[i];
	init_extended_pair(style + 1, front, back);
	return (short)(style + 1);
}

void
term_cells_set_looks(struct term_cells *c)
{
	bool has_default = c->colours > 0 && use_default_colors() == OK;
	const struct theme *theme = c->colours > 0 ? &c->theme : &c->plain;

	for (int i = 0; i < STYLE_COUNT; i++) {
		const struct look *look = &theme->looks[i];
		int front = look_colour(c, look->front);
		int back = look_colour(c, look->back);

		c->attrs[i] = look_attrs(c, look);
		c->pairs[i] = 0;
		if (c->colours <= 0)
			continue;
		if (!has_default) {
			front = front < 0 ? COLOR_WHITE : front;
			back = back < 0 ? COLOR_BLACK : back;
		}
		if (front == back && front >= 0) { /* too similar */
			c->attrs[i] |=
			    c->plain.looks[i].attrs & ATTR_REVERSE ? A_REVERSE : A_NORMAL;
			front = has_default ? -1 : COLOR_WHITE;
			back = has_default ? -1 : COLOR_BLACK;
		}
		c->pairs[i] = pair_of(c, i, front, back);
	}
}

/* ---- showing ---- */

void
term_cells_forget(struct term_cells *c)
{
	screen_free(c->shown);
	c->shown = NULL;
	clearok(curscr, TRUE);
}

static void
cell_show(const struct term_cells *c, int row, int column, const struct cell *cell)
{
	wchar_t text[CHARS_PER_CELL + 1];
	size_t count = 0, used;
	cchar_t out;

	for (const char *at = cell->text; *at && count < CHARS_PER_CELL;) {
		text[count++] = (wchar_t)utf8_decode(at, &used);
		at += used;
	}
	text[count] = L'\0';
	/* The C library does not know the character and would mangle it. */
	if (!iswprint((wint_t)text[0])) {
		text[0] = c->is_ascii ? L'?' : L'\ufffd';
		text[1] = L'\0';
	}
	setcchar(&out, text, c->attrs[cell->style], c->pairs[cell->style], NULL);
	mvadd_wch(row, column, &out);
}

static void
row_show(const struct term_cells *c, int row, const struct cell *cells, int columns)
{
	static const struct cell blank = { .text = " ", .width = 1 };

	for (int column = 0; column < columns; column++) {
		const struct cell *cell = &cells[column];

		if (cell->width == 0)
			continue;
		if (column + cell->width > columns)
			cell = &blank; /* the other half would be outside */
		cell_show(c, row, column, cell);
	}
}

/* Copies the screen, to find changed rows next time. */
static void
shown_keep(struct term_cells *c, const struct screen *s)
{
	struct error ignored = { 0 };
	size_t cells = (size_t)s->rows * (size_t)s->columns;

	if (!c->shown)
		c->shown = screen_new(s->rows, s->columns, &ignored);
	if (c->shown) /* otherwise all rows are sent to curses each time */
		memcpy(c->shown->cells, s->cells, cells * sizeof(*s->cells));
}

int
term_cells_put(struct term_cells *c, const struct screen *s)
{
	int rows, columns, changed = 0;

	getmaxyx(stdscr, rows, columns);
	if (c->shown && (c->shown->rows != s->rows || c->shown->columns != s->columns)) {
		screen_free(c->shown);
		c->shown = NULL;
	}
	if (!c->shown)
		erase();
	columns = s->columns < columns ? s->columns : columns;
	for (int row = 0; row < rows && row < s->rows; row++) {
		size_t first = (size_t)row * (size_t)s->columns;
		const struct cell *cells = s->cells + first;

		if (!c->shown || memcmp(cells, c->shown->cells + first,
					(size_t)s->columns * sizeof(*cells)) != 0) {
			row_show(c, row, cells, columns);
			changed++;
		}
	}
	shown_keep(c, s);
	if (s->caret_row >= 0 && s->caret_row < rows && s->caret_column >= 0 &&
	    s->caret_column < columns) {
		leaveok(stdscr, FALSE);
		move(s->caret_row, s->caret_column);
		curs_set(1);
	} else {
		leaveok(stdscr, TRUE); /* the cursor is invisible */
		curs_set(0);
	}
	wnoutrefresh(stdscr);
	return changed;
}
