#ifndef TUI_TABLES_RETAINED_CELLS_H
#define TUI_TABLES_RETAINED_CELLS_H

/*
 * Cells of the rows that retained_rows.h makes, for views whose v->state begins
 * with the struct holding_sets of these rows.
 */
#include "tui/tables/retained_rows.h"
#include "tui/widget/view.h"

/* Of a row that stands for several objects. */
const struct holding_set *holding_set_of(const struct view *v,
					 const struct row *row);
/* What a row retains; false if it does not say. */
bool holding_sum_of(const struct view *v, const struct row *row,
		    struct retained_sum *sum);

void holding_cell_name(const struct view *v, const struct row *row,
		       struct value *out);
void holding_cell_retained(const struct view *v, const struct row *row,
			   struct value *out);
/* Of all bytes of the heap. */
void holding_cell_share(const struct view *v, const struct row *row,
			struct value *out);
void holding_cell_count(const struct view *v, const struct row *row,
			struct value *out);

#endif
