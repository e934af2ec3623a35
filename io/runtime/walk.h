#ifndef IO_RUNTIME_WALK_H
#define IO_RUNTIME_WALK_H

/*
 * Walks the objects of a range, in order of address. Objects follow one another without gaps, so a
 * word that cannot begin an object is damage or an unfinished allocation; the walk then searches
 * for the next plausible objects and reports what it skipped as a hole.
 *
 * Costs about 10 ns an object in the cache. A walk belongs to one thread; several threads can walk
 * different ranges of a heap.
 */
#include "io/runtime/heaps.h"
#include "io/runtime/tables.h"
#include "model/base/progress.h"

struct clr_object {
	uint64_t address;
	uint64_t table; /* without the mark bits */
	uint64_t size;  /* rounded up to 8 */
	/* The object from its first word on: all of it, or the first CLR_BYTES_MAX bytes. Valid
	 * until the next call. */
	const uint8_t *bytes;
	uint32_t bytes_len;  /* at most CLR_BYTES_MAX */
	uint32_t flags;      /* of the method table: CLR_MT_… */
	uint32_t components; /* length of an array or string; else 0 */
	uint8_t generation;  /* enum generation */
	bool is_free;        /* a free object */
};
#define CLR_BYTES_MAX (1u << 20)

enum clr_hole_reason {
	CLR_HOLE_ABSENT,     /* absent memory */
	CLR_HOLE_NO_TABLE,   /* 0 instead of a method table */
	CLR_HOLE_BAD_TABLE,  /* not a method table */
	CLR_HOLE_TOO_LARGE,  /* object past the end of the range */
	CLR_HOLE_UNFINISHED, /* an allocation was under way */
};

struct clr_hole {
	uint64_t start, end;
	uint64_t last_good; /* the object before the hole, or 0 */
	enum clr_hole_reason reason;
};
const char *clr_hole_text(enum clr_hole_reason reason);

/* Sums over a range, which consists of these four parts. */
struct clr_walk_sums {
	uint64_t objects_count, objects_bytes;
	uint64_t free_count, free_bytes;
	uint64_t contexts_bytes; /* unused memory of allocation contexts */
	uint64_t holes_count, holes_bytes;
};

struct clr_walk;

/* `tables` and the heaps are borrowed. NULL sets `err`. */
struct clr_walk *clr_walk_new(const struct clr_heaps *h, struct clr_tables *tables,
			      struct error *err) MUST_USE;
void clr_walk_free(struct clr_walk *w);

/* Starts with a range of the same heaps; clears holes and sums. */
void clr_walk_start(struct clr_walk *w, const struct clr_range *range);
/* Reads at most `max` objects in order of address. False: the end of the range. While the walk
 * searches in damage, *count may be 0. */
bool clr_walk_next(struct clr_walk *w, struct clr_object *objects, size_t max, size_t *count);

/* Holes in the range so far: the first 4096 of them; the sums count all. */
const struct clr_hole *clr_walk_holes(const struct clr_walk *w, size_t *count);
const struct clr_walk_sums *clr_walk_sums(const struct clr_walk *w);

#endif
