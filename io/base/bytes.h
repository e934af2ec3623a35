#ifndef IO_BASE_BYTES_H
#define IO_BASE_BYTES_H

/*
 * A cursor over untrusted bytes, little endian. It records its first failure with the offset; after
 * that it does not move and reads return 0, so a reader is straight-line code that checks
 * bytes_ok() once a record. Readers do no pointer arithmetic on input of their own. Offsets count
 * from the start of the bytes given to bytes_init().
 */
#include "model/base/error.h"
#include <stddef.h>
#include <string.h>

struct bytes {
	const uint8_t *data;
	size_t len, at;
	struct error *err;
	uint64_t missing_bytes; /* after a read past the end: bytes lacking, at least */
	bool has_failed;
};

/* `data` is borrowed. Failures go to `err`, as errors at an offset; NULL: only bytes_ok() shows
 * them. */
void bytes_init(struct bytes *b, const uint8_t *data, size_t len, struct error *err);

static inline bool
bytes_ok(const struct bytes *b)
{
	return !b->has_failed;
}

static inline size_t
bytes_left(const struct bytes *b)
{
	return b->len - b->at;
}

/* Makes the cursor fail at offset `at`. Returns false. */
bool bytes_fail(struct bytes *b, size_t at, const char *format, ...) PRINTF_LIKE(3, 4);

/* `what` names the field in messages: "the type count". */
uint8_t bytes_u8(struct bytes *b, const char *what);
uint16_t bytes_u16(struct bytes *b, const char *what);
uint32_t bytes_u32(struct bytes *b, const char *what);
uint64_t bytes_u64(struct bytes *b, const char *what);
/* An address of 4 or 8 bytes. */
uint64_t bytes_pointer(struct bytes *b, unsigned pointer_bytes, const char *what);
int32_t bytes_i32(struct bytes *b, const char *what);
int64_t bytes_i64(struct bytes *b, const char *what);
float bytes_f32(struct bytes *b, const char *what);

/* Groups of 7 bits, the lowest first, at most 5; all but the last have bit 7 set. Inline, since
 * objects have one or two each. */
static inline uint64_t
bytes_varint(struct bytes *b, const char *what)
{
	uint64_t value = 0;
	size_t at = b->at;

	for (unsigned shift = 0; at < b->len && shift < 35; shift += 7) {
		uint8_t byte = b->data[at++];

		value |= (uint64_t)(byte & 0x7f) << shift;
		if (byte & 0x80)
			continue;
		b->at = at;
		return value;
	}
	bytes_fail(b, b->at, "%s has no end", what);
	return 0;
}

/* A pointer to the next `len` bytes, or NULL. */
const uint8_t *bytes_take(struct bytes *b, uint64_t len, const char *what);
void bytes_skip(struct bytes *b, uint64_t len, const char *what);
void bytes_seek(struct bytes *b, uint64_t at, const char *what);

/* Reads an i32 (i64) count of records. The cursor fails if it is negative, or if fewer than `each`
 * bytes per record follow. */
uint32_t bytes_count(struct bytes *b, size_t each, const char *what);
uint64_t bytes_count64(struct bytes *b, size_t each, const char *what);

#define BYTES_LITTLE_ENDIAN (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)

/* Loads for loops that have checked the bounds of their array. */
static inline uint32_t
bytes_load_u32(const uint8_t *at)
{
	uint32_t value;

	memcpy(&value, at, sizeof(value));
	return BYTES_LITTLE_ENDIAN ? value : __builtin_bswap32(value);
}

static inline uint64_t
bytes_load_u64(const uint8_t *at)
{
	uint64_t value;

	memcpy(&value, at, sizeof(value));
	return BYTES_LITTLE_ENDIAN ? value : __builtin_bswap64(value);
}

/* An array of numbers in the input; indexes must be less than the count. */
struct bytes_array {
	const uint8_t *data;
	uint64_t count;
};

static inline uint32_t
bytes_array_u32(const struct bytes_array *a, uint64_t i)
{
	return bytes_load_u32(a->data + 4 * i);
}

static inline uint64_t
bytes_array_u64(const struct bytes_array *a, uint64_t i)
{
	return bytes_load_u64(a->data + 8 * i);
}

/* Takes `count` numbers of `each` bytes; an empty array if they do not fit. */
struct bytes_array bytes_array_take(struct bytes *b, uint64_t count, size_t each, const char *what);

/*
 * A run of compressed integers: signed 32 bits in 1 to 5 groups of 7, the highest first. Bit 7 is
 * set if another group follows, bit 6 of the first group is the sign. Larger values wrap; a sixth
 * group is damage.
 */
struct bytes_run {
	const uint8_t *at, *end;
};

/* The array's bytes from `start`, which is inside it. */
static inline struct bytes_run
bytes_array_run(const struct bytes_array *a, uint64_t start)
{
	return (struct bytes_run){ a->data + start, a->data + a->count };
}

/* Prefetches item `i` of `each` bytes. */
static inline void
bytes_array_prefetch(const struct bytes_array *a, uint64_t i, size_t each)
{
	if (i < a->count)
		__builtin_prefetch(a->data + each * i);
}

bool bytes_run_next_long(struct bytes_run *r, int32_t *value);
/* For numbers that nearly always have one or two groups. Branch-free in their number, which is
 * unpredictable. */
static inline bool
bytes_run_next(struct bytes_run *r, int32_t *value)
{
	struct bytes_run copy;
	int32_t number = 0;
	bool is_good;

	if (r->end - r->at >= 2) {
		uint32_t first = r->at[0], second = r->at[1], more = first >> 7;

		if (!(first & second & 0x80)) {
			first = ((first & 0x7f) ^ 0x40) - 0x40;
			*value = (int32_t)(first << (7 * more) | (second & (0U - more)));
			r->at += 1 + more;
			return true;
		}
	}
	/* A copy, so that `r` can stay in registers. */
	copy = *r;
	is_good = bytes_run_next_long(&copy, &number);
	*r = copy;
	*value = number;
	return is_good;
}

/* For numbers of any length, branch-free in their length: joins all groups at once, pair by
 * pair. */
static inline bool
bytes_run_next_wide(struct bytes_run *r, int32_t *value)
{
	const uint64_t tops = UINT64_C(0x8080808080808080);
	uint64_t word, last;
	unsigned bytes, unused;

	if (r->end - r->at < (ptrdiff_t)sizeof(word))
		return bytes_run_next(r, value);
	word = bytes_load_u64(r->at);
	last = ~word & tops;
	if (!(last & UINT64_C(0xffffffffff)))
		return false;
	bytes = (unsigned)__builtin_ctzll(last) / 8 + 1;
	unused = 64 - 8 * bytes;
	word = __builtin_bswap64(word) >> unused & ~tops;
	word = (word & UINT64_C(0x007f007f007f007f)) | (word & UINT64_C(0x7f007f007f007f00)) >> 1;
	word = (word & UINT64_C(0x00003fff00003fff)) | (word & UINT64_C(0x3fff00003fff0000)) >> 2;
	word = (word & 0x0fffffff) | word >> 32 << 28;
	unused += bytes; /* the sign is the top bit of the first group */
	*value = (int32_t)((int64_t)(word << unused) >> unused);
	r->at += bytes;
	return true;
}

static inline uint64_t
bytes_run_left(const struct bytes_run *r)
{
	return (uint64_t)(r->end - r->at);
}

#endif
