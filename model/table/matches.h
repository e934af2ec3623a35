#ifndef MODEL_TABLE_MATCHES_H
#define MODEL_TABLE_MATCHES_H

/*
 * Which rows match a search, a bit for each, while they are looked at: from
 * one on, forwards or backwards, round to where it began. One thread adds;
 * another may ask meanwhile, and is told of the rows looked at so far.
 */
#include "model/base/error.h"
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

struct matches {
	size_t rows_count, start;
	bool is_backwards;
	_Atomic uint64_t *bits; /* in the order in which they are looked at */
	atomic_size_t looked, count;
};

/* `start` is less than `rows_count`, or both are 0. */
bool matches_init(struct matches *m, size_t rows_count, size_t start,
		  bool is_backwards, struct error *err) MUST_USE;
void matches_clear(struct matches *m);

/* The row to look at after `looked` others. */
size_t matches_row(const struct matches *m, size_t looked);
/* It, the next that was not told of yet, matches. */
void matches_add(struct matches *m, size_t looked);
/* So many were looked at. */
void matches_tell(struct matches *m, size_t looked);

bool matches_are_all(const struct matches *m);
bool matches_has(const struct matches *m, size_t row);
/*
 * The next that matches after `row`, or before it, round to itself; SIZE_MAX:
 * there is none, or it was not looked at yet. About 20 µs for a million rows.
 */
size_t matches_nearest(const struct matches *m, size_t row, bool backwards);
/* False: another beginning would come sooner to what is next. */
bool matches_lead_to_nearest(const struct matches *m, size_t row,
			     bool backwards);
/* Which of the matches it is, from the first row; 0: not known yet. */
size_t matches_number(const struct matches *m, size_t row);

#endif
