#ifndef MODEL_HEAP_ORDER_H
#define MODEL_HEAP_ORDER_H

/*
 * Lists of objects, filtered and sorted: 4 bytes an object listed. Sorting is linear, about 20 ns
 * an object on two threads plus the time of the keys, and temporarily takes 16 bytes an object
 * more. Both are passes over the whole heap: run them on a worker thread.
 */
#include "model/base/progress.h"
#include "model/heap/heap.h"

struct id_list {
	node_id *ids;
	uint32_t count;
	uint64_t bytes_count; /* sizes of the objects listed */
};
void id_list_free(struct id_list *list);

/* Lists the objects whose type is marked in `types` (indexed by type_id; NULL: all), by id. */
bool id_list_of_types(struct id_list *list, const struct heap *h, const uint8_t *types,
		      struct progress *progress, struct error *err) MUST_USE;

/* Sort by key; the sort is stable. `key` is called on several threads, up to three times an object.
   On failure the list is unchanged. */
typedef uint64_t order_key(const void *context, node_id n);
bool id_list_sort(struct id_list *list, order_key *key, const void *context, bool is_descending,
		  struct progress *progress, struct error *err) MUST_USE;

#endif
