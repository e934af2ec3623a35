#ifndef MODEL_HEAP_PACKED_H
#define MODEL_HEAP_PACKED_H

/*
 * Stores and loads heaps chunk by chunk in their in-memory form, so that files need neither unpack
 * nor pack them again. As the model reads that form unchecked, every byte from a file is checked
 * here: about 2 ns a reference.
 *
 * Reading replaces steps 2 and 4 of build.h: all types, then heap_builder_declare() once; addresses
 * (addresses_restore()); then heap_builder_objects(), heap_builder_expect_refs(),
 * chunk_loader_load() for every chunk on any threads, heap_builder_compare_totals().
 */
#include "model/heap/build.h"

struct packed_chunk {
	uint32_t nodes_count;       /* CHUNK_NODES, or fewer in the last one */
	const uint8_t *types;       /* two bytes each, four past 65,536 types */
	const uint8_t *size_codes;  /* one byte each */
	const uint8_t *large_sizes; /* index in the chunk (4 bytes), size (8) */
	uint32_t large_count;
	const uint8_t *refs; /* counts and varints, see struct refs_scan */
	size_t refs_len;
};
enum { PACKED_LARGE_BYTES = 12 };

/* Borrows from `h`, except large_sizes: heap_pack_large() writes those. */
void heap_pack_chunk(const struct heap *h, uint32_t chunk, struct packed_chunk *out);
/* Writes entry `i` of the chunk's large_count. */
void heap_pack_large(const struct heap *h, uint32_t chunk, uint32_t i,
		     uint8_t out[PACKED_LARGE_BYTES]);

/* Uses count, bytes, min_bytes, max_bytes, flags, multiplier of `declared`. */
bool heap_builder_declare(struct heap_builder *b, const struct type *declared,
			  const uint64_t sizes[SIZE_CODES], struct error *err) MUST_USE;
/* Replaces the count of objects in a heap of types alone. `counts` and `bytes` are
   [type][GEN_COUNT] each, and are copied. */
bool heap_builder_declare_generations(struct heap_builder *b, const uint64_t *counts,
				      const uint64_t *bytes, struct error *err) MUST_USE;
/* After heap_builder_objects(): one allocation for the references of all chunks. `bytes` is a hint;
   more will fit. */
bool heap_builder_expect_refs(struct heap_builder *b, uint64_t bytes, struct error *err) MUST_USE;
/* State of one loading thread: about 200 KiB, and 33 bytes a type. */
struct chunk_loader *chunk_loader_new(struct heap_builder *b, struct error *err) MUST_USE;
void chunk_loader_free(struct chunk_loader *t); /* NULL is allowed */
bool chunk_loader_load(struct chunk_loader *t, uint32_t chunk, const struct packed_chunk *p,
		       struct error *err) MUST_USE;
/* Columns in their in-memory form, in bytes that do not change until the heap is freed: nothing is
   copied. Numbers of several bytes are aligned. */
struct packed_columns {
	const void *types; /* u16 each, u32 past 65,536 types */
	const uint8_t *size_codes;
	const struct large_size *large_sizes;
	uint32_t large_count;
	const uint32_t *offsets; /* offsets of all blocks, within their chunk */
	const uint8_t *refs;     /* references of all chunks */
	const uint64_t *begins;  /* start of each chunk's refs, then the end */
};
/*
 * Replaces heap_builder_objects(). `columns` must stay valid until the builder has finished. Then
 * call chunk_loader_check() for every chunk: it checks every byte, as chunk_loader_load() does.
 */
bool heap_builder_borrow(struct heap_builder *b, const struct packed_columns *columns,
			 struct error *err) MUST_USE;
bool chunk_loader_check(struct chunk_loader *t, uint32_t chunk, struct error *err) MUST_USE;
/* Gives the owner of borrowed columns to the builder, later to the heap, which releases it when
   freed. `derived` is part of it, or NULL. */
void heap_builder_keep(struct heap_builder *b, void (*release)(void *kept), void *kept,
		       const struct heap_derived *derived);
/* Returns true if the chunks add up to the declared types. */
bool heap_builder_compare_totals(struct heap_builder *b, struct chunk_loader *const loaders[],
				 unsigned loaders_count, struct error *err) MUST_USE;

#endif
