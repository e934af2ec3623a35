#include "model/analysis/garbage.h"

enum { LOOK_EVERY = 65536 }; /* objects between checks for cancellation */

struct type_sum *
garbage_by_type(const struct reach *reach, struct progress *progress, struct error *err)
{
	const struct heap *h = reach->heap;
	struct type_sum *sums = memory_new((size_t)h->types_count + 1, sizeof *sums, err);

	progress_begin(progress, "adding up dead objects", "objects", h->nodes_count);
	for (node_id n = 0; sums && n < h->nodes_count; n++) {
		if (reach->distance[n] == DISTANCE_UNREACHABLE)
			type_sum_add(&sums[heap_type_of(h, n)], heap_size(h, n));
		if ((n + 1) % LOOK_EVERY || progress_add(progress, LOOK_EVERY))
			continue;
		memory_free(sums);
		error_cancelled(err);
		return NULL;
	}
	return sums;
}
