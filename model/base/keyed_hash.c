#include "model/base/keyed_hash.h"
#include "model/base/load.h"

static uint64_t
rotate(uint64_t x, int bits)
{
	return x << bits | x >> (64 - bits);
}

static void
mix(uint64_t v[4], int rounds)
{
	while (rounds--) {
		v[0] += v[1];
		v[2] += v[3];
		v[1] = rotate(v[1], 13) ^ v[0];
		v[3] = rotate(v[3], 16) ^ v[2];
		v[0] = rotate(v[0], 32);
		v[2] += v[1];
		v[0] += v[3];
		v[1] = rotate(v[1], 17) ^ v[2];
		v[3] = rotate(v[3], 21) ^ v[0];
		v[2] = rotate(v[2], 32);
	}
}

static void
mix_word(uint64_t v[4], uint64_t word)
{
	v[3] ^= word;
	mix(v, 2);
	v[0] ^= word;
}

void
keyed_hash_begin(struct keyed_hash *h, const uint64_t key[2])
{
	h->state[0] = key[0] ^ UINT64_C(0x736f6d6570736575);
	h->state[1] = key[1] ^ UINT64_C(0x646f72616e646f6d) ^ 0xee;
	h->state[2] = key[0] ^ UINT64_C(0x6c7967656e657261);
	h->state[3] = key[1] ^ UINT64_C(0x7465646279746573);
	h->len = 0;
}

void
keyed_hash_add(struct keyed_hash *h, const uint8_t *bytes, size_t len)
{
	for (size_t i = 0; i + 8 <= len; i += 8)
		mix_word(h->state, load_bytes(bytes + i, 8));
	h->len += len & ~(size_t)7;
}

static uint64_t
fold(const uint64_t v[4])
{
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}

void
keyed_hash_end(struct keyed_hash *h, const uint8_t *rest, size_t rest_len, uint64_t out[2])
{
	uint64_t *v = h->state;

	mix_word(v, load_bytes(rest, rest_len) | (h->len + rest_len) << 56);
	v[2] ^= 0xee;
	mix(v, 4);
	out[0] = fold(v);
	v[1] ^= 0xdd;
	mix(v, 4);
	out[1] = fold(v);
}
