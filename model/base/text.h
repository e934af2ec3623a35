#ifndef MODEL_BASE_TEXT_H
#define MODEL_BASE_TEXT_H

/*
 * Texts on a screen: their width, shortening, line breaks, and removal of unsafe characters.
 * Beginnings and ends of any texts.
 */
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

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
