#ifndef IO_HEAPTOP_OBJECTS_H
#define IO_HEAPTOP_OBJECTS_H

/*
 * Reads the objects of a saved heap, compressed or as raw columns: addresses, types, sizes and
 * references, all checked by the model. Uses all threads. Allocates for a number of objects only if
 * the file has data for each.
 */
#include "io/heaptop/info.h"
#include "model/base/worker.h"
#include "model/heap/packed.h"

struct saved_objects {
	struct saved_sections *in;
	struct heap_builder *builder; /* already has all types */
	const struct saved_info *info;
	struct progress *progress;
	bool borrows; /* raw columns may stay in the file's mapping */
	/* Must stay until the builder has finished. */
	struct packed_columns columns;
	/* Used while reading. */
	struct chunk_loader *loaders[WORKER_MAX];
	struct addresses_parts addresses;
};

/* The caller sets the members before `columns`, and the others to 0. */
bool saved_objects_read(struct saved_objects *o, struct error *err) MUST_USE;

#endif
