#ifndef MODEL_BASE_LESS_H
#define MODEL_BASE_LESS_H

/* A subtraction for sums that do not agree: sampled heaps and estimates. */
#include <stdint.h>

/* Returns 0 if `part` is the larger one. */
static inline uint64_t
less(uint64_t whole, uint64_t part)
{
	return whole > part ? whole - part : 0;
}

#endif
