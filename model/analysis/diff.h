#ifndef MODEL_ANALYSIS_DIFF_H
#define MODEL_ANALYSIS_DIFF_H

/*
 * Changes from heap to heap: objects and bytes by type, by group, by root, or by path from the
 * root. Compares any number of heaps from any sources, in the order given. Rows are matched by name
 * (types: type_match.h; groups and roots: their titles), never by address, because a collection
 * moves objects.
 *
 * By path, an object is where its cheapest path from a root leads. If several are equally short,
 * one is chosen, perhaps a different one in the next heap. By dominator, an object is below the
 * objects that retain it: growth there would be freed with them, and objects that several roots
 * keep have rows of their own.
 *
 * By type, namespace and module, only the type tables are read; by type with `reach`, also each
 * object, about 2 ns. The others are passes over each heap, by root, path or dominator about 35 ns
 * an object, and take 4 bytes an object while they run; the 4 bytes of the last heap stay.
 */
#include "model/analysis/groups.h"
#include "model/analysis/type_match.h"
#include "model/graph/dominators.h"

enum diff_by {
	DIFF_TYPE,
	DIFF_NAMESPACE,
	DIFF_MODULE,
	DIFF_GENERATION,
	DIFF_KIND,      /* kind of the root that keeps the object */
	DIFF_ROOT,      /* kind and name of that root */
	DIFF_PATH,      /* that root and the first types on the path from it */
	DIFF_DOMINATOR, /* the root and the first types that retain the object */
	DIFF_BY_COUNT
};
/* "type" and so on, for commands; ends with NULL. */
extern const char *const diff_by_ids[DIFF_BY_COUNT + 1];
/* Returns true if the paths to roots of every heap are needed
   (graph/reach.h). */
bool diff_needs_reach(enum diff_by by);
/* Returns true if the dominators of every heap are needed. */
bool diff_needs_dominators(enum diff_by by);

/* Types on a path: static Sessions → List → Session[] → Session. */
enum { DIFF_PATH_STEPS = 3, DIFF_PATHS_MAX = 1 << 18 };

struct diff_heap {
	const struct heap *heap;
	/* NULL if not needed; by type, dead objects are then unknown. */
	const struct reach *reach;
	const struct dominators *dominators;
	/* Count only what the application's objects hold; `dominators` may be NULL, too.
	   `my_modules` as in my_code.h. The same for all heaps. */
	bool counts_mine;
	const char *my_modules;
	const struct mine *mine; /* set by diff_compute() */
};

struct diff_sum {
	uint64_t count, bytes;
};

/* Names are borrowed from the heaps or owned by the arena. */
struct diff_row {
	const char *name, *short_name;
	const char *raw, *module; /* name parts of a type; otherwise "" */
};

/* The row of each object of a heap; shared with lists of the objects of a
   row. */
struct diff_nodes {
	unsigned holders; /* references besides the first; all on one thread */
	uint32_t count;
	uint32_t *rows;
};
struct diff_nodes *diff_nodes_hold(struct diff_nodes *nodes);
void diff_nodes_free(struct diff_nodes *nodes); /* NULL is allowed */

#define DIFF_NONE UINT32_MAX
struct diff {
	enum diff_by by;
	uint32_t heaps_count, rows_count;
	struct diff_row *rows; /* sorted by name */
	struct diff_sum *sums; /* [row][heap] */
	/* [row][heap]: the type, or `which` of the group; DIFF_NONE if
	   absent. */
	uint32_t *keys;
	/* [row][heap]: unreachable bytes, by type if each heap has `reach`; else NULL. */
	uint64_t *dead_bytes;
	/* Rows of the last heap's objects, by root, path and dominator; else NULL. */
	struct diff_nodes *nodes;
	/* [heap]: what no row counts as it is not my code; NULL: nothing. */
	struct diff_sum *left_out;
	/* See type_match.h. */
	uint32_t guessed_count, ambiguous_count, spelled_count;
	/* DIFF_PATHS_MAX was reached, so longer paths were counted as shorter ones. */
	bool is_cut;
	struct arena arena;
};

/* `heaps` must have at least one heap. */
bool diff_compute(struct diff *d, const struct diff_heap *heaps, uint32_t heaps_count,
		  enum diff_by by, struct progress *progress, struct error *err) MUST_USE;
void diff_clear(struct diff *d);

static inline const struct diff_sum *
diff_sums(const struct diff *d, uint32_t row)
{
	return d->sums + (size_t)row * d->heaps_count;
}

enum diff_state {
	DIFF_EQUAL,   /* same count and bytes in all heaps */
	DIFF_NEW,     /* in the last heap, not in the first */
	DIFF_GONE,    /* in the first heap, not in the last */
	DIFF_PASSING, /* in neither of these, but in a heap between them */
	DIFF_GROWS,   /* more bytes in the last heap than in the first, and fewer in no step */
	DIFF_SHRINKS, /* fewer bytes in the last heap than in the first, and more in no step */
	DIFF_VARIES,  /* none of these */
	DIFF_STATE_COUNT
};
extern const char *const diff_state_ids[DIFF_STATE_COUNT];
enum diff_state diff_state(const struct diff *d, uint32_t row);

#endif
