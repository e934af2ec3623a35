#ifndef IO_GCDUMP_FILE_H
#define IO_GCDUMP_FILE_H

/*
 * The .gcdump that a heap was read from, as far as the heap does not know it:
 * heap_info.gcdump, in the heap's arena. Its size is that of the type table.
 */
#include "io/gcdump/graph.h"

struct gcdump_file {
	const char *damage; /* what is wrong with it; NULL: nothing */
	/* For report.h, if there is no damage. */
	int64_t total_bytes; /* as the file says */
	uint32_t nodes_count, types_count;
	const uint32_t *counts; /* nodes by type, also those of no objects */
	const uint8_t *table;   /* the types' names, sizes and modules */
	size_t table_len;
};

/* Into the builder's info; `counts` is copied, and so is the table. */
bool gcdump_file_keep(const struct gcdump_graph *g, const uint32_t *counts,
		      const char *damage, struct heap_builder *b,
		      struct error *err) MUST_USE;

#endif
