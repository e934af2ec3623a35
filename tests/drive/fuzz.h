#ifndef TESTS_DRIVE_FUZZ_H
#define TESTS_DRIVE_FUZZ_H

/* Checks shared by the fuzz targets. run/replay.c or libFuzzer calls a target.
 */
#include "model/heap/heap.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A finding: aborts with these words; `err` may be NULL. */
__attribute__((noreturn)) void fuzz_fail(const char *what, const struct error *err);
/*
 * Returns whether there is a heap. It must take no more than that and come without an error; where
 * there is none, there must be a message.
 */
bool fuzz_has_heap(const struct heap *h, const struct error *err, uint64_t bytes_max);
/* It must pass heap_check(), too. */
void fuzz_check_heap(const struct heap *h);

/* A stream in chunks of 1 to 13 bytes, each gone when the next one comes. */
struct fuzz_chunks {
	const uint8_t *data;
	size_t size, at;
	uint8_t chunk[13];
};
/* For a struct nettrace_input whose context is a struct fuzz_chunks. */
bool fuzz_chunks_next(void *context, const uint8_t **data, size_t *len, struct error *err);

#endif
