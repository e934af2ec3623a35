#ifndef MODEL_ANALYSIS_COLLECTION_PARTS_H
#define MODEL_ANALYSIS_COLLECTION_PARTS_H

/*
 * The objects that collections of the base library are made of, recognized by the names of types,
 * so in every heap. An object is a part if its type can be one and the object that dominates it
 * directly is a collection or a part: elements are never parts, even if they are arrays.
 */
#include "model/heap/heap.h"

enum part_kind {
	PART_NEVER,      /* neither a collection nor a part of one */
	PART_COLLECTION, /* no part, but may have parts */
	PART_INNER,      /* a nested type of a collection: buckets, entries */
	PART_NODE,       /* the same, with one element */
	PART_TABLES,     /* the same, with arrays that are parts as well */
	PART_ARRAY,      /* a part only directly below a collection or PART_TABLES */
	PART_LOCK,       /* System.Object, a part in an array of locks */
};
enum part_kind part_kind_of(const struct type *t);

/* Returns true if the collection has as many nodes as elements, so that these can be counted
   without contents. */
bool part_counts_nodes(const struct type *collection);

/* The role of an object for those that it dominates directly. */
enum part_above { ABOVE_NONE, ABOVE_COLLECTION, ABOVE_PART, ABOVE_TABLES, ABOVE_LOCKS };

static inline bool
part_is_below(enum part_kind kind, enum part_above above)
{
	switch (kind) {
	case PART_INNER:
	case PART_NODE:
	case PART_TABLES:
		return above != ABOVE_NONE;
	case PART_ARRAY:
		return above == ABOVE_COLLECTION || above == ABOVE_TABLES;
	case PART_LOCK:
		return above == ABOVE_LOCKS;
	default:
		return false;
	}
}

/* The same for a collection or a part, whose own `above` is given. */
static inline enum part_above
part_is_above(enum part_kind kind, enum part_above above)
{
	if (kind == PART_COLLECTION)
		return ABOVE_COLLECTION;
	if (kind == PART_TABLES)
		return ABOVE_TABLES;
	return above == ABOVE_TABLES ? ABOVE_LOCKS : ABOVE_PART;
}
/* Returns the part of a raw name behind its last '+' outside of type arguments: the name of the
   innermost type. NULL: the type is not nested. */
const char *nested_name(const char *raw);

#endif
