#ifndef TESTS_WRITTEN_H
#define TESTS_WRITTEN_H

/* What a writer of heaps makes of a heap, in memory. */
#include "tests/dump_writer.h"
#include "io/gcdump/write.h"

typedef bool heap_write(struct output *to, const struct heap *h,
			struct progress *progress, struct error *err);

/* Replaces what was in `b`. What fails fails the test. */
void written(const struct heap *h, heap_write *write, struct blob *b);
/* For those that should fail; nothing is kept. */
bool is_written(const struct heap *h, heap_write *write, struct error *err);

#endif
