#ifndef IO_WALK_TEXT_H
#define IO_WALK_TEXT_H

/*
 * Texts of events: UTF-16 up to a zero.
 */
#include "io/bytes.h"
#include "model/arena.h"

/* Steps over the text; *units is its length without the zero. */
struct bytes_array walk_text_take(struct bytes *b, const char *what);
/* In UTF-8; halves of a pair that stand alone become U+FFFD. */
const char *walk_text_utf8(const struct bytes_array *text, struct arena *a,
			   struct error *err) MUST_USE;

#endif
