#ifndef MODEL_HEAP_PACKED_H
#define MODEL_HEAP_PACKED_H

/*
 * Heaps as they lie in memory, chunk by chunk, for files that keep them: what
 * took long to pack is neither unpacked nor packed again. Bytes from a file
 * are checked one by one all the same, for the model reads its own unchecked:
 * about 2 ns a reference.
 *
 * Reading, in place of steps 2 and 4 of build.h: all types, then
 * heap_builder_declare() once; addresses (addresses_restore()); then
 * heap_builder_objects(), heap_builder_expect_refs(), chunk_taker_take() for
 * every chunk on any threads, heap_builder_compare_totals().
 */
#include "model/heap/build.h"

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
/*
 * After heap_builder_objects(): room for the references of all chunks, in one
 * piece. More than `bytes` find room, too.
 */
bool heap_builder_expect_refs(struct heap_builder *b, uint64_t bytes,
			      struct error *err) MUST_USE;
/* What one thread needs to take chunks in; about 200 KiB, and 33 a type. */
struct chunk_taker *chunk_taker_new(struct heap_builder *b,
				    struct error *err) MUST_USE;
void chunk_taker_free(struct chunk_taker *t); /* NULL is allowed */
bool chunk_taker_take(struct chunk_taker *t, uint32_t chunk,
		      const struct packed_chunk *p, struct error *err) MUST_USE;
/*
 * Columns as they lie in memory, in bytes that stay as they are until the heap
 * is freed: nothing is copied. Multi-byte numbers are aligned.
 */
struct packed_columns {
	const void *types; /* u16 each, u32 past 65,536 types */
	const uint8_t *size_codes;
	const struct large_size *large_sizes;
	uint32_t large_count;
	const uint32_t *offsets; /* of all blocks, within their chunk */
	const uint8_t *refs;     /* of all chunks */
	const uint64_t *begins;  /* where a chunk's begin, and where all end */
};
/*
 * In place of heap_builder_objects(). `columns` must stay until the builder has
 * finished. Then, for every chunk, chunk_taker_check(): all bytes are looked at
 * once, as heap_builder_objects() and chunk_taker_take() do.
 */
bool heap_builder_borrow(struct heap_builder *b,
			 const struct packed_columns *columns,
			 struct error *err) MUST_USE;
bool chunk_taker_check(struct chunk_taker *t, uint32_t chunk,
		       struct error *err) MUST_USE;
/*
 * What keeps them: given back with the heap, or with the builder. `derived`,
 * or NULL, is part of it.
 */
void heap_builder_keep(struct heap_builder *b, void (*release)(void *kept),
		       void *kept, const struct heap_derived *derived);
/* What was declared is what the chunks had. */
bool heap_builder_compare_totals(struct heap_builder *b,
				 struct chunk_taker *const takers[],
				 unsigned takers_count,
				 struct error *err) MUST_USE;

#endif
