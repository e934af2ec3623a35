#ifndef IO_MEMORY_MAPPING_USE_H
#define IO_MEMORY_MAPPING_USE_H

/*
 * Sums up the resident memory of a process by use (model/heap/resident.h), given its mappings and
 * what is known about addresses in them. Where nothing is known, the use follows from names and
 * from the shapes that glibc gives its heaps and stacks. For each use a pass over mappings and
 * clues.
 */
#include "io/memory/memory.h"
#include "model/base/progress.h"
#include "model/heap/resident.h"

struct used_mapping {
	struct memory_mapping map;
	uint64_t bytes; /* resident, or written and present in a core */
};

/* The mappings of a process, or of a core, with their resident bytes. A capture fills it before the
 * heap is read; of a core that can wait. */
struct mapping_list {
	struct used_mapping *items; /* by address, disjoint */
	size_t count;
	/* Reserved memory without access is in the list. */
	bool has_reserved;
	/* The sums begin as a copy of this, which has all that mappings do not tell: `detail`,
	   `swapped_bytes`, the cgroup's numbers, and the number of threads as the count of
	   STACKS. */
	struct resident known;
	/* Called once, when the mappings are needed; NULL: they are there. */
	bool (*fill)(struct mapping_list *list, struct progress *progress, struct error *err);
	const struct memory *filled_from;
};

enum mapping_clue_flag {
	/* A reserved range, at most one of a kind, which holds all memory of that kind; it does not
	   count as one of MANAGED. */
	CLUE_RESERVED = 1 << 0,
	/* Anonymous memory without gaps up to the next such clue has the same use: regions that are
	   free, or were not known. */
	CLUE_JOINS = 1 << 1,
};

/* The use of the mappings that share bytes with [start, end). */
struct mapping_clue {
	uint64_t start, end;
	uint8_t kind;  /* enum resident_kind; the lowest wins */
	uint8_t flags; /* enum mapping_clue_flag */
};
struct mapping_clues {
	struct mapping_clue *items;
	size_t count, room;
};

bool mapping_clues_add(struct mapping_clues *c, struct mapping_clue clue, struct error *err);
void mapping_clues_clear(struct mapping_clues *c);

/* Sorts the clues. Needs a byte a mapping while it runs. */
bool mapping_use_sum(struct resident *out, const struct mapping_list *list,
		     struct mapping_clues *clues, struct error *err) MUST_USE;

#endif
