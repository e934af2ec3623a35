#ifndef MODEL_ANALYSIS_GROUPS_H
#define MODEL_ANALYSIS_GROUPS_H

/*
 * The heap divided in groups, every object in exactly one of them: by the
 * namespace or module of its type, by generation, by segment, or by the kind of
 * root that keeps it. The sums of the groups are those of the heap.
 *
 * Namespaces and modules need the types only; the rest is a pass over the
 * objects of a few ns each, by root about 15. Run them on a worker.
 */
#include "model/graph/reach.h"
#include "model/graph/retained.h"

enum grouping {
	GROUP_NONE, /* no group: all objects */
	GROUP_NAMESPACE,
	GROUP_MODULE,
	GROUP_GENERATION,
	GROUP_ROOT,
	GROUP_SEGMENT,
	GROUPING_COUNT
};
/* "namespace": for commands and CSV. GROUP_NONE has "", the last is NULL. */
extern const char *const grouping_ids[GROUPING_COUNT + 1];

/*
 * One group of a heap, by value: it stays valid as long as the heap does. With
 * `by` GROUP_NONE all objects.
 */
struct group_id {
	uint8_t by; /* enum grouping */
	/*
	 * Namespace, module: the first type of the group. Generation: enum
	 * generation. Root: enum root_kind, or REACH_KIND_NONE. Segment: index
	 * into heap->ranges, or heap->ranges_count for objects in none.
	 */
	uint32_t which;
};
bool group_id_is(struct group_id a, struct group_id b);

enum { GROUP_NAME_BYTES = 256 };
/* "System.Collections.Generic", "gen2", "static variable". Returns `out`. */
const char *group_name(const struct heap *h, struct group_id id,
		       char out[GROUP_NAME_BYTES]);

/* The same in a sentence: "in gen2", "kept by a strong handle". */
const char *group_phrase(const struct heap *h, struct group_id id,
			 char out[GROUP_NAME_BYTES]);

/* Where in the raw name the outermost class begins; of an async method that
   which declares it. */
const char *type_class_name(const struct type *t);

struct group_sum {
	struct group_id id;
	uint64_t count, bytes;
	struct retained_sum retained; /* of all of it; see groups_retain() */
};

struct groups {
	enum grouping by;
	struct group_sum *items; /* none is empty; in the order of `which` */
	uint32_t count;
	/* By namespace and module: index into `items` of each type. */
	uint32_t *of_type;
};
/* `reach` may be NULL unless by root. */
bool groups_compute(struct groups *g, const struct heap *h,
		    const struct reach *reach, enum grouping by,
		    struct progress *progress, struct error *err) MUST_USE;
/*
 * The index into `items` of each object, in of_node[nodes_count]; not by
 * namespace or module, where the type says it.
 */
bool groups_number(const struct groups *g, const struct heap *h,
		   const struct reach *reach, uint32_t *of_node,
		   struct progress *progress, struct error *err) MUST_USE;
/*
 * Adds what the objects of each group hold, the group itself included, each
 * object counted once: more than the group where it holds others alone. About
 * 10 ns an object; 4 bytes an object meanwhile. `reach` as above.
 */
bool groups_retain(struct groups *g, const struct retained *r,
		   const struct reach *reach, struct progress *progress,
		   struct error *err) MUST_USE;
void groups_clear(struct groups *g);

/* --- what is in one group ------------------------------------------------ */

struct node_span {
	node_id first, end; /* end excluded */
};

/* Which objects belong to a group; made for one pass or several over them. */
struct group_members {
	const struct heap *heap;
	struct group_id id;
	uint8_t *types; /* one byte a type; NULL: all types */
	uint8_t
	    *kinds; /* of each object, see model/graph/reach_kinds.h; or NULL */
	struct node_span *spans; /* where they are, ascending */
	uint32_t spans_count;
};
bool group_members_init(struct group_members *m, const struct heap *h,
			const struct reach *reach, struct group_id id,
			struct progress *progress, struct error *err) MUST_USE;
void group_members_clear(struct group_members *m);
bool group_members_has(const struct group_members *m, node_id n);

/* The part of a type that is in the group. */
struct type_sum {
	uint64_t count, bytes, max_bytes;
};
/* sums[types_count], to be zeroed by the caller. */
bool group_members_sum(const struct group_members *m, struct type_sum *sums,
		       struct progress *progress, struct error *err) MUST_USE;

#endif
