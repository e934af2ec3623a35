#include "model/graph/root_index.h"

#include "model/base/worker.h"
#include "model/heap/sweep.h"

static bool
has_long_way(const struct reach *reach)
{
	for (node_id n = 0; n < reach->heap->nodes_count; n++)
		if (reach->distance[n] != DISTANCE_UNREACHABLE &&
		    reach->distance[n] > ROOT_INDEX_SHORT)
			return true;
	return false;
}

static inline uint32_t
known(const struct root_index *index, node_id n)
{
	return atomic_load_explicit(&index->roots[n], memory_order_relaxed);
}

static inline void
store(struct root_index *index, node_id n, uint32_t root)
{
	atomic_store_explicit(&index->roots[n], root, memory_order_relaxed);
}

/* Follows the path to an object whose root is known, then stores that root along the path: each
   thread visits an object twice at most. Threads on the same path store the same root. */
static void
fill_way(struct root_index *index, node_id from)
{
	const struct reach *reach = index->reach;
	uint32_t root;
	node_id n = from;

	while (reach->distance[n] && !known(index, n))
		n = reach->next[n];
	root = reach->distance[n] ? known(index, n) : reach->next[n] + 1;
	store(index, n, root);
	for (n = from; !known(index, n); n = reach->next[n])
		store(index, n, root);
}

struct filling {
	struct root_index *index;
	struct progress *progress;
};

static bool
fill_chunk(void *context, uint64_t part, unsigned thread, struct error *err)
{
	struct filling *f = context;
	const struct reach *reach = f->index->reach;
	node_id first = chunk_first((uint32_t)part);
	node_id end = chunk_end(reach->heap, (uint32_t)part);

	(void)thread;
	for (node_id n = first; n < end; n++)
		if (reach->distance[n] != DISTANCE_UNREACHABLE)
			fill_way(f->index, n);
	return progress_add(f->progress, end - first) || error_cancelled(err);
}

static bool
fill_all(struct root_index *index, struct progress *progress, struct error *err)
{
	const struct heap *h = index->reach->heap;
	struct filling f = { index, progress };

	progress_begin(progress, "finding roots", "objects", h->nodes_count);
	return worker_run_all(worker_threads(), sweep_chunks_count(h), fill_chunk, &f, err);
}

struct root_index *
root_index_new(const struct reach *reach, struct progress *progress, struct error *err)
{
	struct root_index *index = memory_new(1, sizeof(*index), err);
	uint32_t count = reach->heap->nodes_count;

	if (!index)
		return NULL;
	index->reach = reach;
	if (!has_long_way(reach))
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
	uint32_t root;

	if (!index->roots)
		return reach_root(reach, n);
	root = known(index, n);
	return root ? &reach->heap->roots[root - 1] : NULL;
}
