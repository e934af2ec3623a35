#include "model/graph/merged_way.h"

#include "model/heap/bits.h"
#include <string.h>

enum { BATCH = 1 << 16 }; /* objects between checks for Esc */

struct finding {
	const struct reach *reach;
	const struct merged_row *rows;
	uint32_t rows_count;
	uint64_t *above; /* bits: the path from here meets a row above */
	uint64_t *clean; /* bits: the path avoids the rows above */
	uint32_t *row_of_type;
	uint64_t *votes; /* indexed by row */
	uint32_t most;   /* greatest distance that may vote */
	uint64_t work;
	struct progress *progress;
	struct error *err;
};

static bool
finding_work(struct finding *f)
{
	if (++f->work % BATCH == 0 && progress_is_cancelled(f->progress))
		return error_cancelled(f->err);
	return true;
}

static bool
mark_above(struct finding *f, const struct merged_row *const *path, uint32_t depth)
{
	for (uint32_t d = 0; d < depth; d++) {
		for (uint32_t i = 0; i < path[d]->count; i++) {
			bits_add(f->above, path[d]->nodes[i]);
			if (!finding_work(f))
				return false;
		}
	}
	return true;
}

/* Returns true if the path from this object avoids the rows above. Marks the objects along it with
   the result, so that no step is taken twice. */
static bool
way_is_clear(struct finding *f, node_id node, bool *is_clear)
{
	const uint32_t *distance = f->reach->distance;
	const uint32_t *next = f->reach->next;
	node_id first, end;

	*is_clear = true;
	if (distance[node] == 0)
		return true;
	first = end = next[node];
	while (!bits_has(f->above, end) && !bits_has(f->clean, end) && distance[end]) {
		end = next[end];
		if (!finding_work(f))
			return false;
	}
	*is_clear = !bits_has(f->above, end);
	for (node_id n = first; n != end; n = next[n])
		bits_add(*is_clear ? f->clean : f->above, n);
	return true;
}

static uint32_t
row_of_root(const struct finding *f, const struct root *root)
{
	uint32_t i;

	for (i = 0; i < f->rows_count; i++) {
		const char *name = f->rows[i].root_name;

		if (f->rows[i].type != TYPE_NONE || f->rows[i].root_kind != root->kind)
			continue;
		/* A kind with too many names is one row. */
		if (name == root->name || !*name || !strcmp(name, root->name))
			return i;
	}
	return MERGED_NO_WAY;
}

/* Returns the row to which the object's path to a root leads next. */
static uint32_t
row_of_voter(const struct finding *f, node_id node)
{
	const struct reach *reach = f->reach;
	uint32_t next = reach->next[node];

	if (reach->distance[node] == 0)
		return row_of_root(f, &reach->heap->roots[next]);
	return f->row_of_type[heap_type_of(reach->heap, next)];
}

static bool
find_nearest(struct finding *f, struct merged_way *way, const struct merged_row *held)
{
	for (uint32_t i = 0; i < held->count; i++) {
		node_id node = held->nodes[i];
		uint32_t distance = f->reach->distance[node];
		bool is_clear;

		if (!finding_work(f))
			return false;
		if (distance >= way->distance)
			continue;
		if (!way_is_clear(f, node, &is_clear))
			return false;
		if (!is_clear)
			continue;
		way->distance = distance;
		way->nearest = node;
	}
	return true;
}

static bool
count_votes(struct finding *f, const struct merged_row *held)
{
	for (uint32_t i = 0; i < held->count; i++) {
		node_id node = held->nodes[i];
		bool is_clear;
		uint32_t row;

		if (!finding_work(f))
			return false;
		if (f->reach->distance[node] > f->most)
			continue;
		if (!way_is_clear(f, node, &is_clear))
			return false;
		row = is_clear ? row_of_voter(f, node) : MERGED_NO_WAY;
		if (row != MERGED_NO_WAY)
			f->votes[row] += heap_size(f->reach->heap, node);
	}
	return true;
}

/* Returns the row with most votes; among equals the one that holds most. */
static uint32_t
elected_row(const struct finding *f)
{
	uint32_t best = MERGED_NO_WAY;

	for (uint32_t i = 0; i < f->rows_count; i++) {
		if (!f->votes[i])
			continue;
		if (best == MERGED_NO_WAY || f->votes[i] > f->votes[best] ||
		    (f->votes[i] == f->votes[best] &&
		     f->rows[i].held_count > f->rows[best].held_count))
			best = i;
	}
	return best;
}

static bool
finding_run(struct finding *f, struct merged_way *way, const struct merged_row *const *path,
	    uint32_t depth, uint32_t steps)
{
	const struct merged_row *held = path[depth - 1];

	memset(f->row_of_type, 0xff, f->reach->heap->types_count * sizeof(*f->row_of_type));
	for (uint32_t i = 0; i < f->rows_count; i++)
		if (f->rows[i].type != TYPE_NONE && f->rows[i].count)
			f->row_of_type[f->rows[i].type] = i;
	if (!mark_above(f, path, depth) || !find_nearest(f, way, held))
		return false;
	if (way->nearest == NODE_NONE)
		return true;
	f->most = way->distance > steps ? way->distance : steps;
	if (!count_votes(f, held))
		return false;
	way->row = elected_row(f);
	return true;
}

bool
merged_way_find(struct merged_way *way, const struct merged_row *rows, uint32_t rows_count,
		const struct merged_row *const *path, uint32_t depth, const struct reach *reach,
		uint32_t steps, struct progress *progress, struct error *err)
{
	size_t words = bits_words(reach->heap->nodes_count);
	struct finding f = { .reach = reach,
			     .rows = rows,
			     .rows_count = rows_count,
			     .progress = progress,
			     .err = err };
	bool is_ok;

	*way = (struct merged_way){ MERGED_NO_WAY, DISTANCE_UNREACHABLE, NODE_NONE };
	f.above = memory_new(words, sizeof(*f.above), err);
	f.clean = memory_new(words, sizeof(*f.clean), err);
	f.row_of_type =
	    memory_new((size_t)reach->heap->types_count + 1, sizeof(*f.row_of_type), err);
	f.votes = memory_new((size_t)rows_count + 1, sizeof(*f.votes), err);
	is_ok = f.above && f.clean && f.row_of_type && f.votes &&
		finding_run(&f, way, path, depth, steps);
	memory_free(f.above);
	memory_free(f.clean);
	memory_free(f.row_of_type);
	memory_free(f.votes);
	return is_ok;
}
