#ifndef MODEL_HEAP_BUILDER_H
#define MODEL_HEAP_BUILDER_H

/*
 * What a builder holds while it works: build.c, chunk.c and
 * packed.c fill it, finish.c makes the heap of it; of no use to
 * anybody else. Everything but the heap itself is freed at the end.
 */
#include "model/base/u64_map.h"
#include "model/heap/build.h"
#include <pthread.h>

struct staged_tally {
	struct tally tally;
	uint32_t types_count; /* types may be added later */
	struct staged_tally *next;
};

/* The large sizes of one chunk, until all chunks are there. */
struct chunk_sizes {
	struct large_size *sizes;
	uint32_t count;
};

struct packed_columns;
struct heap_builder {
	struct heap *heap;
	bool is_gathered;           /* it has all but what is said of it */
	struct heap_memory *memory; /* of the heap; or NULL */
	struct addresses *addresses;

	struct type *types;
	uint32_t types_count;
	size_t types_room;
	struct u64_map types_index; /* by a hash of name and module */

	struct staged_tally *tallies;
	struct preview *preview;         /* that shows our names; or NULL */
	uint64_t *type_refs;             /* references seen, by type */
	uint8_t size_codes[TALLY_SIZES]; /* of frequent sizes */

	uint16_t *types16;
	uint32_t *types32;
	uint8_t *node_sizes;
	struct chunk *chunks;
	uint32_t chunks_count;
	struct chunk_sizes *chunk_sizes;
	uint32_t *offsets;  /* of all chunks, and room for their */
	uint8_t *refs_room; /* references: packed.h */
	size_t refs_left;
	const struct packed_columns *columns; /* borrowed ones, or NULL */
	pthread_mutex_t lock; /* of what chunks are written to at their end */

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

/* For a second reading that does not agree with the first. */
bool heap_builder_changed(struct error *err);

#endif
