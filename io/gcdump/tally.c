#include "io/gcdump/nodes.h"
#include "model/base/clock.h"
#include <inttypes.h>
#include <time.h>

enum {
	FIRST_SLICE_PARTS = 8, /* for an early first preview */
	SLICE_PARTS = 32,
	PUBLISH_MS = 150,
	RECORD_MIN_BYTES = 2, /* type and reference count */
	RECENT_PAGES = 1024,
	PAGE_BYTES = 4096
};

/*
 * Pages with objects, as seen by one thread. Most objects are near one just seen, so that only the
 * others are recorded.
 */
struct survey {
	uint64_t recent[RECENT_PAGES]; /* page + 1, by its low bits */
	uint64_t *addresses;           /* at least one for each page */
	size_t count, room;
	uint64_t low_bits; /* bitwise or of all addresses */
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
	return APPEND(s->addresses, s->count, s->room, err, address);
}

/* Other counts of one thread. */
struct seen {
	uint64_t undefined, damaged, negative, bytes, record_bytes;
	uint32_t objects, damaged_first;
};

struct tally_run {
	struct gcdump_nodes *nodes;
	struct tally *tallies[WORKER_MAX];
	struct survey *surveys[WORKER_MAX]; /* NULL unless ids are wanted */
	struct seen seen[WORKER_MAX];
	uint64_t first_part; /* of the current slice */
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
	tally_object(tally, g->types[node->type].id, (uint32_t)node->size, node->refs_count);
}

static void
tally_other(struct seen *seen, enum gcdump_kind kind, uint32_t index)
{
	if (kind == GCDUMP_UNDEFINED)
		seen->undefined++;
	if (kind == GCDUMP_DAMAGED) {
		seen->damaged++;
		if (index < seen->damaged_first)
			seen->damaged_first = index;
	}
}

static bool
tally_nodes(struct tally_run *run, uint32_t first, uint32_t end, unsigned thread, struct error *err)
{
	const struct gcdump_graph *g = run->nodes->graph;
	struct survey *survey = run->surveys[thread];
	struct seen seen = run->seen[thread];
	node_id *ids = run->nodes->ids;
	bool is_good = true;

	for (uint32_t i = first; i < end && is_good; i++) {
		struct gcdump_node node;
		enum gcdump_kind kind;

		if (end - i > GCDUMP_PREFETCH_NODES)
			gcdump_graph_prefetch(g, i + GCDUMP_PREFETCH_NODES);
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
		if (kind == GCDUMP_OBJECT && !survey_add(survey, gcdump_graph_address(g, i), err))
			is_good = false;
	}
	run->seen[thread] = seen;
	return is_good;
}

static bool
tally_part(void *context, uint64_t part, unsigned thread, struct error *err)
{
	struct tally_run *run = context;
	uint32_t first, end;

	part += run->first_part;
	first = (uint32_t)(part * GCDUMP_PART_NODES);
	end = gcdump_part_end(part, run->nodes->graph->nodes_count);
	if (!tally_nodes(run, first, end, thread, err))
		return false;
	if (!progress_add(run->nodes->progress, end - first))
		return error_cancelled(err);
	return true;
}

/* Counts in slices, between which the preview may copy the totals. */
static bool
tally_slices(struct tally_run *run, unsigned threads, struct error *err)
{
	struct gcdump_nodes *n = run->nodes;
	uint64_t parts = gcdump_parts_of(n->graph->nodes_count);
	uint64_t slice = FIRST_SLICE_PARTS;
	int64_t published_ms = clock_ns() / 1000000 - PUBLISH_MS;

	while (run->first_part < parts) {
		if (slice > parts - run->first_part)
			slice = parts - run->first_part;
		if (!worker_run_all(threads, slice, tally_part, run, err))
			return false;
		run->first_part += slice;
		slice = SLICE_PARTS;
		if (run->first_part == parts || clock_ns() / 1000000 - published_ms < PUBLISH_MS)
			continue;
		if (!heap_builder_publish(n->builder, n->preview,
					  run->first_part * GCDUMP_PART_NODES,
					  n->graph->nodes_count, false, err))
			return false;
		published_ms = clock_ns() / 1000000;
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

	/* Overlapping records would give a small file unlimited references. */
	if (n->record_bytes > g->records.count)
		return error_at(err, g->records_at,
				"the records of objects overlap: they need at "
				"least %" PRIu64 " bytes, but have %" PRIu64,
				n->record_bytes, g->records.count);
	if (n->damaged_count * 100 <= (uint64_t)g->nodes_count * GCDUMP_DAMAGED_MAX_PERCENT)
		return true;
	offset = bytes_array_u32(&g->offsets, n->damaged_first);
	return error_at(err, g->records_at + offset,
			"damaged objects: %" PRIu64 " of %" PRIu32 ", the first is number %" PRIu32,
			n->damaged_count, g->nodes_count, n->damaged_first);
}

/* Reports the pages, and the least aligned address, to the model. */
static bool
survey_finish(struct gcdump_nodes *n, const struct survey *s, struct error *err)
{
	struct addresses *m = heap_builder_addresses(n->builder);

	for (size_t i = 0; i < s->count; i++) {
		uint64_t page = s->addresses[i] & ~(uint64_t)(PAGE_BYTES - 1);
		uint64_t low = s->low_bits & (0 - s->low_bits);

		if (i % GCDUMP_PART_NODES == 0 && !progress_add(n->progress, 0))
			return error_cancelled(err);
		if (!addresses_survey(m, s->addresses[i], err) ||
		    (i == 0 && low < PAGE_BYTES && !addresses_survey(m, page | low, err)))
			return false;
	}
	return true;
}

static bool
tally_run_init(struct tally_run *run, unsigned threads, bool wants_ids, struct error *err)
{
	struct gcdump_nodes *n = run->nodes;

	n->damaged_first = UINT32_MAX;
	if (wants_ids) {
		n->ids = memory_new(n->graph->nodes_count, sizeof(*n->ids), err);
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
	       heap_builder_publish(n->builder, n->preview, n->graph->nodes_count,
				    n->graph->nodes_count, true, err);
}

bool
gcdump_nodes_tally(struct gcdump_nodes *n, bool wants_ids, struct error *err)
{
	struct tally_run run = { .nodes = n };
	unsigned threads = gcdump_threads_for(n->graph->nodes_count);
	bool is_good;

	progress_begin(n->progress, "counting objects", "objects", n->graph->nodes_count);
	is_good = tally_run_init(&run, threads, wants_ids, err) &&
		  tally_slices(&run, threads, err) && tally_run_finish(&run, threads, err);
	for (unsigned i = 0; i < threads; i++) {
		if (run.surveys[i])
			memory_free(run.surveys[i]->addresses);
		memory_free(run.surveys[i]);
	}
	return is_good;
}
