#ifndef IO_ZSTD_H
#define IO_ZSTD_H

/*
 * Unpacks a .zst into memory. What a few bytes may grow to is bounded, by what
 * was unpacked and not by what a header claims: at most ZSTD_FREE_BYTES and
 * ZSTD_RATIO_MAX times the packed size more (real dumps have a ratio of 3 to
 * 20), and ZSTD_MAX_BYTES at all.
 */
#include "model/progress.h"
#include <stddef.h>

enum { ZSTD_FREE_BYTES = 32 << 20, ZSTD_RATIO_MAX = 64 };
#define ZSTD_MAX_BYTES (UINT64_C(64) << 30)

bool zstd_accepts(const uint8_t *head, size_t head_len);

struct unpacked {
	uint8_t *data; /* memory_free() it */
	size_t len;
	bool is_cut; /* the packed bytes ended early; this is what they gave */
};

/* Several frames become one; `stop_at` > 0: no more than so many bytes. */
bool zstd_unpack(struct unpacked *out, const uint8_t *data, size_t len,
		 size_t stop_at, struct progress *progress,
		 struct error *err) MUST_USE;

#endif
