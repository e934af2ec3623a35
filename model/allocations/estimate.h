#ifndef MODEL_ALLOCATIONS_ESTIMATE_H
#define MODEL_ALLOCATIONS_ESTIMATE_H

/*
 * Estimates of what was allocated, from samples of allocations.
 *
 * From .NET 10 on, the runtime tosses a coin for every byte allocated, which succeeds once in
 * ALLOCATION_MEAN_BYTES, and samples the object of a success. An object of s bytes is sampled with
 * the probability p = 1 - (1 - 1/mean)^s, so that each sample stands for 1/p objects and s/p bytes.
 * Sums of these are unbiased; the variance of bytes is the sum of s^2 (1 - p) / p^2 (dotnet/
 * runtime, docs/design/features/RandomizedAllocationSampling.md).
 *
 * Older runtimes report the object at which an allocation budget of about the same size is used up.
 * That is no random choice: the sums may be wrong by any factor for a type or site, and have no
 * interval.
 */
#include <stdbool.h>
#include <stdint.h>

enum {
	ALLOCATION_MEAN_BYTES = 102400,
	/* With fewer samples only an upper limit is shown. */
	ALLOCATION_SAMPLES_MIN = 30,
};

struct allocation_sum {
	uint64_t samples, unsized; /* unsized ones add nothing to `objects` */
	double bytes, objects;
	double bytes_variance, objects_variance;
	double largest_bytes, largest_objects; /* of one sample */
};

/* The bytes that a randomly sampled object stands for. */
double allocation_weight(uint64_t size);
/* Adds a randomly sampled object. */
void allocation_sum_add(struct allocation_sum *sum, uint64_t size);
/* Adds an object that stands for `bytes` allocated, chosen by a budget; a size of 0 is unknown. */
void allocation_sum_add_tick(struct allocation_sum *sum, uint64_t size, uint64_t bytes);
void allocation_sum_merge(struct allocation_sum *to, const struct allocation_sum *from);

/* An estimate as a whole number: 0 if negative, at most 9e18. */
uint64_t allocation_rounded(double value);

/* The 95 % interval of bytes and of objects. */
struct allocation_interval {
	double low, high;
};
struct allocation_interval allocation_bytes_interval(const struct allocation_sum *sum);
struct allocation_interval allocation_objects_interval(const struct allocation_sum *sum);

#endif
