#ifndef MODEL_BASE_ZEROS_H
#define MODEL_BASE_ZEROS_H

/* Tells memory of zeros from other memory, as fast as memcmp(). */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline bool
is_all_zero(const uint8_t *at, size_t len)
{
	return !len || (!at[0] && !memcmp(at, at + 1, len - 1));
}

#endif
