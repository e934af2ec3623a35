#ifndef MODEL_ANALYSIS_SURVIVAL_KEYS_H
#define MODEL_ANALYSIS_SURVIVAL_KEYS_H

/*
 * Numbers that are equal for objects that look the same in two heaps of one process, whatever their
 * addresses: made from type and size, the values in the object, the objects that it refers to and
 * the types that refer to it.
 */
#include "model/base/progress.h"
#include "model/heap/heap.h"

enum keys_of {
	KEYS_OF_SIZE,   /* type and size alone */
	KEYS_OF_SHAPE,  /* also references and referrers */
	KEYS_OF_VALUES, /* also values; the heap has contents */
};

/* Returns a number for each object, to be freed by memory_free(). `rows` are numbers of types that
   both heaps share. NULL sets `err`. */
uint64_t *survival_keys(const struct heap *h, const uint32_t *rows, enum keys_of of,
			struct progress *progress, struct error *err) MUST_USE;

#endif
