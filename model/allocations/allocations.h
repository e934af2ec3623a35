#ifndef MODEL_ALLOCATIONS_ALLOCATIONS_H
#define MODEL_ALLOCATIONS_ALLOCATIONS_H

/*
 * Allocations by stack and type, estimated from samples. Immutable: a recording that goes on makes
 * another copy (model/allocations/tally.h).
 *
 * Stacks are a tree of callers, whose root (node 0) is the program. A site is the method that
 * allocated: the innermost method of the application on the stack or, if there is none, the
 * innermost method.
 */
#include "model/allocations/alive.h"
#include "model/allocations/survived.h"
#include "model/base/arena.h"
#include "model/base/u64_map.h"
#include "model/gc/recorded.h"

enum { ALLOCATION_FRAMES = 512 }; /* of one stack; further callers are lost */

struct allocation_method {
	const char *name;   /* in C# spelling */
	const char *module; /* file name without folders; "": unknown */
	bool is_framework;
	bool is_unknown; /* `name` is only a place in a file or an address */
};

struct allocation_type {
	const char *raw, *name;
};

struct allocation_node {
	uint32_t parent; /* the caller, which comes first; 0 for node 0 */
	uint32_t method;
};

/* The allocations of one type by one stack. */
struct allocation_cell {
	uint32_t node, type;
	struct allocation_sum sum;
	struct allocation_sum *recent;  /* see facts.recent; NULL: nothing */
	struct allocation_alive *alive; /* NULL: nothing */
};

struct allocation_facts {
	struct allocation_sum total;
	uint64_t without_stack; /* samples */
	uint64_t folded;        /* samples beyond the bounds of memory */
	bool is_not_followed;   /* by request: --no-survival */
	bool is_random;         /* false: chosen by budgets, and biased */
	char who[96];           /* "process 4711 (api)", or a file */
	char end[200];          /* why it ended early; "": as requested */
	uint64_t time_ns;       /* watched */
	/* The last seconds, which rates are of; 0 ns: they are of all the
	   time. */
	uint64_t recent_ns;
	struct allocation_sum recent;
	uint64_t lost_events; /* dropped by the runtime */
	bool is_cut;          /* the end of the stream is missing */
	bool is_at_heap;      /* the samples are as a given heap shows them */
	int64_t time;         /* when it began: UTC, seconds since 1970; 0: unknown */
	uint32_t time_ms;     /* and milliseconds */
	struct allocation_survival survival;
	struct recorded recorded;
};

/* As many as capturing a heap may force. */
enum { ALLOCATION_FULL = 2 };

/* Samples that were not known to be dead at one moment. An owner is an index of the cells, a weight
   is in bytes, and times are in ns since the recording began; in a tally they are as its source has
   them. */
struct allocation_samples {
	struct survived_sample *items;
	size_t count;
	uint32_t number;     /* of the collection that left them; 0: unknown */
	uint64_t ns;         /* when: since the recording began */
	uint64_t dead, lost; /* until then: the others that were followed */
};

struct allocations {
	struct allocation_facts facts;
	struct allocation_type *types;
	uint32_t types_count;
	struct allocation_node *nodes;
	uint32_t nodes_count;
	struct allocation_cell *cells; /* one for each pair of node and type */
	uint32_t cells_count;
	struct allocation_method *methods;
	uint32_t methods_count;
	uint32_t unknown_count; /* code addresses without a method */
	struct allocation_samples samples;
	/* While it is recorded on the screen, also as the last blocking collections of generation 2
	   left them, the newest first: a heap that is captured meanwhile shows one of these. */
	struct allocation_samples full[ALLOCATION_FULL];
	struct allocation_alive alive; /* of all cells */

	unsigned holders;
	size_t nodes_room, cells_room, methods_room;
	struct arena arena;
};

/* One more holder of the same copy, on the same thread. */
struct allocations *allocations_hold(struct allocations *a);
/* One holder less; the last one frees it. NULL is allowed. */
void allocations_free(struct allocations *a);

/*
 * Returns, by method, whether it is the application's: by patterns for modules as in
 * model/heap/my_code.h, or without these by what the framework has. Freed by memory_free(). NULL
 * sets `err`.
 */
bool *allocations_mine(const struct allocations *a, const char *my_modules,
		       struct error *err) MUST_USE;
/* The method that is the site of a stack; UINT32_MAX: it has no frames. */
uint32_t allocations_site(const struct allocations *a, const bool *mine, uint32_t node);
/* The one of `full` that this collection left, or NULL. */
const struct allocation_samples *allocations_at_full(const struct allocations *a, uint32_t number);
/* Whether the trace was recorded without stacks, or without names of code. */
bool allocation_facts_lack_stacks(const struct allocation_facts *f);
bool allocations_lack_names(const struct allocations *a);
/* Whether it was recorded without a part of what its rows show. */
bool allocations_are_lacking(const struct allocations *a);
/* The number of seconds watched, never 0. */
double allocations_seconds(const struct allocations *a);

/* The time of rates: the last seconds of a recording on the screen, else all of it. */
double allocations_rate_seconds(const struct allocations *a); /* never 0 */
struct allocation_sum allocation_cell_rate_sum(const struct allocations *a,
					       const struct allocation_cell *c);

#endif
