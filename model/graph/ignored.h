#ifndef MODEL_GRAPH_IGNORED_H
#define MODEL_GRAPH_IGNORED_H

/*
 * The part of the graph that a computation ignores, for "what if" questions: what would be freed
 * without this reference? Built from a short list of entries and const from then on; to change the
 * list, build another. Up to two bits an object of the heap; linear only if a type is ignored.
 *
 * NULL means that nothing is ignored: all functions here accept it, at the cost of a comparison.
 * Passes over the whole heap call ignored_some_of() for each object, which reads one bit, and
 * ignored_ref() only for the references of the few objects that are affected.
 */
#include "model/base/progress.h"
#include "model/heap/bits.h"
#include "model/heap/heap.h"

enum ignored_kind {
	IGNORED_REFERRER,  /* all references from object `what` */
	IGNORED_REF,       /* all references from object `what` to `target` */
	IGNORED_ROOT,      /* heap->roots[what] */
	IGNORED_ROOT_KIND, /* all roots of kind `what` */
	IGNORED_TYPE,      /* all references from objects of type `what` */
	/*
	 * The references from object `what`, a table of static variables, to objects with static
	 * roots: the rule of double rooting (reach.h) as an entry. They stay ignored even if the
	 * static root is ignored: to ask what would happen if the variable were null must empty the
	 * slot in the table, too.
	 */
	IGNORED_STATIC_TABLE,
};

struct ignored_entry {
	enum ignored_kind kind;
	uint32_t what;
	node_id target; /* target of an IGNORED_REF; otherwise 0 */
};

struct ignored {
	const struct heap *heap;
	const struct ignored_entry *entries; /* entries as given */
	uint32_t entries_count;
	/* Bits by object, or NULL: some or all of its references are ignored.
	 */
	const uint64_t *some, *all;
	const uint64_t *roots; /* bits by index of the root, or NULL */
	/* Entries REF and STATIC_TABLE, sorted by `what`, then `target`. */
	const struct ignored_entry *refs;
	uint32_t refs_count;
	uint64_t bytes; /* resident bytes */
	struct arena arena;
};

/* Copies the entries; ids are those of the heap, which must live as long. */
const struct ignored *ignored_new(const struct heap *h, const struct ignored_entry *entries,
				  uint32_t count, struct progress *progress,
				  struct error *err) MUST_USE;
/* The same, with an IGNORED_STATIC_TABLE for each of the tables. `entries` may be NULL if there are
   none. */
const struct ignored *ignored_with_tables(const struct heap *h, const struct ignored_entry *entries,
					  uint32_t count, const node_id *tables,
					  uint32_t tables_count, struct progress *progress,
					  struct error *err) MUST_USE;
/* The same with all tables of the heap, which takes a pass to find them. */
const struct ignored *ignored_with_all_tables(const struct heap *h,
					      const struct ignored_entry *entries, uint32_t count,
					      struct progress *progress,
					      struct error *err) MUST_USE;
void ignored_free(const struct ignored *ig); /* NULL is allowed */

/* Returns true if some of the object's references are ignored. */
static inline bool
ignored_some_of(const struct ignored *ig, node_id source)
{
	return ig && ig->some && bits_has(ig->some, source);
}

/* Returns true if all of the object's references are ignored. */
static inline bool
ignored_all_of(const struct ignored *ig, node_id source)
{
	return ig && ig->all && bits_has(ig->all, source);
}

/* Returns true if this reference is ignored; some of the source's must be. */
bool ignored_is_listed(const struct ignored *ig, node_id source, node_id target);

/* Returns true if references from `source` to `target` are ignored. */
static inline bool
ignored_ref(const struct ignored *ig, node_id source, node_id target)
{
	return ignored_some_of(ig, source) && ignored_is_listed(ig, source, target);
}

/* Returns true if heap->roots[root] is ignored. */
static inline bool
ignored_root(const struct ignored *ig, uint32_t root)
{
	return ig && ig->roots && bits_has(ig->roots, root);
}

#endif
