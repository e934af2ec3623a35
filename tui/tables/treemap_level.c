#include "tui/tables/treemap_level.h"
#include "model/base/format.h"
#include "model/graph/retention.h"
#include "tui/session/describe.h"
#include <string.h>

enum {
	FILLING_PERCENT = 99, /* a child with so much is alone on the screen */
	FOLDED_MAX = 10000,
};

void
treemap_level_plan(const struct treemap_level *l, const struct retention *retention,
		   struct retained_job *job)
{
	const struct dominators *d = retention->dominators;

	job->retention = retention;
	job->rule = l->is_by_type           ? RETAINED_TYPES
		    : l->after != NODE_NONE ? RETAINED_MORE
		    : l->type != TYPE_NONE  ? RETAINED_PAGE
					    : RETAINED_SPLIT;
	if (l->after != NODE_NONE)
		job->after = (struct sibling){ d->positions[l->after],
					       retained_of(retention->retained, l->after) };
	if (l->is_deep)
		job->siblings = (struct siblings){ .end = d->heap->nodes_count, .is_deep = true };
	else if (l->node != NODE_NONE)
		job->siblings = siblings_below(d, l->node);
	else
		job->siblings = siblings_on_top(d, !l->is_dead);
	job->siblings.type = l->type;
	if (!l->is_deep) {
		job->siblings.owners = l->owners;
		job->siblings.least_owner = l->node == NODE_NONE ? CODE_ARRAY : CODE_MINE;
	}
	job->has_top = l->node == NODE_NONE && l->has_extra;
}

/* Returns the child that fills the screen, or NODE_NONE. */
static node_id
filling_child(const struct retained_job *job, uint64_t all_bytes)
{
	const struct row *first = job->rows.items;
	struct retained_sum sum;

	if (!job->rows.count || first->kind != ROW_OBJECT || first->fold == FOLD_NONE)
		return NODE_NONE;
	sum = retained_of(job->retention->retained, first->node);
	return (double)sum.bytes * 100 >= (double)all_bytes * FILLING_PERCENT ? first->node
									      : NODE_NONE;
}

/* Folds the node into its child as long as the child fills the screen. A level that is shown again
   stays folded as it was. */
static bool
fold(struct treemap_level *l, struct retained_job *job, struct progress *progress,
     struct error *err)
{
	const struct retention *retention = job->retention;
	const struct retained *r = retention->retained;
	uint64_t all = l->node == NODE_NONE ? r->heap->bytes_count : retained_of(r, l->node).bytes;
	bool may_fold = job->rule == RETAINED_SPLIT && !l->folded && !l->skip && !l->is_dead;
	node_id child = filling_child(job, all);

	while (may_fold && child != NODE_NONE && l->folded < FOLDED_MAX) {
		l->folded++;
		l->node = child;
		l->has_extra = true;
		retained_job_clear(job);
		*job = (struct retained_job){ 0 };
		treemap_level_plan(l, retention, job);
		if (!retained_job_run(job, progress, err))
			return false;
		child = filling_child(job, all);
	}
	return true;
}

static uint64_t
row_bytes(const struct retained_job *job, const struct row *row)
{
	return row->kind == ROW_OBJECT ? retained_of(job->retention->retained, row->node).bytes
				       : retained_set_of(row)->sum.bytes;
}

/* Merges the objects at the end of a page with those that it leaves out, if all of them are equally
   large: a picture of equal areas shows nothing. */
static void
merge_equal(struct retained_job *job)
{
	struct row *items = job->rows.items;
	size_t count = job->rows.count;
	struct retained_set *rest;
	uint64_t bytes;

	if (count < 2 || items[count - 1].kind != ROW_MORE || job->siblings.type == TYPE_NONE)
		return;
	rest = (struct retained_set *)(uintptr_t)items[count - 1].data;
	bytes = row_bytes(job, &items[count - 2]);
	if (rest->sum.bytes != rest->count * bytes)
		return;
	items[count - 1].kind = ROW_TYPE;
	items[count - 1].type = job->siblings.type;
	rest->sum.count = UINT64_MAX; /* not known of those left out */
	while (count > 1 && row_bytes(job, &items[count - 2]) == bytes) {
		items[count - 2] = items[count - 1];
		rest->count++;
		rest->sum.bytes += bytes;
		count--;
	}
	job->rows.count = count;
}

/* Returns the bytes of the node itself: what its rows do not have. */
static uint64_t
bytes_itself(const struct retained_job *job, node_id node)
{
	uint64_t bytes = retained_of(job->retention->retained, node).bytes;

	for (size_t i = 0; i < job->rows.count; i++)
		bytes -= row_bytes(job, &job->rows.items[i]);
	return bytes;
}

bool
treemap_level_make(struct treemap_level *l, struct retained_job *job, struct progress *progress,
		   struct error *err)
{
	struct row itself = row_of(ROW_PLAIN);

	if (!retained_job_run(job, progress, err) || !fold(l, job, progress, err))
		return false;
	merge_equal(job);
	if (l->node == NODE_NONE || !l->has_extra)
		return true;
	itself.data = bytes_itself(job, l->node);
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
		return (struct retained_sum){ 1, row->data };
	if (treemap_row_is_rest(row))
		return (struct retained_sum){ retained_set_of(row)->count,
					      retained_set_of(row)->sum.bytes };
	(void)retained_row_sum(in, row, &sum);
	return sum;
}

static void
sort(const struct cells *in, struct rows *rows)
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

/* An insertion sort is enough: there are a few hundred rows at most. */
void
treemap_level_sort(const struct treemap_level *l, const struct cells *in, struct rows *rows)
{
	size_t skip = l->skip < rows->count ? l->skip : rows->count;

	sort(in, rows);
	if (!skip)
		return;
	rows->count -= skip;
	memmove(rows->items, rows->items + skip, rows->count * sizeof *rows->items);
}

void
treemap_level_part(const struct treemap_level *l, const struct session *s, char *out,
		   size_t out_size)
{
	char count[FORMAT_BYTES];

	*out = '\0';
	if (l->is_by_type)
		snprintf(out, out_size, ", by type");
	else if (l->type != TYPE_NONE && !l->is_deep)
		snprintf(out, out_size, ", only %s%.200s", l->after != NODE_NONE ? "smaller " : "",
			 session_type_name(s, l->type));
	else if (l->after != NODE_NONE)
		snprintf(out, out_size, ", only what was too small to draw");
	else if (l->folded)
		snprintf(out, out_size, "; %s object%s above hold%s little else",
			 format_count(l->folded, count), plural(l->folded),
			 l->folded == 1 ? "s" : "");
	if (l->skip)
		snprintf(out, out_size, ", only what was too small to draw");
}
