#ifndef MODEL_BASE_GLYPH_H
#define MODEL_BASE_GLYPH_H

/*
 * A text character by character, as it will be shown. Control characters, bidi
 * controls and broken UTF-8 become a visible substitute, so that no escape
 * sequence reaches the terminal.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Terminals without UTF-8 get ASCII twins (→ ->); the brief ones (→ >) are as
   wide as the character. */
enum alphabet { GLYPHS_UNICODE, GLYPHS_ASCII, GLYPHS_BRIEF };

struct glyph {
	const char *bytes;
	size_t len;
	int width; /* 0: joins the glyph before it */
};

/* Reads one character and returns the bytes it took, 0 at the end. */
size_t glyph_read(const char *text, bool is_first, enum alphabet alphabet,
		  struct glyph *g);
/* Columns of the text, or some number above `enough`. */
int glyphs_width(const char *text, enum alphabet alphabet, int enough);
/* The glyphs of `text`, as many as fit into `out`. */
const char *glyphs_text(enum alphabet alphabet, const char *text, char *out,
			size_t out_size);

#endif
