#ifndef IO_GCDUMP_RECORDS_H
#define IO_GCDUMP_RECORDS_H

/*
 * Writes the nodes of a .gcdump: offsets of records, records, addresses. Pseudo-nodes come first,
 * then the objects by address. Threads encode parts of the objects and write them in turn: three
 * passes, about 20 ns an object on two threads.
 */
#include "io/gcdump/groups.h"
#include "io/gcdump/table.h"
#include "model/base/worker.h"

struct gcdump_records {
	struct serializer s;
	const struct heap *heap;
	struct progress *progress;
	struct gcdump_table table;
	struct gcdump_groups groups;
	uint32_t first;    /* node number of id 0 */
	uint64_t len;      /* of all records */
	bool is_measuring; /* gcdump_records_place() writes nothing */
};

/* The most bytes for a record, to which each reference adds up to 5. */
enum { GCDUMP_RECORD_MAX = 3 * SERIALIZER_CI_BYTES, GCDUMP_UNDEFINED_BYTES = 2 };

/* Writes the offset of each record; sets `len`. */
bool gcdump_records_place(struct gcdump_records *w, struct error *err) MUST_USE;
bool gcdump_records_put(struct gcdump_records *w, struct error *err) MUST_USE;
bool gcdump_records_put_addresses(struct gcdump_records *w, struct error *err) MUST_USE;

#endif
