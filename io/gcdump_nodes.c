#define _POSIX_C_SOURCE 200809L /* clock_gettime() */
#include "io/gcdump_nodes.h"
#include "model/worker.h"
#include <inttypes.h>
#include <time.h>

enum {
	PART_NODES = 1 << 16,
	FIRST_SLICE_PARTS = 8, /* something to see soon */
	SLICE_PARTS = 32,
	PUBLISH_MS = 150,
	DAMAGED_MAX_PERCENT = 1
};

static uint64_t
parts_of(uint32_t count)
{
	return ((uint64_t)count + PART_NODES - 1) / PART_NODES;
}

static uint32_t
part_end(uint64_t part, uint32_t count)
{
	uint64_t end = (part + 1) * PART_NODES;

	return end < count ? (uint32_t)end : count;
}

static int64_t
now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* --- totals --- */

/* What one thread has seen besides its tally. */
struct seen {
	uint64_t undefined, damaged, negative, bytes;
	uint32_t objects, damaged_first;
};

struct tally_run {
	struct gcdump_nodes *nodes;
	struct tally *tallies[WORKER_MAX];
	struct seen seen[WORKER_MAX];
	uint64_t first_part; /* of this slice */
};

static bool
tally_part(void *context, uint64_t part, unsigned thread, struct error *err)
{
	struct tally_run *run = context;
	const struct gcdump_graph *g = run->nodes->graph;
	struct tally *tally = run->tallies[thread];
	struct seen seen = run->seen[thread];
	node_id *ids = run->nodes->ids;
	uint32_t first, end;

	part += run->first_part;
	first = (uint32_t)(part * PART_NODES);
	end = part_end(part, g->nodes_count);
	for (uint32_t i = first; i < end; i++) {
		struct gcdump_node node;
		enum gcdump_kind kind = gcdump_graph_node(g, i, &node);

		if (ids)
			ids[i] = kind == GCDUMP_OBJECT ? 0 : NODE_NONE;
		if (kind == GCDUMP_OBJECT) {
			if (node.size < 0) {
				seen.negative++;
				node.size = 0;
			}
			seen.objects++;
			seen.bytes += (uint32_t)node.size;
			tally_object(tally, g->types[node.type].id,
				     (uint32_t)node.size, node.refs_count);
		} else if (kind == GCDUMP_UNDEFINED) {
			seen.undefined++;
		} else if (kind == GCDUMP_DAMAGED) {
			seen.damaged++;
			if (i < seen.damaged_first)
				seen.damaged_first = i;
		}
	}
	run->seen[thread] = seen;
	if (!progress_add(run->nodes->progress, end - first))
		return error_cancelled(err);
	return true;
}

/* In slices, so that nobody counts while the screen gets its copy. */
static bool
tally_slices(struct tally_run *run, unsigned threads, struct error *err)
{
	struct gcdump_nodes *n = run->nodes;
	uint64_t parts = parts_of(n->graph->nodes_count);
	uint64_t slice = FIRST_SLICE_PARTS;
	int64_t published_ms = now_ms() - PUBLISH_MS;

	while (run->first_part < parts) {
		if (slice > parts - run->first_part)
			slice = parts - run->first_part;
		if (!worker_run_all(threads, slice, tally_part, run, err))
			return false;
		run->first_part += slice;
		slice = SLICE_PARTS;
		if (run->first_part == parts ||
		    now_ms() - published_ms < PUBLISH_MS)
			continue;
		if (!heap_builder_publish(n->builder, n->preview,
					  run->first_part * PART_NODES,
					  n->graph->nodes_count, false, err))
			return false;
		published_ms = now_ms();
	}
	return true;
}

static void
seen_add(struct gcdump_nodes *n, const struct seen *seen)
{
	struct losses *losses = &heap_builder_info(n->builder)->losses;

	n->objects_count += seen->objects;
	n->bytes_count += seen->bytes;
	n->negative_count += seen->negative;
	n->damaged_count += seen->damaged;
	if (seen->damaged_first < n->damaged_first)
		n->damaged_first = seen->damaged_first;
	losses->undefined_nodes += seen->undefined;
	losses->damaged_nodes += seen->damaged;
}

static bool
check_damage(const struct gcdump_nodes *n, struct error *err)
{
	const struct gcdump_graph *g = n->graph;
	uint32_t offset;

	if (n->damaged_count * 100 <=
	    (uint64_t)g->nodes_count * DAMAGED_MAX_PERCENT)
		return true;
	offset = bytes_array_u32(&g->offsets, n->damaged_first);
	return error_at(err, g->records_at + offset,
			"%" PRIu64 " of %" PRIu32 " objects are damaged, the "
			"first is number %" PRIu32,
			n->damaged_count, g->nodes_count, n->damaged_first);
}

bool
gcdump_nodes_tally(struct gcdump_nodes *n, bool wants_ids, struct error *err)
{
	struct tally_run run = { .nodes = n };
	unsigned threads = worker_threads();
	uint64_t parts = parts_of(n->graph->nodes_count);

	if (threads > parts)
		threads = parts ? (unsigned)parts : 1;
	n->damaged_first = UINT32_MAX;
	if (wants_ids) {
		n->ids =
		    memory_new(n->graph->nodes_count, sizeof(*n->ids), err);
		if (!n->ids)
			return false;
	}
	for (unsigned i = 0; i < threads; i++) {
		run.tallies[i] = heap_builder_tally(n->builder, err);
		run.seen[i].damaged_first = UINT32_MAX;
		if (!run.tallies[i])
			return false;
	}
	progress_begin(n->progress, "counting objects", n->graph->nodes_count);
	if (!tally_slices(&run, threads, err))
		return false;
	for (unsigned i = 0; i < threads; i++)
		seen_add(n, &run.seen[i]);
	return check_damage(n, err) && heap_builder_totals(n->builder, err) &&
	       heap_builder_publish(n->builder, n->preview,
				    n->graph->nodes_count,
				    n->graph->nodes_count, true, err);
}

/* --- ids --- */

static bool
survey_addresses(struct gcdump_nodes *n, struct error *err)
{
	struct addresses *m = heap_builder_addresses(n->builder);
	const struct gcdump_graph *g = n->graph;

	for (uint32_t i = 0; i < g->nodes_count; i++) {
		uint64_t address = gcdump_graph_address(g, i);

		if (address && n->ids[i] != NODE_NONE &&
		    !addresses_survey(m, address, err))
			return false;
		if ((i + 1) % PART_NODES == 0 &&
		    !progress_add(n->progress, PART_NODES))
			return error_cancelled(err);
	}
	return addresses_plan(m, err);
}

/*
 * Objects without an address, or with one that another has, get one that is
 * made up; `ids` keeps which, counted from 1, until there are ids.
 */
static bool
place_addresses(struct gcdump_nodes *n, struct error *err)
{
	struct addresses *m = heap_builder_addresses(n->builder);
	const struct gcdump_graph *g = n->graph;
	uint32_t made_up = 0;

	for (uint32_t i = 0; i < g->nodes_count; i++) {
		uint64_t address = gcdump_graph_address(g, i);

		if (n->ids[i] != NODE_NONE &&
		    (!address || !addresses_place(m, address))) {
			(void)addresses_make_up(m);
			n->ids[i] = ++made_up;
		}
		if ((i + 1) % PART_NODES == 0 &&
		    !progress_add(n->progress, PART_NODES))
			return error_cancelled(err);
	}
	heap_builder_info(n->builder)->losses.made_up_addresses = made_up;
	return addresses_seal(m, err);
}

static bool
number_part(void *context, uint64_t part, unsigned thread, struct error *err)
{
	struct gcdump_nodes *n = context;
	const struct gcdump_graph *g = n->graph;
	const struct addresses *m = heap_builder_addresses(n->builder);
	uint32_t first = (uint32_t)(part * PART_NODES);
	uint32_t end = part_end(part, g->nodes_count);

	(void)thread;
	for (uint32_t i = first; i < end; i++) {
		uint64_t address;

		if (n->ids[i] == NODE_NONE)
			continue;
		if (n->ids[i])
			address = MADE_UP_ADDRESS +
				  (uint64_t)(n->ids[i] - 1) * MADE_UP_STEP;
		else
			address = gcdump_graph_address(g, i);
		n->ids[i] = addresses_find(m, address);
		if (n->ids[i] == NODE_NONE)
			return error_set(err, ERROR_INPUT,
					 "the input changed while it was "
					 "being read");
		n->order[n->ids[i]] = i;
	}
	if (!progress_add(n->progress, end - first))
		return error_cancelled(err);
	return true;
}

bool
gcdump_nodes_number(struct gcdump_nodes *n, struct error *err)
{
	uint32_t nodes_count = n->graph->nodes_count;

	progress_begin(n->progress, "sorting by address",
		       (uint64_t)nodes_count * 3);
	if (!survey_addresses(n, err) || !place_addresses(n, err))
		return false;
	n->order = memory_new(n->objects_count, sizeof(*n->order), err);
	if (!n->order)
		return false;
	return worker_run_all(worker_threads(), parts_of(nodes_count),
			      number_part, n, err);
}

/* --- objects and references --- */

struct encode_thread {
	struct chunk_builder *chunk;
	node_id *targets; /* of one object */
	uint32_t targets_room;
	uint64_t refs, undefined, damaged;
};

struct encode_run {
	struct gcdump_nodes *nodes;
	struct encode_thread threads[WORKER_MAX];
};

static bool
targets_reserve(struct encode_thread *t, uint32_t count, struct error *err)
{
	uint64_t room = (uint64_t)count + count / 2 + 64;
	node_id *targets;

	if (count <= t->targets_room)
		return true;
	if (room > UINT32_MAX)
		room = UINT32_MAX;
	targets =
	    memory_resize(t->targets, (size_t)room, sizeof(*targets), err);
	if (!targets)
		return false;
	t->targets = targets;
	t->targets_room = (uint32_t)room;
	return true;
}

/* A reference to something that is no object. */
static void
count_lost_ref(struct encode_thread *t, const struct gcdump_graph *g,
	       uint32_t target)
{
	struct gcdump_node node;

	if (target < g->nodes_count &&
	    gcdump_graph_node(g, target, &node) == GCDUMP_UNDEFINED)
		t->undefined++;
	else
		t->damaged++;
}

/* The targets of one object; how many of them are objects. */
static uint32_t
read_targets(struct encode_thread *t, const struct gcdump_nodes *n,
	     uint32_t index, struct gcdump_node *node)
{
	const struct gcdump_graph *g = n->graph;
	uint32_t count = 0;
	int32_t delta;

	for (uint32_t i = 0; i < node->refs_count; i++) {
		uint32_t target;

		if (!bytes_run_next(&node->refs, &delta)) {
			*(g->is_cut ? &t->undefined : &t->damaged) +=
			    node->refs_count - i;
			break;
		}
		/* Wraps as the format does; then it is past the end. */
		target = index + (uint32_t)delta;
		if (target < g->nodes_count && n->ids[target] != NODE_NONE)
			t->targets[count++] = n->ids[target];
		else
			count_lost_ref(t, g, target);
	}
	t->refs += node->refs_count;
	return count;
}

static bool
encode_object(struct encode_thread *t, const struct gcdump_nodes *n,
	      uint32_t index, struct error *err)
{
	const struct gcdump_graph *g = n->graph;
	struct gcdump_node node;
	uint32_t count;

	if (gcdump_graph_node(g, index, &node) != GCDUMP_OBJECT)
		return error_set(err, ERROR_INPUT,
				 "the input changed while it was being read");
	if (!targets_reserve(t, node.refs_count, err))
		return false;
	count = read_targets(t, n, index, &node);
	if (!chunk_builder_object(t->chunk, g->types[node.type].id,
				  node.size < 0 ? 0 : (uint32_t)node.size,
				  count, err))
		return false;
	for (uint32_t i = 0; i < count; i++)
		chunk_builder_ref(t->chunk, t->targets[i]);
	return true;
}

static bool
encode_chunk(void *context, uint64_t part, unsigned thread, struct error *err)
{
	struct encode_run *run = context;
	const struct gcdump_nodes *n = run->nodes;
	struct encode_thread *t = &run->threads[thread];
	node_id first = (node_id)(part << CHUNK_SHIFT);
	uint64_t last = ((uint64_t)part + 1) << CHUNK_SHIFT;
	node_id end =
	    last < n->objects_count ? (node_id)last : n->objects_count;

	chunk_builder_begin(t->chunk, (uint32_t)part);
	for (node_id id = first; id < end; id++) {
		if (!encode_object(t, n, n->order[id], err))
			return false;
	}
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
	}
	losses->damaged_refs += damaged;
	if (damaged * 100 > refs * DAMAGED_MAX_PERCENT)
		return error_set(err, ERROR_INPUT,
				 "%" PRIu64 " of %" PRIu64 " references lead "
				 "to no object: the file is damaged",
				 damaged, refs);
	return true;
}

bool
gcdump_nodes_encode(struct gcdump_nodes *n, struct error *err)
{
	struct encode_run run = { .nodes = n };
	uint64_t chunks =
	    ((uint64_t)n->objects_count + CHUNK_NODES - 1) >> CHUNK_SHIFT;
	unsigned threads = worker_threads();
	bool is_good = heap_builder_objects(n->builder, err);

	for (unsigned i = 0; i < threads && is_good; i++) {
		run.threads[i].chunk = chunk_builder_new(n->builder, err);
		is_good = run.threads[i].chunk != NULL;
	}
	progress_begin(n->progress, "reading references", n->objects_count);
	is_good = is_good &&
		  worker_run_all(threads, chunks, encode_chunk, &run, err) &&
		  encode_losses(&run, err);
	for (unsigned i = 0; i < threads; i++) {
		chunk_builder_free(run.threads[i].chunk);
		memory_free(run.threads[i].targets);
	}
	memory_free(n->order);
	n->order = NULL;
	return is_good;
}

void
gcdump_nodes_clear(struct gcdump_nodes *n)
{
	memory_free(n->ids);
	memory_free(n->order);
	n->ids = n->order = NULL;
}
