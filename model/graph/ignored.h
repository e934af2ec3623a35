#ifndef MODEL_GRAPH_IGNORED_H
#define MODEL_GRAPH_IGNORED_H

/*
 * What a computation leaves out of the graph, for "what if" questions: what
 * would be freed if this reference were not there? Built from a short list of
 * entries and const from then on; to add or undo one, build another. One bit
 * an object for each of two sets, where an entry needs them; linear only if a
 * type is left out.
 *
 * NULL stands for "nothing": all functions here take it, and cost a comparison
 * then. Whole-heap passes ask ignored_some_of() once an object, which is one
 * bit, and ignored_ref() only about the references of those few.
 */
#include "model/base/progress.h"
#include "model/heap/bits.h"
#include "model/heap/heap.h"

enum ignored_kind {
	IGNORED_REFERRER,  /* object `what`: nothing it refers to counts */
	IGNORED_REF,       /* all references from object `what` to `target` */
	IGNORED_ROOT,      /* record `what` of heap->roots */
	IGNORED_ROOT_KIND, /* all roots of the kind `what` */
	IGNORED_TYPE,      /* every object of type `what` is a REFERRER */
	/*
	 * The references of object `what`, a table of the runtime's, to objects
	 * that static variables hold: the rule of double rooting (reach.h) in
	 * the same words as all else that is left out. They stay left out when
	 * the static root is left out as well: "what if this variable were
	 * null" empties the table's slot, too.
	 */
	IGNORED_STATIC_TABLE,
};

struct ignored_entry {
	enum ignored_kind kind;
	uint32_t what;
	node_id target; /* of a REF; else 0 */
};

struct ignored {
	const struct heap *heap;
	const struct ignored_entry *entries; /* as given */
	uint32_t entries_count;
	/* Bits by object, or NULL: some, all of its references are left out. */
	const uint64_t *some, *all;
	const uint64_t *roots; /* bits by index of the root, or NULL */
	/* The kinds REF and STATIC_TABLE, sorted by `what`, then `target`. */
	const struct ignored_entry *refs;
	uint32_t refs_count;
	uint64_t bytes; /* resident */
	struct arena arena;
};

/* The entries are copied; ids must be the heap's, which must live as long. */
const struct ignored *ignored_new(const struct heap *h,
				  const struct ignored_entry *entries,
				  uint32_t count, struct progress *progress,
				  struct error *err) MUST_USE;
/*
 * The same, and each of these tables is an IGNORED_STATIC_TABLE: the entries
 * may be NULL, if there are none.
 */
const struct ignored *ignored_with_tables(const struct heap *h,
					  const struct ignored_entry *entries,
					  uint32_t count, const node_id *tables,
					  uint32_t tables_count,
					  struct progress *progress,
					  struct error *err) MUST_USE;
void ignored_free(const struct ignored *ig); /* NULL is allowed */

/* Whether some of the object's references are left out. */
static inline bool
ignored_some_of(const struct ignored *ig, node_id source)
{
	return ig && ig->some && bits_has(ig->some, source);
}

/* Whether nothing that the object refers to counts. */
static inline bool
ignored_all_of(const struct ignored *ig, node_id source)
{
	return ig && ig->all && bits_has(ig->all, source);
}

/* Of an object some of whose references are left out: this one? */
bool ignored_is_listed(const struct ignored *ig, node_id source,
		       node_id target);

/* Whether references from `source` to `target` are left out. */
static inline bool
ignored_ref(const struct ignored *ig, node_id source, node_id target)
{
	return ignored_some_of(ig, source) &&
	       ignored_is_listed(ig, source, target);
}

/* Whether heap->roots[root] is left out. */
static inline bool
ignored_root(const struct ignored *ig, uint32_t root)
{
	return ig && ig->roots && bits_has(ig->roots, root);
}

#endif
