#ifndef MODEL_ANALYSIS_ASYNC_TABLE_H
#define MODEL_ANALYSIS_ASYNC_TABLE_H

/*
 * The rows of async_table, for views that open one. Its argument: the words
 * calls, tasks, completed, or the address of an object or a method table.
 */
#include "model/analysis/async.h"
#include "model/analysis/tables.h"

/* A chain as text, with names of types in full and without namespaces; and the
   states of its calls. In the arena. */
struct async_chain_text {
	const char *full, *brief, *states;
};

struct async_made {
	struct async_calls *calls;
	const struct async_group *groups; /* of `calls` */
	uint32_t groups_count;
	struct async_chain_text *texts; /* one a group */
	struct arena arena;
};

#endif
