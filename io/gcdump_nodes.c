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
	DAMAGED_MAX_PERCENT = 1,
	PREFETCH_NODES = 16,
	BATCH_NODES = 32,
	BATCH_TARGETS = 1 << 14,
	RECORD_MIN_BYTES = 2, /* type and number of references */
	RECENT_PAGES = 1024,
	PAGE_BYTES = 4096,
	SHARE_SHIFT = 22
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

/* A thread costs as much as some thousand nodes. */
static unsigned
threads_for(uint32_t count)
{
	uint64_t parts = parts_of(count);
	unsigned threads = worker_threads();

	return parts < threads ? (unsigned)parts + !parts : threads;
}

static bool
input_changed(struct error *err)
{
	return error_set(err, ERROR_INPUT,
			 "the input changed while it was being read");
}

static int64_t
now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* --- totals --- */

/*
 * The pages that objects lie in, as one thread meets them. Most objects lie
 * near one just seen: only those that do not are worth telling.
 */
struct survey {
	uint64_t recent[RECENT_PAGES]; /* page + 1, by its low bits */
	uint64_t *addresses;           /* one for each page, some for several */
	size_t count, room;
	uint64_t low_bits; /* of all addresses, or-ed */
};

static inline bool
survey_add(struct survey *s, uint64_t address, struct error *err)
{
	uint64_t page = address / PAGE_BYTES;
	uint64_t *recent = &s->recent[page % RECENT_PAGES];

	s->low_bits |= address;
	if (*recent == page + 1 || !address)
		return true;
	*recent = page + 1;
	if (!memory_make_room((void **)&s->addresses, s->count, &s->room,
			      sizeof(*s->addresses), err))
		return false;
	s->addresses[s->count++] = address;
	return true;
}

/* What one thread has seen besides its tally. */
struct seen {
	uint64_t undefined, damaged, negative, bytes, record_bytes;
	uint32_t objects, damaged_first;
};

struct tally_run {
	struct gcdump_nodes *nodes;
	struct tally *tallies[WORKER_MAX];
	struct survey *surveys[WORKER_MAX]; /* NULL: ids are not wanted */
	struct seen seen[WORKER_MAX];
	uint64_t first_part; /* of this slice */
};

static inline void
tally_node(struct seen *seen, struct tally *tally, const struct gcdump_graph *g,
	   struct gcdump_node *node)
{
	if (node->size < 0) {
		seen->negative++;
		node->size = 0;
	}
	seen->objects++;
	seen->bytes += (uint32_t)node->size;
	tally_object(tally, g->types[node->type].id, (uint32_t)node->size,
		     node->refs_count);
}

static inline void
tally_other(struct seen *seen, enum gcdump_kind kind, uint32_t index)
{
	if (kind == GCDUMP_UNDEFINED)
		seen->undefined++;
	if (kind != GCDUMP_DAMAGED)
		return;
	seen->damaged++;
	if (index < seen->damaged_first)
		seen->damaged_first = index;
}

static bool
tally_nodes(struct tally_run *run, uint32_t first, uint32_t end,
	    unsigned thread, struct error *err)
{
	const struct gcdump_graph *g = run->nodes->graph;
	struct survey *survey = run->surveys[thread];
	struct seen seen = run->seen[thread];
	node_id *ids = run->nodes->ids;

	for (uint32_t i = first; i < end; i++) {
		struct gcdump_node node;
		enum gcdump_kind kind;

		if (end - i > PREFETCH_NODES)
			gcdump_graph_prefetch(g, i + PREFETCH_NODES);
		kind = gcdump_graph_node(g, i, &node);
		if (kind >= GCDUMP_PSEUDO)
			seen.record_bytes += RECORD_MIN_BYTES + node.refs_count;
		if (kind == GCDUMP_OBJECT)
			tally_node(&seen, run->tallies[thread], g, &node);
		else
			tally_other(&seen, kind, i);
		if (!survey)
			continue;
		ids[i] = kind == GCDUMP_OBJECT ? 0 : NODE_NONE;
		if (kind == GCDUMP_OBJECT &&
		    !survey_add(survey, gcdump_graph_address(g, i), err))
			return false;
	}
	run->seen[thread] = seen;
	return true;
}

static bool
tally_part(void *context, uint64_t part, unsigned thread, struct error *err)
{
	struct tally_run *run = context;
	uint32_t first, end;

	part += run->first_part;
	first = (uint32_t)(part * PART_NODES);
	end = part_end(part, run->nodes->graph->nodes_count);
	if (!tally_nodes(run, first, end, thread, err))
		return false;
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
	n->record_bytes += seen->record_bytes;
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

	/* Or a small file could have any number of references. */
	if (n->record_bytes > g->records.count)
		return error_at(err, g->records_at,
				"the records of the objects overlap: they need "
				"at least %" PRIu64 " bytes, but have %" PRIu64,
				n->record_bytes, g->records.count);
	if (n->damaged_count * 100 <=
	    (uint64_t)g->nodes_count * DAMAGED_MAX_PERCENT)
		return true;
	offset = bytes_array_u32(&g->offsets, n->damaged_first);
	return error_at(err, g->records_at + offset,
			"%" PRIu64 " of %" PRIu32 " objects are damaged, the "
			"first is number %" PRIu32,
			n->damaged_count, g->nodes_count, n->damaged_first);
}

/* Tells the model which pages there are, and the worst alignment. */
static bool
survey_finish(struct gcdump_nodes *n, const struct survey *s, struct error *err)
{
	struct addresses *m = heap_builder_addresses(n->builder);

	for (size_t i = 0; i < s->count; i++) {
		uint64_t page = s->addresses[i] & ~(uint64_t)(PAGE_BYTES - 1);
		uint64_t low = s->low_bits & (0 - s->low_bits);

		if (!addresses_survey(m, s->addresses[i], err) ||
		    (i == 0 && low < PAGE_BYTES &&
		     !addresses_survey(m, page | low, err)))
			return false;
	}
	return true;
}

static bool
tally_run_init(struct tally_run *run, unsigned threads, bool wants_ids,
	       struct error *err)
{
	struct gcdump_nodes *n = run->nodes;

	n->damaged_first = UINT32_MAX;
	if (wants_ids) {
		n->ids =
		    memory_new(n->graph->nodes_count, sizeof(*n->ids), err);
		if (!n->ids)
			return false;
	}
	for (unsigned i = 0; i < threads; i++) {
		run->seen[i].damaged_first = UINT32_MAX;
		run->tallies[i] = heap_builder_tally(n->builder, err);
		if (!run->tallies[i])
			return false;
		if (!wants_ids)
			continue;
		run->surveys[i] = memory_new(1, sizeof(*run->surveys[i]), err);
		if (!run->surveys[i])
			return false;
	}
	return true;
}

static bool
tally_run_finish(struct tally_run *run, unsigned threads, struct error *err)
{
	struct gcdump_nodes *n = run->nodes;

	for (unsigned i = 0; i < threads; i++) {
		seen_add(n, &run->seen[i]);
		if (run->surveys[i] && !survey_finish(n, run->surveys[i], err))
			return false;
	}
	return check_damage(n, err) && heap_builder_totals(n->builder, err) &&
	       heap_builder_publish(n->builder, n->preview,
				    n->graph->nodes_count,
				    n->graph->nodes_count, true, err);
}

bool
gcdump_nodes_tally(struct gcdump_nodes *n, bool wants_ids, struct error *err)
{
	struct tally_run run = { .nodes = n };
	unsigned threads = threads_for(n->graph->nodes_count);
	bool is_good;

	progress_begin(n->progress, "counting objects", n->graph->nodes_count);
	is_good = tally_run_init(&run, threads, wants_ids, err) &&
		  tally_slices(&run, threads, err) &&
		  tally_run_finish(&run, threads, err);
	for (unsigned i = 0; i < threads; i++) {
		if (run.surveys[i])
			memory_free(run.surveys[i]->addresses);
		memory_free(run.surveys[i]);
	}
	return is_good;
}

/* --- ids --- */

/* Until there are ids: no address, or one that another object has. */
enum { NEEDS_ADDRESS = 1 };

/*
 * Each thread looks at all objects and places those of its own share of the
 * 4 MiB pages: two threads never write to the same part of the bitmap.
 */
struct place_run {
	struct gcdump_nodes *nodes;
	unsigned shares;
	_Atomic uint64_t homeless;
};

static bool
place_share(void *context, uint64_t share, unsigned thread, struct error *err)
{
	struct place_run *run = context;
	const struct gcdump_nodes *n = run->nodes;
	struct addresses *m = heap_builder_addresses(n->builder);
	const struct gcdump_graph *g = n->graph;
	uint64_t homeless = 0;

	(void)thread;
	for (uint32_t i = 0; i < g->nodes_count; i++) {
		uint64_t address = gcdump_graph_address(g, i);

		if ((address >> SHARE_SHIFT) % run->shares == share &&
		    n->ids[i] != NODE_NONE &&
		    (!address || !addresses_place(m, address))) {
			n->ids[i] = NEEDS_ADDRESS;
			homeless++;
		}
		if ((i + 1) % PART_NODES == 0 &&
		    !progress_add(n->progress, PART_NODES))
			return error_cancelled(err);
	}
	atomic_fetch_add(&run->homeless, homeless);
	return true;
}

/* The made-up addresses are counted from 1 in `ids` until there are ids. */
static bool
place_homeless(struct gcdump_nodes *n, uint64_t homeless, struct error *err)
{
	struct addresses *m = heap_builder_addresses(n->builder);
	uint32_t count = 0;

	for (uint32_t i = 0; homeless && i < n->graph->nodes_count; i++) {
		if (n->ids[i] == NEEDS_ADDRESS) {
			(void)addresses_make_up(m);
			n->ids[i] = ++count;
		}
		if ((i + 1) % PART_NODES == 0 && !progress_add(n->progress, 0))
			return error_cancelled(err);
	}
	heap_builder_info(n->builder)->losses.made_up_addresses = count;
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
		address = n->ids[i]
			      ? MADE_UP_ADDRESS +
				    (uint64_t)(n->ids[i] - 1) * MADE_UP_STEP
			      : gcdump_graph_address(g, i);
		n->ids[i] = addresses_find(m, address);
		if (n->ids[i] == NODE_NONE)
			return input_changed(err);
		n->order[n->ids[i]] = i;
	}
	if (!progress_add(n->progress, end - first))
		return error_cancelled(err);
	return true;
}

bool
gcdump_nodes_number(struct gcdump_nodes *n, struct error *err)
{
	struct addresses *m = heap_builder_addresses(n->builder);
	unsigned threads = threads_for(n->graph->nodes_count);
	struct place_run run = { .nodes = n, .shares = threads };
	uint32_t nodes_count = n->graph->nodes_count;

	progress_begin(n->progress, "sorting by address",
		       (uint64_t)nodes_count * (threads + 1));
	if (!addresses_plan(m, err) ||
	    !worker_run_all(threads, threads, place_share, &run, err) ||
	    !place_homeless(n, run.homeless, err))
		return false;
	if (addresses_count(m) != n->objects_count)
		return input_changed(err);
	n->order = memory_new(n->objects_count, sizeof(*n->order), err);
	if (!n->order)
		return false;
	return worker_run_all(threads, parts_of(nodes_count), number_part, n,
			      err);
}

/* --- objects and references --- */

struct pending_object {
	type_id type;
	uint32_t size, refs_count;
};

/*
 * Objects are read some at a time: the ids of all their targets, anywhere in
 * memory, are on their way before the first is needed.
 */
struct encode_thread {
	struct chunk_builder *chunk;
	struct pending_object objects[BATCH_NODES];
	uint32_t objects_count;
	uint32_t *targets; /* nodes, of all these objects */
	size_t targets_count, targets_room;
	uint64_t refs, undefined, damaged;
	uint64_t stray; /* to pseudo-nodes and to damaged ones */
};

struct encode_run {
	struct gcdump_nodes *nodes;
	struct encode_thread threads[WORKER_MAX];
};

static bool
targets_reserve(struct encode_thread *t, uint32_t count, struct error *err)
{
	size_t wanted = t->targets_count + count;
	uint32_t *targets;

	if (t->targets && wanted <= t->targets_room)
		return true;
	wanted += wanted / 2 + BATCH_NODES;
	targets = memory_resize(t->targets, wanted, sizeof(*targets), err);
	if (!targets)
		return false;
	t->targets = targets;
	t->targets_room = wanted;
	return true;
}

static bool
batch_read(struct encode_thread *t, const struct gcdump_nodes *n,
	   uint32_t index, struct error *err)
{
	const struct gcdump_graph *g = n->graph;
	struct pending_object *object = &t->objects[t->objects_count++];
	struct gcdump_node node;
	uint32_t *targets;

	if (gcdump_graph_node(g, index, &node) != GCDUMP_OBJECT)
		return input_changed(err);
	if (!targets_reserve(t, node.refs_count, err))
		return false;
	targets = t->targets + t->targets_count;
	for (uint32_t i = 0; i < node.refs_count; i++) {
		int32_t delta;

		if (!bytes_run_next_wide(&node.refs, &delta)) {
			*(g->is_cut ? &t->undefined : &t->damaged) +=
			    node.refs_count - i;
			node.refs_count = i;
			break;
		}
		/* Wraps as the format does; then it is past the end. */
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

/* A reference to something that is no object. */
static void
count_lost_ref(struct encode_thread *t, const struct gcdump_graph *g,
	       uint32_t target)
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

/* One loop over all, because the many short ones are hard to predict. */
static bool
batch_is_whole(const struct encode_thread *t, const struct gcdump_nodes *n)
{
	uint32_t lost = 0;

	for (size_t i = 0; i < t->targets_count; i++)
		lost += !is_object(n, t->targets[i]);
	return !lost;
}

/* Leaves out what is no object, and counts it. */
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
			} else {
				count_lost_ref(t, n->graph, *from);
			}
		}
	}
}

static bool
batch_write(struct encode_thread *t, const struct gcdump_nodes *n,
	    struct error *err)
{
	const uint32_t *target = t->targets;

	t->refs += t->targets_count;
	if (!batch_is_whole(t, n))
		batch_drop_lost(t, n);
	for (uint32_t i = 0; i < t->objects_count; i++) {
		const struct pending_object *object = &t->objects[i];

		if (!chunk_builder_object(t->chunk, object->type, object->size,
					  object->refs_count, err))
			return false;
		for (uint32_t k = 0; k < object->refs_count; k++)
			chunk_builder_ref(t->chunk, n->ids[*target++]);
	}
	t->objects_count = 0;
	t->targets_count = 0;
	return true;
}

/* What will be read soon lies anywhere: first its offset, then its record. */
static inline void
encode_prefetch(const struct gcdump_nodes *n, node_id id, node_id end)
{
	if (end - id > 2 * PREFETCH_NODES)
		bytes_array_prefetch(&n->graph->offsets,
				     n->order[id + 2 * PREFETCH_NODES], 4);
	if (end - id > PREFETCH_NODES)
		gcdump_graph_prefetch(n->graph, n->order[id + PREFETCH_NODES]);
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
		encode_prefetch(n, id, end);
		if (!batch_read(t, n, n->order[id], err))
			return false;
		if ((t->objects_count == BATCH_NODES ||
		     t->targets_count > BATCH_TARGETS || id + 1 == end) &&
		    !batch_write(t, n, err))
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
		losses->damaged_refs += run->threads[i].stray;
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
	unsigned threads = threads_for(n->objects_count);
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
