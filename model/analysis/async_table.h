#ifndef MODEL_ANALYSIS_ASYNC_TABLE_H
#define MODEL_ANALYSIS_ASYNC_TABLE_H

/* Rows of async_table, for views that open one. Its argument has the words calls, tasks or
   completed, or the address of an object or a method table. */
#include "model/analysis/async.h"
#include "model/analysis/tables.h"

/* A chain as text: with full type names, with names without namespaces, and the states of its
   calls. Owned by the arena. */
struct async_chain_text {
	const char *full, *brief, *states;
};

struct async_made {
	struct async_calls *calls;
	const struct async_group *groups; /* array of `calls` */
	uint32_t groups_count;
	struct async_chain_text *texts; /* indexed by group */
	struct arena arena;
};

#endif
