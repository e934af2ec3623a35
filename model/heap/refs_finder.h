#ifndef MODEL_HEAP_REFS_FINDER_H
#define MODEL_HEAP_REFS_FINDER_H

/*
 * Finds the references of objects in arbitrary order, for searches: like heap_refs(), but continues
 * from the previous object if the next one follows it, and prefetches records of objects to come.
 */
#include "model/heap/sweep.h"

enum {
	FINDER_FAR = 24,  /* objects ahead whose offset is prefetched */
	FINDER_NEAR = 12, /* objects ahead whose record is prefetched */
};

struct refs_finder {
	const struct heap *heap;
	const uint8_t *has_refs; /* one byte a type, from sweep_init() */
	/* Start of the record of `node`; NULL: unknown. */
	node_id node;
	const uint8_t *at;
};

static inline const uint8_t *
refs_record_skip(const uint8_t *at)
{
	uint64_t left;

	at = varint_get(at, &left);
	while (left)
		left -= !(*at++ & 0x80);
	return at;
}

/* Returns the references of n, whose type must have some. */
static inline struct refs
refs_finder_begin(struct refs_finder *f, node_id n)
{
	const struct heap *h = f->heap;
	node_id block = n >> BLOCK_SHIFT << BLOCK_SHIFT;
	struct refs r = { .last = n };

	/* Searches often visit neighbours one after the other. */
	if (!f->at || f->node > n || f->node < block) {
		const struct chunk *c = &h->chunks[n >> CHUNK_SHIFT];
		uint32_t offset = c->offsets[(n & (CHUNK_NODES - 1)) >> BLOCK_SHIFT];

		f->node = block;
		f->at = c->bytes + offset;
	}
	for (; f->node < n; f->node++)
		if (f->has_refs[heap_type_of(h, f->node)])
			f->at = refs_record_skip(f->at);
	r.at = varint_get(f->at, &r.left);
	return r;
}

/* Call when all references were read: the next record starts there. */
static inline void
refs_finder_end(struct refs_finder *f, const struct refs *r, node_id n)
{
	f->node = n + 1;
	/* The next chunk is elsewhere. */
	f->at = f->node & (CHUNK_NODES - 1) ? r->at : NULL;
}

/* Prefetches for nodes[i] of a list that is processed in order. */
static inline void
refs_finder_prefetch(const struct refs_finder *f, const node_id *nodes, size_t count, size_t i)
{
	const struct heap *h = f->heap;

	if (i + FINDER_FAR < count) {
		node_id n = nodes[i + FINDER_FAR];

		__builtin_prefetch(
		    &h->chunks[n >> CHUNK_SHIFT].offsets[(n & (CHUNK_NODES - 1)) >> BLOCK_SHIFT]);
		if (h->types16)
			__builtin_prefetch(&h->types16[n]);
		else
			__builtin_prefetch(&h->types32[n]);
	}
	if (i + FINDER_NEAR < count) {
		node_id n = nodes[i + FINDER_NEAR];
		const struct chunk *c = &h->chunks[n >> CHUNK_SHIFT];

		__builtin_prefetch(c->bytes + c->offsets[(n & (CHUNK_NODES - 1)) >> BLOCK_SHIFT]);
	}
}

#endif
