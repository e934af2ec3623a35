#ifndef MODEL_ANALYSIS_COLLECTION_PLACES_H
#define MODEL_ANALYSIS_COLLECTION_PLACES_H

/*
 * Finds the elements of a collection: a table of known types, with functions that go from one
 * element to the next. A place is an index into arrays, or a node that has one element. No search
 * goes on after as many elements as the collection claims to have, and a collection of nodes has at
 * most as many as the heap has objects.
 */
#include "model/analysis/collection.h"

enum collection_part_kind { PART_KEY, PART_VALUE, PARTS_COUNT };

/* The position of a key or value within an element or node. */
struct collection_part {
	const char *path;
	node_id array; /* array of elements; NODE_NONE: each node has one */
	uint64_t row;  /* first row of the part, in the array or node */
	uint32_t rows_count;
	uint32_t element_rows; /* rows of each element of the array */
	uint8_t kind;          /* enum content_kind */
};

enum { TREE_DEPTH_MAX = 64, WRAPPERS_MAX = 4 };

struct collection {
	const struct heap *heap;
	node_id node;
	const struct collection_kind *kind;
	struct collection_part parts[PARTS_COUNT];
	uint64_t count, capacity;
	uint64_t units;        /* UTF-16 units of a StringBuilder */
	uint32_t element_rows; /* rows of a key and value; 0: not known yet */
	bool has_nodes, is_key_in_name, is_short;
	/* For arrays without holes: `first` is the place of element 0. Places wrap around at
	   `ring`, unless it is 0. */
	uint64_t first, ring;
	bool is_backwards;
	/* For other collections: the elements found so far, and where to continue. */
	uint64_t *places;
	size_t places_count, places_room;
	uint64_t cursor;           /* position in the array of entries or buckets */
	struct content_field link; /* an entry's index of the next entry */
	struct content_field bucket;
	node_id gone; /* key that marks a removed entry */
	uint64_t nodes_table;
	node_id next, stack[TREE_DEPTH_MAX];
	const char *left, *right; /* fields of tree nodes */
	bool has_ends;            /* leaves of the tree have no elements */
	unsigned stack_count;
};

struct collection_kind {
	const char *type;        /* raw name, or its beginning up to '<'; for '*' see is_whole() */
	const char *key, *value; /* field paths; `key` is NULL without keys */
	/*
	 * Fields: the array with the elements (a wrapper may have another collection there), the
	 * number of used places (NULL: all), and of removed elements among these (NULL: none). All
	 * NULL if the elements are elsewhere.
	 */
	const char *array, *used, *freed;
	/* Returns false if the object is not such a collection, or with an error. */
	bool (*open)(struct collection *c, struct error *err);
	/* Find the next place or set *is_end. NULL: an array without holes. */
	bool (*next)(struct collection *c, uint64_t *place, bool *is_end, struct error *err);
	/* Like collection_rows(), for kinds without elements; else NULL. */
	bool (*rows)(struct collection *c, uint64_t first, size_t count, struct content *rows,
		     size_t *rows_count, uint64_t *total, struct arena *a, struct error *err);
	const char *noun; /* NULL: "element" */
};

/* Returns the kind for the raw name of a type, or NULL. */
const struct collection_kind *collection_kind_named(const char *raw);
/* Sets the kind by the type of c->node. Returns false if there is none, or if the type is not from
   the base library. */
bool collection_take_kind(struct collection *c);

/* Finds `wanted` elements; if there are fewer, reduces c->count. */
bool collection_find(struct collection *c, uint64_t wanted, struct error *err) MUST_USE;
/* Returns the place of an element that was found. */
uint64_t collection_place(const struct collection *c, uint64_t index);

#endif
