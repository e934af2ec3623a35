#ifndef IO_BASE_ZSTD_H
#define IO_BASE_ZSTD_H

/*
 * Unpacks a .zst into memory. The size is limited by the bytes produced, not by what a header
 * claims: to ZSTD_FREE_BYTES plus ZSTD_RATIO_MAX times the packed size (real dumps have ratios of 3
 * to 20), and to ZSTD_MAX_BYTES.
 */
#include "model/base/progress.h"
#include <stddef.h>

enum { ZSTD_FREE_BYTES = 32 << 20, ZSTD_RATIO_MAX = 64 };
#define ZSTD_MAX_BYTES (UINT64_C(64) << 30)

/* The library's version at run time. */
const char *zstd_version(void);
bool zstd_accepts(const uint8_t *head, size_t head_len);

struct unpacked {
	uint8_t *data; /* free with memory_free() */
	size_t len;
	bool is_cut; /* the input ended early; data is what it gave */
};

/* Unpacks all frames into one buffer; stop_at > 0: enough once there are that many bytes. */
bool zstd_unpack(struct unpacked *out, const uint8_t *data, size_t len, size_t stop_at,
		 struct progress *progress, struct error *err) MUST_USE;

/* Unpacks in pieces of a few MiB, without a size limit. `take` can stop by returning false with
 * `err` set. */
typedef bool zstd_taker(void *context, const uint8_t *data, size_t len, struct error *err);
bool zstd_unpack_pieces(const uint8_t *data, size_t len, zstd_taker *take, void *context,
			bool *is_cut, struct progress *progress, struct error *err) MUST_USE;

/* Single frames, for formats that record each length. A packer or unpacker belongs to one
 * thread. */
struct zstd_packer;
struct zstd_packer *zstd_packer_new(struct error *err) MUST_USE;
void zstd_packer_free(struct zstd_packer *p);
/* The largest packed size of `len` bytes. */
size_t zstd_packed_max(size_t len);
/* Level 1, with a checksum. Returns the packed length; 0 sets `err`. */
size_t zstd_pack_frame(struct zstd_packer *p, uint8_t *out, size_t out_room, const uint8_t *data,
		       size_t len, struct error *err) MUST_USE;
struct zstd_unpacker;
struct zstd_unpacker *zstd_unpacker_new(struct error *err) MUST_USE;
void zstd_unpacker_free(struct zstd_unpacker *u);
/* False sets `err`: damaged, or not exactly `out_len` bytes. */
bool zstd_unpack_frame(struct zstd_unpacker *u, uint8_t *out, size_t out_len, const uint8_t *data,
		       size_t len, struct error *err) MUST_USE;

#endif
