#include "model/base/glyph.h"
#include "model/base/utf8.h"
#include "model/base/width.h"
#include <string.h>

/* clang-format off */
/* Replacements for terminals that have ASCII only. `brief` has one column, for places where `ascii`
   does not fit; except for arrows, as a lone < or > would look like a part of a name. */
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
		g->bytes = alphabet == GLYPHS_ASCII ? twin->ascii : twin->brief;
	g->len = strlen(g->bytes);
	g->width = (int)g->len;
}

size_t
glyph_read(const char *text, bool is_first, enum alphabet alphabet, struct glyph *g)
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
	else /* there is no glyph to combine with */
		*g = (struct glyph){ SUBSTITUTE, sizeof(SUBSTITUTE) - 1, 1 };
	if (alphabet != GLYPHS_UNICODE)
		glyph_to_ascii(g, c, alphabet);
	return used;
}

int
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

const char *
glyphs_text(enum alphabet alphabet, const char *text, char *out, size_t out_size)
{
	struct glyph g;
	size_t used, len = 0;
	bool is_first = true;

	if (out_size == 0)
		return "";
	out[0] = '\0';
	while ((used = glyph_read(text, is_first, alphabet, &g)) > 0) {
		if (g.len >= out_size - len)
			break;
		memcpy(out + len, g.bytes, g.len);
		len += g.len;
		out[len] = '\0';
		text += used;
		is_first = false;
	}
	return out;
}
