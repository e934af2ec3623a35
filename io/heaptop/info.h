#ifndef IO_HEAPTOP_INFO_H
#define IO_HEAPTOP_INFO_H

/*
 * What a saved heap says of the whole: where it comes from, how much there is
 * of it, what was lost of it. Key, length and value; keys that are not known
 * are of a later version and skipped.
 */
#include "io/heaptop/sections.h"
#include "model/heap/build.h"

struct saved_info {
	uint64_t flags; /* enum saved_flag */
	/* As announced; whether so many come is for the reader to see. */
	uint64_t nodes_count, refs_count, roots_count;
};

/* The builder's heap_info, warnings and domains are filled from it as well. */
bool saved_info_read(struct saved_info *out, struct saved_sections *in,
		     struct heap_builder *builder, struct error *err) MUST_USE;

#endif
