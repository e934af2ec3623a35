#ifndef MODEL_HEAP_BUILD_H
#define MODEL_HEAP_BUILD_H

/*
 * Fills a heap from a source that can be read twice (a file, copied memory); stream.h is for data
 * that arrives only once. The order:
 *
 *   1. types       heap_builder_type() for every type, any order
 *   2. totals      tally_object() for every object, any order, any threads,
 *                  each thread with its own tally; then heap_builder_totals()
 *      A heap of types alone is finished here with heap_builder_finish().
 *   3. addresses   survey all, plan, place all, seal: ids exist (addresses.h)
 *   4. objects     chunk by chunk, chunks in any order on any thread, the
 *                  objects of a chunk in id order, each with its references
 *   5. roots, ranges, info, in any order and at any time
 *   6. heap_builder_finish()
 *
 * Nothing is buffered: the peak is the final size plus the caller's own memory.
 */
#include "model/base/progress.h"
#include "model/heap/heap.h"
#include "model/heap/source.h"

struct heap_builder;
struct heap_memory;

struct heap_builder *heap_builder_new(struct error *err) MUST_USE;
/* Frees a builder that was not finished; NULL is allowed. */
void heap_builder_free(struct heap_builder *b);
/* Returns the arena for strings and arrays that must live as long as the
   heap. */
struct arena *heap_builder_arena(struct heap_builder *b);

/*
 * Returns the type with this name, as the source writes it, and module ("" if unknown). Size
 * suffixes are dropped, so that `Foo (Bytes > 10K)` and `Foo` of one module are one type. Copies
 * the names. TYPE_NONE sets `err`.
 */
type_id heap_builder_type(struct heap_builder *b, const char *raw, const char *module,
			  struct error *err) MUST_USE;
void heap_builder_type_multiplier(struct heap_builder *b, type_id type, float multiplier);
/* Adds enum type_flag bits to those derived from the name. */
void heap_builder_type_flags(struct heap_builder *b, type_id type, uint32_t flags);
uint32_t heap_builder_types_count(const struct heap_builder *b);
/* The names live until the builder, or the heap made by it, is freed. */
const struct type *heap_builder_types(const struct heap_builder *b);

/* Totals by type, of the objects one thread has seen. */
struct tally_type {
	uint64_t count, bytes, min_bytes, max_bytes, refs;
};
enum { TALLY_SIZES = 1 << 16 };
struct tally {
	struct tally_type *types;
	uint32_t *sizes; /* number of objects by size */
};
/* Owned by the builder. Create on one thread, use on any other. */
struct tally *heap_builder_tally(struct heap_builder *b, struct error *err) MUST_USE;

static inline void
tally_object(struct tally *t, type_id type, uint64_t size, uint64_t refs_count)
{
	struct tally_type *total = &t->types[type];

	total->count++;
	total->bytes += size;
	total->refs += refs_count;
	if (size < total->min_bytes)
		total->min_bytes = size;
	if (size > total->max_bytes)
		total->max_bytes = size;
	if (size < TALLY_SIZES)
		t->sizes[size]++;
}
/*
 * Publishes the totals so far in the preview. No thread may be counting meanwhile: count in slices
 * and publish in between. heap_builder_free() withdraws the preview first.
 */
bool heap_builder_publish(struct heap_builder *b, struct preview *preview, uint64_t seen,
			  uint64_t total, bool is_final, struct error *err) MUST_USE;
/* For a heap of types alone: allocates objects and bytes of each type by generation,
   [type][GEN_COUNT], all zero. No type may be added afterwards. */
bool heap_builder_generations(struct heap_builder *b, uint64_t **counts, uint64_t **bytes,
			      struct error *err) MUST_USE;
/* Adds up all tallies and frees them. */
bool heap_builder_totals(struct heap_builder *b, struct error *err) MUST_USE;

/* Survey, plan, place and seal them with the functions of addresses.h. */
struct addresses *heap_builder_addresses(struct heap_builder *b);

/*
 * Returns true if the limit allows `bytes` more, for that many objects; call it before reading
 * them. False sets `err` (is_limit), which states the limit needed.
 */
bool heap_builder_fits(uint64_t objects_count, uint64_t bytes, struct error *err);
/* Replaces any error by the message that the heap is too large; objects_count 0: not known yet. */
bool heap_is_too_large(uint64_t objects_count, uint64_t needed_bytes, uint64_t allowed_bytes,
		       struct error *err);
/* Allocates the objects; the addresses must be sealed. */
bool heap_builder_objects(struct heap_builder *b, struct error *err) MUST_USE;

/* Fills chunks; one a thread, used for many chunks. */
struct chunk_builder;
struct chunk_builder *chunk_builder_new(struct heap_builder *b, struct error *err) MUST_USE;
void chunk_builder_free(struct chunk_builder *c);
/* Chunk k holds the ids from k * CHUNK_NODES on; each is filled once. */
void chunk_builder_begin(struct chunk_builder *c, uint32_t chunk);
/*
 * Adds the next object in id order. It may have references only if the tally counted some for its
 * type, and no more than counted (undefined ones are left out).
 */
bool chunk_builder_object(struct chunk_builder *c, type_id type, uint64_t size, uint64_t refs_count,
			  struct error *err) MUST_USE;
/* Call exactly refs_count times after the object. */
void chunk_builder_ref(struct chunk_builder *c, node_id target);
bool chunk_builder_end(struct chunk_builder *c, struct error *err) MUST_USE;

/* Roots share their texts, which must be literals or in heap_builder_arena().
   A root of NODE_NONE is counted as undefined. */
bool heap_builder_root(struct heap_builder *b, node_id object, enum root_kind kind, bool is_pinned,
		       const char *name, const char *label, struct error *err) MUST_USE;
/* Adds `count` weak handles to an object. */
bool heap_builder_weak(struct heap_builder *b, node_id object, uint32_t count,
		       struct error *err) MUST_USE;
bool heap_builder_range(struct heap_builder *b, uint64_t start, uint64_t end, enum generation gen,
			int32_t heap_number, struct error *err) MUST_USE;
/*
 * Returns the data that only memory has, empty when first requested. All pointers in it must lead
 * into heap_builder_arena() or be freed by its close().
 */
struct heap_memory *heap_builder_memory(struct heap_builder *b, struct error *err) MUST_USE;
/* Strings must be in heap_builder_arena(). NULL strings become "". */
struct heap_info *heap_builder_info(struct heap_builder *b);
bool heap_builder_warning(struct heap_builder *b, struct error *err, const char *format, ...)
    PRINTF_LIKE(3, 4);

/*
 * Returns the heap with all its objects, references, roots and ranges, before it is finished, so
 * that warnings can describe it. Only losses and warnings may be added afterwards. Owned by the
 * builder. NULL sets `err`.
 */
const struct heap *heap_builder_gather(struct heap_builder *b, struct error *err) MUST_USE;
/* Frees the builder in any case; NULL sets `err`. */
const struct heap *heap_builder_finish(struct heap_builder *b, struct error *err) MUST_USE;

#endif
