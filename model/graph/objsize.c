#include "model/graph/objsize.h"

enum { REPORT_EVERY = 1 << 16 };

static bool
add_set(struct objsize *size, struct flood *from_set, uint64_t *set, const node_id *nodes,
	uint32_t count)
{
	const struct heap *h = from_set->heap;

	for (uint32_t i = 0; i < count; i++) {
		if (bits_has(set, nodes[i]))
			continue;
		bits_add(set, nodes[i]);
		size->set_count++;
		size->set_bytes += heap_size(h, nodes[i]);
		if (!flood_add(from_set, nodes[i]))
			return false;
		if (!(i & (REPORT_EVERY - 1)) && progress_is_cancelled(from_set->progress))
			return error_cancelled(from_set->err);
	}
	return true;
}

static bool
sum_up_exclusive(struct objsize *size, const struct flood *from_set, const struct flood *from_roots)
{
	const struct heap *h = from_set->heap;
	size_t words = bits_words(h->nodes_count);

	for (size_t w = 0; w < words; w++) {
		uint64_t left = from_set->seen[w] & ~from_roots->seen[w];

		size->exclusive_count += (unsigned)__builtin_popcountll(left);
		while (left)
			size->exclusive_bytes += heap_size(h, bits_take(&left, w));
		if (!(w & (REPORT_EVERY / 64 - 1)) && progress_is_cancelled(from_set->progress))
			return error_cancelled(from_set->err);
	}
	return true;
}

bool
objsize_compute(struct objsize *size, const struct heap *h, const node_id *nodes,
		uint32_t nodes_count, const struct ignored *ignored, struct progress *progress,
		struct error *err)
{
	struct flood from_set, from_roots = { .arena = { 0 } };
	uint64_t *set = memory_new(bits_words(h->nodes_count), sizeof(*set), err);
	bool is_ok;

	*size = (struct objsize){ 0 };
	progress_begin(progress, "measuring what is reached", "objects",
		       (uint64_t)h->nodes_count * 2);
	is_ok = flood_init(&from_set, h, progress, err) && set &&
		flood_init(&from_roots, h, progress, err);
	from_set.ignored = ignored;
	from_roots.ignored = ignored;
	from_roots.avoided = set;
	is_ok = is_ok && add_set(size, &from_set, set, nodes, nodes_count) &&
		flood_run(&from_set) && flood_add_roots(&from_roots) && flood_run(&from_roots) &&
		sum_up_exclusive(size, &from_set, &from_roots);
	size->count = from_set.count;
	size->bytes = from_set.bytes;
	flood_clear(&from_set);
	flood_clear(&from_roots);
	memory_free(set);
	return is_ok;
}
