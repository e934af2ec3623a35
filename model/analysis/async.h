#ifndef MODEL_ANALYSIS_ASYNC_H
#define MODEL_ANALYSIS_ASYNC_H

/*
 * Async calls that wait, joined by their continuations: the stacks that dumpasync of SOS shows. A
 * chain begins with an item that is no other item's continuation (a delay, a promise), and ends
 * with the outermost call, or at an item with several continuations. Each of these begins a chain
 * of its own there, so all chains together are not longer than the number of items. Equal chains
 * form a group.
 *
 * In a heap with memory, continuations are read from fields, also of dead objects, and completed
 * calls are recognised. Other heaps only have references. If two calls refer to each other, their
 * order decides which is the continuation: `is_guess`.
 *
 * One pass over all objects, about 20 µs a type and 1 µs a task. Run it on a worker.
 */
#include "model/base/progress.h"
#include "model/heap/framework.h"

struct reverse;

enum async_kind {
	ASYNC_CALL,    /* a call of an async method */
	ASYNC_PROMISE, /* the task of the call before it, if the runtime
			  suspends that without a box */
	ASYNC_TASK,    /* another task: Task.Delay, WhenAll, a promise */
	ASYNC_SOURCE,  /* source of a ValueTask: a read from a channel */
	ASYNC_OTHER,   /* other continuation: a thread in Task.Wait() */
};

struct async_item {
	node_id node;
	uint32_t nexts_first, nexts_count; /* continuations, in `nexts` */
	int32_t state;                     /* number of a call's await, if has_state */
	uint8_t kind;                      /* enum async_kind */
	bool has_state, is_completed;
	bool has_previous; /* it is the continuation of another item */
	bool ends_circle;  /* its continuation comes before it in the chain */
	/* Tells calls with unknown methods apart: an address in the method's code, or without field
	   values the object's size. 0 if the method is known. */
	uint64_t code;
};

/* `item`, then its continuation number `next`, and so on. */
struct async_chain {
	uint32_t item, next;
};

struct async_group {
	uint32_t chains_first, chains_count; /* adjacent in `chains` */
	uint32_t objects_count;              /* distinct objects in the chains */
	uint64_t bytes;                      /* sizes of these objects */
};

struct async_calls {
	struct async_item *items;
	uint32_t *nexts; /* indexes of items */
	struct async_chain *chains;
	struct async_group *groups; /* unordered */
	uint32_t items_count, nexts_count, chains_count, groups_count;
	uint32_t ordered_count;   /* the first items, sorted by object */
	uint32_t calls_count;     /* calls that have not completed */
	uint32_t completed_count; /* completed calls that were seen */
	uint32_t nameless_count;  /* of calls_count, calls whose method is unknown */
	bool is_guess, is_single;
	uint32_t holders; /* references beside the first, see async_hold() */
};

struct async_input {
	const struct heap *heap;
	bool is_single;      /* each call is a chain of its own */
	bool with_tasks;     /* also chains without an async call */
	bool with_completed; /* also completed calls and tasks */
	bool links_only;     /* items and their continuations, no chains */
	node_id only;        /* only chains with this object; NODE_NONE: all */
	uint64_t only_table; /* only chains with an object of this method table; 0: all */
};

/* NULL sets `err`. */
struct async_calls *async_find(const struct async_input *in, struct progress *progress,
			       struct error *err) MUST_USE;
void async_free(struct async_calls *c); /* NULL is allowed */
/* Adds a reference, which async_free() drops; only one thread at a time. */
struct async_calls *async_hold(struct async_calls *c);
/* Returns the objects in the chains of a group, ascending and distinct: objects_count many, to be
   freed by memory_free(). NULL sets `err`. */
node_id *async_group_nodes(const struct async_calls *c, uint32_t group, struct progress *progress,
			   struct error *err) MUST_USE;

enum async_end {
	ASYNC_ENDS,    /* no continuation */
	ASYNC_FORKS,   /* several continuations */
	ASYNC_CIRCLES, /* the continuation is an earlier item */
	ASYNC_IS_CUT,  /* ASYNC_DEPTH_MAX items were visited */
};
enum { ASYNC_DEPTH_MAX = 256 };

/* A position in a chain, which async_walk_of() sets to its beginning. */
struct async_walk {
	uint32_t item, next;
	uint32_t depth; /* items visited */
	bool is_over;
	uint8_t end; /* enum async_end, once it is over */
};
static inline struct async_walk
async_walk_of(const struct async_chain *chain)
{
	return (struct async_walk){ .item = chain->item, .next = chain->next };
}
/* Returns the next item, or NULL at the end. */
const struct async_item *async_walk_next(const struct async_calls *c, struct async_walk *w);

/* --- types and references ------------------------------------------------ */

/* Returns the object to which completed tasks refer in place of a continuation, or NODE_NONE if it
   is unknown. A static variable of Task keeps it. */
node_id async_completion_mark(const struct heap *h);
/*
 * Calls `go_on` for each possible continuation of a task: the objects that it and its lists refer
 * to. Returns false if `go_on` did. A list belongs to one task: lists in `seen` (bits of nodes; or
 * NULL) are skipped, and those read are added.
 */
bool async_each_next(const struct heap *h, node_id task, uint64_t *seen,
		     bool (*go_on)(void *to, node_id next, bool is_listed), void *to);

#endif
