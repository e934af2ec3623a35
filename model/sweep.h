#ifndef MODEL_SWEEP_H
#define MODEL_SWEEP_H

/*
 * Every reference of a heap, for passes over all of it: about 3 ns each, twice
 * as fast as refs_scan, because which types refer to something is looked up in
 * a table that stays in the cache.
 */
#include "model/heap.h"
#include "model/progress.h"

struct sweep {
	const struct heap *heap;
	const uint8_t *has_refs; /* one byte a type */
	struct progress *progress;
};

/* `has_refs` comes from the arena. */
static inline bool MUST_USE
sweep_init(struct sweep *s, const struct heap *h, struct arena *a,
	   struct progress *progress, struct error *err)
{
	uint8_t *has_refs =
	    arena_array(a, uint8_t, (size_t)h->types_count + 1, err);

	if (!has_refs)
		return false;
	for (type_id t = 0; t < h->types_count; t++)
		has_refs[t] = (h->types[t].flags & TYPE_HAS_REFS) != 0;
	*s = (struct sweep){ h, has_refs, progress };
	return true;
}

static inline uint32_t
sweep_chunks_count(const struct heap *h)
{
	return (uint32_t)(((uint64_t)h->nodes_count + CHUNK_NODES - 1) >>
			  CHUNK_SHIFT);
}

static inline node_id
chunk_first(uint32_t chunk)
{
	return chunk << CHUNK_SHIFT;
}

static inline node_id
chunk_end(const struct heap *h, uint32_t chunk)
{
	uint64_t end = ((uint64_t)chunk + 1) << CHUNK_SHIFT;

	return end < h->nodes_count ? (node_id)end : h->nodes_count;
}

/*
 * Calls visit(context, source, target) for the references of one chunk, by
 * source and in order. `visit` is to be inlined. False when cancelled, which
 * is looked at every 65,536 references and at the chunk's end.
 */
typedef void sweep_visit(void *context, node_id source, node_id target);

static inline __attribute__((always_inline)) bool
sweep_chunk(const struct sweep *s, uint32_t chunk, sweep_visit *visit,
	    void *context)
{
	const struct heap *h = s->heap;
	const uint8_t *at = h->chunks[chunk].bytes;
	node_id end = chunk_end(h, chunk);

	for (node_id n = chunk_first(chunk); n < end; n++) {
		node_id target = n;
		uint64_t left, delta;

		if (!s->has_refs[heap_type_of(h, n)])
			continue;
		at = varint_get(at, &left);
		while (left--) {
			at = varint_get(at, &delta);
			target =
			    (node_id)((int64_t)target + varint_unzigzag(delta));
			visit(context, n, target);
			if (!(left & 0xffff) && left &&
			    progress_is_cancelled(s->progress))
				return false;
		}
	}
	return progress_add(s->progress, end - chunk_first(chunk));
}

#endif
