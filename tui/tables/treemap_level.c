#include "tui/tables/treemap_level.h"
#include "model/graph/retention.h"

void
treemap_level_plan(const struct treemap_level *l,
		   const struct retention *retention, struct retained_job *job)
{
	const struct dominators *d = retention->dominators;

	job->retention = retention;
	job->rule = l->is_by_type           ? RETAINED_TYPES
		    : l->after != NODE_NONE ? RETAINED_MORE
					    : RETAINED_PAGE;
	if (l->after != NODE_NONE)
		job->after = (struct sibling){ d->positions[l->after],
					       retained_of(retention->retained,
							   l->after) };
	if (l->is_deep)
		job->siblings = (struct siblings){ .end = d->heap->nodes_count,
						   .is_deep = true };
	else if (l->node != NODE_NONE)
		job->siblings = siblings_below(d, l->node);
	else
		job->siblings = siblings_on_top(d, !l->is_dead);
	job->siblings.type = l->type;
	job->has_top = l->node == NODE_NONE && l->has_extra;
}

bool
treemap_level_make(const struct treemap_level *l, struct retained_job *job,
		   struct progress *progress, struct error *err)
{
	struct row itself = row_of(ROW_PLAIN);

	if (!retained_job_run(job, progress, err))
		return false;
	if (l->node == NODE_NONE || !l->has_extra)
		return true;
	itself.node = l->node;
	itself.type = heap_type_of(job->retention->dominators->heap, l->node);
	itself.key = TREEMAP_KEY_ITSELF;
	return rows_append(&job->rows, &itself, err);
}

struct retained_sum
treemap_row_sum(const struct cells *in, const struct row *row)
{
	struct retained_sum sum = { 0 };

	if (treemap_row_is_itself(row))
		return (struct retained_sum){ 1, heap_size(in->facts->heap,
							   row->node) };
	if (treemap_row_is_rest(row))
		return (struct retained_sum){ retained_set_of(row)->count,
					      retained_set_of(row)->sum.bytes };
	(void)retained_row_sum(in, row, &sum);
	return sum;
}

/* An insertion sort, as only one or two rows at the end are out of order. */
void
treemap_level_sort(const struct cells *in, struct rows *rows)
{
	for (size_t i = 1; i < rows->count; i++) {
		struct row row = rows->items[i];
		size_t at = i;

		while (at && !treemap_row_is_rest(&row) &&
		       (treemap_row_is_rest(&rows->items[at - 1]) ||
			treemap_row_sum(in, &rows->items[at - 1]).bytes <
			    treemap_row_sum(in, &row).bytes)) {
			rows->items[at] = rows->items[at - 1];
			at--;
		}
		rows->items[at] = row;
	}
}
