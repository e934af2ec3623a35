/* The unit that all bytes of a column are shown in. */
#include "model/base/format.h"
#include "tui/widget/view_job.h"
#include <string.h>

/* More rows would take too long at every change. Later values use the same unit and may be
   longer. */
enum { ROWS_MEASURED = 1 << 15 };

/* Returns the column's largest bytes; 0: it holds something else. */
static uint64_t
measure_column(const struct view *v, const struct column *c)
{
	size_t rows = v->rows_count < ROWS_MEASURED ? v->rows_count : ROWS_MEASURED;
	uint64_t largest = 0;
	struct value value;
	struct row row;

	for (size_t i = 0; i < rows; i++) {
		view_row(v, i, &row);
		view_cell(v, c, &row, &value);
		if (value.kind == VALUE_BLANK || value.kind == VALUE_PENDING)
			continue;
		if (value.is_exact ||
		    (value.kind != VALUE_BYTES && value.kind != VALUE_CHANGE_BYTES))
			return 0;
		if (value.number > largest)
			largest = value.number;
	}
	return largest;
}

/*
 * True if the column's bytes are comparable with the row's others, so that they share a unit: large
 * values, numbered columns, which hold the same value of several heaps, and all columns of some
 * views.
 */
static bool
is_compared(const struct view *v, int column)
{
	const struct column *c = &v->ops->table->columns[column];

	return c->from.source == SOURCE_CELL_AT || v->ops->list.flags & VIEW_ONE_UNIT ||
	       (!(c->flags & COLUMN_RATE) && v->largest.bytes[column] >= FORMAT_EXACT_BELOW);
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
		if (columns[i].width > 0 && !(columns[i].flags & COLUMN_ESTIMATE) &&
		    view_has_column(v, &columns[i], false))
			v->largest.bytes[i] = measure_column(v, &columns[i]);
	measure_alike(v);
	view_sum_up(v);
}
