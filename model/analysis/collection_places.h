#ifndef MODEL_ANALYSIS_COLLECTION_PLACES_H
#define MODEL_ANALYSIS_COLLECTION_PLACES_H

/*
 * Where the elements of a collection are: a table of the types that are known,
 * and how to go from one element to the next. A place is a number in arrays, or
 * a node that has one element. Nothing here goes on for longer than the
 * collection says it has elements, and no collection of nodes has more than the
 * heap has objects.
 */
#include "model/analysis/collection.h"

enum collection_part_kind { PART_KEY, PART_VALUE, PARTS_COUNT };

/* Where in an element, or in a node, a key or a value is. */
struct collection_part {
	const char *path;
	node_id array; /* of elements; NODE_NONE: each node has one */
	uint64_t row;  /* of its rows the first that is of it */
	uint32_t rows_count;
	uint32_t element_rows; /* of each element of the array */
	uint8_t kind;          /* enum content_kind */
};

enum { TREE_DEPTH_MAX = 64, WRAPPERS_MAX = 4 };

struct collection {
	const struct heap *heap;
	node_id node;
	const struct collection_kind *kind;
	struct collection_part parts[PARTS_COUNT];
	uint64_t count, capacity;
	uint64_t units;        /* of a StringBuilder's text */
	uint32_t element_rows; /* of keys and values; 0: not known yet */
	bool has_nodes, is_key_in_name, is_short;
	/* Of arrays without holes: the place of element 0, in which direction
	   the others are, and where it goes on from the start. */
	uint64_t first, ring;
	bool is_backwards;
	/* Else those that were found, and where to go on. */
	uint64_t *places;
	size_t places_count, places_room;
	uint64_t cursor;           /* in the array of entries, or of buckets */
	struct content_field link; /* of an entry's number of the next */
	struct content_field bucket;
	node_id gone; /* stands for a key that was taken out */
	uint64_t nodes_table;
	node_id next, stack[TREE_DEPTH_MAX];
	const char *left, *right; /* fields of a tree's nodes */
	bool has_ends;            /* its leaves are no elements */
	unsigned stack_count;
};

struct collection_kind {
	const char *type;        /* all of its raw name, or up to a '<'; with a
				    '*': see is_whole() */
	const char *key, *value; /* paths; key NULL: it has none */
	/* Fields: the array that has the elements (of a wrapper that, or
	   another collection), how many there were (NULL: there is no room for
	   more), and how many of them were taken out (NULL: none); all NULL of
	   what keeps them elsewhere. */
	const char *array, *used, *freed;
	/* False: it does not look right, or there is an error. */
	bool (*open)(struct collection *c, struct error *err);
	/* The next place; *is_end without one. NULL: an array without holes. */
	bool (*next)(struct collection *c, uint64_t *place, bool *is_end,
		     struct error *err);
	/* As collection_rows(), of what has no elements. */
	bool (*rows)(struct collection *c, uint64_t first, size_t count,
		     struct content *rows, size_t *rows_count, uint64_t *total,
		     struct arena *a, struct error *err);
	const char *noun; /* NULL: "element" */
};

/* NULL: it is none of these. The raw name of a type. */
const struct collection_kind *collection_kind_named(const char *raw);
/* That of its node's type. False: there is none, or it is another's type. */
bool collection_take_kind(struct collection *c);

/* Finds as many, or makes `count` less. */
bool collection_find(struct collection *c, uint64_t wanted,
		     struct error *err) MUST_USE;
/* Of an element that was found. */
uint64_t collection_place(const struct collection *c, uint64_t index);

#endif
