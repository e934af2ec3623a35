#ifndef MODEL_HEAP_PACKED_H
#define MODEL_HEAP_PACKED_H

/*
 * Heaps as they lie in memory, chunk by chunk, for files that keep them: what
 * took long to pack is neither unpacked nor packed again. Bytes from a file
 * are checked one by one all the same, for the model reads its own unchecked:
 * about 3 ns a reference.
 *
 * Reading, in place of steps 2 and 4 of heap_build.h: all types, then
 * heap_builder_declare() once; addresses (addresses_restore()); then
 * heap_builder_objects(), heap_builder_take_chunk() for every chunk on any
 * threads, heap_builder_compare_totals().
 */
#include "model/heap_build.h"

struct packed_chunk {
	uint32_t nodes_count;       /* CHUNK_NODES, or fewer in the last one */
	const uint8_t *types;       /* two bytes each, four past 65,536 types */
	const uint8_t *size_codes;  /* one each */
	const uint8_t *large_sizes; /* place in the chunk (4 bytes), size (8) */
	uint32_t large_count;
	const uint8_t *refs; /* counts and varints, see struct refs_scan */
	size_t refs_len;
};
enum { PACKED_LARGE_BYTES = 12 };

uint32_t heap_chunks_count(const struct heap *h);
/* Borrowed, but for large_sizes: those are heap_pack_large()'s. */
void heap_pack_chunk(const struct heap *h, uint32_t chunk,
		     struct packed_chunk *out);
/* Writes entry `i` of the chunk's large_count. */
void heap_pack_large(const struct heap *h, uint32_t chunk, uint32_t i,
		     uint8_t out[PACKED_LARGE_BYTES]);

/* `declared` has count, bytes, min_bytes, max_bytes, flags, multiplier. */
bool heap_builder_declare(struct heap_builder *b, const struct type *declared,
			  const uint64_t sizes[SIZE_CODES],
			  struct error *err) MUST_USE;
/*
 * For a heap of types alone, which has no objects to count: counts and bytes,
 * [type][GEN_COUNT] of each. Copied.
 */
bool heap_builder_declare_generations(struct heap_builder *b,
				      const uint64_t *counts,
				      const uint64_t *bytes,
				      struct error *err) MUST_USE;
/* `totals` has an entry a type, zero at first; one array for each thread. */
bool heap_builder_take_chunk(struct heap_builder *b, uint32_t chunk,
			     const struct packed_chunk *p,
			     struct tally_type *totals,
			     struct error *err) MUST_USE;
/* What was declared is what the chunks had. */
bool heap_builder_compare_totals(struct heap_builder *b,
				 struct tally_type *const totals[],
				 unsigned threads_count,
				 struct error *err) MUST_USE;

#endif
