#ifndef MODEL_ALLOCATIONS_RECENT_H
#define MODEL_ALLOCATIONS_RECENT_H

/*
 * The samples of the last seconds, so that rates follow what happens now. Each copy of a recording
 * sums them up by cell.
 *
 * In ten seconds a site that allocates 1 MB a second has about 100 samples; one below about 300 KB
 * a second has fewer than ALLOCATION_SAMPLES_MIN, and only an upper limit. Memory is bounded:
 * beyond RECENT_SAMPLES_MAX, about 1.3 GB a second, the oldest samples give way and the time is
 * shorter, as the copy says.
 */
#include "model/allocations/estimate.h"
#include "model/base/error.h"

enum {
	RECENT_SECONDS = 10,
	RECENT_SAMPLES_MAX = 1 << 17, /* 32 bytes each; a power of two */
};

struct recent_sample {
	uint64_t time;             /* in the ticks of the caller's clock */
	uint64_t size, tick_bytes; /* as in struct allocation_sample */
	uint32_t cell;
};

struct recent {
	struct recent_sample *items; /* number n is at n % RECENT_SAMPLES_MAX */
	uint64_t first, end;         /* those that are kept */
	uint64_t given_way;          /* time of the newest that was overwritten */
};

struct recent *recent_new(struct error *err) MUST_USE;
void recent_free(struct recent *r); /* NULL is allowed */
void recent_add(struct recent *r, const struct recent_sample *s);
/* Forgets all samples. */
void recent_restart(struct recent *r);
/* The sample of this number, from `first` to `end` - 1. */
const struct recent_sample *recent_at(const struct recent *r, uint64_t number);
/* Adds a sample to a sum. */
void recent_sum_add(struct allocation_sum *sum, const struct recent_sample *s);

#endif
