#ifndef IO_GCDUMP_FILE_H
#define IO_GCDUMP_FILE_H

/*
 * The .gcdump that a heap was read from, as far as the heap does not know it:
 * heap_info.gcdump, in the heap's arena. Its size is that of the type table.
 */
#include "io/base/input.h"
#include "io/base/output.h"
#include "io/gcdump/graph.h"

struct gcdump_file {
	bool has_stamp; /* false: it was in no file */
	struct file_stamp stamp;
	const char *damage; /* a sentence; NULL: none */
	/* For report.h, if there is no damage. */
	int64_t total_bytes; /* as the file says */
	uint32_t nodes_count, types_count;
	const uint32_t *counts; /* nodes by type, also those of no objects */
	const uint8_t *table;   /* the types' names, sizes and modules */
	size_t table_len;
};

/* Into the builder's info. Copies `counts` and the table; `stamp` may be NULL.
 */
bool gcdump_file_keep(const struct gcdump_graph *g, const uint32_t *counts,
		      const struct file_stamp *stamp, const char *damage,
		      struct heap_builder *b, struct error *err) MUST_USE;

/*
 * The bytes the heap was read from, unpacked. False: `why` says that the file
 * is not what it was, or that it is damaged.
 */
bool gcdump_file_open(struct input *in, const struct heap *h,
		      struct progress *progress, struct error *why) MUST_USE;
/* Closes `in`, but not `to`. */
bool gcdump_file_copy(struct input *in, struct output *to,
		      struct progress *progress, struct error *err) MUST_USE;

#endif
