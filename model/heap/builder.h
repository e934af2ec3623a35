#ifndef MODEL_HEAP_BUILDER_H
#define MODEL_HEAP_BUILDER_H

/* The internals of a builder: build.c, chunk.c, packed.c and chunk_loader.c fill it, finish.c makes
   the heap. Everything but the heap is freed at the end. */
#include "model/base/u64_map.h"
#include "model/heap/build.h"
#include <pthread.h>

struct staged_tally {
	struct tally tally;
	uint32_t types_count; /* types may be added later */
	struct staged_tally *next;
};

/* Sizes of one chunk that have no code, kept until all chunks are filled. */
struct chunk_sizes {
	struct large_size *sizes;
	uint32_t count;
};

struct packed_columns;
struct heap_builder {
	struct heap *heap;
	bool is_gathered;           /* only losses and warnings may change */
	struct heap_memory *memory; /* memory of the heap, or NULL */
	struct addresses *addresses;

	struct type *types;
	uint32_t types_count;
	size_t types_room;
	struct u64_map types_index; /* type ids by a hash of name and module */

	struct staged_tally *tallies;
	struct preview *preview;         /* shows the builder's names; or NULL */
	uint64_t *type_refs;             /* references seen, by type */
	uint8_t size_codes[TALLY_SIZES]; /* codes of frequent sizes */

	uint16_t *types16;
	uint32_t *types32;
	uint8_t *node_sizes;
	struct chunk *chunks;
	uint32_t chunks_count;
	struct chunk_sizes *chunk_sizes;
	uint32_t *offsets;  /* offsets for all chunks */
	uint8_t *refs_room; /* memory for references, see heap_builder_expect_refs() */
	size_t refs_left;
	const struct packed_columns *columns; /* borrowed columns, or NULL */
	pthread_mutex_t lock;                 /* guards what all chunks share */

	struct root *roots;
	uint32_t roots_count;
	size_t roots_room;
	struct weak *weak;
	uint32_t weak_count;
	size_t weak_room;
	struct range *ranges;
	uint32_t ranges_count;
	size_t ranges_room;
	const char **warnings;
	size_t warnings_room;
};

/* Sets the modules of async methods to those of the classes that declare them: async_modules.c. */
bool heap_builder_async_modules(struct heap_builder *b, struct error *err) MUST_USE;

/* Sets the error of a second reading that disagrees with the first. */
bool heap_builder_changed(struct error *err);

#endif
