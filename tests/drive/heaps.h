#ifndef TESTS_DRIVE_HEAPS_H
#define TESTS_DRIVE_HEAPS_H

/* Heaps of files and graphs, whole and sound; what fails fails the test. */
#include "model/heap/source.h"
#include "tests/made/graphs.h"

/* In tests/data: the reference program on .NET 8, 9 and 10. */
#define LEAKY_8      "tests/data/leaky-8.gcdump.zst"
#define LEAKY_9      "tests/data/leaky-9.gcdump.zst"
#define LEAKY_10     "tests/data/leaky-10.gcdump"
#define LEAKY_LATER  "tests/data/leaky-10-later.gcdump.zst"
#define LEAKY_SERVER "tests/data/leaky-10-server.gcdump.zst"
#define LEAKY_TRACE  "tests/data/leaky-10.nettrace.zst"

/* The five dumps of these. */
enum { REAL_DUMPS = 5 };
extern const char *const real_dumps[REAL_DUMPS];

/* Reads a heap of any format; NULL sets `err`. */
const struct heap *heap_at(const char *path, enum load_what what, struct error *err);
const struct heap *heap_of_file(const char *path);
/* Frees the graph. */
const struct heap *heap_of_graph(struct graph *g);
/* The type of that name. */
type_id type_named(const struct heap *h, const char *name);

/*
 * A copy that ends where the input ends, so that a sanitizer sees every byte too many. Free with
 * free().
 */
uint8_t *copy_exactly(const void *data, size_t len);
/* A heap that is sound as far as it is whole, or an error with a message. */
void expect_heap_or_words(const struct heap *h, bool is_whole, const struct error *err);

#endif
