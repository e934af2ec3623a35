#ifndef TESTS_MADE_TEXT_HEAP_H
#define TESTS_MADE_TEXT_HEAP_H

/*
 * A heap that is written down as text. What fails fails the test.
 *
 * "a1:b1,b2 b1:a1 b2 !static:Sessions=a1": objects with what they refer to; the letter is the type.
 * Roots begin with !, their name may be empty. Objects get ids in the order in which they are
 * written down.
 */
#include "model/heap/heap.h"

enum { TEXT_NAMES_MAX = 64, TEXT_NAME_BYTES = 16 };

struct text_heap {
	char names[TEXT_NAMES_MAX][TEXT_NAME_BYTES]; /* of the objects */
	uint32_t count;
};

const struct heap *text_heap(struct text_heap *m, const char *text);

#endif
