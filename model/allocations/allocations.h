#ifndef MODEL_ALLOCATIONS_ALLOCATIONS_H
#define MODEL_ALLOCATIONS_ALLOCATIONS_H

/*
 * Samples of allocations, summed by stack and type while they arrive, and by
 * type or by site afterwards. A site is the method that allocated: the
 * innermost method of the application on the stack or, if there is none, the
 * innermost method.
 *
 * Stacks are stored as a tree of callers, whose root (node 0) is the program.
 * While samples arrive its nodes have code addresses; once the names are known,
 * allocations_name() replaces addresses by methods and merges what is equal.
 *
 * Memory is bounded by ALLOCATION_NODES and so on; samples beyond the bounds
 * keep the outer part of their stack or lose their type, and are counted in
 * `folded`. Not thread-safe.
 */
#include "model/allocations/estimate.h"
#include "model/base/arena.h"
#include "model/base/u64_map.h"

enum {
	ALLOCATION_NODES = 1 << 18, /* 24 to 48 bytes each */
	ALLOCATION_CELLS = 1 << 17, /* about 130 bytes each */
	ALLOCATION_TYPES = 1 << 15,
	ALLOCATION_FRAMES = 512, /* of one stack; further callers are lost */
};

struct allocation_sample {
	const char *type; /* its raw name in UTF-8, as heap sources spell it */
	uint64_t size;    /* of the object */
	/* Bytes that it stands for, if an allocation budget chose it; 0: it was
	   chosen at random. */
	uint64_t tick_bytes;
	const uint64_t *frames; /* code addresses, the innermost first */
	uint32_t frames_count;
};

struct allocation_method {
	const char *name;   /* in C# spelling */
	const char *module; /* file name without folders; "": unknown */
	bool is_framework;
	bool is_unknown; /* `name` is only an address */
};

struct allocation_type {
	const char *raw, *name;
};

struct allocation_node {
	uint32_t parent; /* the caller; that of node 0 is node 0 */
	uint32_t method; /* into `addresses`; after naming, into `methods` */
};

/* The allocations of one type by one stack. */
struct allocation_cell {
	uint32_t node, type;
	struct allocation_sum sum;
};

struct allocations {
	struct allocation_type *types;
	uint32_t types_count;
	struct allocation_node *nodes;
	uint32_t nodes_count;
	struct allocation_cell *cells;
	uint32_t cells_count;
	struct allocation_method *methods; /* after allocations_name() */
	uint32_t methods_count;
	struct allocation_sum total;
	uint64_t without_stack; /* samples */
	uint64_t folded;        /* samples beyond the bounds */
	bool is_random;         /* false: chosen by budgets, and biased */

	/* Set by the source. */
	char who[96];         /* "process 4711 (api)", or a file */
	char end[200];        /* why it ended early; "": as requested */
	uint64_t time_ns;     /* watched */
	uint64_t lost_events; /* dropped by the runtime */
	bool is_cut;          /* the end of the stream is missing */

	uint64_t *addresses;
	uint32_t addresses_count;
	size_t addresses_room, nodes_room, cells_room, types_room;
	struct u64_map type_index, address_index, node_index, cell_index;
	struct arena arena;
};

struct allocations *allocations_new(struct error *err) MUST_USE;
void allocations_free(struct allocations *a); /* NULL is allowed */
/* About 50 ns a frame. False: no memory. */
bool allocations_add(struct allocations *a,
		     const struct allocation_sample *sample,
		     struct error *err) MUST_USE;

/*
 * Names all methods and merges stacks whose methods are equal. Call it once,
 * after the last sample. `name` fills in the method at an address; its texts
 * may be temporary.
 */
struct allocation_namer {
	bool (*name)(void *context, uint64_t address,
		     struct allocation_method *out, struct error *err);
	void *context;
};
bool allocations_name(struct allocations *a, struct allocation_namer namer,
		      struct error *err) MUST_USE;

/* The method that is the site of a stack; UINT32_MAX: it has no frames. */
uint32_t allocations_site(const struct allocations *a, uint32_t node);
/* The number of seconds watched, never 0. */
double allocations_seconds(const struct allocations *a);

#endif
