#ifndef MODEL_HEAP_OBJECT_BYTES_H
#define MODEL_HEAP_OBJECT_BYTES_H

/*
 * The bytes of objects, for passes over all of them in the order of their ids:
 * read in pieces of 64 KiB, each once. Of heaps from memory alone.
 */
#include "model/heap/table_index.h"

enum {
	OBJECT_PIECE = 65536,
	OBJECT_HEADER = 8, /* of an object's size: the header of the next */
};
/* How many bytes of elements an object of that size has room for. */
static inline uint64_t
elements_room(const struct content_layout *layout, uint64_t size)
{
	uint64_t around = layout->elements_at + (uint64_t)OBJECT_HEADER;

	return size > around ? size - around : 0;
}

struct object_bytes {
	const struct heap *heap;
	/* The object that was asked for last, and where it is. */
	struct addresses_scan scan;
	node_id node;
	uint64_t node_address;
	uint8_t *piece;
	uint64_t address; /* of the piece */
	size_t len;       /* of it: what is there */
	struct table_index tables;
	struct content_layout *layouts; /* one a method table */
	uint8_t *states;                /* of these: enum layout_state */
	struct arena arena;             /* of the layouts' parts */
};

/* object_bytes_clear() also if this fails. The heap must have contents. */
bool object_bytes_init(struct object_bytes *b, const struct heap *h,
		       struct error *err) MUST_USE;
void object_bytes_clear(struct object_bytes *b);
/* heap_address(), in the order of ids in a tenth of the time. */
uint64_t object_bytes_address(struct object_bytes *b, node_id n);
/*
 * `len` bytes, at most OBJECT_PIECE, until the next call; NULL: not all of
 * them are there. Quick if addresses ascend.
 */
const uint8_t *object_bytes_at(struct object_bytes *b, uint64_t address,
			       size_t len);
/*
 * What lies where in this object: one of `layouts`, that of all objects with
 * its method table. NULL: the object is not there, or damaged.
 */
const struct content_layout *object_bytes_layout(struct object_bytes *b,
						 node_id n);
/*
 * How many elements the object has, as far as its size has room for so many.
 * False: it is not there, or damaged.
 */
bool object_bytes_count(struct object_bytes *b,
			const struct content_layout *layout, node_id n,
			uint32_t *count);

#endif
