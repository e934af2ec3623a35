#ifndef IO_BASE_ZSTD_H
#define IO_BASE_ZSTD_H

/*
 * Unpacks a .zst into memory. What a few bytes may grow to is bounded, by what
 * was unpacked and not by what a header claims: at most ZSTD_FREE_BYTES and
 * ZSTD_RATIO_MAX times the packed size more (real dumps have a ratio of 3 to
 * 20), and ZSTD_MAX_BYTES at all.
 */
#include "model/base/progress.h"
#include <stddef.h>

enum { ZSTD_FREE_BYTES = 32 << 20, ZSTD_RATIO_MAX = 64 };
#define ZSTD_MAX_BYTES (UINT64_C(64) << 30)

/* Of the library, as it runs. */
const char *zstd_version(void);
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

/*
 * The same piece by piece, without that bound: `take` gets a few MiB at a time,
 * and sets one itself by returning false with `err`.
 */
typedef bool zstd_taker(void *context, const uint8_t *data, size_t len,
			struct error *err);
bool zstd_unpack_pieces(const uint8_t *data, size_t len, zstd_taker *take,
			void *context, bool *is_cut, struct progress *progress,
			struct error *err) MUST_USE;

/*
 * Single frames, for formats that know the length of each. One packer or
 * unpacker a thread.
 */
struct zstd_packer;
struct zstd_packer *zstd_packer_new(struct error *err) MUST_USE;
void zstd_packer_free(struct zstd_packer *p);
/* At most so many bytes come of `len`. */
size_t zstd_packed_max(size_t len);
/* With a checksum, level 1. Returns the packed length, 0 sets `err`. */
size_t zstd_pack_frame(struct zstd_packer *p, uint8_t *out, size_t out_room,
		       const uint8_t *data, size_t len,
		       struct error *err) MUST_USE;
struct zstd_unpacker;
struct zstd_unpacker *zstd_unpacker_new(struct error *err) MUST_USE;
void zstd_unpacker_free(struct zstd_unpacker *u);
/* Exactly `out_len` bytes, or false. */
bool zstd_unpack_frame(struct zstd_unpacker *u, uint8_t *out, size_t out_len,
		       const uint8_t *data, size_t len,
		       struct error *err) MUST_USE;

#endif
