#ifndef MODEL_BASE_KEYED_HASH_H
#define MODEL_BASE_KEYED_HASH_H

/*
 * 128 bits that stand for some bytes: SipHash-2-4. Whoever chose the bytes
 * does not know the key, so that two texts have the same number once in 10^38:
 * the number can be taken for the text. About 1 ns for 2 bytes.
 */
#include <stddef.h>
#include <stdint.h>

struct keyed_hash {
	uint64_t state[4];
	uint64_t len; /* of what was added */
};

void keyed_hash_begin(struct keyed_hash *h, const uint64_t key[2]);
/* In pieces of a multiple of 8 bytes, all but the last. */
void keyed_hash_add(struct keyed_hash *h, const uint8_t *bytes, size_t len);
/* `rest`: the last up to 7 bytes, which keyed_hash_add() leaves alone. */
void keyed_hash_end(struct keyed_hash *h, const uint8_t *rest, size_t rest_len,
		    uint64_t out[2]);

#endif
