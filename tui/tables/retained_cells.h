#ifndef TUI_TABLES_RETAINED_CELLS_H
#define TUI_TABLES_RETAINED_CELLS_H

/* Cells of the rows that retained_rows.h makes. */
#include "model/table/table.h"
#include "tui/tables/retained_rows.h"

/* What a row retains; false if it does not say. */
bool holding_sum_of(const struct cells *in, const struct row *row,
		    struct retained_sum *sum);

/* The same as numbers of columns. */
uint64_t holding_bytes(const struct cells *in, const struct row *row);
uint64_t holding_count(const struct cells *in, const struct row *row);
void holding_cell_name(const struct cells *in, const struct row *row,
		       struct value *out);

#endif
