#ifndef IO_GCLOG_TEXT_H
#define IO_GCLOG_TEXT_H

/*
 * In what bytes a GC log is written. Nobody says: mostly ASCII, else UTF-8,
 * else Windows-1252, line by line; or all of it UTF-16, if it begins so.
 */
#include "model/base/arena.h"
#include <stddef.h>

struct gclog_text {
	const uint8_t *data; /* without a mark at the beginning */
	size_t len;
	uint8_t *converted; /* from UTF-16; else NULL */
};

/* UTF-16 becomes UTF-8; all else stays where it is, borrowed. */
bool gclog_text_open(struct gclog_text *t, const uint8_t *data, size_t len,
		     struct error *err) MUST_USE;
void gclog_text_close(struct gclog_text *t);

/* How many bytes from the start are UTF-8: `len` if all are. */
size_t gclog_text_valid(const uint8_t *bytes, size_t len);
/* A copy in UTF-8: of UTF-8, or of Windows-1252. NULL sets `err`. */
char *gclog_text_copy(struct arena *a, const uint8_t *bytes, size_t len,
		      bool is_utf8, struct error *err) MUST_USE;

#endif
