#include "io/runtime/bits.h"

void
bits_init(struct bits *b, struct memory_reader *r, uint64_t start, uint32_t *reads_left)
{
	memset(b, 0, sizeof(*b));
	b->reader = r;
	b->start = start;
	b->reads_left = reads_left;
}

/* Fills the window from byte `at` on. Memory may end inside it. */
static void
fill(struct bits *b, uint64_t at)
{
	memset(b->window, 0, sizeof(b->window));
	b->window_at = at;
	b->window_len = 0;
	if (at > BITS_MAX / 8 || b->start + at + BITS_WINDOW < b->start)
		return;
	if (memory_read(b->reader, b->start + at, b->window, BITS_WINDOW)) {
		b->window_len = BITS_WINDOW;
		return;
	}
	memset(b->window, 0, sizeof(b->window));
	while (b->window_len < BITS_WINDOW &&
	       memory_u8(b->reader, b->start + at + b->window_len, &b->window[b->window_len]))
		b->window_len++;
}

uint32_t
bits_read(struct bits *b, unsigned count)
{
	uint64_t first = b->at / 8, end = (b->at + count + 7) / 8, word;

	if (b->has_failed || !*b->reads_left) {
		b->has_failed = true;
		return 0;
	}
	--*b->reads_left;
	if (first < b->window_at || end > b->window_at + b->window_len)
		fill(b, first);
	if (end > b->window_at + b->window_len) {
		b->has_failed = true;
		return 0;
	}
	word = bytes_load_u64(b->window + (first - b->window_at)) >> b->at % 8;
	b->at += count;
	return (uint32_t)(word & ((UINT64_C(1) << count) - 1));
}

/* Returns the number, and how many bits it has. */
static uint64_t
read_chunks(struct bits *b, unsigned base, unsigned *bits)
{
	uint64_t value = 0;

	for (*bits = 0;;) {
		uint64_t chunk = bits_read(b, base + 1);

		value |= (chunk & ((UINT64_C(1) << base) - 1)) << *bits;
		*bits += base;
		if (!(chunk >> base))
			return value;
		if (*bits >= 32) {
			b->has_failed = true;
			return 0;
		}
	}
}

uint32_t
bits_unsigned(struct bits *b, unsigned base)
{
	unsigned bits;
	uint64_t value = read_chunks(b, base, &bits);

	if (value <= UINT32_MAX)
		return (uint32_t)value;
	b->has_failed = true;
	return 0;
}

int32_t
bits_signed(struct bits *b, unsigned base)
{
	unsigned bits;
	uint64_t value = read_chunks(b, base, &bits);
	int64_t number = (int64_t)(value << (64 - bits)) >> (64 - bits);

	if (number == (int32_t)number)
		return (int32_t)number;
	b->has_failed = true;
	return 0;
}
