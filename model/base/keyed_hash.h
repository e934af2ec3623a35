#ifndef MODEL_BASE_KEYED_HASH_H
#define MODEL_BASE_KEYED_HASH_H

/*
 * SipHash-2-4 with 128 bits, about 1 ns for 2 bytes. As the key is secret, two texts have the same
 * hash once in 10^38: equal hashes can be taken for equal texts.
 */
#include <stddef.h>
#include <stdint.h>

struct keyed_hash {
	uint64_t state[4];
	uint64_t len; /* bytes added */
};

void keyed_hash_begin(struct keyed_hash *h, const uint64_t key[2]);
/* Every piece but the last must be a multiple of 8 bytes. */
void keyed_hash_add(struct keyed_hash *h, const uint8_t *bytes, size_t len);
/* `rest`: the last 0 to 7 bytes, which keyed_hash_add() ignores. */
void keyed_hash_end(struct keyed_hash *h, const uint8_t *rest, size_t rest_len, uint64_t out[2]);

#endif
