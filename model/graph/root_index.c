#include "model/graph/root_index.h"

enum { REPORT_EVERY = 65536 };
#define ROOT_UNKNOWN UINT32_MAX

static uint32_t
longest_way(const struct reach *reach)
{
	uint32_t longest = 0;

	for (node_id n = 0; n < reach->heap->nodes_count; n++)
		if (reach->distance[n] != DISTANCE_UNREACHABLE &&
		    reach->distance[n] > longest)
			longest = reach->distance[n];
	return longest;
}

/* Follows the path to an object whose root is known, then stores that root
   along the path: each object is visited twice at most. */
static void
fill_way(struct root_index *index, node_id from)
{
	const struct reach *reach = index->reach;
	uint32_t root;
	node_id n = from;

	while (reach->distance[n] && index->roots[n] == ROOT_UNKNOWN)
		n = reach->next[n];
	root = reach->distance[n] ? index->roots[n] : reach->next[n];
	index->roots[n] = root;
	for (n = from; index->roots[n] == ROOT_UNKNOWN; n = reach->next[n])
		index->roots[n] = root;
}

static bool
fill_all(struct root_index *index, struct progress *progress, struct error *err)
{
	const struct reach *reach = index->reach;
	uint32_t count = reach->heap->nodes_count;

	progress_begin(progress, "finding roots", "objects", count);
	for (node_id n = 0; n < count; n++)
		index->roots[n] = ROOT_UNKNOWN;
	for (node_id n = 0; n < count; n++) {
		if (reach->distance[n] != DISTANCE_UNREACHABLE)
			fill_way(index, n);
		if (n % REPORT_EVERY == 0 &&
		    !progress_add(progress, REPORT_EVERY))
			return error_cancelled(err);
	}
	return true;
}

struct root_index *
root_index_new(const struct reach *reach, struct progress *progress,
	       struct error *err)
{
	struct root_index *index = memory_new(1, sizeof(*index), err);
	uint32_t count = reach->heap->nodes_count;

	if (!index)
		return NULL;
	index->reach = reach;
	if (longest_way(reach) <= ROOT_INDEX_SHORT)
		return index;
	index->bytes = (uint64_t)count * sizeof(*index->roots);
	index->roots = memory_new(count, sizeof(*index->roots), err);
	if (index->roots && fill_all(index, progress, err))
		return index;
	root_index_free(index);
	return NULL;
}

void
root_index_free(struct root_index *index)
{
	if (!index)
		return;
	memory_free(index->roots);
	memory_free(index);
}

const struct root *
root_index_find(const struct root_index *index, node_id n)
{
	const struct reach *reach = index->reach;

	if (!index->roots)
		return reach_root(reach, n);
	if (index->roots[n] == ROOT_UNKNOWN)
		return NULL;
	return &reach->heap->roots[index->roots[n]];
}
