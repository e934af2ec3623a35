#ifndef MODEL_ANALYSIS_ASYNC_H
#define MODEL_ANALYSIS_ASYNC_H

/*
 * Async calls that wait, joined by who goes on after whom: the stacks that
 * dumpasync of SOS shows. A chain begins with what nothing that waits lets go
 * on (a delay, a promise) and ends with the outermost call, or where several go
 * on: each of these begins a chain of its own there, so that all chains
 * together are not longer than what there is. Equal chains are a group.
 *
 * Of memory it is read from fields, of dead objects as well: completed calls
 * are known as such. Other heaps have references alone, and which of two calls
 * that refer to each other goes on is told from their order: `is_guess`.
 *
 * One look at every object, some 20 µs a type, 1 µs a task. On a worker.
 */
#include "model/base/progress.h"
#include "model/heap/heap.h"

struct reverse;

enum async_kind {
	ASYNC_CALL,   /* of an async method */
	ASYNC_TASK,   /* any other: Task.Delay, WhenAll, a promise */
	ASYNC_SOURCE, /* what a ValueTask waits for: a channel's read */
	ASYNC_OTHER,  /* what else goes on: a thread in Task.Wait() */
};

struct async_item {
	node_id node;
	uint32_t nexts_first, nexts_count; /* in `nexts` */
	int32_t state; /* of a call, if has_state: number of its await */
	uint8_t kind;  /* enum async_kind */
	bool has_state, is_completed;
	bool has_previous; /* another one lets it go on */
	bool ends_circle;  /* its next one came before it */
};

/* `item`, then its continuation number `next`, and so on. */
struct async_chain {
	uint32_t item, next;
};

struct async_group {
	uint32_t chains_first, chains_count; /* one behind the other */
	uint32_t objects_count;              /* in all of them, each once */
	uint64_t bytes;                      /* of these */
};

struct async_calls {
	struct async_item *items;
	uint32_t *nexts; /* items */
	struct async_chain *chains;
	struct async_group *groups; /* in no order */
	uint32_t items_count, nexts_count, chains_count, groups_count;
	uint32_t calls_count;     /* that have not completed */
	uint32_t completed_count; /* of those that were looked at */
	/* Continuation objects of .NET 10 and later, which no chain has. */
	uint32_t runtime_count;
	bool is_guess, is_single;
	uint32_t holders; /* see async_hold() */
};

struct async_input {
	const struct heap *heap;
	bool is_single;      /* each call a chain of its own */
	bool with_tasks;     /* chains without any async call, too */
	bool with_completed; /* calls and tasks that have */
	node_id only;        /* chains with this object; or NODE_NONE: all */
	uint64_t only_table; /* with an object of this method table; 0: all */
};

/* NULL sets `err`. */
struct async_calls *async_find(const struct async_input *in,
			       struct progress *progress,
			       struct error *err) MUST_USE;
void async_free(struct async_calls *c); /* NULL is allowed */
/* One more that frees it; for one thread at a time. */
struct async_calls *async_hold(struct async_calls *c);
/* The objects in the chains of a group, ascending, each once: objects_count
 * many, to be freed with memory_free(). NULL sets `err`. */
node_id *async_group_nodes(const struct async_calls *c, uint32_t group,
			   struct progress *progress,
			   struct error *err) MUST_USE;

enum async_end {
	ASYNC_ENDS,    /* nothing goes on after it */
	ASYNC_FORKS,   /* several do */
	ASYNC_CIRCLES, /* one that stands before it does */
	ASYNC_IS_CUT,  /* ASYNC_DEPTH_MAX are enough */
};
enum { ASYNC_DEPTH_MAX = 256 };

/* Along one chain: `{ .item = chain->item, .next = chain->next }`. */
struct async_walk {
	uint32_t item, next;
	uint32_t depth; /* how many there were */
	bool is_over;
	uint8_t end; /* enum async_end, once it is over */
};
/* The next item; NULL: that was all. */
const struct async_item *async_walk_next(const struct async_calls *c,
					 struct async_walk *w);

/* --- what types and references tell ----------------------------------------
 */

/* The box of an async method. */
bool type_is_async(const struct type *t);
/* That, or a task of the base library. */
bool type_is_task(const struct type *t);
/*
 * A task that completes forgets who waits for it and refers instead to an
 * object that a static variable of Task holds for this. NODE_NONE: unknown.
 */
node_id async_completion_mark(const struct heap *h);
/*
 * Calls `go_on` with whatever may go on after a task: what it refers to, and
 * what the lists that it refers to do. False: that returned false. A list
 * belongs to one task: what is in `seen` (bits of nodes; or NULL) is passed
 * over, and each one that was read is put there.
 */
bool async_each_next(const struct heap *h, node_id task, uint64_t *seen,
		     bool (*go_on)(void *to, node_id next, bool is_listed),
		     void *to);

#endif
