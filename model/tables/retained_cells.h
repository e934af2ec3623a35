#ifndef MODEL_TABLES_RETAINED_CELLS_H
#define MODEL_TABLES_RETAINED_CELLS_H

/* The cells of the rows made by retained_rows.h. */
#include "model/table/table.h"
#include "model/tables/retained_rows.h"

/* Returns what a row retains; false if it is unknown. */
bool retained_row_sum(const struct cells *in, const struct row *row, struct retained_sum *sum);

/* The same, as numbers for columns. */
uint64_t retained_row_bytes(const struct cells *in, const struct row *row);
uint64_t retained_row_count(const struct cells *in, const struct row *row);
void retained_row_name(const struct cells *in, const struct row *row, struct value *out);

#endif
