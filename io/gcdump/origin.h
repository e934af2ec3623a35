#ifndef IO_GCDUMP_ORIGIN_H
#define IO_GCDUMP_ORIGIN_H

/*
 * What a .gcdump says and a heap does not, so that a file can be written again
 * byte for byte: kept beside the heap (heap_info.origin), in its arena.
 *
 * Nothing about an ordinary object is kept. Whoever writes such files walks
 * memory: the records lie in runs of ascending addresses, and nodes are
 * numbered in the order of their first mention. Only what does not follow from
 * that is here: all nodes that are no objects, those that roots mention, types
 * and references of single objects. Some hundred bytes and 8 a root, in a file
 * of whom ever; 4 an object more where nodes are numbered otherwise.
 *
 * That all follows is checked while the file is read, at about 1 ns a
 * reference; else `lacks` says why it does not.
 */
#include "io/gcdump/graph.h"

/* Bytes of the file. */
struct gcdump_part {
	const uint8_t *bytes;
	size_t len;
};

/* Objects from `first` up to the next run's by id; in the order of records. */
struct gcdump_run {
	node_id first;
	uint32_t count, offset;
};

/* A node that is no object: pseudo-nodes, and what was never described. */
struct gcdump_other {
	uint32_t index, offset; /* of its record; 0: none */
	uint64_t address;
	struct gcdump_part record;
};

/* An object whose number does not follow. */
struct gcdump_numbered {
	uint32_t index;
	node_id id;
};

/* An object whose type does not follow from its size. */
struct gcdump_odd {
	node_id id;
	uint32_t type;
};

/* A reference to no object: the `place`-th of its source. */
struct gcdump_lost {
	node_id id;
	uint32_t place, target;
};

struct gcdump_origin {
	const char *lacks; /* why it cannot come out the same; NULL: it can */
	/* Around the offsets, the records and the addresses. */
	struct gcdump_part head, before_records, after_records, tail;
	size_t types_at; /* in `head`: the type table's entries */
	int64_t total_bytes;
	uint32_t nodes_count, types_count, records_len;
	const struct gcdump_type *types;
	const struct gcdump_run *runs;          /* by offset */
	const struct gcdump_other *others;      /* by index */
	const struct gcdump_numbered *numbered; /* by index */
	const uint32_t *numbers; /* of all objects, by id; NULL: they follow */
	const struct gcdump_odd *odd;   /* by id */
	const struct gcdump_lost *lost; /* by id and place */
	const uint64_t *addresses; /* of objects with made-up ones, by id */
	uint32_t runs_count, others_count, numbered_count, odd_count,
	    lost_count, addresses_count;
};

/* --- while it is read ------------------------------------------------- */

/* A run as one thread sees it, not beyond a chunk. */
struct gcdump_seen_run {
	node_id first;
	uint32_t offset, end;
	uint32_t next; /* node behind the highest one mentioned */
	uint32_t count, jumps_first, jumps_count;
	const struct gcdump_recorder *by;
};

/* `to` was mentioned when `from` was the next that nothing had mentioned. */
struct gcdump_jump {
	uint32_t from, to;
};

/* One a thread. */
struct gcdump_recorder {
	struct gcdump_seen_run *runs;
	struct gcdump_jump *jumps;
	struct gcdump_odd *odd;
	struct gcdump_lost *lost;
	size_t runs_count, runs_room, jumps_count, jumps_room, odd_count,
	    odd_room, lost_count, lost_room;
	uint32_t end, next;                /* of the run that is going on */
	bool has_too_many, has_many_jumps; /* no more of them is recorded */
	bool has_needless_size; /* a record gives the size of its type */
};

void gcdump_recorder_clear(struct gcdump_recorder *r);
/* The next object is the first of a chunk. */
void gcdump_recorder_cut(struct gcdump_recorder *r);
bool gcdump_record_run(struct gcdump_recorder *r, node_id id, uint32_t offset,
		       struct error *err) MUST_USE;
bool gcdump_record_jumps(struct gcdump_recorder *r, uint32_t from,
			 uint32_t index, const uint32_t *targets,
			 uint32_t count, struct error *err) MUST_USE;
bool gcdump_record_odd(struct gcdump_recorder *r, node_id id, uint32_t type,
		       struct error *err) MUST_USE;
bool gcdump_record_lost(struct gcdump_recorder *r, node_id id, uint32_t place,
			uint32_t target, struct error *err) MUST_USE;

/* What the finished reading knows. */
struct gcdump_reading {
	const struct gcdump_graph *graph;
	struct gcdump_recorder *recorders;
	unsigned recorders_count;
	const node_id *ids;     /* of all nodes */
	const uint32_t *others; /* nodes that are no objects */
	size_t others_count;
	uint32_t objects_count;
	const char *lacks; /* known already; or NULL */
	const uint8_t *data;
	size_t len; /* the whole file */
};
/* Into the builder's info. Takes the recorders' runs apart. */
bool gcdump_origin_make(const struct gcdump_reading *r, struct heap_builder *b,
			struct progress *progress, struct error *err) MUST_USE;

#endif
