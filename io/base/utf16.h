#ifndef IO_BASE_UTF16_H
#define IO_BASE_UTF16_H

/* Texts in events: zero-terminated UTF-16. */
#include "io/base/bytes.h"
#include "model/base/arena.h"

/* Moves the cursor past the text; its length excludes the zero. */
struct bytes_array utf16_take(struct bytes *b, const char *what);
/* Converts to UTF-8; unpaired surrogates become U+FFFD. */
const char *utf16_to_utf8(const struct bytes_array *text, struct arena *a,
			  struct error *err) MUST_USE;

#endif
