#ifndef MODEL_HEAP_STAGED_H
#define MODEL_HEAP_STAGED_H

/*
 * The objects that stream.c has staged, for stream_fill.c to make a heap of.
 *
 * Objects lie in runs of ascending addresses. A collector walks a heap in a handful of runs; any
 * other order only has more of them. Each run can be read front to back, so the heap is a merge of
 * all runs by address. Marks in long runs let several threads begin in the middle.
 *
 * objects:  address − previous address of the run, then 0 if type, size and
 *           refs_count equal those of the previous object, else type + 1, size,
 *           refs_count. The first object of a run or after a mark is never 0.
 * refs:     zigzag(target − address of the object), refs_count times
 * All as varints.
 */
#include "model/heap/stream.h"

struct staged {
	uint8_t *bytes;
	size_t used, room;
};

/* A position inside a run, before an object. */
struct staged_mark {
	size_t object_at, ref_at;
	uint64_t number; /* objects before it, in all runs */
	uint64_t before; /* address of the object before it */
};

enum { MARK_OBJECTS = 1 << 12 }; /* objects between marks */

struct run {
	size_t object_at, ref_at; /* start in the staged bytes */
	uint64_t first, count;    /* first: number of objects before it */
	uint64_t last_address;
};

struct staged_root {
	uint64_t address;
	const char *name, *label;
	uint8_t kind;
	bool is_pinned;
};

struct link {
	uint64_t object, target;
	size_t same_count; /* links of this object, in its first one */
};

/* Referenced addresses where no object starts. */
struct undefined {
	uint64_t *items;
	size_t count, room;
};

struct heap_stream {
	struct heap_builder *builder;
	struct staged objects, refs;
	struct run *runs;
	size_t runs_count, runs_room;
	struct staged_mark *marks;
	size_t marks_count, marks_room;
	uint64_t objects_count, last_address, refs_left;
	/* The previous object, unless a run or mark begins. */
	uint64_t last_size, last_refs_count;
	type_id last_type;
	bool has_last;
	struct staged_root *roots;
	size_t roots_count, roots_room;
	uint64_t *weak; /* addresses of objects with weak handles */
	size_t weak_count, weak_room;
	struct link *links; /* sorted by object while finishing */
	size_t links_count, links_room;

	/* Totals by type number, updated as objects arrive. */
	struct tally tally;
	size_t tally_room;
	uint32_t numbers_count; /* the largest type number + 1 */
	bool has_deferred_types;
	const type_id *types; /* type of each number, or NULL */
	uint32_t types_count;

	/* While finishing: numbers of objects whose address is taken. */
	uint64_t *doubles;
	size_t doubles_count, doubles_room;
	struct undefined undefined;
};

/* --- stream_fill.c --- */

/* Places all addresses; ids exist after addresses_seal(). */
bool staged_place(struct heap_stream *s, struct tally *tally, struct progress *progress,
		  struct error *err) MUST_USE;
/* Adds all objects to the heap; ids must exist. */
bool staged_fill(struct heap_stream *s, struct progress *progress, struct error *err) MUST_USE;

#endif
