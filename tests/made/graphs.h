#ifndef TESTS_MADE_GRAPHS_H
#define TESTS_MADE_GRAPHS_H

/*
 * Made-up heaps for tests, and the truth about them: a plain graph that knows nothing of how a heap
 * keeps it. Objects are numbered by address, so their numbers are their ids in the heap made from
 * it. What fails fails the test.
 */
#include "model/heap/stream.h"

struct graph_root {
	node_id object;
	enum root_kind kind;
	const char *name; /* not copied */
};

struct graph {
	uint32_t nodes_count, types_count;
	type_id *types;          /* of each object */
	const char **type_names; /* not copied */
	/* While edges are added, `sources`; in order once it is sealed. */
	node_id *sources, *targets;
	uint64_t refs_count;
	size_t refs_room;
	uint64_t *starts; /* nodes_count + 1: where an object's targets begin */
	struct graph_root *roots;
	uint32_t roots_count;
	size_t roots_room;
	uint64_t random;
};

/*
 * All objects are of type 0 at first; type names "Test.Type0" and so on, of test.dll. Types named
 * FRAMEWORK_TYPE… are of the framework. Freed at the end of the test, if not before.
 */
#define FRAMEWORK_TYPE "System.Threading."
struct graph *graph_new(uint32_t nodes_count, uint32_t types_count);
void graph_free(struct graph *g);
void graph_ref(struct graph *g, node_id source, node_id target);
void graph_root(struct graph *g, node_id object, enum root_kind kind, const char *name);
/* The next number of a fixed series, below `limit`. */
uint32_t graph_random(struct graph *g, uint32_t limit);

/*
 * The heap of this graph, its objects given to the stream in a shuffled order and checked. No more
 * references afterwards.
 */
const struct heap *graph_heap(struct graph *g);
/* The size of every object in that heap. */
uint64_t graph_size(node_id n);

/*
 * Everything at once, by `seed`: near and far references, cycles, objects that refer to themselves,
 * several times to the same, hubs, islands without a
 * root, leaves, roots of all kinds, some objects with several.
 */
struct graph *graph_mixed(uint64_t seed, uint32_t nodes_count);
/* One list of objects held by its first, which is the last by address. */
struct graph *graph_list(uint32_t nodes_count);
/* Half of all objects refer to one, which refers to the other half. */
struct graph *graph_hub(uint32_t nodes_count);

/* 1 million under the sanitizers, 5 million otherwise. */
uint32_t graph_long_list(void);

/* So many objects of 16 bytes of a type, in one of several heaps. */
struct made_type {
	unsigned heap;
	const char *raw, *module;
	unsigned count;
};
const struct heap *made_heap(const struct made_type *all, size_t all_count, unsigned heap);

#endif
