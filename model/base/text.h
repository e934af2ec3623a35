#ifndef MODEL_BASE_TEXT_H
#define MODEL_BASE_TEXT_H

/*
 * Texts that are built piece by piece. Texts on a screen: their width, shortening, line breaks, and
 * removal of unsafe characters. Beginnings and ends of any texts.
 */
#include "model/base/arena.h"
#include <stdarg.h>
#include <string.h>

/*
 * A text to which pieces are added: in a buffer, where what does not fit becomes "…" after the last
 * whole character, or in an arena, where it grows. If the arena has no memory, the text ends there.
 */
struct text {
	char *bytes; /* always terminated */
	size_t len, size;
	struct arena *arena; /* NULL: a buffer of `size` */
	bool is_cut;         /* nothing more is added */
};
/* Begins an empty text; `size` is not 0. */
struct text text_in(char *buffer, size_t size);
struct text text_in_arena(struct arena *a);
void text_add(struct text *t, const char *piece);
void text_addf(struct text *t, const char *format, ...) PRINTF_LIKE(2, 3);
void text_vaddf(struct text *t, const char *format, va_list args) PRINTF_LIKE(2, 0);
/* Removes what comes after the first `len` bytes. */
void text_shorten(struct text *t, size_t len);

static inline bool
text_begins(const char *text, const char *begin)
{
	return !strncmp(text, begin, strlen(begin));
}

/* Returns true if the first `len` bytes of the text end with `end`. */
static inline bool
text_ends(const char *text, size_t len, const char *end)
{
	size_t end_len = strlen(end);

	return len >= end_len && !memcmp(text + len - end_len, end, end_len);
}

/* The width of the text in columns. */
int text_width(const char *text);
/*
 * Shortens to `width` columns in the middle ("Dictio…String>[]"), because both ends are needed to
 * distinguish names.
 */
const char *text_fit(const char *text, int width, char *out, size_t out_size);
/* Length in bytes of the first `columns` columns. */
size_t text_bytes(const char *text, int columns);
/*
 * The n-th line of a text that is wrapped at blanks, except between a number and its unit. False if
 * there are fewer lines.
 */
bool text_line(const char *text, int width, int n, char *out, size_t out_size);
/* Replaces unsafe characters as on the screen, for stdout and titles. */
const char *text_clean(const char *text, char *out, size_t out_size);
/* The same, in ASCII only. */
const char *text_to_ascii(const char *text, char *out, size_t out_size);

#endif
