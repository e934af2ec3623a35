#ifndef MODEL_HEAP_ROOT_GAPS_H
#define MODEL_HEAP_ROOT_GAPS_H

/*
 * Which kinds of roots a heap lacks, and why: facts of the heap that its source
 * fills in (losses.root_gaps) and that files keep. What no root reaches is
 * garbage only where all kinds of roots are known.
 */
#include "model/heap/heap.h"

/* .heaptop has these numbers: new ones go behind. */
enum root_gap_kind {
	GAP_STACKS,
	GAP_THREAD_STATICS,
	GAP_STATICS,
	GAP_HANDLES,
	GAP_FINALIZERS,
	GAP_KINDS_COUNT
};
enum root_gap_reason {
	GAP_ABSENT,   /* from the memory that was read, or parts of them */
	GAP_NOT_SENT, /* the runtime never tells of them: Native AOT */
	GAP_REASONS_COUNT
};

void root_gaps_add(struct losses *l, enum root_gap_kind kind,
		   enum root_gap_reason reason);
/* Over events, Native AOT tells of no stack and of no thread's statics. */
void root_gaps_add_native_aot(struct losses *l);

/*
 * "stacks and thread-static variables, which Native AOT does not tell of";
 * "parts of the stacks, which are not in memory"; "" if none is lacking.
 */
enum { ROOT_GAPS_TEXT_BYTES = 256 };
const char *root_gaps_text(const struct losses *l,
			   char out[ROOT_GAPS_TEXT_BYTES]);
/* Of those that lack for one reason. */
const char *root_gaps_text_of(const struct losses *l,
			      enum root_gap_reason reason,
			      char out[ROOT_GAPS_TEXT_BYTES]);

/* Nothing that could keep an object is missing. */
bool heap_knows_roots(const struct heap *h);
/* Of a capture or trace: some of what it tells is not there. */
bool losses_have_events(const struct losses *l);

#endif
