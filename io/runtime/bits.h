#ifndef IO_RUNTIME_BITS_H
#define IO_RUNTIME_BITS_H

/*
 * A cursor over the bits of another process's memory, the lowest bit of a byte first. After its
 * first failure it reads zeros, so that a reader checks `has_failed` once a record. It fails where
 * memory is absent, beyond BITS_MAX, and when no reads are left.
 */
#include "io/memory/memory.h"

enum {
	BITS_MAX = 1 << 27,
	BITS_WINDOW = 64,
};

struct bits {
	struct memory_reader *reader;
	uint32_t *reads_left;            /* each read takes one */
	uint64_t start;                  /* address of bit 0 */
	uint64_t at;                     /* next bit */
	uint64_t window_at;              /* offset of the window from `start`, in bytes */
	uint32_t window_len;             /* bytes in it */
	uint8_t window[BITS_WINDOW + 8]; /* zeros follow its bytes */
	bool has_failed;
};

void bits_init(struct bits *b, struct memory_reader *r, uint64_t start, uint32_t *reads_left);
/* At most 32 bits. */
uint32_t bits_read(struct bits *b, unsigned count);
/* A number in chunks of `base` bits, the lowest first, each followed by a bit: more. A number of
 * more than 32 bits is a failure. */
uint32_t bits_unsigned(struct bits *b, unsigned base);
/* The same; the highest bit of the last chunk is the sign. */
int32_t bits_signed(struct bits *b, unsigned base);

static inline void
bits_seek(struct bits *b, uint64_t at)
{
	b->at = at;
}

#endif
