#ifndef MODEL_BASE_SEED_H
#define MODEL_BASE_SEED_H

/*
 * A number that whoever made the input could not foresee, the same all through
 * this run: with it nobody can choose names or addresses that all fall into
 * one place of a hash table. Nothing that is shown may depend on it.
 */
#include <stdint.h>

uint64_t seed_random(void);

#endif
