#ifndef IO_BASE_SHEET_H
#define IO_BASE_SHEET_H

/*
 * Bytes that are gathered in memory, to be written or packed together; the room
 * for them doubles. Zeroed: an empty one. What fails has run out of memory and
 * leaves the sheet as it was.
 */
#include "model/base/error.h"
#include <stddef.h>
#include <stdint.h>

struct sheet {
	uint8_t *data; /* sheet_clear() frees it */
	size_t len, room;
};

/* Room for so many more behind `len`, for who writes to data + len. */
bool sheet_reserve(struct sheet *s, size_t more, struct error *err) MUST_USE;
bool sheet_put(struct sheet *s, const void *bytes, size_t len,
	       struct error *err) MUST_USE;
/* Little-endian, in at most 8 bytes. */
bool sheet_put_number(struct sheet *s, uint64_t value, unsigned bytes,
		      struct error *err) MUST_USE;
void sheet_clear(struct sheet *s);

#endif
