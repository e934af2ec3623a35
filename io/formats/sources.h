#ifndef IO_FORMATS_SOURCES_H
#define IO_FORMATS_SOURCES_H

/* Which formats of files are read: a new one is a row of the table here. */
#include "model/heap/source.h"

struct sources_options {
	const char *sysroot; /* these three of cores: see core_heap.h */
	uint32_t runtime;
	uint64_t memory_bytes;
	bool is_forced; /* also what is hardly of its format */
};

/*
 * The heap in a file, by its content: the first format that accepts it. The
 * path may end with the number of a walk. NULL sets `err`, which says of files
 * of others what they are.
 */
const struct heap *sources_load(const char *path,
				const struct sources_options *options,
				enum load_what what, struct progress *progress,
				struct preview *preview,
				struct error *err) MUST_USE;

#endif
