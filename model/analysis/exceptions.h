#ifndef MODEL_ANALYSIS_EXCEPTIONS_H
#define MODEL_ANALYSIS_EXCEPTIONS_H

/*
 * The exceptions in the heap, equal ones together: of one type, with one message, thrown in one
 * place. The runtime keeps the stack of an exception in it. Messages and stacks are known in heaps
 * with values. One pass over all objects, and some 20 µs an exception. Run it on a worker.
 */
#include "model/base/progress.h"
#include "model/graph/reach.h"

struct exception {
	node_id node; /* the first, a reachable one if there is one */
	type_id type;
	const char *message; /* "" if unknown */
	/* The innermost call of the application on its stack, else the innermost; "" if unknown or
	   not thrown. */
	const char *method;
	uint64_t count, live_count;
	bool is_thrown; /* it has a stack: false also if that is unknown */
};

struct exceptions {
	struct exception *items; /* most frequent first */
	size_t count, room;
	bool has_values;
	struct arena texts;
};

/* `out` must be all zero. False sets `err`. */
bool exceptions_find(const struct heap *h, const struct reach *reach, struct exceptions *out,
		     struct progress *progress, struct error *err) MUST_USE;
void exceptions_clear(struct exceptions *e);

/* Returns true for types derived from System.Exception; heaps without memory only have names. */
bool type_is_exception(const struct heap *h, const struct type *t);
/* Reads one exception, with texts in `a`. */
bool exception_read(const struct heap *h, node_id n, struct exception *out, struct arena *a,
		    struct error *err) MUST_USE;

#endif
