#ifndef IO_GCDUMP_RECORDS_H
#define IO_GCDUMP_RECORDS_H

/*
 * The nodes of a .gcdump to be written: their numbers, where their records
 * are, the records, the addresses. In the order of the file they were read
 * from, or pseudo-nodes first and then the objects by address.
 */
#include "io/gcdump/groups.h"
#include "io/gcdump/table.h"

struct gcdump_records {
	struct serializer s;
	const struct heap *heap;
	const struct gcdump_origin *origin; /* NULL: made anew */
	struct progress *progress;
	struct gcdump_table table;
	struct gcdump_groups groups; /* if made anew */
	/*
	 * Nodes by id; NULL: in order. Where the origin does not tell them,
	 * they get `made_numbers` as they are mentioned.
	 */
	const uint32_t *numbers;
	uint32_t *made_numbers;
	uint32_t next_number, others_at, numbered_at;
	uint32_t first;      /* node of id 0, if they are in order */
	uint32_t *offsets;   /* by node; NULL: written as they come */
	uint8_t *kept;       /* the records meanwhile; or NULL */
	uint64_t *addresses; /* the same */
	uint64_t len;        /* of all records */
	bool is_measuring;   /* where nothing is written */
};

/* At most so many bytes a record, and 5 a reference. */
enum {
	GCDUMP_RECORD_MAX = 3 * SERIALIZER_CI_BYTES,
	GCDUMP_UNDEFINED_BYTES = 2
};

/* Before records are put, where the origin does not tell numbers. */
bool gcdump_records_number(struct gcdump_records *w,
			   struct error *err) MUST_USE;
/* Where each record will be, if made anew; `len` is known then. */
bool gcdump_records_place(struct gcdump_records *w, struct error *err) MUST_USE;
/* Fills `offsets`. */
bool gcdump_records_put(struct gcdump_records *w, struct error *err) MUST_USE;
bool gcdump_records_put_addresses(struct gcdump_records *w,
				  struct error *err) MUST_USE;

#endif
