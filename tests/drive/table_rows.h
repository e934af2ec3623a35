#ifndef TESTS_DRIVE_TABLE_ROWS_H
#define TESTS_DRIVE_TABLE_ROWS_H

/* The rows of a table, made without a view. What fails fails the test. */
#include "model/table/table.h"

/* The results about a heap that rows are made of. */
struct computed {
	struct facts facts;
};
/* Computes what `needs` asks for: NEED_REACH, NEED_RETAINED. */
void computed_begin(struct computed *c, const struct heap *h, unsigned needs);
void computed_end(struct computed *c);

struct table_rows {
	const struct table *table;
	struct cells cells;
	void *made;
	uint32_t count;
};
void table_rows_make(struct table_rows *r, const struct table *t, const struct facts *f,
		     const struct subject *about);
void table_rows_clear(struct table_rows *r);

void table_rows_row(const struct table_rows *r, uint32_t item, struct row *out);
void table_rows_cell(const struct table_rows *r, uint32_t item, const char *column,
		     struct value *out);
uint64_t table_rows_number(const struct table_rows *r, uint32_t item, const char *column);
/* The sum of a column over all rows. */
uint64_t table_rows_sum(const struct table_rows *r, const char *column);

#endif
