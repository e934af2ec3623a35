#ifndef MODEL_HEAP_BUILD_H
#define MODEL_HEAP_BUILD_H

/*
 * Fills a heap from something that can be read twice (a file, copied memory);
 * what arrives only once goes through stream.h. The order:
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
 * Nothing is staged here: the peak is the final size plus the caller's own.
 */
#include "model/base/progress.h"
#include "model/heap/heap.h"
#include "model/heap/source.h"

struct heap_builder;
struct heap_memory;

struct heap_builder *heap_builder_new(struct error *err) MUST_USE;
/* Frees a builder that was not finished; NULL is allowed. */
void heap_builder_free(struct heap_builder *b);
/* For strings and arrays that shall live as long as the heap. */
struct arena *heap_builder_arena(struct heap_builder *b);

/*
 * A type by its name as the source writes it and its module ("" if unknown).
 * Size suffixes are folded, so that `Foo (Bytes > 10K)` and `Foo` of one module
 * are one type; names are copied. TYPE_NONE sets `err`.
 */
type_id heap_builder_type(struct heap_builder *b, const char *raw,
			  const char *module, struct error *err) MUST_USE;
void heap_builder_type_multiplier(struct heap_builder *b, type_id type,
				  float multiplier);
/* Adds to what the name tells: enum type_flag. */
void heap_builder_type_flags(struct heap_builder *b, type_id type,
			     uint32_t flags);
uint32_t heap_builder_types_count(const struct heap_builder *b);
/* Names are valid until the builder or the heap made from it is freed. */
const struct type *heap_builder_types(const struct heap_builder *b);

/* Totals by type, of the objects one thread has seen. */
struct tally_type {
	uint64_t count, bytes, min_bytes, max_bytes, refs;
};
enum { TALLY_SIZES = 1 << 16 };
struct tally {
	struct tally_type *types;
	uint32_t *sizes; /* how many objects have this size */
};
struct tally *heap_builder_tally(struct heap_builder *b, struct error *err)
    MUST_USE; /* call on one thread, use on another; owned by b */

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
 * Shows the totals so far on the screen, types and tallies together. No thread
 * may be counting meanwhile: count in slices, publish in between. A builder
 * that is freed takes the preview back first.
 */
bool heap_builder_publish(struct heap_builder *b, struct preview *preview,
			  uint64_t seen, uint64_t total, bool is_final,
			  struct error *err) MUST_USE;
/*
 * For a heap of types alone: room for objects and bytes of each type by
 * generation, [type][GEN_COUNT], all zero. No type comes after it.
 */
bool heap_builder_generations(struct heap_builder *b, uint64_t **counts,
			      uint64_t **bytes, struct error *err) MUST_USE;
/* Adds up all tallies. After this, types have their final numbers. */
bool heap_builder_totals(struct heap_builder *b, struct error *err) MUST_USE;

/* Survey, plan, place and seal with the functions of addresses.h. */
struct addresses *heap_builder_addresses(struct heap_builder *b);

/*
 * Whether so many objects may be read at all, where that takes about so many
 * bytes, told before it begins. False: is_limit, and what allows it.
 */
bool heap_builder_fits(uint64_t objects_count, uint64_t bytes,
		       struct error *err);
/* That sentence, in place of any other; objects_count 0: not known yet. */
bool heap_is_too_large(uint64_t objects_count, uint64_t needed_bytes,
		       uint64_t allowed_bytes, struct error *err);
/* Makes room for the objects; their number is that of the sealed addresses. */
bool heap_builder_objects(struct heap_builder *b, struct error *err) MUST_USE;

/* One thread's view of the chunk it fills. */
struct chunk_builder;
struct chunk_builder *chunk_builder_new(
    struct heap_builder *b,
    struct error *err) MUST_USE; /* one a thread, used for many chunks */
void chunk_builder_free(struct chunk_builder *c);
/* Chunk k holds the ids k*CHUNK_NODES … ; each chunk is filled once. */
void chunk_builder_begin(struct chunk_builder *c, uint32_t chunk);
/*
 * The next object in id order. References only if the tally saw some in its
 * type; there may be fewer than the tally saw (undefined ones are left out).
 */
bool chunk_builder_object(struct chunk_builder *c, type_id type, uint64_t size,
			  uint64_t refs_count, struct error *err) MUST_USE;
/* Exactly refs_count times after its object. */
void chunk_builder_ref(struct chunk_builder *c, node_id target);
bool chunk_builder_end(struct chunk_builder *c, struct error *err) MUST_USE;

/*
 * Many roots share their texts: those must be literals or live in
 * heap_builder_arena(). A root of NODE_NONE is counted as undefined.
 */
bool heap_builder_root(struct heap_builder *b, node_id object,
		       enum root_kind kind, bool is_pinned, const char *name,
		       const char *label, struct error *err) MUST_USE;
/* `count` weak handles to an object; those of one object are added up. */
bool heap_builder_weak(struct heap_builder *b, node_id object, uint32_t count,
		       struct error *err) MUST_USE;
bool heap_builder_range(struct heap_builder *b, uint64_t start, uint64_t end,
			enum generation gen, int32_t heap_number,
			struct error *err) MUST_USE;
/*
 * What only memory tells: made when first asked for, empty. All that it points
 * to must live in heap_builder_arena(), or be freed by its close().
 */
struct heap_memory *heap_builder_memory(struct heap_builder *b,
					struct error *err) MUST_USE;
/* Strings must live in heap_builder_arena(). NULL strings become "". */
struct heap_info *heap_builder_info(struct heap_builder *b);
bool heap_builder_warning(struct heap_builder *b, struct error *err,
			  const char *format, ...) PRINTF_LIKE(3, 4);

/*
 * The heap with all its objects, references, roots and ranges, for what is to
 * be said of it: of what there is nothing but losses and warnings may be added
 * afterwards. The builder's until it is finished. NULL sets `err`.
 */
const struct heap *heap_builder_gather(struct heap_builder *b,
				       struct error *err) MUST_USE;
/* Takes the builder apart; NULL sets `err` and frees it all the same. */
const struct heap *heap_builder_finish(struct heap_builder *b,
				       struct error *err) MUST_USE;

#endif
