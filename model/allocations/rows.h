#ifndef MODEL_ALLOCATIONS_ROWS_H
#define MODEL_ALLOCATIONS_ROWS_H

/*
 * Allocations as a table: a row for each site or for each type, with the type or site that has most
 * of its bytes. The rows of the tables are a struct allocation_rows. Also writes stacks in the
 * collapsed format of flame graphs.
 */
#include "model/allocations/allocations.h"
#include "model/base/progress.h"
#include "model/table/table.h"
#include <stdio.h>

enum allocation_grouping { ALLOCATIONS_BY_SITE, ALLOCATIONS_BY_TYPE };

struct allocation_row {
	struct allocation_sum sum;
	struct allocation_sum rate; /* of allocations_rate_seconds() */
	uint32_t site, type;        /* of the row, and most of the other kind */
	uint32_t others;            /* further types of a site, or sites of a type */
	double most;                /* bytes of the pair named */
	struct allocation_alive alive;
};

struct allocation_rows {
	const struct allocations *of; /* named; outlives the rows */
	enum allocation_grouping grouping;
	struct allocation_row *items; /* freed by allocation_rows_clear() */
	uint32_t count;
	size_t room;
	/* 1 + the row whose live bytes rise most, and how; 0: none does. */
	uint32_t rising;
	struct allocation_growth growth;
};

/* By site, and the same columns by type. */
extern const struct table allocations_table, allocations_by_type_table;
/* Their rows are the nodes of a tree, see model/allocations/stacks.h. */
extern const struct table allocation_callers_table, allocation_callees_table;

/* Linear in the cells, about 0.5 us each; `my_modules` as in allocations_mine(). Clear it even
   after a failure. */
bool allocation_rows_make(struct allocation_rows *rows, const struct allocations *of,
			  enum allocation_grouping grouping, const char *my_modules,
			  struct progress *progress, struct error *err) MUST_USE;
/* The name of the site or type; NULL: without a stack. Lives as long as the copy. */
const char *allocation_row_name(const struct allocation_rows *rows, uint32_t row);
/* A key that is the same in later copies: of the row or, with the other grouping, of the row there
   that has the name this one shows. */
uint64_t allocation_row_key(const struct allocation_rows *rows, uint32_t row,
			    enum allocation_grouping grouping);
void allocation_rows_clear(struct allocation_rows *rows);

/*
 * Writes a line for each stack and type: the methods from the outermost caller to the innermost and
 * the type, joined by ";", then a blank and the estimated bytes. Write errors are left in `to`.
 */
bool allocations_print_stacks(const struct allocations *a, FILE *to, struct error *err);

#endif
