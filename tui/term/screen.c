#include "tui/term/screen.h"
#include "model/base/arena.h"
#include "model/base/glyph.h"
#include "model/base/text.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum {
	SIDE_MAX = 10000, /* rows or columns; no terminal has more */
	TWINS_BYTES = 4096,
	PUT_BYTES = 4096 /* of a formatted text */
};

/* clang-format off */
static const struct {
	const char *name;
	char letter;	/* in screen_dump() */
} styles[STYLE_COUNT] = {
	[STYLE_NORMAL]  = { "normal",  ' ' },
	[STYLE_TITLE]   = { "title",   'T' },
	[STYLE_HEADER]  = { "header",  'H' },
	[STYLE_SORTED]  = { "sorted",  'S' },
	[STYLE_CURSOR]  = { "cursor",  'C' },
	[STYLE_DIM]     = { "dim",     'd' },
	[STYLE_NUMBER]  = { "number",  'n' },
	[STYLE_TYPE]    = { "type",    't' },
	[STYLE_ADDRESS] = { "address", 'a' },
	[STYLE_ROOT]    = { "root",    'r' },
	[STYLE_CYCLE]   = { "cycle",   'c' },
	[STYLE_MATCH]   = { "match",   'm' },
	[STYLE_TAGGED]  = { "tagged",  'g' },
	[STYLE_STATUS]  = { "status",  's' },
	[STYLE_WARNING] = { "warning", 'w' },
	[STYLE_ERROR]   = { "error",   'e' },
	[STYLE_KEY]     = { "key",     'k' },
	[STYLE_BAR]     = { "bar",     'b' },
	[STYLE_AREA_1]  = { "area1",   '1' },
	[STYLE_AREA_2]  = { "area2",   '2' },
	[STYLE_AREA_3]  = { "area3",   '3' },
	[STYLE_AREA_4]  = { "area4",   '4' },
	[STYLE_AREA_5]  = { "area5",   '5' },
};
/* clang-format on */

const char *
style_name(enum style style)
{
	return styles[style].name;
}

/* ---- cells ---- */

struct screen *
screen_new(int rows, int columns, struct error *err)
{
	struct screen *s;

	if (rows < 1 || columns < 1 || rows > SIDE_MAX || columns > SIDE_MAX) {
		error_set(err, ERROR_SYSTEM, "a screen of %d rows and %d columns is not possible",
			  rows, columns);
		return NULL;
	}
	s = memory_new(1, sizeof(*s), err);
	if (!s)
		return NULL;
	s->rows = rows;
	s->columns = columns;
	s->cells = memory_new((size_t)rows * (size_t)columns, sizeof(*s->cells), err);
	if (!s->cells) {
		memory_free(s);
		return NULL;
	}
	screen_clear(s);
	return s;
}

void
screen_free(struct screen *s)
{
	if (!s)
		return;
	memory_free(s->cells);
	memory_free(s);
}

static const struct cell blank = { .text = " ", .width = 1 };

void
screen_clear(struct screen *s)
{
	size_t count = (size_t)s->rows * (size_t)s->columns;

	for (size_t i = 0; i < count; i++)
		s->cells[i] = blank;
	s->cursor_row = -1;
	s->caret_row = s->caret_column = -1;
}

static struct cell *
screen_row(const struct screen *s, int row)
{
	return s->cells + (size_t)row * (size_t)s->columns;
}

static void
cell_erase(struct cell *cell)
{
	uint8_t style = cell->style;

	*cell = blank;
	cell->style = style;
}

/* Erases the other half of a wide character before its cell is overwritten. */
static void
cell_claim(const struct screen *s, struct cell *cells, int column)
{
	if (cells[column].width == 0 && column > 0)
		cell_erase(&cells[column - 1]);
	if (cells[column].width == 2 && column + 1 < s->columns)
		cell_erase(&cells[column + 1]);
}

static void
cell_put(const struct screen *s, struct cell *cells, int column, enum style style,
	 const char *bytes, size_t len, int width)
{
	struct cell cell = { .width = (uint8_t)width, .style = (uint8_t)style };

	memcpy(cell.text, bytes, len);
	cell_claim(s, cells, column);
	if (width == 2) {
		cell_claim(s, cells, column + 1);
		cells[column + 1] = (struct cell){ .style = (uint8_t)style };
	}
	cells[column] = cell;
}

/* Appends to the character before `column`; ignored if its cell is full. */
static void
cell_join(struct cell *cells, int column, const struct glyph *g)
{
	struct cell *cell;
	size_t len;

	if (column < 1)
		return;
	cell = &cells[column - 1];
	if (cell->width == 0)
		cell--;
	len = strlen(cell->text);
	if (g->len < CELL_BYTES - len)
		memcpy(cell->text + len, g->bytes, g->len);
}

/* Puts a glyph that may extend beyond either edge. */
static void
glyph_put(const struct screen *s, struct cell *cells, int at, int end, enum style style,
	  const struct glyph *g)
{
	bool is_ascii = (unsigned char)g->bytes[0] < 0x80;

	if (!is_ascii && at >= 0 && at + g->width <= end) {
		cell_put(s, cells, at, style, g->bytes, g->len, g->width);
		return;
	}
	/* ASCII replacements go cell by cell; half a wide character is blank.
	 */
	for (int i = 0; i < g->width; i++)
		if (at + i >= 0 && at + i < end)
			cell_put(s, cells, at + i, style, is_ascii ? g->bytes + i : " ", 1, 1);
}

/* Shortens again a text that was cut to `width` and grows with replacements. */
static const char *
fit_twins(const char *text, int width, char out[TWINS_BYTES])
{
	char twins_of[TWINS_BYTES];

	if (glyphs_width(text, GLYPHS_UNICODE, width) > width ||
	    glyphs_width(text, GLYPHS_BRIEF, width) <= width)
		return text;
	glyphs_text(GLYPHS_BRIEF, text, twins_of, sizeof twins_of);
	return text_fit(twins_of, width, out, TWINS_BYTES);
}

int
screen_put(struct screen *s, int row, int column, int width, enum style style, const char *text)
{
	enum alphabet alphabet = GLYPHS_UNICODE;
	char fitted[TWINS_BYTES];
	struct cell *cells;
	struct glyph g;
	size_t used;
	int at = column, end;

	if (row < 0 || row >= s->rows || width <= 0 || column >= s->columns)
		return 0;
	end = column > s->columns - width ? s->columns : column + width;
	cells = screen_row(s, row);
	if (s->is_ascii && glyphs_width(text, GLYPHS_ASCII, width) > width) {
		alphabet = GLYPHS_BRIEF;
		text = fit_twins(text, width, fitted);
	} else if (s->is_ascii) {
		alphabet = GLYPHS_ASCII;
	}
	while ((used = glyph_read(text, at == column, alphabet, &g)) > 0) {
		if (at > end || (at == end && g.width > 0))
			break;
		if (g.width == 0)
			cell_join(cells, at, &g);
		else
			glyph_put(s, cells, at, end, style, &g);
		at += g.width;
		text += used;
	}
	return (at > end ? end : at) - column;
}

int
screen_printf(struct screen *s, int row, int column, int width, enum style style,
	      const char *format, ...)
{
	char text[PUT_BYTES];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return screen_put(s, row, column, width, style, text);
}

void
screen_put_right(struct screen *s, int row, int column, int width, enum style style,
		 const char *text)
{
	int used = glyphs_width(text, s->is_ascii ? GLYPHS_ASCII : GLYPHS_UNICODE, width);

	if (used < width) {
		column += width - used;
		width = used;
	}
	screen_put(s, row, column, width, style, text);
}

int
screen_put_part(struct screen *s, int row, int column, int width, enum style style,
		const char *text)
{
	char words[PUT_BYTES] = "";
	int used;

	text_line(text, width - MORE_WIDTH, 0, words, sizeof words);
	used = screen_put(s, row, column, width, style, words);
	return used + screen_put(s, row, column + used, MORE_WIDTH, STYLE_DIM, " …");
}

void
screen_restyle(struct screen *s, int row, int column, int width, enum style style)
{
	struct cell *cells;

	if (row < 0 || row >= s->rows)
		return;
	cells = screen_row(s, row);
	for (int i = 0; i < width && column + i < s->columns; i++)
		if (column + i >= 0)
			cells[column + i].style = (uint8_t)style;
}

/* ---- dumps ---- */

static char *
dump_end_line(char *at, const char *line)
{
	while (at > line && at[-1] == ' ')
		at--;
	*at++ = '\n';
	return at;
}

static char *
dump_text(const struct screen *s, int row, char *at)
{
	const struct cell *cells = screen_row(s, row);
	char *line = at;

	*at++ = row == s->cursor_row ? '>' : ' ';
	for (int i = 0; i < s->columns; i++) {
		size_t len = strlen(cells[i].text);

		memcpy(at, cells[i].text, len);
		at += len;
	}
	return dump_end_line(at, line);
}

static char *
dump_styles(const struct screen *s, int row, char *at)
{
	const struct cell *cells = screen_row(s, row);
	char *line = at;

	*at++ = ' ';
	for (int i = 0; i < s->columns; i++)
		*at++ = styles[cells[i].style].letter;
	return dump_end_line(at, line);
}

char *
screen_dump(const struct screen *s, bool with_styles, struct error *err)
{
	size_t line_size = (size_t)s->columns * (CELL_BYTES + 1) + 4;
	char *out = memory_new((size_t)s->rows, line_size, err);
	char *at = out;

	if (!out)
		return NULL;
	for (int row = 0; row < s->rows; row++)
		at = dump_text(s, row, at);
	for (int row = 0; with_styles && row < s->rows; row++)
		at = dump_styles(s, row, at);
	*at = '\0';
	return out;
}
