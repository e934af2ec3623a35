#ifndef MODEL_HEAP_OBJECT_BYTES_H
#define MODEL_HEAP_OBJECT_BYTES_H

/* Bytes of objects, for passes in id order over a heap that was read from memory. Reads pieces of
   64 KiB, each once. */
#include "model/heap/table_index.h"

enum {
	OBJECT_PIECE = 65536,
	OBJECT_HEADER = 8, /* counts as part of an object's size, but follows its fields */
};
/* Returns the bytes available for elements in an object of that size. */
static inline uint64_t
elements_room(const struct content_layout *layout, uint64_t size)
{
	uint64_t around = layout->elements_at + (uint64_t)OBJECT_HEADER;

	return size > around ? size - around : 0;
}

struct object_bytes {
	const struct heap *heap;
	/* The object of the last call, and its address. */
	struct addresses_scan scan;
	node_id node;
	uint64_t node_address;
	uint8_t *piece;
	uint64_t address; /* address of the piece */
	size_t len;       /* bytes read */
	struct table_index tables;
	struct content_layout *layouts; /* indexed by method table */
	uint8_t *states;                /* states of layouts: enum layout_state */
	struct arena arena;             /* owns the parts of layouts */
};

/* Call object_bytes_clear() even on failure. The heap must have contents. */
bool object_bytes_init(struct object_bytes *b, const struct heap *h, struct error *err) MUST_USE;
void object_bytes_clear(struct object_bytes *b);
/* Returns the same as heap_address(), ten times as fast in id order. */
uint64_t object_bytes_address(struct object_bytes *b, node_id n);
/* Returns `len` bytes (at most OBJECT_PIECE), valid until the next call, or NULL if some are
   absent. Fast if addresses ascend. */
const uint8_t *object_bytes_at(struct object_bytes *b, uint64_t address, size_t len);
/* Returns the layout of the object, shared by all objects with its method table, or NULL if the
   object is absent or damaged. */
const struct content_layout *object_bytes_layout(struct object_bytes *b, node_id n);
/* Reads the element count of an object. Returns false if it is absent, or larger than the object
   has room for. */
bool object_bytes_count(struct object_bytes *b, const struct content_layout *layout, node_id n,
			uint32_t *count);

#endif
