#ifndef IO_GCLOG_TEXT_H
#define IO_GCLOG_TEXT_H

/*
 * Decodes the text of a GC log. The encoding is not declared: mostly ASCII, else UTF-8, else
 * Windows-1252, line by line; or UTF-16 if it begins so.
 */
#include "model/base/arena.h"
#include <stddef.h>

struct gclog_text {
	const uint8_t *data; /* without a byte order mark */
	size_t len;
	uint8_t *converted; /* from UTF-16; else NULL */
};

/* Converts UTF-16 to UTF-8; other text is borrowed. */
bool gclog_text_open(struct gclog_text *t, const uint8_t *data, size_t len,
		     struct error *err) MUST_USE;
void gclog_text_close(struct gclog_text *t);

/* The number of leading bytes that are valid UTF-8. */
size_t gclog_text_valid(const uint8_t *bytes, size_t len);
/* A copy as UTF-8, of UTF-8 or Windows-1252. NULL sets `err`. */
char *gclog_text_copy(struct arena *a, const uint8_t *bytes, size_t len, bool is_utf8,
		      struct error *err) MUST_USE;

#endif
