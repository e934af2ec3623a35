#ifndef MODEL_ANALYSIS_HELD_TYPES_H
#define MODEL_ANALYSIS_HELD_TYPES_H

/*
 * What some objects hold, by type: these objects and all that they dominate. The objects that a
 * collection of the base library is made of (buckets, entries, nodes, locks) are its parts: they
 * are added to the type of the collection. They are recognized by their types and by what dominates
 * them directly, so that an array that is a value in a dictionary is no part of it.
 *
 * All that an object dominates follows it without a gap in the order of the dominator tree, so one
 * pass over these objects is enough: about 7 ns each, and 80 bytes a type. Objects of a type as
 * holders take a pass over the whole heap. In a heap with contents, up to ENTRIES_OPENED
 * collections are opened
 * to count their entries, a few microseconds each.
 */
#include "model/graph/retained.h"
#include "model/table/table.h"

struct held_type {
	type_id type;
	uint32_t first;       /* position of the first object in the dominator tree */
	uint64_t count;       /* objects of the type that are no parts */
	uint64_t parts_count; /* parts of these objects, of other types */
	uint64_t bytes;       /* the objects and their parts */
	uint64_t entries;     /* in these collections; UINT64_MAX: unknown, or
				 the objects are no collections */
	/* All that the objects dominate, themselves included, counted once. */
	struct retained_sum retained;
};

struct held_types {
	struct held_type *items; /* most retained bytes first */
	uint32_t count;
	struct retained_sum sum; /* all that the holders hold */
	uint64_t parts_count;
};

enum { ENTRIES_OPENED = 16384 };

/*
 * `holders` names the objects: nodes, else a node, else all objects of a type. Without `folds`,
 * parts count as objects of their own type. False sets `err`; call held_types_clear() in any case.
 */
bool held_types_compute(struct held_types *held, const struct retained *r,
			const struct subject *holders, bool folds, struct progress *progress,
			struct error *err) MUST_USE;
void held_types_clear(struct held_types *held);

/* Returns the of->count objects of one item, in the order of the dominator tree, to be freed by
   memory_free(). Another pass, as far as the last of
   them. NULL sets `err`. */
node_id *held_type_objects(const struct retained *r, const struct subject *holders, bool folds,
			   const struct held_type *of, struct progress *progress,
			   struct error *err) MUST_USE;

/* The arguments of that, for a list that calls it later. */
struct held_objects {
	struct subject holders;
	node_id *nodes; /* those of `holders`; or NULL */
	bool folds;
	struct held_type of;
	uint32_t users;
};
/* Copies its arguments. NULL sets `err`. */
struct held_objects *held_objects_new(const struct subject *holders, bool folds,
				      const struct held_type *of, struct error *err) MUST_USE;
/* Adds a user, which held_objects_free() drops; only one thread at a time. */
struct held_objects *held_objects_hold(struct held_objects *o);
void held_objects_free(struct held_objects *o); /* NULL is allowed */

#endif
