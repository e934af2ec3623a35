#ifndef IO_GCDUMP_FILE_H
#define IO_GCDUMP_FILE_H

/*
 * Data of a .gcdump that the heap itself does not keep: heap_info.gcdump, in the heap's arena. As
 * large as the file's type table.
 */
#include "io/base/input.h"
#include "io/base/output.h"
#include "io/gcdump/graph.h"

struct gcdump_file {
	bool has_stamp; /* false: not read from a file */
	struct file_stamp stamp;
	const char *damage; /* a sentence; NULL: none */
	/* For report.h, if there is no damage. */
	int64_t total_bytes; /* as recorded in the file */
	uint32_t nodes_count, types_count;
	const uint32_t *counts; /* nodes by type, including pseudo-nodes */
	const uint8_t *table;   /* names, sizes and modules of types */
	size_t table_len;
};

/* Fills heap_info.gcdump; copies `counts` and the table. `stamp` may be NULL.
 */
bool gcdump_file_keep(const struct gcdump_graph *g, const uint32_t *counts,
		      const struct file_stamp *stamp, const char *damage, struct heap_builder *b,
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
