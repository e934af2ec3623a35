#ifndef MODEL_BASE_GLYPH_H
#define MODEL_BASE_GLYPH_H

/*
 * Iterates over the characters of a text as they will be shown. Control characters, bidi controls
 * and invalid UTF-8 become a visible substitute, so that no escape sequence reaches the terminal.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Terminals without UTF-8 get ASCII replacements (→ ->), or brief ones (→ >), as wide as the
   character. */
enum alphabet { GLYPHS_UNICODE, GLYPHS_ASCII, GLYPHS_BRIEF };

struct glyph {
	const char *bytes;
	size_t len;
	int width; /* 0: combines with the glyph before it */
};

/* Reads one character and returns its length in bytes, 0 at the end. */
size_t glyph_read(const char *text, bool is_first, enum alphabet alphabet, struct glyph *g);
/* Columns of the text, or some number above `enough`. */
int glyphs_width(const char *text, enum alphabet alphabet, int enough);
/* As many glyphs of `text` as fit into `out`. */
const char *glyphs_text(enum alphabet alphabet, const char *text, char *out, size_t out_size);

#endif
