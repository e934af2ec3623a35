#ifndef MODEL_BASE_SEED_H
#define MODEL_BASE_SEED_H

/*
 * A random number, the same during the whole run. It keeps the authors of input from choosing names
 * or addresses that collide in a hash table. Nothing that is shown may depend on it.
 */
#include <stdint.h>

uint64_t seed_random(void);

#endif
