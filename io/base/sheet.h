#ifndef IO_BASE_SHEET_H
#define IO_BASE_SHEET_H

/*
 * A growing buffer for bytes that are written or packed together. All zero is an empty one. A
 * failing function sets `err`: no memory, and leaves the buffer unchanged.
 */
#include "model/base/error.h"
#include <stddef.h>
#include <stdint.h>

struct sheet {
	uint8_t *data; /* freed by sheet_clear() */
	size_t len, room;
};

/* Makes room for `more` bytes at data + len, to be written directly. */
bool sheet_reserve(struct sheet *s, size_t more, struct error *err) MUST_USE;
bool sheet_put(struct sheet *s, const void *bytes, size_t len, struct error *err) MUST_USE;
/* Little endian, at most 8 bytes. */
bool sheet_put_number(struct sheet *s, uint64_t value, unsigned bytes, struct error *err) MUST_USE;
void sheet_clear(struct sheet *s);

#endif
