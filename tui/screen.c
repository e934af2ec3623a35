#include "tui/screen.h"
#include "model/arena.h"
#include "model/utf8.h"
#include "tui/width.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum {
	SIDE_MAX = 10000, /* rows or columns; more is not a terminal */
	TWINS_BYTES = 4096,
	PUT_BYTES = 4096, /* of a text that is put together first */
	UNIT_BYTES = 3    /* "GiB", "µs"; "of" is one as well */
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
};

/* What we draw with, for terminals that have ASCII only. `brief` is one
   column, taken where the other does not fit; but a lone < or > would read as
   a part of a name. */
static const struct twin {
	uint16_t c;
	const char *ascii, *brief;
} twins[] = {
	{ 0x00a0, " ",   " " },		/* no-break space */
	{ 0x00ab, "<<",  "<" }, { 0x00bb, ">>",  ">" },	/* « » */
	{ 0x00b1, "+-",  "~" },		/* ± */
	{ 0x00b5, "u",   "u" },		/* µ */
	{ 0x00b7, ".",   "." },		/* · */
	{ 0x00d7, "x",   "x" },		/* × */
	{ 0x0394, "d",   "d" },		/* Δ */
	{ 0x2010, "-",   "-" }, { 0x2011, "-",   "-" },	/* hyphens */
	{ 0x2013, "-",   "-" }, { 0x2014, "--",  "-" },	/* – — */
	{ 0x2018, "'",   "'" }, { 0x2019, "'",   "'" },	/* ‘ ’ */
	{ 0x201c, "\"",  "\"" }, { 0x201d, "\"",  "\"" },	/* “ ” */
	{ 0x2022, "*",   "*" },		/* • */
	{ 0x2026, "...", "~" },		/* … */
	{ 0x2190, "<-",  "<-" }, { 0x2192, "->",  "->" },	/* ← → */
	{ 0x2191, "^",   "^" }, { 0x2193, "v",   "v" },	/* ↑ ↓ */
	{ 0x21b5, "<-'", "<" },		/* ↵ */
	{ 0x21ba, "@",   "@" }, { 0x21bb, "@",   "@" },	/* ↺ ↻ */
	{ 0x221e, "inf", "8" },		/* ∞ */
	{ 0x2248, "~",   "~" }, { 0x2260, "!=",  "#" },	/* ≈ ≠ */
	{ 0x2264, "<=",  "<" }, { 0x2265, ">=",  ">" },	/* ≤ ≥ */
	{ 0x2500, "-",   "-" }, { 0x2501, "=",   "=" },	/* ─ ━ */
	{ 0x2502, "|",   "|" }, { 0x2503, "|",   "|" },	/* │ ┃ */
	{ 0x250c, "+",   "+" }, { 0x2510, "+",   "+" },	/* ┌ ┐ */
	{ 0x2514, "`",   "`" }, { 0x2518, "+",   "+" },	/* └ ┘ */
	{ 0x251c, "|",   "|" }, { 0x2524, "|",   "|" },	/* ├ ┤ */
	{ 0x252c, "+",   "+" }, { 0x2534, "+",   "+" },	/* ┬ ┴ */
	{ 0x253c, "+",   "+" },		/* ┼ */
	{ 0x256d, "+",   "+" }, { 0x256e, "+",   "+" },	/* ╭ ╮ */
	{ 0x256f, "+",   "+" }, { 0x2570, "`",   "`" },	/* ╯ ╰ */
	{ 0x2581, "_",   "_" }, { 0x2582, "_",   "_" },	/* ▁ ▂ */
	{ 0x2583, ".",   "." }, { 0x2584, "o",   "o" },	/* ▃ ▄ */
	{ 0x2585, "o",   "o" }, { 0x2586, "O",   "O" },	/* ▅ ▆ */
	{ 0x2587, "O",   "O" }, { 0x2588, "#",   "#" },	/* ▇ █ */
	{ 0x2589, "#",   "#" }, { 0x258a, "#",   "#" },	/* ▉ ▊ */
	{ 0x258b, "=",   "=" }, { 0x258c, "=",   "=" },	/* ▋ ▌ */
	{ 0x258d, "-",   "-" }, { 0x258e, "-",   "-" },	/* ▍ ▎ */
	{ 0x258f, ".",   "." },		/* ▏ */
	{ 0x2591, ".",   "." }, { 0x2592, ":",   ":" },	/* ░ ▒ */
	{ 0x259a, "%",   "%" },		/* ▚ */
	{ 0x2593, "%",   "%" },		/* ▓ */
	{ 0x25a0, "#",   "#" }, { 0x25a1, "o",   "o" },	/* ■ □ */
	{ 0x25b2, "^",   "^" }, { 0x25bc, "v",   "v" },	/* ▲ ▼ */
	{ 0x25b4, "^",   "^" }, { 0x25be, "-",   "-" },	/* ▴ ▾ */
	{ 0x25b6, ">",   ">" }, { 0x25c0, "<",   "<" },	/* ▶ ◀ */
	{ 0x25b8, "+",   "+" }, { 0x25c2, "<",   "<" },	/* ▸ ◂ */
	{ 0x25c6, "*",   "*" }, { 0x25cb, "o",   "o" },	/* ◆ ○ */
	{ 0x25cf, "*",   "*" },		/* ● */
	{ 0x2713, "+",   "+" }, { 0x2717, "x",   "x" },	/* ✓ ✗ */
	{ 0x27f2, "@",   "@" }, { 0x27f3, "@",   "@" },	/* ⟲ ⟳ */
};
/* clang-format on */

const char *
style_name(enum style style)
{
	return styles[style].name;
}

/* ---- one character of a text, as it will be shown ---- */

enum alphabet { UNICODE, ASCII, ASCII_BRIEF };

struct glyph {
	const char *bytes;
	size_t len;
	int width; /* 0: joins the glyph before it */
};

#define SUBSTITUTE "\xef\xbf\xbd" /* U+FFFD */

static const struct twin *
twin_find(uint32_t c)
{
	for (size_t i = 0; i < sizeof(twins) / sizeof(twins[0]); i++)
		if (twins[i].c == c)
			return &twins[i];
	return NULL;
}

static void
glyph_to_ascii(struct glyph *g, uint32_t c, enum alphabet alphabet)
{
	const struct twin *twin = twin_find(c);

	if (g->width == 0)
		g->bytes = "";
	else if (!twin)
		g->bytes = "?";
	else
		g->bytes = alphabet == ASCII ? twin->ascii : twin->brief;
	g->len = strlen(g->bytes);
	g->width = (int)g->len;
}

/* Reads one character and returns the bytes it took, 0 at the end. */
static size_t
glyph_read(const char *text, bool is_first, enum alphabet alphabet,
	   struct glyph *g)
{
	size_t used;
	uint32_t c;

	if (*text == '\0')
		return 0;
	c = utf8_decode(text, &used);
	*g = (struct glyph){ text, used, 1 };
	if (c >= 0x20 && c < 0x7f)
		return used;
	if (c == UTF8_BROKEN || width_is_hidden(c))
		*g = (struct glyph){ SUBSTITUTE, sizeof(SUBSTITUTE) - 1, 1 };
	else if (width_of_char(c) > 0 || !is_first)
		g->width = width_of_char(c);
	else /* nothing there that it could join */
		*g = (struct glyph){ SUBSTITUTE, sizeof(SUBSTITUTE) - 1, 1 };
	if (alphabet != UNICODE)
		glyph_to_ascii(g, c, alphabet);
	return used;
}

/* Columns of the text, or some number above `enough`. */
static int
glyphs_width(const char *text, enum alphabet alphabet, int enough)
{
	struct glyph g;
	size_t used;
	int width = 0;

	for (bool is_first = true; width <= enough; is_first = false) {
		used = glyph_read(text, is_first, alphabet, &g);
		if (used == 0)
			break;
		text += used;
		width += g.width;
	}
	return width;
}

/* Adds bytes to `out` if all of them fit. */
static bool
text_add(char *out, size_t out_size, size_t *len, const char *bytes,
	 size_t count)
{
	if (count >= out_size - *len)
		return false;
	memcpy(out + *len, bytes, count);
	*len += count;
	out[*len] = '\0';
	return true;
}

static const char *
text_in(enum alphabet alphabet, const char *text, char *out, size_t out_size)
{
	struct glyph g;
	size_t used, len = 0;
	bool is_first = true;

	if (out_size == 0)
		return "";
	out[0] = '\0';
	while ((used = glyph_read(text, is_first, alphabet, &g)) > 0) {
		if (!text_add(out, out_size, &len, g.bytes, g.len))
			break;
		text += used;
		is_first = false;
	}
	return out;
}

/* ---- cells ---- */

struct screen *
screen_new(int rows, int columns, struct error *err)
{
	struct screen *s;

	if (rows < 1 || columns < 1 || rows > SIDE_MAX || columns > SIDE_MAX) {
		error_set(err, ERROR_SYSTEM,
			  "a screen of %d rows and %d columns is not possible",
			  rows, columns);
		return NULL;
	}
	s = memory_new(1, sizeof(*s), err);
	if (!s)
		return NULL;
	s->rows = rows;
	s->columns = columns;
	s->cells =
	    memory_new((size_t)rows * (size_t)columns, sizeof(*s->cells), err);
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

/* Before a cell is written: the other half of a wide character goes. */
static void
cell_claim(const struct screen *s, struct cell *cells, int column)
{
	if (cells[column].width == 0 && column > 0)
		cell_erase(&cells[column - 1]);
	if (cells[column].width == 2 && column + 1 < s->columns)
		cell_erase(&cells[column + 1]);
}

static void
cell_put(const struct screen *s, struct cell *cells, int column,
	 enum style style, const char *bytes, size_t len, int width)
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

/* Appends to the character before `column`; dropped when the cell is full. */
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

/* Puts a glyph that may hang over either edge. */
static void
glyph_put(const struct screen *s, struct cell *cells, int at, int end,
	  enum style style, const struct glyph *g)
{
	bool is_ascii = (unsigned char)g->bytes[0] < 0x80;

	if (!is_ascii && at >= 0 && at + g->width <= end) {
		cell_put(s, cells, at, style, g->bytes, g->len, g->width);
		return;
	}
	/* The cells of an ASCII twin, or half of a wide character: blank. */
	for (int i = 0; i < g->width; i++)
		if (at + i >= 0 && at + i < end)
			cell_put(s, cells, at + i, style,
				 is_ascii ? g->bytes + i : " ", 1, 1);
}

/* What has been cut to this width, and is wider with its twins: once more. */
static const char *
fit_twins(const char *text, int width, char out[TWINS_BYTES])
{
	char twins_of[TWINS_BYTES];

	if (glyphs_width(text, UNICODE, width) > width ||
	    glyphs_width(text, ASCII_BRIEF, width) <= width)
		return text;
	text_in(ASCII_BRIEF, text, twins_of, sizeof twins_of);
	return text_fit(twins_of, width, out, TWINS_BYTES);
}

int
screen_put(struct screen *s, int row, int column, int width, enum style style,
	   const char *text)
{
	enum alphabet alphabet = UNICODE;
	char fitted[TWINS_BYTES];
	struct cell *cells;
	struct glyph g;
	size_t used;
	int at = column, end;

	if (row < 0 || row >= s->rows || width <= 0 || column >= s->columns)
		return 0;
	end = column > s->columns - width ? s->columns : column + width;
	cells = screen_row(s, row);
	if (s->is_ascii && glyphs_width(text, ASCII, width) > width) {
		alphabet = ASCII_BRIEF;
		text = fit_twins(text, width, fitted);
	} else if (s->is_ascii) {
		alphabet = ASCII;
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
screen_printf(struct screen *s, int row, int column, int width,
	      enum style style, const char *format, ...)
{
	char text[PUT_BYTES];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return screen_put(s, row, column, width, style, text);
}

void
screen_put_right(struct screen *s, int row, int column, int width,
		 enum style style, const char *text)
{
	int used = glyphs_width(text, s->is_ascii ? ASCII : UNICODE, width);

	if (used < width) {
		column += width - used;
		width = used;
	}
	screen_put(s, row, column, width, style, text);
}

int
screen_put_part(struct screen *s, int row, int column, int width,
		enum style style, const char *text)
{
	char words[PUT_BYTES] = "";
	int used;

	text_line(text, width - MORE_WIDTH, 0, words, sizeof words);
	used = screen_put(s, row, column, width, style, words);
	return used +
	       screen_put(s, row, column + used, MORE_WIDTH, STYLE_DIM, " …");
}

void
screen_restyle(struct screen *s, int row, int column, int width,
	       enum style style)
{
	struct cell *cells;

	if (row < 0 || row >= s->rows)
		return;
	cells = screen_row(s, row);
	for (int i = 0; i < width && column + i < s->columns; i++)
		if (column + i >= 0)
			cells[column + i].style = (uint8_t)style;
}

/* ---- texts ---- */

int
text_width(const char *text)
{
	return glyphs_width(text, UNICODE, INT32_MAX - 8);
}

/* The first bytes that take at most `width` columns; `taken`: how many do. */
static size_t
text_head(const char *text, int width, int *taken)
{
	struct glyph g;
	size_t used, len = 0;

	*taken = 0;
	while ((used = glyph_read(text + len, len == 0, UNICODE, &g)) > 0) {
		if (g.width > width - *taken)
			break;
		*taken += g.width;
		len += used;
	}
	return len;
}

const char *
text_fit(const char *text, int width, char *out, size_t out_size)
{
	int whole = text_width(text), taken, skip;
	size_t len = 0, head, tail;

	if (out_size == 0)
		return "";
	out[0] = '\0';
	if (width <= 0)
		return out;
	if (whole <= width) {
		if (text_add(out, out_size, &len, text, strlen(text)))
			return out;
		width = whole - 1; /* `out` is too small: cut all the same */
	}
	/* The end of a name tells more than its beginning. */
	head = text_head(text, (width - 1) * 2 / 5, &taken);
	skip = whole - (width - 1 - taken);
	tail = text_head(text, skip, &taken);
	if (taken < skip) /* half of a wide character */
		tail += text_head(text + tail, 2, &taken);
	text_add(out, out_size, &len, text, head);
	text_add(out, out_size, &len, "\xe2\x80\xa6", 3);
	text_add(out, out_size, &len, text + tail, strlen(text + tail));
	return out;
}

size_t
text_bytes(const char *text, int columns)
{
	int taken;

	return text_head(text, columns, &taken);
}

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* The short word behind a number is its unit, and stays with it. */
static bool
is_break(const char *text, size_t at)
{
	const char *word = text + at + 1;

	return text[at] == ' ' &&
	       (!at || !is_digit(text[at - 1]) || is_digit(*word) ||
		strcspn(word, " ,;:.)") > UNIT_BYTES);
}

bool
text_line(const char *text, int width, int n, char *out, size_t out_size)
{
	for (; *text; n--) {
		size_t len = text_bytes(text, width), end = len;

		while (text[len] && end > 0 && !is_break(text, end))
			end--;
		if (!end)
			end = len ? len : strlen(text);
		if (n == 0) {
			snprintf(out, out_size, "%.*s", (int)end, text);
			return true;
		}
		text += end;
		text += strspn(text, " ");
	}
	return false;
}

const char *
text_clean(const char *text, char *out, size_t out_size)
{
	return text_in(UNICODE, text, out, out_size);
}

const char *
text_to_ascii(const char *text, char *out, size_t out_size)
{
	return text_in(ASCII, text, out, out_size);
}

/* ---- dumps ---- */

/* Without the blanks at the end. */
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
