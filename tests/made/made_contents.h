#ifndef TESTS_MADE_MADE_CONTENTS_H
#define TESTS_MADE_MADE_CONTENTS_H

/*
 * Heaps with contents, made up from plain bytes: objects one behind another,
 * of a few types that every test knows, without a runtime around them.
 */
#include "model/heap/memory.h"
#include "model/heap/stream.h"

enum made_kind {
	MADE_TEXT,    /* string: units from 12 */
	MADE_NUMBERS, /* int[]: from 16 */
	MADE_BOX,     /* int in a box: at 8 */
	MADE_POINT,   /* Test.Point: int X at 8, long Y at 16, bool Z at 24 */
	MADE_MOVED,   /* the same by another table: X at 16, Y at 8 */
	MADE_MAYBE,   /* Test.Maybe: int? N at 12 if the bool at 8 says so */
	MADE_WIDE,    /* elements of 4 bytes with a field of 8 */
	MADE_LIST,    /* List<int>: int[] _items at 8, int _size at 16 */
	MADE_KINDS
};

struct made_contents;

/* From the same seed the same random numbers. */
struct made_contents *made_contents_new(uint64_t seed);
uint64_t made_contents_random(struct made_contents *m, uint64_t limit);
/*
 * `count` elements of `bytes`, or the bytes of the fields behind the table; `keeps`: a static
 * variable refers to it. Returns its address.
 */
uint64_t made_contents_put(struct made_contents *m, enum made_kind kind, const void *bytes,
			   uint32_t count, bool keeps);
/* Of the last one: a count that its size has no room for. */
void made_contents_damage(struct made_contents *m);
/* Of the last one: that count. */
void made_contents_claim(struct made_contents *m, uint32_t count);
/* Nothing of it from this address on is there. */
void made_contents_lose(struct made_contents *m, uint64_t address);
/* How often a layout was asked for. */
uint32_t made_contents_asked(const struct made_contents *m);
/* Valid as long as `m`; freed with it. */
const struct heap *made_contents_heap(struct made_contents *m);
void made_contents_free(struct made_contents *m);

#endif
