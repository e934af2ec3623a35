#include "io/gcdump/nodes.h"
#include <inttypes.h>
#include <stdatomic.h>

enum {
	SHARE_SHIFT = 22, /* at least a bitmap page of model/heap/addresses.c */
	BATCH_NODES = 32,
	BATCH_TARGETS = 1 << 14
};

static bool
input_changed(struct error *err)
{
	return error_set(err, ERROR_INPUT, "the input changed while it was being read");
}

/* --- ids --- */

/* Marks, in `ids`, an object without an address, or with another's. */
enum { NEEDS_ADDRESS = 1 };

/*
 * Each thread scans all objects and places those in its share of the 4 MiB pages, so that no two
 * threads write to the same part of the bitmap.
 */
struct place_run {
	struct gcdump_nodes *nodes;
	unsigned shares;
	_Atomic uint64_t unplaced;
};

/* Spreads pages evenly; all addresses of a page are in the same share. */
static inline uint64_t
share_of(uint64_t address, unsigned shares)
{
	uint32_t hash = (uint32_t)(address >> SHARE_SHIFT) * 0x9e3779b1U;

	return (uint64_t)hash * shares >> 32;
}

static bool
place_share(void *context, uint64_t share, unsigned thread, struct error *err)
{
	struct place_run *run = context;
	const struct gcdump_nodes *n = run->nodes;
	struct addresses *m = heap_builder_addresses(n->builder);
	const struct gcdump_graph *g = n->graph;
	uint64_t unplaced = 0;

	(void)thread;
	for (uint32_t i = 0; i < g->nodes_count; i++) {
		uint64_t address = gcdump_graph_address(g, i);

		if (share_of(address, run->shares) == share && n->ids[i] != NODE_NONE &&
		    (!address || !addresses_place(m, address))) {
			n->ids[i] = NEEDS_ADDRESS;
			unplaced++;
		}
		if ((i + 1) % GCDUMP_PART_NODES == 0 &&
		    !progress_add(n->progress, GCDUMP_PART_NODES))
			return error_cancelled(err);
	}
	atomic_fetch_add(&run->unplaced, unplaced);
	return true;
}

/* Makes up addresses, which `ids` counts from 1 until it has final ids. */
static bool
place_unplaced(struct gcdump_nodes *n, uint64_t unplaced, struct error *err)
{
	struct addresses *m = heap_builder_addresses(n->builder);
	uint32_t count = 0;

	for (uint32_t i = 0; unplaced && i < n->graph->nodes_count; i++) {
		if (n->ids[i] == NEEDS_ADDRESS) {
			(void)addresses_make_up(m);
			n->ids[i] = ++count;
		}
		if ((i + 1) % GCDUMP_PART_NODES == 0 && !progress_add(n->progress, 0))
			return error_cancelled(err);
	}
	heap_builder_info(n->builder)->losses.made_up_addresses = count;
	return addresses_seal(m, err);
}

static inline uint32_t *
order_of(const struct gcdump_nodes *n, node_id id)
{
	return &n->order[id >> CHUNK_SHIFT][id & (CHUNK_NODES - 1)];
}

static bool
number_part(void *context, uint64_t part, unsigned thread, struct error *err)
{
	struct gcdump_nodes *n = context;
	const struct gcdump_graph *g = n->graph;
	const struct addresses *m = heap_builder_addresses(n->builder);
	uint32_t first = (uint32_t)(part * GCDUMP_PART_NODES);
	uint32_t end = gcdump_part_end(part, g->nodes_count);

	(void)thread;
	for (uint32_t i = first; i < end; i++) {
		uint64_t address;

		if (n->ids[i] == NODE_NONE)
			continue;
		address = n->ids[i] ? MADE_UP_ADDRESS + (uint64_t)(n->ids[i] - 1) * MADE_UP_STEP
				    : gcdump_graph_address(g, i);
		n->ids[i] = addresses_find(m, address);
		if (n->ids[i] == NODE_NONE)
			return input_changed(err);
		*order_of(n, n->ids[i]) = i;
	}
	if (!progress_add(n->progress, end - first))
		return error_cancelled(err);
	return true;
}

static uint64_t
chunks_count(const struct gcdump_nodes *n)
{
	return ((uint64_t)n->objects_count + CHUNK_NODES - 1) >> CHUNK_SHIFT;
}

/* In pieces, so that each can be freed once its chunk is encoded. */
static bool
order_new(struct gcdump_nodes *n, struct error *err)
{
	n->order = memory_new(chunks_count(n), sizeof(*n->order), err);
	for (uint64_t i = 0; n->order && i < chunks_count(n); i++) {
		n->order[i] = memory_new(CHUNK_NODES, sizeof(**n->order), err);
		if (!n->order[i])
			return false;
	}
	return n->order != NULL;
}

static void
order_free(struct gcdump_nodes *n)
{
	for (uint64_t i = 0; n->order && i < chunks_count(n); i++)
		memory_free(n->order[i]);
	memory_free(n->order);
	n->order = NULL;
}

bool
gcdump_nodes_number(struct gcdump_nodes *n, struct error *err)
{
	struct addresses *m = heap_builder_addresses(n->builder);
	unsigned threads = gcdump_threads_for(n->graph->nodes_count);
	struct place_run run = { .nodes = n, .shares = threads };
	uint32_t nodes_count = n->graph->nodes_count;

	progress_begin(n->progress, "sorting by address", "objects",
		       (uint64_t)nodes_count * (threads + 1));
	if (!addresses_plan(m, err) || !worker_run_all(threads, threads, place_share, &run, err) ||
	    !place_unplaced(n, run.unplaced, err))
		return false;
	if (addresses_count(m) != n->objects_count)
		return input_changed(err);
	if (!order_new(n, err))
		return false;
	return worker_run_all(threads, gcdump_parts_of(nodes_count), number_part, n, err);
}

/* --- objects and references --- */

struct pending_object {
	type_id type;
	uint32_t size, refs_count;
};

/*
 * Objects are read in batches, so that the ids of all their targets, which are scattered in memory,
 * are prefetched before the first is needed.
 */
struct encode_thread {
	struct chunk_builder *chunk;
	struct pending_object objects[BATCH_NODES];
	uint32_t objects_count;
	uint32_t *targets; /* nodes that all these objects refer to */
	size_t targets_count, targets_room;
	uint64_t refs, undefined, damaged;
	uint64_t stray; /* references to pseudo-nodes or damaged nodes */
};

struct encode_run {
	struct gcdump_nodes *nodes;
	struct encode_thread threads[WORKER_MAX];
};

static bool
batch_read(struct encode_thread *t, const struct gcdump_nodes *n, uint32_t index, struct error *err)
{
	const struct gcdump_graph *g = n->graph;
	struct pending_object *object = &t->objects[t->objects_count++];
	struct gcdump_node node;
	uint32_t *targets;

	if (gcdump_graph_node(g, index, &node) != GCDUMP_OBJECT)
		return input_changed(err);
	/* At least one, so that it is never NULL. */
	if (!MAKE_ROOM(t->targets, t->targets_count + node.refs_count + 1, t->targets_room, err))
		return false;
	targets = t->targets + t->targets_count;
	for (uint32_t i = 0; i < node.refs_count; i++) {
		int32_t delta;

		if (!bytes_run_next_wide(&node.refs, &delta)) {
			*(g->is_cut ? &t->undefined : &t->damaged) += node.refs_count - i;
			node.refs_count = i;
			break;
		}
		/* Wraps as in the format; an invalid target is past the end. */
		targets[i] = index + (uint32_t)delta;
		if (targets[i] < g->nodes_count)
			__builtin_prefetch(&n->ids[targets[i]]);
	}
	t->targets_count += node.refs_count;
	object->type = g->types[node.type].id;
	object->size = node.size < 0 ? 0 : (uint32_t)node.size;
	object->refs_count = node.refs_count;
	return true;
}

/* Counts a reference to a node that is no object. */
static void
count_lost_ref(struct encode_thread *t, const struct gcdump_graph *g, uint32_t target)
{
	struct gcdump_node node;

	if (target >= g->nodes_count)
		t->damaged++;
	else if (gcdump_graph_node(g, target, &node) == GCDUMP_UNDEFINED)
		t->undefined++;
	else
		t->stray++;
}

static inline bool
is_object(const struct gcdump_nodes *n, uint32_t target)
{
	return target < n->graph->nodes_count && n->ids[target] != NODE_NONE;
}

/* A single loop, as the branches of many short ones are unpredictable. */
static bool
batch_is_whole(const struct encode_thread *t, const struct gcdump_nodes *n)
{
	uint32_t lost = 0;

	for (size_t i = 0; i < t->targets_count; i++)
		lost += !is_object(n, t->targets[i]);
	return !lost;
}

/* Drops and counts references to nodes that are no objects. */
static void
batch_drop_lost(struct encode_thread *t, const struct gcdump_nodes *n)
{
	const uint32_t *from = t->targets;
	uint32_t *to = t->targets;

	for (uint32_t i = 0; i < t->objects_count; i++) {
		struct pending_object *object = &t->objects[i];
		const uint32_t *end = from + object->refs_count;

		object->refs_count = 0;
		for (; from < end; from++) {
			if (is_object(n, *from)) {
				*to++ = *from;
				object->refs_count++;
				continue;
			}
			count_lost_ref(t, n->graph, *from);
		}
	}
}

static bool
batch_write(struct encode_thread *t, const struct gcdump_nodes *n, struct error *err)
{
	const uint32_t *target = t->targets;

	t->refs += t->targets_count;
	if (!batch_is_whole(t, n))
		batch_drop_lost(t, n);
	for (uint32_t i = 0; i < t->objects_count; i++) {
		const struct pending_object *object = &t->objects[i];

		if (!chunk_builder_object(t->chunk, object->type, object->size, object->refs_count,
					  err))
			return false;
		for (uint32_t k = 0; k < object->refs_count; k++)
			chunk_builder_ref(t->chunk, n->ids[*target++]);
	}
	t->objects_count = 0;
	t->targets_count = 0;
	return true;
}

/* Records are scattered: prefetches an offset, then its record. */
static inline void
encode_prefetch(const struct gcdump_nodes *n, node_id id, node_id end)
{
	if (end - id > 2 * GCDUMP_PREFETCH_NODES)
		bytes_array_prefetch(&n->graph->offsets,
				     *order_of(n, id + 2 * GCDUMP_PREFETCH_NODES), 4);
	if (end - id > GCDUMP_PREFETCH_NODES)
		gcdump_graph_prefetch(n->graph, *order_of(n, id + GCDUMP_PREFETCH_NODES));
}

static bool
encode_chunk(void *context, uint64_t part, unsigned thread, struct error *err)
{
	struct encode_run *run = context;
	const struct gcdump_nodes *n = run->nodes;
	struct encode_thread *t = &run->threads[thread];
	node_id first = (node_id)(part << CHUNK_SHIFT);
	uint64_t last = ((uint64_t)part + 1) << CHUNK_SHIFT;
	node_id end = last < n->objects_count ? (node_id)last : n->objects_count;

	chunk_builder_begin(t->chunk, (uint32_t)part);
	for (node_id id = first; id < end; id++) {
		encode_prefetch(n, id, end);
		if (!batch_read(t, n, *order_of(n, id), err))
			return false;
		if ((t->objects_count == BATCH_NODES || t->targets_count > BATCH_TARGETS ||
		     id + 1 == end) &&
		    !batch_write(t, n, err))
			return false;
		/* A batch with huge arrays takes long. */
		if (!t->objects_count && progress_is_cancelled(n->progress))
			return error_cancelled(err);
	}
	memory_free(n->order[part]);
	n->order[part] = NULL;
	if (!progress_add(n->progress, end - first))
		return error_cancelled(err);
	return chunk_builder_end(t->chunk, err);
}

static bool
encode_losses(struct encode_run *run, struct error *err)
{
	struct losses *losses = &heap_builder_info(run->nodes->builder)->losses;
	uint64_t refs = 0, damaged = 0;

	for (unsigned i = 0; i < WORKER_MAX; i++) {
		refs += run->threads[i].refs;
		damaged += run->threads[i].damaged;
		losses->undefined_refs += run->threads[i].undefined;
		losses->damaged_refs += run->threads[i].stray;
	}
	losses->damaged_refs += damaged;
	run->nodes->damaged_refs = damaged;
	if (damaged * 100 > refs * GCDUMP_DAMAGED_MAX_PERCENT)
		return error_set(err, ERROR_INPUT,
				 "the file is damaged: of %" PRIu64 " references, %" PRIu64
				 " have invalid targets",
				 refs, damaged);
	return true;
}

bool
gcdump_nodes_encode(struct gcdump_nodes *n, struct error *err)
{
	struct encode_run run = { .nodes = n };
	unsigned threads = gcdump_threads_for(n->objects_count);
	bool is_good = heap_builder_objects(n->builder, err);

	for (unsigned i = 0; i < threads && is_good; i++) {
		run.threads[i].chunk = chunk_builder_new(n->builder, err);
		is_good = run.threads[i].chunk != NULL;
	}
	progress_begin(n->progress, "reading references", "objects", n->objects_count);
	is_good = is_good && worker_run_all(threads, chunks_count(n), encode_chunk, &run, err) &&
		  encode_losses(&run, err);
	for (unsigned i = 0; i < threads; i++) {
		chunk_builder_free(run.threads[i].chunk);
		memory_free(run.threads[i].targets);
	}
	order_free(n);
	return is_good;
}

void
gcdump_nodes_clear(struct gcdump_nodes *n)
{
	order_free(n);
	memory_free(n->ids);
	n->ids = NULL;
}
