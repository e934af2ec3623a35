#ifndef MODEL_ANALYSIS_DIFF_H
#define MODEL_ANALYSIS_DIFF_H

/*
 * What changed from heap to heap: objects and bytes by type, by group, by root
 * or by the way from the root. Any number of heaps from any sources, in the
 * order they are given. What stands in one row is the same by name (types:
 * type_match.h; groups and roots: by what they are called), never by address:
 * a collection moves objects, so an address says nothing later.
 *
 * By path an object is where the shortest way from a root leads to it; where
 * several are as short, one is chosen, perhaps another in the next heap. By
 * dominator it is below what alone holds it: what growth there would be freed
 * with, and what several roots hold is told apart.
 *
 * By type, namespace and module nothing but the type tables is read, by type
 * with `reach` each object, about 2 ns. The others are passes over each heap,
 * by root, path or dominator of about 35 ns an object, and 4 bytes an object
 * while they run; of the last heap they stay.
 */
#include "model/analysis/groups.h"
#include "model/analysis/type_match.h"
#include "model/graph/dominators.h"

enum diff_by {
	DIFF_TYPE,
	DIFF_NAMESPACE,
	DIFF_MODULE,
	DIFF_GENERATION,
	DIFF_KIND,      /* of the root that keeps it */
	DIFF_ROOT,      /* that keeps it: its kind and its name */
	DIFF_PATH,      /* the root and the first types on the way from there */
	DIFF_DOMINATOR, /* the root and the first types that hold it alone */
	DIFF_BY_COUNT
};
/* "type": commands. The last is NULL. */
extern const char *const diff_by_ids[DIFF_BY_COUNT + 1];
/* Needs the ways to the roots (model/graph/reach.h) of every heap. */
bool diff_needs_reach(enum diff_by by);
/* Needs the dominators of every heap. */
bool diff_needs_dominators(enum diff_by by);

/* Types on the way from a root: static Sessions → List → Session[] → Session */
enum { DIFF_PATH_STEPS = 3, DIFF_PATHS_MAX = 1 << 18 };

struct diff_heap {
	const struct heap *heap;
	/* NULL: not needed, or by type: what is dead is not told. */
	const struct reach *reach;
	const struct dominators *dominators;
};

struct diff_sum {
	uint64_t count, bytes;
};

/* Names are borrowed from the heaps or stand in the arena. */
struct diff_row {
	const char *name, *short_name;
	const char *raw, *module; /* of types; else "" */
};

/* The row of each object of a heap, also for lists of those of one row. */
struct diff_nodes {
	unsigned holders; /* beside the first; all on one thread */
	uint32_t count;
	uint32_t *rows;
};
struct diff_nodes *diff_nodes_hold(struct diff_nodes *nodes);
void diff_nodes_free(struct diff_nodes *nodes); /* NULL is allowed */

#define DIFF_NONE UINT32_MAX
struct diff {
	enum diff_by by;
	uint32_t heaps_count, rows_count;
	struct diff_row *rows; /* in order of name */
	struct diff_sum *sums; /* [row][heap] */
	/* [row][heap]: the type, or `which` of the group; DIFF_NONE: none. */
	uint32_t *whats;
	/* [row][heap], by type if each heap has `reach`: bytes that no root
	   reaches; or NULL. */
	uint64_t *dead_bytes;
	/* Of the last heap, by root and path; or NULL. */
	struct diff_nodes *nodes;
	/* See type_match.h. */
	uint32_t guessed_count, ambiguous_count, spelled_count;
	/* DIFF_PATHS_MAX was reached: longer ways count to shorter ones. */
	bool is_cut;
	struct arena arena;
};

/* At least one heap. */
bool diff_compute(struct diff *d, const struct diff_heap *heaps,
		  uint32_t heaps_count, enum diff_by by,
		  struct progress *progress, struct error *err) MUST_USE;
void diff_clear(struct diff *d);

static inline const struct diff_sum *
diff_sums(const struct diff *d, uint32_t row)
{
	return d->sums + (size_t)row * d->heaps_count;
}

enum diff_state {
	DIFF_EQUAL,   /* the same count and bytes in all */
	DIFF_NEW,     /* in the last, not in the first */
	DIFF_GONE,    /* in the first, not in the last */
	DIFF_PASSING, /* in neither, but between them */
	DIFF_GROWS,   /* more bytes at the end, and fewer in no step */
	DIFF_SHRINKS, /* fewer at the end, and more in no step */
	DIFF_VARIES,  /* none of these */
	DIFF_STATE_COUNT
};
extern const char *const diff_state_ids[DIFF_STATE_COUNT];
enum diff_state diff_state(const struct diff *d, uint32_t row);

#endif
