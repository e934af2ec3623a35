#ifndef MODEL_BASE_TEXT_H
#define MODEL_BASE_TEXT_H

/*
 * Texts as they stand on a screen: how wide they are, cut to a width, broken
 * into lines, and made harmless.
 */
#include <stdbool.h>
#include <stddef.h>

/* Columns that the text takes on a screen, unbounded. */
int text_width(const char *text);
/*
 * Shortens to `width` columns by taking out of the middle ("Dictio…String>[]"),
 * so that the ends that tell names apart stay. `out` has `out_size` bytes.
 */
const char *text_fit(const char *text, int width, char *out, size_t out_size);
/* The bytes of its first `columns` columns. */
size_t text_bytes(const char *text, int columns);
/*
 * Sentences are told whole: the part of one that stands on its n-th line,
 * broken at blanks, not between a number and its unit. False if it has no such
 * line.
 */
bool text_line(const char *text, int width, int n, char *out, size_t out_size);
/* Made harmless as on the screen, for stdout and titles; all that fits. */
const char *text_clean(const char *text, char *out, size_t out_size);
/* The same, and nothing but ASCII. */
const char *text_to_ascii(const char *text, char *out, size_t out_size);

#endif
