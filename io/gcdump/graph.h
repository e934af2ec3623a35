#ifndef IO_GCDUMP_GRAPH_H
#define IO_GCDUMP_GRAPH_H

/*
 * The graph in a .gcdump ("Graphs.MemoryGraph"): its tables and the records of its nodes, read in
 * place. Only the type table is copied.
 *
 *
 *   i64   sum of all sizes
 *   i32   root node
 *   i32   T, then T times: string name, i32 size, string module
 *   i32   N, then N times: u32 offset of the node's record   (i64 N: see below)
 *   i32   L, then L bytes of records
 *         deferred types, if the type's oldest reader is 1 or more
 *   i32   N, then N times: u64 address                       (i64 N: see below)
 *   08 u8 is 64-bit                optional
 *
 * Some programs of 2022 wrote both N as i64. No field says so, but only one reading is consistent.
 *
 * A record is made of compressed integers (io/base/bytes.h):
 *   type * 2 + e;  size if e is 1, else the type's;  count;
 *   count times: target node - this node
 * Offset 0 is the record of a node that was referred to but never described.
 */
#include "io/gcdump/serialization.h"
#include "model/heap/build.h"

/* Kinds of type names, for nodes without address and size. */
enum gcdump_name { NAME_OF_OBJECTS, NAME_OF_PSEUDO, NAME_UNDEFINED };

struct gcdump_type {
	type_id id;
	int32_t size; /* of objects whose record has none */
	uint8_t name; /* enum gcdump_name */
};

struct gcdump_graph {
	int64_t total_bytes; /* as recorded in the file */
	int32_t root;
	uint32_t types_count, nodes_count;
	const struct gcdump_type *types;
	struct bytes_array offsets;   /* u32, one a node */
	struct bytes_array addresses; /* u64; fewer if the file is truncated */
	struct bytes_array records;   /* bytes; fewer if the file is truncated */
	uint64_t records_at;          /* offset in the file, for messages */
	struct bytes_array table;     /* bytes of all types */
	bool is_cut;                  /* the file is truncated */
	uint64_t missing_bytes;       /* at least so many, if it is */
};

/*
 * Reads the tables, types included, up to the end of the addresses. If the file ends inside the
 * records or addresses, succeeds with g->is_cut.
 */
bool gcdump_graph_read(struct gcdump_graph *g, struct serialization *s, int32_t oldest_reader,
		       struct heap_builder *b, struct arena *scratch, struct progress *progress,
		       struct error *err) MUST_USE;

enum gcdump_kind {
	GCDUMP_UNDEFINED,
	GCDUMP_DAMAGED,
	GCDUMP_PSEUDO, /* groups roots; not an object */
	GCDUMP_OBJECT
};

struct gcdump_node {
	uint32_t type, refs_count;
	int32_t size; /* negative in damaged files */
	struct bytes_run refs;
};

/* 0 also if the table is truncated. */
static inline uint64_t
gcdump_graph_address(const struct gcdump_graph *g, uint32_t index)
{
	return index < g->addresses.count ? bytes_array_u64(&g->addresses, index) : 0;
}

/* Records are scattered; prefetch one some nodes before it is read. */
static inline void
gcdump_graph_prefetch(const struct gcdump_graph *g, uint32_t index)
{
	bytes_array_prefetch(&g->records, bytes_array_u32(&g->offsets, index), 1);
}

/* `node` is set for pseudo-nodes and objects. `index` is below nodes_count. */
static inline __attribute__((always_inline)) enum gcdump_kind
gcdump_graph_node(const struct gcdump_graph *g, uint32_t index, struct gcdump_node *node)
{
	uint32_t offset = bytes_array_u32(&g->offsets, index);
	enum gcdump_kind bad = g->is_cut ? GCDUMP_UNDEFINED : GCDUMP_DAMAGED;
	const struct gcdump_type *type;
	struct bytes_run after_size;
	int32_t head, size = 0, count;
	bool has_size;

	if (!offset)
		return GCDUMP_UNDEFINED;
	if (offset >= g->records.count)
		return bad;
	node->refs = bytes_array_run(&g->records, offset);
	if (!bytes_run_next(&node->refs, &head))
		return bad;
	if (head < 0 || (uint32_t)head >> 1 >= g->types_count)
		return GCDUMP_DAMAGED;
	node->type = (uint32_t)head >> 1;
	type = &g->types[node->type];
	/* Read in any case: whether there is a size is unpredictable. */
	has_size = head & 1;
	after_size = node->refs;
	if (!bytes_run_next(&after_size, &size) && has_size)
		return bad;
	node->size = has_size ? size : type->size;
	node->refs.at = has_size ? after_size.at : node->refs.at;
	if (!bytes_run_next(&node->refs, &count))
		return bad;
	if (count < 0 || (uint32_t)count > bytes_run_left(&node->refs))
		return bad;
	node->refs_count = (uint32_t)count;
	if (type->name == NAME_OF_OBJECTS)
		return GCDUMP_OBJECT;
	if (type->name == NAME_UNDEFINED)
		return GCDUMP_UNDEFINED;
	return node->size == 0 && !gcdump_graph_address(g, index) ? GCDUMP_PSEUDO : GCDUMP_OBJECT;
}

#endif
