#ifndef MODEL_GRAPH_FLOOD_H
#define MODEL_GRAPH_FLOOD_H

/*
 * Everything that some objects reach, or the roots do: which objects, how
 * many, how many bytes. Whole objects or single references may be left out,
 * which is how questions of the kind "what would be gone without…" are
 * answered. Linear in what is reached, about 20 ns an object; one bit an
 * object of the heap, and 4 bytes for each that waits to be looked at.
 */
#include "model/graph/ignored.h"
#include "model/heap/refs_finder.h"

struct flood {
	const struct heap *heap;
	/* What is left out; set them after flood_init(). All may be NULL. */
	const struct ignored *ignored;
	const uint64_t *avoided; /* bits: objects that are never entered */
	/* Bits: references from objects of one set to those of the other. */
	const uint64_t *cut_sources, *cut_targets;
	const uint64_t *cut_roots; /* bits by index into heap->roots */

	uint64_t *seen; /* bits: what was reached, the start included */
	uint64_t count, bytes;

	struct refs_finder finder;
	struct progress *progress;
	node_id *waiting; /* seen, with references nobody looked at yet */
	size_t waiting_count, waiting_room;
	uint64_t work, reported;
	struct arena arena;
	struct error *err;
};

/* Clear it in any case. The progress counts objects of the heap. */
bool flood_init(struct flood *f, const struct heap *h,
		struct progress *progress, struct error *err) MUST_USE;
void flood_clear(struct flood *f);

/* What it starts from. */
bool flood_add(struct flood *f, node_id n) MUST_USE;
bool flood_add_roots(struct flood *f) MUST_USE;
/* Fills seen, count and bytes. */
bool flood_run(struct flood *f) MUST_USE;

#endif
