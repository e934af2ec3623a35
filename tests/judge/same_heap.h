#ifndef TESTS_JUDGE_SAME_HEAP_H
#define TESTS_JUDGE_SAME_HEAP_H

/* Do two heaps say the same of everything? Fails the test with what differs. */
#include "model/heap/heap.h"

enum {
	SAME_ALL = 0,
	SAME_BUT_ORIGIN = 1, /* format, tool and such may differ */
	SAME_BUT_INFO = 2,   /* all of heap_info may */
	/* Types without objects may be missing, so that others have other ids.
	 */
	SAME_BUT_UNUSED_TYPES = 4,
};
void expect_same_heap(const struct heap *a, const struct heap *b, int flags);

#endif
