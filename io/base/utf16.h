#ifndef IO_BASE_UTF16_H
#define IO_BASE_UTF16_H

/*
 * Texts of events: UTF-16 up to a zero.
 */
#include "io/base/bytes.h"
#include "model/base/arena.h"

/* Steps over the text; *units is its length without the zero. */
struct bytes_array walk_text_take(struct bytes *b, const char *what);
/* In UTF-8; halves of a pair that stand alone become U+FFFD. */
const char *walk_text_utf8(const struct bytes_array *text, struct arena *a,
			   struct error *err) MUST_USE;

#endif
