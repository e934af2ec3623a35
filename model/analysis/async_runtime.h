#ifndef MODEL_ANALYSIS_ASYNC_RUNTIME_H
#define MODEL_ANALYSIS_ASYNC_RUNTIME_H

/*
 * Calls that the runtime suspends without a state machine (runtime async, .NET
 * 11). Each suspended method is a Continuation object, which refers to that of
 * its caller. A helper refers to the innermost one and to the task or source that it awaits; a
 * RuntimeAsyncTask is the task of the outermost call:
 *
 *   awaited task → helper → Ask → Pay → Checkout
 *   RuntimeAsyncTask ↗
 *
 * A continuation is suspended if a RuntimeAsyncTask that has not completed leads to it. One to
 * which only a stack leads runs, or is called by a method that does. All others have completed.
 * Costs nothing in heaps without such types, and elsewhere two looks at the type of each object and
 * one at each root.
 */
#include "model/analysis/async_state.h"

enum async_part {
	ASYNC_PART_NONE,
	ASYNC_PART_CONTINUATION,
	ASYNC_PART_TASK_HELPER,   /* of a call that awaits a task */
	ASYNC_PART_SOURCE_HELPER, /* of a call that awaits a ValueTask's source */
	ASYNC_PART_PROMISE,       /* RuntimeAsyncTask */
};

/* How these objects are read, by fields or by references. Each function returns NODE_NONE if there
   is none. */
struct async_links {
	/* The caller's continuation, or the first one of a helper. */
	node_id (*next)(const struct async_finder *f, void *context, node_id n);
	/* The RuntimeAsyncTask of a helper. */
	node_id (*promise)(const struct async_finder *f, void *context, node_id helper);
	/* The helper or continuation with which a promise resumes. */
	node_id (*head)(const struct async_finder *f, void *context, node_id promise);
	bool (*has_completed)(const struct async_finder *f, void *context, node_id promise);
	void *context;
};

/* Sets f->parts, or leaves it NULL if no type of the heap has a part. */
bool async_runtime_init(struct async_finder *f, struct error *err) MUST_USE;
/* Finds the suspended and the running continuations, and the promises. */
bool async_runtime_find(struct async_finder *f, const struct async_links *links,
			struct error *err) MUST_USE;
void async_runtime_clear(struct async_finder *f);

static inline enum async_part
async_part_of(const struct async_finder *f, node_id n)
{
	return f->parts ? (enum async_part)f->parts[heap_type_of(f->heap, n)] : ASYNC_PART_NONE;
}
static inline bool
async_part_is_helper(enum async_part part)
{
	return part == ASYNC_PART_TASK_HELPER || part == ASYNC_PART_SOURCE_HELPER;
}
/* Returns the task of the call that ends with this continuation. */
node_id async_promise_of(const struct async_finder *f, node_id outermost);
/* Adds the continuation of an object that a helper shows to be awaited, unless something precedes
   that continuation already, or the object has another. To be called after all other continuations
   are known. */
bool async_awaited_add(struct async_finder *f, node_id awaited, node_id continuation,
		       enum async_kind kind, struct error *err) MUST_USE;

#endif
