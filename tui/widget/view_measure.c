/* What all rows of a view tell together: the unit that their bytes need. */
#include "model/base/format.h"
#include "tui/widget/view_job.h"
#include <string.h>

/* More cost too much whenever rows change. Whatever comes behind them is in the
 * same unit, only longer. */
enum { ROWS_MEASURED = 1 << 15 };

/* The largest number of bytes; 0: it is a column of something else. */
static uint64_t
measure_column(const struct view *v, const struct column *c)
{
	size_t rows =
	    v->rows_count < ROWS_MEASURED ? v->rows_count : ROWS_MEASURED;
	uint64_t largest = 0;
	struct value value;
	struct row row;

	for (size_t i = 0; i < rows; i++) {
		view_row(v, i, &row);
		view_cell(v, c, &row, &value);
		if (value.kind == VALUE_BLANK || value.kind == VALUE_PENDING)
			continue;
		if (value.is_exact || (value.kind != VALUE_BYTES &&
				       value.kind != VALUE_CHANGE_BYTES))
			return 0;
		if (value.number > largest)
			largest = value.number;
	}
	return largest;
}

/* So many bytes are compared with others of the row. Columns that differ in a
   number say the same of several heaps or the like, few or many. */
static bool
is_compared(const struct view *v, int column)
{
	const struct column *c = &v->ops->table->columns[column];

	return c->from.source == SOURCE_CELL_AT ||
	       (!(c->flags & COLUMN_RATE) &&
		v->largest.bytes[column] >= FORMAT_EXACT_BELOW);
}

static void
measure_alike(struct view *v)
{
	const struct column *columns = v->ops->table->columns;
	uint64_t largest = 0;

	for (int i = 0; columns[i].id; i++)
		if (is_compared(v, i) && v->largest.bytes[i] > largest)
			largest = v->largest.bytes[i];
	for (int i = 0; columns[i].id; i++)
		if (v->largest.bytes[i] && is_compared(v, i))
			v->largest.bytes[i] = largest;
}

void
view_measure(struct view *v)
{
	const struct column *columns = v->ops->table->columns;

	if ((v->job && v->job->kind == JOB_MAKES_ROWS) || v->is_waiting ||
	    (v->largest.rows_version == v->rows_version &&
	     v->largest.session_version == v->session_version))
		return;
	v->largest.rows_version = v->rows_version;
	v->largest.session_version = v->session_version;
	memset(v->largest.bytes, 0, sizeof v->largest.bytes);
	if (view_code(v->ops)->add_up)
		view_code(v->ops)->add_up(v);
	for (int i = 0; columns[i].id; i++)
		if (columns[i].width > 0 &&
		    view_has_column(v, &columns[i], false))
			v->largest.bytes[i] = measure_column(v, &columns[i]);
	measure_alike(v);
	view_sum_up(v);
}
