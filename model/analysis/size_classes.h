#ifndef MODEL_ANALYSIS_SIZE_CLASSES_H
#define MODEL_ANALYSIS_SIZE_CLASSES_H

/* Histogram of object sizes: a class for each power of two, up to just below the next. One pass
   over the objects, about 3 ns each; no memory. */
#include "model/base/progress.h"
#include "model/heap/heap.h"

enum { SIZE_CLASSES = 64 }; /* class 0: sizes 0 and 1 */

struct size_class {
	uint64_t count, bytes;
};

struct size_classes {
	struct size_class items[SIZE_CLASSES];
	struct size_class all, most; /* `most`: highest count and highest bytes of a class */
	unsigned first, end;         /* classes outside this range are empty */
};

unsigned size_class_of(uint64_t size);
/* Returns the smallest or the largest size of the class. */
uint64_t size_class_start(unsigned class);
uint64_t size_class_last(unsigned class);

/* Counts all objects, or only `nodes` if that is not NULL; of these only the objects of `type`
   unless that is TYPE_NONE. Returns false when cancelled. */
bool size_classes_count(struct size_classes *out, const struct heap *h, type_id type,
			const node_id *nodes, uint32_t nodes_count, struct progress *progress,
			struct error *err) MUST_USE;

#endif
