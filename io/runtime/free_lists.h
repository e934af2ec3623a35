#ifndef IO_RUNTIME_FREE_LISTS_H
#define IO_RUNTIME_FREE_LISTS_H

/*
 * The lists of free blocks from which a generation takes room. The same on .NET
 * 8, 9 and 10, with regions and segments; where in a generation's record they
 * are differs, and is found by what generations 0 and 1 have there.
 *
 *   in the record      0 u32 bits, u32 how many lists (63 and 1 of those two)
 *                      8 the first of them, 48 the others, or 0
 *   a list, 40 bytes   0 head and 8 tail of what a background collection adds
 *                      16 head, 24 tail
 *   a free block       16 the next one; 24 of generation 2: the one before
 */
#include "io/runtime/heaps.h"

struct clr_free_list {
	uint64_t head, tail; /* 0, 0: empty */
	uint8_t generation;  /* enum generation */
};
/* One behind a block; and one before it, where there is such a link. */
#define CLR_FREE_NEXT 16u
#define CLR_FREE_PREV 24u

/*
 * Those that are not empty, in `a`. False without an error: nobody knows where
 * they are; else no memory.
 */
bool clr_free_lists_read(const struct clr_heaps *h,
			 const struct clr_free_list **out, size_t *count,
			 struct arena *a, struct error *err) MUST_USE;

#endif
