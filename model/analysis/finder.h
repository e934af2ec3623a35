#ifndef MODEL_ANALYSIS_FINDER_H
#define MODEL_ANALYSIS_FINDER_H

/*
 * Shared by the finders: the heap looked through once, the objects that are
 * worth a second look by their role, and how findings are written down.
 */
#include "model/analysis/findings.h"

/* What the name of a type says about its objects. */
enum role {
	ROLE_NONE,
	ROLE_ARRAY,      /* of references or of what has some */
	ROLE_TIMER,      /* one that is scheduled */
	ROLE_ASYNC,      /* an async method that waits */
	ROLE_WEAK_TABLE, /* ConditionalWeakTable<,> */
	ROLE_CONTEXT,    /* LoaderAllocator: there is one for each context that
			    can be unloaded */
	ROLE_COUNT
};
enum role role_of(const struct type *t);
enum { ARRAY_BYTES_MIN = 24 + 50 * 4 }; /* smaller ones are not looked at */

struct node_list {
	node_id *items;
	uint32_t count;
	size_t room;
};

/* Counts by type; clear() costs what was added. */
struct tally {
	uint32_t *counts; /* one a type */
	uint64_t *bytes;
	type_id *types; /* those that have any */
	uint32_t types_count;
};

struct finder {
	const struct heap *heap;
	const struct reverse *reverse;
	const struct reach *reach;
	const struct retained *retained; /* NULL: not known */
	struct progress *progress;
	struct findings *out;
	size_t room; /* of out->items */
	struct arena scratch;
	uint8_t *roles;                       /* one a type */
	struct node_list by_role[ROLE_COUNT]; /* reachable ones, ascending */
	uint64_t *seen;                       /* bits; all 0 between uses */
	struct tally tally;                   /* empty between uses */
	struct node_list events; /* lists of handlers that were told */
	uint64_t much, many;     /* see findings.h */
};

/* Cancelled? Looked at once in 65,536 calls; `steps` counts them. */
bool finder_may_go_on(struct finder *f, uint64_t *steps, struct error *err);
static inline bool
finder_is_live(const struct finder *f, node_id n)
{
	return f->reach->distance[n] != DISTANCE_UNREACHABLE;
}
/* What the runtime tells about types and assemblies: its caches, mostly. */
bool is_description(const struct type *t);
/* Collections of the base library and their parts. */
bool is_collection(const struct type *t);
/*
 * Something nested in a type of the base library. Often the name comes without
 * that: "Node<System.Int32,Foo>".
 */
bool is_nested(const struct type *t);
/*
 * Of System or Microsoft: such objects are many in every program, so it takes
 * LIBRARY_TIMES as many to be told. Of an async method its class counts.
 */
bool is_of_library(const struct type *t);
enum { LIBRARY_TIMES = 50 };
/* The root that names `n` itself and is its reason to live, or NULL. */
const struct root *finder_root(const struct finder *f, node_id n);
/*
 * The one object that refers to `n`; itself, tables of static variables and
 * `except` do not count. NODE_NONE: none, or several.
 */
node_id finder_only_referrer(const struct finder *f, node_id n, node_id except);

void tally_add(struct tally *t, const struct heap *h, node_id n);
/* The type with the most objects, the first of these; TYPE_NONE: empty. */
type_id tally_best(const struct tally *t);
void tally_clear(struct tally *t);

bool node_list_add(struct node_list *list, node_id n, struct error *err);

/* Room for one more finding, with all but its evidence; NULL sets `err`. */
struct finding *finder_add(struct finder *f, enum finding_kind kind,
			   struct error *err) MUST_USE;
/* Takes a copy, and adds up the sizes. */
bool finding_set_nodes(struct finder *f, struct finding *out,
		       const node_id *nodes, uint32_t count,
		       struct error *err) MUST_USE;

/* Objects to be put in groups: sorted by key, then by object. */
struct member {
	uint64_t key, key2;
	node_id node, other;
};
struct members {
	struct member *items;
	uint32_t count;
	size_t room;
};
bool members_add(struct members *m, struct member member, struct error *err);
void members_sort(struct members *m);
/* Where the group that begins at `from` ends. */
uint32_t members_end(const struct members *m, uint32_t from);
/* How many different `other` the group has, and the first of them. */
bool members_others(const struct members *m, uint32_t from, uint32_t end,
		    uint64_t *count, node_id *first, struct error *err);
/* The group's objects, each once, as evidence. */
bool finding_set_members(struct finder *f, struct finding *out,
			 const struct members *m, uint32_t from, uint32_t end,
			 struct error *err) MUST_USE;

/* The parts; each looks at its lists and adds what it finds. */
bool find_in_arrays(struct finder *f, struct error *err); /* find_arrays.c */
bool find_events(struct finder *f, const struct node_list *lists,
		 struct error *err);                   /* find_events.c */
bool find_timers(struct finder *f, struct error *err); /* find_tasks.c */
bool find_async(struct finder *f, struct error *err);
bool find_weak_tables(struct finder *f, struct error *err); /* find_runtime.c */
bool find_contexts(struct finder *f, struct error *err);
bool find_dominators(struct finder *f, struct error *err);
bool find_by_roots(struct finder *f, struct error *err);  /* find_roots.c */
bool find_in_values(struct finder *f, struct error *err); /* find_values.c */
/* Called by that. */
bool find_strings(struct finder *f, struct error *err); /* find_strings.c */
/* What refers to most of these, each referrer once; TYPE_NONE: nothing. */
type_id finder_holder(struct finder *f, const node_id *nodes, uint32_t count);

#endif
