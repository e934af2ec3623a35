#ifndef MODEL_ANALYSIS_FINDER_H
#define MODEL_ANALYSIS_FINDER_H

/* Shared by the finders: the heap's objects sorted by role, tallies by type, groups of objects, and
   functions that add findings. */
#include "model/analysis/finding_words.h"
#include "model/heap/memory.h"
#include "model/heap/framework.h"

/* The role of an object in findings, derived from the name of its type. */
enum role {
	ROLE_NONE,
	ROLE_ARRAY,         /* its elements are references or contain some */
	ROLE_TIMER,         /* a scheduled timer */
	ROLE_ASYNC,         /* the state machine of an async call */
	ROLE_WEAK_TABLE,    /* ConditionalWeakTable<,> */
	ROLE_CONTEXT,       /* LoaderAllocator: one for each collectible load context */
	ROLE_CALLBACK,      /* a callback of a cancellation source, in use or free */
	ROLE_CALLBACK_LIST, /* all callbacks of one source */
	ROLE_POOL,          /* a part of a pool, perhaps an array */
	ROLE_CALL_SITE,     /* how a service container makes a service; refers to a singleton */
	ROLE_RESOURCE,      /* owns a resource of the operating system */
	ROLE_COUNT
};
enum role role_of(const struct type *t);
enum { ARRAY_BYTES_MIN = 24 + 50 * 4 }; /* smaller arrays are not examined */

struct node_list {
	node_id *items;
	uint32_t count;
	size_t room;
};

/* Counts by type. tally_clear() only visits types that were added. */
struct tally {
	uint32_t *counts; /* indexed by type_id */
	uint64_t *bytes;
	type_id *types; /* types with at least one object */
	uint32_t types_count;
};

struct finder {
	const struct heap *heap;
	const struct reverse *reverse;
	const struct reach *reach;
	const struct retained *retained; /* NULL if dominators are unknown */
	const struct resident *earlier;  /* or NULL */
	struct progress *progress;
	struct findings *out;
	size_t room; /* capacity of out->items */
	struct arena scratch;
	/* Indexed by type_id. */
	uint8_t *roles;                       /* enum role */
	bool *is_own;                         /* the application declares the type */
	struct node_list by_role[ROLE_COUNT]; /* reachable objects, ascending */
	uint64_t *seen;                       /* bit set of nodes; empty between uses */
	struct tally tally;                   /* empty between uses */
	/* Invocation lists and lists of callbacks whose contents are
	   reported. */
	struct node_list reported;
	struct heap_locks locks; /* those for which threads wait */
	uint64_t much, many;     /* thresholds, see findings.h */
	bool ignores_shares;     /* see struct findings_input */
};

/* Returns false and sets `err` if the user has cancelled. `steps` counts the calls; only one call
   in 65,536 checks. */
bool finder_may_go_on(struct finder *f, uint64_t *steps, struct error *err);
static inline bool
finder_is_live(const struct finder *f, node_id n)
{
	return f->reach->distance[n] != DISTANCE_UNREACHABLE;
}
/* Returns true for the types in which the runtime describes types and assemblies; most of their
   objects are caches. */
bool is_description(const struct type *t);
/* Returns true for collections of the base library and their parts. */
bool is_collection(const struct type *t);
/* Returns true if the object is evidence of a pool that has been found. */
bool finder_is_pooled(const struct finder *f, node_id n);
/* Sets the keepers of the findings whose roots do not name the reason. */
bool finder_set_keepers(struct finder *f, struct error *err) MUST_USE;
/* Sets the readers of queues that have ended with an exception. Keepers must be set. */
bool finder_set_ended(struct finder *f, struct error *err) MUST_USE;
/* Returns the object of the application for which `n` stands, which may be `n` itself, or
   NODE_NONE: find_captured.c. */
node_id finder_captured(const struct finder *f, node_id n);
/* Returns true for parts of framework objects, which no person would name: nodes, segments, buckets
   and other nested types, and arrays of these. */
bool is_part(const struct type *t);
/* Returns the object that a part belongs to by the cheapest path, or `n` if it is no part. */
node_id finder_whole(const struct finder *f, node_id n);
/* Returns true for framework objects that may own collections by another name: a cache, a channel.
 */
bool may_own_collections(const struct type *t);
/* Returns true for a type nested in a type of the base library. The name often lacks the enclosing
   type: "Node<System.Int32,Foo>". */
bool is_nested(const struct type *t);
bool raw_ends(const struct type *t, const char *end);
/* Every program has many objects of the framework, so a finding takes this many times as many of
   them. */
enum { LIBRARY_TIMES = 50 };
/* Returns the best root that refers directly to `n`, or NULL if there is none or a root of a better
   tier reaches `n`. */
const struct root *finder_root(const struct finder *f, node_id n);
/*
 * Returns the only object that refers to `n`, or NODE_NONE if there is none or more than one.
 * References from `n` itself, from tables of static variables and from `except` do not count.
 */
node_id finder_only_referrer(const struct finder *f, node_id n, node_id except);
/* The limit of references that are read of one object. In a damaged heap, many objects may refer to
   one with many references; to read all of them each time would be quadratic. */
enum { REFS_ASKED = 64 };
/* Returns true if one of the first REFS_ASKED references of `source` is to `wanted`. */
bool part_refers_to(const struct heap *h, node_id source, node_id wanted);
/* Returns the object that a delegate calls, which is its first reference, or NODE_NONE for a static
   method. */
node_id delegate_target(const struct heap *h, node_id delegate);

/* Returns the type of the first object of the application that refers to `n`, or TYPE_NONE. Async
   calls and arrays do not count. */
type_id finder_owner(const struct finder *f, node_id n);

void tally_add(struct tally *t, const struct heap *h, node_id n);
/* Returns the type with the most objects, the lowest id among equals, or TYPE_NONE if the tally is
   empty. */
type_id tally_best(const struct tally *t);
/* The application's types are named if they are this part of all. */
enum { OWN_PART = 10 };
/* Returns the application's type with the most bytes, if these are a tenth of all; otherwise the
   same as tally_best(). */
type_id finder_best_own(const struct finder *f);
void tally_clear(struct tally *t);

bool node_list_add(struct node_list *list, node_id n, struct error *err);

/* Appends a finding that has no evidence yet. NULL sets `err`. */
struct finding *finder_add(struct finder *f, const struct finding_kind *kind,
			   struct error *err) MUST_USE;
/* Copies the nodes as evidence and adds up their sizes. */
bool finding_set_nodes(struct finder *f, struct finding *out, const node_id *nodes, uint32_t count,
		       struct error *err) MUST_USE;

/* Objects to be grouped: sorted by key and key2, then by object. */
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
/* Reports the group of members from `from` to before `end`. */
typedef bool report_group(void *context, const struct members *m, uint32_t from, uint32_t end,
			  struct error *err);
/* Sorts the members and reports all groups. Returns false if `report` does. */
bool members_report(struct members *m, report_group *report, void *context,
		    struct error *err) MUST_USE;
/* Returns how many objects the group has, each counted once. */
uint32_t members_nodes(const struct members *m, uint32_t from, uint32_t end);
/* Adds up what the objects of the group retain, or their own sizes if dominators are unknown. */
bool finder_retained(struct finder *f, const struct members *m, uint32_t from, uint32_t end,
		     uint64_t *bytes, struct error *err) MUST_USE;
/* Counts the distinct `other` of the group and finds the lowest. */
bool members_others(const struct members *m, uint32_t from, uint32_t end, uint64_t *count,
		    node_id *first, struct error *err);
/* Sets the group's objects, each once, as evidence. */
bool finding_set_members(struct finder *f, struct finding *out, const struct members *m,
			 uint32_t from, uint32_t end, struct error *err) MUST_USE;

/* Adds findings about event handlers, of the lists of delegates in arrays: find_events.c. */
bool find_events(struct finder *f, const struct node_list *lists, struct error *err);
/* Sets what the async calls of all findings of this kind wait for, and writes it: find_awaited.c.
 */
bool find_awaited(struct finder *f, const struct finding_kind *kind, struct error *err);
finding_writer write_awaited;
/* Returns the type that most referrers of these objects have, or TYPE_NONE. Only the first 16
   referrers of each object count. */
type_id finder_holder(struct finder *f, const node_id *nodes, uint32_t count);

/* Threads and locks, in heaps with contents; find_locks.c. */
/* Lists the locks for which threads wait, if the heap has locks. */
bool finder_list_locks(struct finder *f, struct error *err);
/* Returns the innermost method of the application on the thread's stack, or ""; NULL: no memory. */
const char *finder_method(struct finder *f, uint64_t os_id, struct error *err);

#endif
