#ifndef MODEL_HEAP_ROOT_GAPS_H
#define MODEL_HEAP_ROOT_GAPS_H

/*
 * Kinds of roots that a heap lacks, and why: set by its source in losses.root_gaps and stored in
 * files. Unreachable objects are certainly garbage only if all kinds of roots are known.
 */
#include "model/heap/heap.h"

/* .heaptop stores these numbers: append new ones. */
enum root_gap_kind {
	GAP_STACKS,
	GAP_THREAD_STATICS,
	GAP_STATICS,
	GAP_HANDLES,
	GAP_FINALIZERS,
	GAP_KINDS_COUNT
};
enum root_gap_reason {
	GAP_ABSENT,   /* missing, wholly or partly, from the memory read */
	GAP_NOT_SENT, /* never reported by the runtime: Native AOT */
	GAP_REASONS_COUNT
};

void root_gaps_add(struct losses *l, enum root_gap_kind kind, enum root_gap_reason reason);
/* Native AOT events report neither stacks nor thread statics. */
void root_gaps_add_native_aot(struct losses *l);

/* "stacks and thread-static variables, which Native AOT does not report"; "parts of the stacks,
   which are not in memory"; "" if there are no gaps. */
enum { ROOT_GAPS_TEXT_BYTES = 256 };
const char *root_gaps_text(const struct losses *l, char out[ROOT_GAPS_TEXT_BYTES]);
/* The same for one reason. */
const char *root_gaps_text_of(const struct losses *l, enum root_gap_reason reason,
			      char out[ROOT_GAPS_TEXT_BYTES]);

/* Returns true if all roots of the heap are known. */
bool heap_knows_roots(const struct heap *h);

#endif
