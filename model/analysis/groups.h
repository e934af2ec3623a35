#ifndef MODEL_ANALYSIS_GROUPS_H
#define MODEL_ANALYSIS_GROUPS_H

/*
 * The heap divided into groups, with every object in exactly one: by namespace or module of its
 * type, by generation, by segment, or by the kind of root that keeps it. The groups add up to the
 * heap.
 *
 * Namespaces and modules need only the types. The others take a pass over the objects of a few ns
 * each, by root about 15. Run them on a worker.
 */
#include "model/graph/mine.h"
#include "model/graph/reach.h"
#include "model/graph/retained.h"

enum grouping {
	GROUP_NONE, /* all objects */
	GROUP_NAMESPACE,
	GROUP_MODULE,
	GROUP_GENERATION,
	GROUP_ROOT,
	GROUP_SEGMENT,
	GROUPING_COUNT
};
/* "namespace" and so on, for commands and CSV. The first is "", the last
   NULL. */
extern const char *const grouping_ids[GROUPING_COUNT + 1];

/* Identifies a group; valid as long as the heap. GROUP_NONE means all
   objects. */
struct group_id {
	uint8_t by; /* enum grouping */
	/*
	 * Namespace, module: first type of the group. Generation: enum generation. Root: enum
	 * root_kind, or REACH_KIND_NONE. Segment: index into heap->ranges, or heap->ranges_count
	 * for objects outside of all ranges.
	 */
	uint32_t which;
};
bool group_id_is(struct group_id a, struct group_id b);

enum { GROUP_NAME_BYTES = 256 };
/* Returns `out`: "System.Collections.Generic", "gen2", "static variable". */
const char *group_name(const struct heap *h, struct group_id id, char out[GROUP_NAME_BYTES]);

/* The same as part of a sentence: "in gen2", "kept by strong handle". */
const char *group_phrase(const struct heap *h, struct group_id id, char out[GROUP_NAME_BYTES]);

struct group_sum {
	struct group_id id;
	uint64_t count, bytes;
	struct retained_sum retained; /* retained by the whole group; see groups_retain() */
};

struct groups {
	enum grouping by;
	struct group_sum *items; /* no empty groups; sorted by `which` */
	uint32_t count;
	/* For namespaces and modules: index into `items` by type_id. */
	uint32_t *of_type;
};
/* `reach` may be NULL unless `by` is GROUP_ROOT. */
bool groups_compute(struct groups *g, const struct heap *h, const struct reach *reach,
		    enum grouping by, struct progress *progress, struct error *err) MUST_USE;
/*
 * Sets `retained` of each group: its objects and all that single objects of it dominate, each
 * counted once. About 10 ns an object; takes 4 bytes an object while it runs. `reach` may be NULL
 * unless the groups are by root.
 */
bool groups_retain(struct groups *g, const struct retained *r, const struct reach *reach,
		   struct progress *progress, struct error *err) MUST_USE;
/*
 * Counts again, only what `m` counts: in namespaces and modules with the types that hold it, in
 * other groups where each object is. The framework's objects add their bytes alone, so a group of
 * these has a count of 0; others may be empty. The last step: other functions expect all objects.
 * `reach` as above.
 */
bool groups_count_mine(struct groups *g, const struct mine *m, const struct heap *h,
		       const struct reach *reach, struct progress *progress,
		       struct error *err) MUST_USE;
/* Removes groups without objects and bytes; `of_type` is then not valid. */
void groups_drop_empty(struct groups *g);
void groups_clear(struct groups *g);

/* --- objects of one group ------------------------------------------------ */

struct node_span {
	node_id first, end; /* `end` is excluded */
};

/* Tells which objects belong to a group; serves any number of passes. */
struct group_members {
	const struct heap *heap;
	struct group_id id;
	uint8_t *types;          /* by type_id: type is in the group; NULL: all types */
	uint8_t *kinds;          /* kinds by object, see reach_kinds.h; or NULL */
	struct node_span *spans; /* ranges that contain them, ascending */
	uint32_t spans_count;
};
bool group_members_init(struct group_members *m, const struct heap *h, const struct reach *reach,
			struct group_id id, struct progress *progress, struct error *err) MUST_USE;
void group_members_clear(struct group_members *m);
bool group_members_has(const struct group_members *m, node_id n);

/* The objects of a type that are in the group. */
struct type_sum {
	uint64_t count, bytes, max_bytes;
};
static inline void
type_sum_add(struct type_sum *sum, uint64_t bytes)
{
	sum->count++;
	sum->bytes += bytes;
	if (bytes > sum->max_bytes)
		sum->max_bytes = bytes;
}
/* `sums` has types_count elements, zeroed by the caller. */
bool group_members_sum(const struct group_members *m, struct type_sum *sums,
		       struct progress *progress, struct error *err) MUST_USE;

#endif
