#ifndef IO_GCDUMP_FILE_H
#define IO_GCDUMP_FILE_H

/* The file that a heap was read from, so that it can be copied: heap_info.gcdump, in the heap's
   arena. */
#include "io/base/input.h"
#include "io/base/output.h"
#include "model/heap/builder.h"

struct gcdump_file {
	bool has_stamp; /* false: not read from a file */
	struct file_stamp stamp;
	const char *damage; /* a sentence; NULL: none */
};

/* Fills heap_info.gcdump. `stamp` and `damage` may be NULL. */
bool gcdump_file_keep(const struct file_stamp *stamp, const char *damage, struct heap_builder *b,
		      struct error *err) MUST_USE;

/*
 * Opens the file the heap was read from, decompressed. False sets `why`: the file has changed, or
 * is damaged.
 */
bool gcdump_file_open(struct input *in, const struct heap *h, struct progress *progress,
		      struct error *why) MUST_USE;
/* Closes `in`, but not `to`. */
bool gcdump_file_copy(struct input *in, struct output *to, struct progress *progress,
		      struct error *err) MUST_USE;

#endif
