#ifndef IO_RUNTIME_FREE_LISTS_H
#define IO_RUNTIME_FREE_LISTS_H

/*
 * The lists of free objects from which a generation allocates. They are the same in .NET 8 to 11,
 * with regions and segments. Their offset in a
 * generation differs, and is found by what gen0 and gen1 have there.
 *
 *   allocator          0 u32 bits, u32 number of lists (63 and 1 for gen0,
 * gen1) 8 first list, 48 address of the others, or 0 list, 40 bytes     0 head
 * and 8 tail that a background GC adds, 16 head, 24 tail free object        16
 * next; 24 previous, in gen2 only
 */
#include "io/runtime/heaps.h"

struct clr_free_list {
	uint64_t head, tail; /* 0, 0: empty */
	uint8_t generation;  /* enum generation */
};
/* Offsets of the links in a free object; only gen2 has CLR_FREE_PREV. */
#define CLR_FREE_NEXT 16u
#define CLR_FREE_PREV 24u

/* Lists the non-empty free lists, allocated in `a`. False with `err` set: no memory; without: their
 * place is unknown. */
bool clr_free_lists_read(const struct clr_heaps *h, const struct clr_free_list **out, size_t *count,
			 struct arena *a, struct error *err) MUST_USE;

#endif
