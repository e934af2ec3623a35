#ifndef IO_HEAPTOP_OBJECTS_H
#define IO_HEAPTOP_OBJECTS_H

/*
 * The objects of a saved heap, packed or as columns: addresses, types, sizes
 * and references, which the model checks one by one. On all threads; before
 * room is made for a number of objects the file must have something of each.
 */
#include "io/heaptop/info.h"
#include "model/base/worker.h"
#include "model/heap/packed.h"

struct saved_objects {
	struct saved_sections *in;
	struct heap_builder *builder; /* that has all types */
	const struct saved_info *info;
	struct progress *progress;
	bool borrows; /* of columns the bytes may stay where they are */
	/* Must stay until the builder has finished. */
	struct packed_columns columns;
	/* While they are read. */
	struct chunk_loader *loaders[WORKER_MAX];
	struct addresses_parts addresses;
};

/* All above `columns` is the caller's, the rest begins as 0. */
bool saved_objects_read(struct saved_objects *o, struct error *err) MUST_USE;

#endif
