#ifndef MODEL_BASE_SORTED_H
#define MODEL_BASE_SORTED_H

/* Sorting by a number, and binary search. Takes no memory, unless qsort() does, and cannot fail. */
#include <stddef.h>
#include <stdint.h>

/*
 * Sets `at`, an unsigned variable, to the first index in [first, end) for which
 * `is_before`, an expression of `at`, is false, or to `end`. A macro, so that
 *the compiler sees the expression inside the loop: LOWER_BOUND(at, 0,
 *h->ranges_count, h->ranges[at].end <= address);
 */
#define LOWER_BOUND(at, first, end, is_before)                                                     \
	do {                                                                                       \
		__typeof__(at) low_ = (first), high_ = (end);                                      \
                                                                                                   \
		while (low_ < high_) {                                                             \
			(at) = low_ + (high_ - low_) / 2;                                          \
			if (is_before)                                                             \
				low_ = (at) + 1;                                                   \
			else                                                                       \
				high_ = (at);                                                      \
		}                                                                                  \
		(at) = low_;                                                                       \
	} while (0)

/* For qsort() and bsearch(): numbers, or structs that begin with one. */
int compare_u32(const void *a, const void *b);
int compare_u64(const void *a, const void *b);
/* Structs that begin with two uint64_t: by the first, then by the second. */
int compare_u64_pair(const void *a, const void *b);

/*
 * Sorts structs by their first field, an unsigned number of 4 or 8 bytes, or an array of such
 * numbers. `items` may be NULL if `count` is 0. Not stable.
 */
#define SORT_BY(items, count, field)                                                               \
	sort_by_first((items), (count), sizeof *(items), FIRST_FIELD_BYTES(items, field))
#define SORT_NUMBERS(items, count) sort_by_first((items), (count), sizeof *(items), sizeof *(items))

void sort_by_first(void *items, size_t count, size_t size, size_t key_size);
/* The size of a field; does not compile unless it is the first. */
#define FIRST_FIELD_BYTES(items, field)                                                            \
	(sizeof((items)->field) + 0 * sizeof(struct {                                              \
					  _Static_assert(!offsetof(__typeof__(*(items)), field),   \
							 "sorts by the first field only");         \
					  int unused;                                              \
				  }))

#endif
