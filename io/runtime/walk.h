#ifndef IO_RUNTIME_WALK_H
#define IO_RUNTIME_WALK_H

/*
 * The objects of a range, one behind the other. They lie without gaps, so one
 * that makes no sense is damage (or an object half made); then the walk goes
 * on where sense is again, and what it left out is a hole with its place.
 *
 * About 10 ns an object that is in the cache. A walk belongs to one thread; a
 * heap is walked by several, range by range.
 */
#include "io/runtime/heaps.h"
#include "io/runtime/tables.h"
#include "model/base/progress.h"

struct clr_object {
	uint64_t address;
	uint64_t table; /* its method table, without the collector's marks */
	uint64_t size;  /* filled up to 8 */
	/* The object itself, from its first word on, as far as it is at hand:
	 * all of it unless it is longer than CLR_BYTES_MAX. Good until the
	 * next call. */
	const uint8_t *bytes;
	uint32_t bytes_len;  /* CLR_BYTES_MAX at most */
	uint32_t flags;      /* of its method table: CLR_MT_… */
	uint32_t components; /* of arrays and strings; else 0 */
	uint8_t generation;  /* enum generation */
	bool is_free;        /* free space, no object of the program */
};
#define CLR_BYTES_MAX (1u << 20)

enum clr_hole_reason {
	CLR_HOLE_ABSENT,     /* the memory is not there */
	CLR_HOLE_NO_TABLE,   /* 0 in the place of a method table */
	CLR_HOLE_BAD_TABLE,  /* something that is none */
	CLR_HOLE_TOO_LARGE,  /* beyond the end of the range */
	CLR_HOLE_UNFINISHED, /* a thread was about to make an object */
};

struct clr_hole {
	uint64_t start, end;
	uint64_t last_good; /* the object before it, or 0 */
	enum clr_hole_reason reason;
};
const char *clr_hole_text(enum clr_hole_reason reason);

/* A sum over a range; its length is objects + free + contexts + holes. */
struct clr_walk_sums {
	uint64_t objects_count, objects_bytes;
	uint64_t free_count, free_bytes;
	uint64_t contexts_bytes; /* room that threads have not filled */
	uint64_t holes_count, holes_bytes;
};

struct clr_walk;

/* `tables` and the heaps are borrowed. NULL sets `err`. */
struct clr_walk *clr_walk_new(const struct clr_heaps *h,
			      struct clr_tables *tables,
			      struct error *err) MUST_USE;
void clr_walk_free(struct clr_walk *w);

/* Begins with a range of the same heaps; holes and sums are empty again. */
void clr_walk_start(struct clr_walk *w, const struct clr_range *range);
/*
 * The next objects in the order of addresses, `max` at most. False: the range
 * is at its end. While it looks for a way out of damage, *count may be 0.
 */
bool clr_walk_next(struct clr_walk *w, struct clr_object *objects, size_t max,
		   size_t *count);

/* Of the range so far; the first few thousand holes, all are in the sums. */
const struct clr_hole *clr_walk_holes(const struct clr_walk *w, size_t *count);
const struct clr_walk_sums *clr_walk_sums(const struct clr_walk *w);

#endif
