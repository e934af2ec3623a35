#ifndef TESTS_DRIVE_WRITTEN_H
#define TESTS_DRIVE_WRITTEN_H

/* A heap as a writer puts it into memory, and read again from there. */
#include "tests/made/dump_writer.h"
#include "io/gcdump/write.h"

typedef bool heap_write(struct output *to, const struct heap *h, struct progress *progress,
			struct error *err);

/* Replaces what was in `b`. What fails fails the test. */
void written(const struct heap *h, heap_write *write, struct blob *b);
/* The whole heap of a .gcdump, checked. What fails fails the test. */
const struct heap *read_gcdump(const uint8_t *data, size_t len);
/* For those that should fail; nothing is kept. */
bool is_written(const struct heap *h, heap_write *write, struct error *err);

#endif
