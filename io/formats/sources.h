#ifndef IO_FORMATS_SOURCES_H
#define IO_FORMATS_SOURCES_H

/* All formats of files that are read; a new one is a row of its table. */
#include "model/heap/source.h"

struct sources_options {
	const char *symbols; /* for traces: see walk_load(); or NULL */
	const char *sysroot; /* for cores, as the next two: see core_heap.h */
	uint32_t runtime;
	uint64_t memory_bytes;
	bool is_forced; /* accept files that are hardly of their format */
};

/*
 * Loads the heap in a file with the first format that accepts its content. The path may end with
 * the number of a walk. NULL sets `err`, which for files in other formats explains what they are.
 */
const struct heap *sources_load(const char *path, const struct sources_options *options,
				enum load_what what, struct progress *progress,
				struct preview *preview, struct error *err) MUST_USE;

#endif
