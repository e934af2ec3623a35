#ifndef TESTS_DRIVE_KEPT_H
#define TESTS_DRIVE_KEPT_H

/*
 * Heaps saved to files and read again, for the tests of that; and files that lie, made of sound
 * ones. What fails fails the test.
 */
#include "io/heaptop/heaptop.h"
#include "io/heaptop/sections.h"

struct bytes_kept {
	uint8_t *data; /* free with free() */
	size_t len;
};

/* They are in the folder of files.h. */

/* All that is written; `how` as for saved_write(). */
struct bytes_kept kept_save_as(const struct heap *h, const struct saved_how *how);
struct bytes_kept kept_save(const struct heap *h);
const struct heap *kept_load(const struct bytes_kept *kept, enum load_what what, struct error *err);
/* The same as from a file: the heap keeps a copy of the bytes. */
const struct heap *kept_load_keeping(const struct bytes_kept *kept, struct error *err);
/* Of forty objects. */
const struct heap *kept_small_heap(void);

struct zstd_packer;
/* They borrow the bytes. */
struct saved_sections kept_sections(const struct bytes_kept *kept);
/*
 * As `sections` say, but that number `which` is made of `raw`, and without a directory. All checks
 * fit. `raw` NULL: nothing is made anew.
 */
struct bytes_kept kept_assemble(const struct saved_sections *sections, size_t which,
				const uint8_t *raw, struct zstd_packer *packer);

#endif
