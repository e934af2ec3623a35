#ifndef MODEL_ALLOCATIONS_TALLY_H
#define MODEL_ALLOCATIONS_TALLY_H

/*
 * Sums samples of allocations up by stack and type while they arrive. Stacks are code addresses,
 * stored as a tree of callers whose root (node 0) is the program. allocations_name() makes a named
 * copy, as often as wanted.
 *
 * It can follow samples through collections; dead ones are forgotten. A cell notes its live bytes
 * at collections of generation 2, 16 values at most. And it can remember the samples of the last
 * seconds, for rates.
 *
 * Memory is bounded by ALLOCATION_NODES and so on; samples beyond the bounds keep the outer part of
 * their stack or lose their type, and are counted in `folded`. Methods beyond theirs are "(other
 * methods)". At the bounds, which few programs come near to, a tally takes at most
 * ALLOCATION_TALLY_MB and a copy ALLOCATION_COPY_MB; the screen has up to four copies: the newest,
 * one that it holds still, one that has arrived, and one in the making. Programs with 10,000 stacks
 * and types take a twentieth of that. Not thread-safe.
 */
#include "model/allocations/allocations.h"
#include "model/allocations/recent.h"

enum {
	ALLOCATION_NODES = 1 << 18, /* 24 to 48 bytes each */
	ALLOCATION_CELLS = 1 << 17, /* 130 to 280 bytes each */
	ALLOCATION_TYPES = 1 << 15,
	/* For all names, raw and as they are shown. */
	ALLOCATION_TYPE_TEXT_BYTES = 8 << 20,
	ALLOCATION_METHOD_TEXT_BYTES = 16 << 20,
	ALLOCATION_TALLY_MB = 128,
	ALLOCATION_COPY_MB = 128,
};

struct allocation_sample {
	const char *type;       /* its raw name in UTF-8, as heap sources spell it */
	uint64_t time;          /* in ticks of the tally's clock */
	uint64_t address, size; /* of the object */
	/* Bytes that it stands for, if an allocation budget chose it; 0: it was chosen at
	   random. */
	uint64_t tick_bytes;
	const uint64_t *frames; /* code addresses, the innermost first */
	uint32_t frames_count;
};

struct allocation_tally {
	/* The source sets all but `total`, `without_stack` and `folded`. */
	struct allocation_facts facts;
	struct allocation_type *types;
	uint32_t types_count;
	size_t types_text_bytes;
	struct allocation_node *nodes; /* their methods are in `addresses` */
	uint32_t nodes_count;
	struct allocation_cell *cells; /* a cell keeps its number */
	uint32_t cells_count;
	uint64_t *addresses;
	uint32_t addresses_count;
	/* Follows the samples, whose owners are indexes of `cells`; or NULL. */
	struct survived *survived;
	/* The last samples, whose cells are indexes of `cells`; or NULL. */
	struct recent *recent;
	uint64_t until;                 /* the end of facts.time_ns, in ticks; for `recent` */
	uint64_t clock_start, clock_hz; /* of its times */
	uint64_t gen2_time;             /* when the last collection of gen2 began */
	uint64_t steps;                 /* taken to note what such collections left */
	/* Copies have the samples as this collection left them, even if more follow; 0: as they
	   are. */
	uint32_t last_collection;
	/* As that collection left them, or, if there is none and `recent` is set, the last blocking
	   ones of generation 2; the newest first. */
	struct allocation_samples kept[ALLOCATION_FULL];

	size_t addresses_room, nodes_room, cells_room, types_room;
	struct u64_map type_index, address_index, node_index, cell_index;
	struct arena arena;
};

struct allocation_tally *allocation_tally_new(struct error *err) MUST_USE;
void allocation_tally_free(struct allocation_tally *t); /* NULL is allowed */
/* About 50 ns a frame. `cell` gets an index of `cells`. False: no memory. */
bool allocation_tally_add(struct allocation_tally *t, const struct allocation_sample *sample,
			  uint32_t *cell, struct error *err) MUST_USE;
/*
 * Makes `survived`, which the source gives samples and collections, with times of a clock that it
 * says. False: no memory.
 */
bool allocation_tally_follow(struct allocation_tally *t, struct error *err) MUST_USE;

/* Remembers the samples of the last RECENT_SECONDS from now on: rates of copies are of these.
   Copies also have what full collections leave, for heaps that are captured meanwhile. False: no
   memory. */
bool allocation_tally_keep_recent(struct allocation_tally *t, struct error *err) MUST_USE;

/* Counts anew: all sums become 0, stacks and cells keep their numbers, and samples are followed
   on. */
void allocation_tally_restart(struct allocation_tally *t);

/*
 * Returns a copy in which addresses are methods, and stacks whose methods are equal are one. `name`
 * fills in the method at an address; its texts may be in `scratch`. The caller frees the copy,
 * which does not depend on the tally. Linear in addresses, nodes and cells: about 10 ms for 100,000
 * of each. NULL: no memory, or `name` failed.
 */
struct allocation_namer {
	bool (*name)(void *context, uint64_t address, struct arena *scratch,
		     struct allocation_method *out, struct error *err);
	void *context;
};
struct allocations *allocations_name(const struct allocation_tally *t,
				     struct allocation_namer namer, struct error *err) MUST_USE;

/* Ticks of its clock in nanoseconds: at most 9e18, and 0 before it is known. */
uint64_t allocation_tally_ns(const struct allocation_tally *t, uint64_t ticks);

/* The same number of ticks; 0 before the clock is known. */
uint64_t allocation_tally_ticks(const struct allocation_tally *t, uint64_t ns);

/* Copies what is alive to `to`, whose cells are `cell_of`; part of allocations_name(). Linear in
   cells and live samples. */
bool allocation_tally_copy_alive(const struct allocation_tally *t, struct allocations *to,
				 const uint32_t *cell_of, struct error *err) MUST_USE;

#endif
