#ifndef IO_CLR_VERIFY_STATE_H
#define IO_CLR_VERIFY_STATE_H

/* Shared by verify.c, which checks the objects, and verify_structures.c, which checks the
 * structures of the collector and the runtime around them. */
#include "io/runtime/cards.h"
#include "io/runtime/syncs.h"
#include "io/runtime/types.h"
#include "io/runtime/walk.h"
#include "model/heap/addresses.h"
#include "model/heap/memory.h"

/* An object with a sync block. */
struct clr_synced {
	uint64_t object;
	uint32_t index;
};

struct clr_verify {
	struct clr_runtime runtime; /* a copy with a reader of its own */
	const struct clr_types *types;
	const struct heap *heap;
	struct clr_heaps *heaps;
	struct clr_tables *tables;
	struct clr_walk *walk;
	struct memory_reader *reader;
	struct clr_types_near near;
	struct addresses_page page;
	struct clr_cards cards;
	bool has_cards;
	const struct clr_range *target_range; /* around the last reference */
	struct clr_synced *syncs;
	size_t syncs_count, syncs_room;
	struct faults *faults;
	struct error *err;
};

/* Adds a fault, with its neighbouring objects. False sets v->err. */
bool clr_verify_note(struct clr_verify *v, struct fault f) MUST_USE;
/* True if an object starts at the address. */
static inline bool
clr_verify_is_start(struct clr_verify *v, uint64_t address)
{
	return addresses_find_near(v->heap->addresses, address, &v->page) != NODE_NONE;
}
/* The free object around an address, or NULL. */
const struct heap_free_block *clr_verify_free_at(const struct clr_verify *v, uint64_t address);
/* True if a register of a thread points into [start, end): the thread may have been stopped while
 * writing there. */
bool clr_verify_is_in_register(const struct clr_verify *v, uint64_t start, uint64_t end);

/* Checks the headers that the pass collected against the sync block table. */
bool clr_verify_syncs(struct clr_verify *v) MUST_USE;
/* Checks everything except objects and their headers. */
bool clr_verify_structures(struct clr_verify *v, struct progress *progress) MUST_USE;

#endif
