#ifndef IO_HEAPTOP_INFO_H
#define IO_HEAPTOP_INFO_H

/*
 * Facts about a saved heap as a whole: origin, counts, losses. Each is a key, a length and a value;
 * unknown keys belong to a later version and are skipped.
 */
#include "io/heaptop/sections.h"
#include "model/heap/build.h"

struct saved_info {
	uint64_t flags; /* enum saved_flag */
	/* As announced; the reader must check them. */
	uint64_t nodes_count, refs_count, roots_count;
};

/* Also fills the builder's heap_info, warnings and domains. */
bool saved_info_read(struct saved_info *out, struct saved_sections *in,
		     struct heap_builder *builder, struct error *err) MUST_USE;

#endif
