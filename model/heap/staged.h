#ifndef MODEL_HEAP_STAGED_H
#define MODEL_HEAP_STAGED_H

/*
 * What stream.c has staged when stream_fill.c makes a heap of it.
 *
 * Objects lie in runs of ascending addresses: what a collector walks is a
 * handful of runs, and anything else is only more of them. Each run can be
 * read front to back, so the heap is a merge of all runs by address. Marks in
 * long runs let several threads begin in the middle.
 *
 * objects:  address − previous address of the run, then 0: type, size and
 *           refs_count are those of the object before; else type + 1, size,
 *           refs_count. So are the first object of a run and that at a mark.
 * refs:     zigzag(target − address of the object), refs_count times
 * All as varints.
 */
#include "model/heap/stream.h"

struct staged {
	uint8_t *bytes;
	size_t used, room;
};

/* A place inside a run, before an object. */
struct staged_mark {
	size_t object_at, ref_at;
	uint64_t number; /* objects before it, of all runs */
	uint64_t before; /* the last address before it */
};

enum { MARK_OBJECTS = 1 << 12 }; /* objects from one mark to the next */

struct run {
	size_t object_at, ref_at; /* where it begins in the staged bytes */
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
	size_t same_count; /* from here on; of the first one of an object */
};

/* Addresses of no object that something refers to. */
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
	/* Of the object before, if one is that may be referred to. */
	uint64_t last_size, last_refs_count;
	type_id last_type;
	bool has_last;
	struct staged_root *roots;
	size_t roots_count, roots_room;
	uint64_t *weak; /* addresses of objects with weak handles */
	size_t weak_count, weak_room;
	struct link *links; /* sorted by object while finishing */
	size_t links_count, links_room;

	/* Totals by the objects' type numbers, kept as they come. */
	struct tally tally;
	size_t tally_room;
	uint32_t numbers_count; /* the largest type number + 1 */
	bool has_deferred_types;
	const type_id *types; /* what the numbers mean, or NULL */
	uint32_t types_count;

	/* While finishing: objects whose address is taken, by number. */
	uint64_t *doubles;
	size_t doubles_count, doubles_room;
	struct undefined undefined;
};

/* --- stream_fill.c --- */

/* Gives all objects their ids. */
bool staged_place(struct heap_stream *s, struct tally *tally,
		  struct progress *progress, struct error *err) MUST_USE;
/* Puts all objects into the heap; ids exist. */
bool staged_fill(struct heap_stream *s, struct progress *progress,
		 struct error *err) MUST_USE;

#endif
