#ifndef MODEL_TABLE_MATCHES_H
#define MODEL_TABLE_MATCHES_H

/*
 * The matching rows of a search, one bit each, while rows are being searched: from a start row
 * forwards or backwards, wrapping around. One thread adds matches; another may query the rows
 * searched so far at the same time.
 */
#include "model/base/error.h"
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

struct matches {
	size_t rows_count, start;
	bool is_backwards;
	_Atomic uint64_t *bits; /* in search order */
	atomic_size_t looked, count;
};

/* `start` is less than `rows_count`, or both are 0. */
bool matches_init(struct matches *m, size_t rows_count, size_t start, bool is_backwards,
		  struct error *err) MUST_USE;
void matches_clear(struct matches *m);

/* Returns the row to search after `looked` others. */
size_t matches_row(const struct matches *m, size_t looked);
/* Records that row as a match. */
void matches_add(struct matches *m, size_t looked);
/* Records how many rows were searched. */
void matches_advance(struct matches *m, size_t looked);

bool matches_complete(const struct matches *m);
bool matches_has(const struct matches *m, size_t row);
/* Returns the next match after or before `row`, wrapping around to itself; SIZE_MAX: none, or not
   searched yet. About 20 µs for a million rows. */
size_t matches_nearest(const struct matches *m, size_t row, bool backwards);
/* Returns whether the running search reaches the next match soonest; if false, a new search from
   `row` would. */
bool matches_lead_to_nearest(const struct matches *m, size_t row, bool backwards);
/* Returns the number of a match, counted from the first row; 0: unknown. */
size_t matches_number(const struct matches *m, size_t row);

#endif
