#include "io/clr/graph_state.h"
#include "model/base/clock.h"
#include "model/base/hash.h"
#include "model/base/seed.h"
#include "model/base/sorted.h"
#include <stdlib.h>

enum {
	BATCH = 512,
	NEAR = 256,
	FIRST_SLICE_BYTES = 8 << 20, /* small, to show something early */
	SLICE_BYTES = 256 << 20,
	PUBLISH_NS = 150000000,
};

/* --- totals of a thread --- */

static struct clr_table_totals *
totals_add(const struct clr_graph *g, struct clr_graph_worker *w, const struct clr_object *o,
	   uint64_t key, struct error *err)
{
	const struct clr_table *table = clr_tables_known(w->tables, o->table);
	struct clr_table_totals *totals;

	if (!table) /* not cached: no memory */
		return memory_refused_by_system(err, sizeof(*table)), NULL;
	if (!MAKE_ROOM(w->totals, w->totals_count + 1, w->totals_room, err) ||
	    !u64_map_put(&w->index, key, (uint32_t)w->totals_count, err))
		return NULL;
	totals = &w->totals[w->totals_count++];
	*totals = (struct clr_table_totals){ .method_table = o->table, .min_bytes = UINT64_MAX };
	totals->has_refs =
	    o->flags & CLR_MT_HAS_POINTERS || clr_is_collectible(&g->runtime->layout, o->flags);
	if (o->flags & CLR_MT_HAS_COMPONENTS)
		totals->component_bytes = o->flags & UINT16_MAX;
	totals->base_bytes = table->base_size;
	totals->is_continuation = table->is_continuation;
	return totals;
}

static uint64_t
resume_info_of(const struct clr_graph *g, const struct clr_object *o)
{
	uint32_t at = g->runtime->layout.offset[CLR_CONTINUATION_RESUME_INFO];

	return at != CLR_ABSENT && at + sizeof(uint64_t) <= o->bytes_len
		   ? bytes_load_u64(o->bytes + at)
		   : 0;
}

/* The totals of suspended calls that wait at the same place. */
static struct clr_table_totals *
totals_of_call(const struct clr_graph *g, struct clr_graph_worker *w, const struct clr_object *o,
	       uint32_t shape, struct error *err)
{
	const uint64_t both[2] = { o->table, resume_info_of(g, o) };
	uint64_t key = hash_bytes(seed_random(), both, sizeof(both));
	struct clr_table_totals *totals;
	uint32_t at;

	if (!both[1])
		return &w->totals[shape];
	U64_MAP_FIND(at, &w->index, key,
		     w->totals[at].method_table == both[0] && w->totals[at].resume_info == both[1]);
	if (at != U64_MAP_NONE)
		return &w->totals[at];
	totals = totals_add(g, w, o, key, err);
	if (totals)
		totals->resume_info = both[1];
	return totals;
}

/* Not rounded up to 8, as in event captures. */
static inline uint64_t
object_bytes(const struct clr_table_totals *totals, const struct clr_object *o)
{
	return totals->base_bytes + (uint64_t)totals->component_bytes * o->components;
}

static inline bool
count_object(const struct clr_graph *g, struct clr_graph_worker *w, const struct clr_object *o,
	     uint32_t near[NEAR], struct error *err)
{
	uint32_t *slot = &near[(o->table >> 3 ^ o->table >> 11) % NEAR];
	struct clr_table_totals *totals;
	uint64_t bytes;

	if (*slot >= w->totals_count || w->totals[*slot].method_table != o->table) {
		*slot = u64_map_get(&w->index, o->table);
		if (*slot == U64_MAP_NONE && !totals_add(g, w, o, o->table, err))
			return false;
		*slot = u64_map_get(&w->index, o->table);
	}
	totals = &w->totals[*slot];
	if (totals->is_continuation) {
		totals = totals_of_call(g, w, o, *slot, err);
		if (!totals)
			return false;
	}
	bytes = object_bytes(totals, o);
	totals->count++;
	totals->bytes += bytes;
	totals->counts_in[o->generation]++;
	totals->bytes_in[o->generation] += bytes;
	if (bytes < totals->min_bytes)
		totals->min_bytes = bytes;
	if (bytes > totals->max_bytes)
		totals->max_bytes = bytes;
	if (bytes < TALLY_SIZES)
		w->sizes[bytes]++;
	return true;
}

/* --- ranges --- */

/* One lock per batch: it is held a tenth of the time. */
static bool
note_addresses(struct clr_graph *g, const struct clr_object *objects, size_t count,
	       struct error *err)
{
	struct addresses *addresses = heap_builder_addresses(g->builder);
	bool is_good = true;

	pthread_mutex_lock(&g->lock);
	for (size_t i = 0; i < count && is_good; i++) {
		if (objects[i].is_free)
			continue;
		is_good = addresses_note(addresses, objects[i].address, err);
		g->objects_count++;
	}
	pthread_mutex_unlock(&g->lock);
	return is_good;
}

/* An unfinished allocation is a hole, but no loss. */
static bool
note_holes(struct clr_graph_worker *w, struct error *err)
{
	size_t count;
	const struct clr_hole *holes = clr_walk_holes(w->walk, &count);

	for (size_t i = 0; i < count; i++) {
		uint64_t bytes = holes[i].end - holes[i].start;

		if (!APPEND(w->holes, w->holes_count, w->holes_room, err,
			    (struct heap_hole){
				.start = holes[i].start,
				.end = holes[i].end,
				.last_good = holes[i].last_good,
				.reason = clr_hole_text(holes[i].reason),
			    }))
			return false;
		if (holes[i].reason == CLR_HOLE_UNFINISHED)
			continue;
		w->lost_count++;
		w->lost_bytes += bytes;
	}
	/* Holes that the walk did not list are only counted. */
	if (clr_walk_sums(w->walk)->holes_count > count)
		w->lost_count += clr_walk_sums(w->walk)->holes_count - count;
	return true;
}

static bool
note_free(struct clr_graph_worker *w, size_t count, struct error *err)
{
	for (size_t i = 0; i < count; i++) {
		const struct clr_object *o = &w->objects[i];

		if (!o->is_free)
			continue;
		if (!APPEND(w->free_blocks, w->free_count, w->free_room, err,
			    (struct heap_free_block){ o->address, o->size }))
			return false;
	}
	return true;
}

static void
note_segment(struct clr_graph *g, size_t i, const struct clr_walk_sums *sums)
{
	const struct clr_range *range = &g->heaps->ranges[i];

	g->segments[i] = (struct heap_segment){
		.start = range->start,
		.allocated = range->end,
		.committed = range->committed,
		.reserved = range->reserved,
		.generation = range->generation,
		.heap_number = (int32_t)range->heap,
		.is_ephemeral = range->is_ephemeral && !g->heaps->has_regions,
		.objects_count = sums->objects_count,
		.objects_bytes = sums->objects_bytes,
		.free_count = sums->free_count,
		.free_bytes = sums->free_bytes,
	};
}

static bool
add_batch(struct clr_graph *g, struct clr_graph_worker *w, size_t count, uint32_t near[NEAR],
	  struct error *err)
{
	for (size_t i = 0; i < count; i++)
		if (!w->objects[i].is_free && !count_object(g, w, &w->objects[i], near, err))
			return false;
	return note_free(w, count, err) &&
	       (g->options->what != LOAD_ALL || note_addresses(g, w->objects, count, err));
}

static bool
walk_range(void *context, uint64_t part, unsigned thread, struct error *err)
{
	struct clr_graph *g = context;
	struct clr_graph_worker *w = &g->workers[thread];
	size_t i = g->walked + (size_t)part;
	const struct clr_range *range = &g->heaps->ranges[i];
	struct progress *progress = g->options->progress;
	uint32_t near[NEAR];
	uint64_t done = range->start;
	size_t count;

	memset(near, 0xff, sizeof near);
	clr_walk_start(w->walk, range);
	while (clr_walk_next(w->walk, w->objects, BATCH, &count)) {
		uint64_t at = done;

		if (!add_batch(g, w, count, near, err))
			return false;
		if (count)
			at = w->objects[count - 1].address;
		if (!progress_add(progress, at - done))
			return error_cancelled(err);
		done = at;
	}
	note_segment(g, i, clr_walk_sums(w->walk));
	if (!note_holes(w, err))
		return false;
	return progress_add(progress, range->end - done) || error_cancelled(err);
}

/* --- all ranges --- */

static bool
start_workers(struct clr_graph *g, struct error *err)
{
	g->workers_count = worker_threads();
	for (unsigned i = 0; i < g->workers_count; i++) {
		struct clr_graph_worker *w = &g->workers[i];

		w->tables = clr_tables_new(g->heaps, err);
		w->walk = w->tables ? clr_walk_new(g->heaps, w->tables, err) : NULL;
		w->objects = memory_new(BATCH, sizeof(*w->objects), err);
		w->sizes = memory_new(TALLY_SIZES, sizeof(*w->sizes), err);
		if (!w->walk || !w->objects || !w->sizes)
			return false;
	}
	return true;
}

/* Frees what only this pass needs. */
static void
stop_workers(struct clr_graph *g)
{
	for (unsigned i = 0; i < g->workers_count; i++) {
		struct clr_graph_worker *w = &g->workers[i];

		clr_walk_free(w->walk);
		clr_tables_free(w->tables);
		memory_free(w->objects);
		memory_free(w->totals);
		memory_free(w->holes);
		memory_free(w->free_blocks);
		memory_free(w->sizes);
		u64_map_clear(&w->index);
	}
}

static int
compare_totals(const void *a, const void *b)
{
	const struct clr_table_totals *x = *(const struct clr_table_totals *const *)a;
	const struct clr_table_totals *y = *(const struct clr_table_totals *const *)b;

	if (x->method_table != y->method_table)
		return x->method_table < y->method_table ? -1 : 1;
	return (x->resume_info > y->resume_info) - (x->resume_info < y->resume_info);
}

/* The totals of all threads, by method table. NULL sets `err`. */
static const struct clr_table_totals **
gather_totals(const struct clr_graph *g, size_t *count, struct error *err)
{
	const struct clr_table_totals **all;

	*count = 0;
	for (unsigned i = 0; i < g->workers_count; i++)
		*count += g->workers[i].totals_count;
	all = memory_new(*count + 1, sizeof(struct clr_table_totals *), err);
	if (!all)
		return NULL;
	*count = 0;
	for (unsigned i = 0; i < g->workers_count; i++)
		for (size_t k = 0; k < g->workers[i].totals_count; k++)
			if (g->workers[i].totals[k].count)
				all[(*count)++] = &g->workers[i].totals[k];
	qsort(all, *count, sizeof(struct clr_table_totals *), compare_totals);
	return all;
}

/* NULL: the type is not named yet. */
static const struct clr_type *
type_of(const struct clr_graph *g, const struct clr_table_totals *totals)
{
	return clr_types_find_call(g->types, totals->method_table, totals->resume_info);
}

static void
add_to_tally(struct tally *t, type_id type, const struct clr_table_totals *totals)
{
	struct tally_type *total = &t->types[type];

	total->count += totals->count;
	total->bytes += totals->bytes;
	total->refs += totals->has_refs;
	if (totals->min_bytes < total->min_bytes)
		total->min_bytes = totals->min_bytes;
	if (totals->max_bytes > total->max_bytes)
		total->max_bytes = totals->max_bytes;
}

/* Without LOAD_ALL, types keep their totals by generation from this pass. */
static bool
keep_generations(struct clr_graph *g, const struct clr_table_totals *const *all, size_t count,
		 struct error *err)
{
	uint64_t *counts, *bytes;

	if (g->options->what == LOAD_ALL)
		return true;
	if (!heap_builder_generations(g->builder, &counts, &bytes, err))
		return false;
	for (size_t i = 0; i < count; i++) {
		size_t first = (size_t)GEN_COUNT * type_of(g, all[i])->id;

		for (size_t gen = 0; gen < GEN_COUNT; gen++) {
			counts[first + gen] += all[i]->counts_in[gen];
			bytes[first + gen] += all[i]->bytes_in[gen];
		}
	}
	return true;
}

/* Objects of some types have references only through dependent handles. */
static void
add_links_to_tally(const struct clr_graph *g, struct tally *t)
{
	uint64_t table;

	for (size_t i = 0; i < g->links_count; i++) {
		const struct clr_type *type = NULL;

		if (memory_u64(g->runtime->reader, g->links[i].from, &table))
			type = clr_types_find(g->types, table & ~CLR_OBJECT_MARKS);
		if (type)
			t->types[type->id].refs++;
	}
}

static int
compare_tables(const void *a, const void *b)
{
	const struct heap_table *x = a, *y = b;

	return x->type != y->type ? (x->type > y->type) - (x->type < y->type)
				  : (x->address > y->address) - (x->address < y->address);
}

/* Adds up the records of one method table and type. */
static uint32_t
merge_tables(struct heap_table *tables, size_t count)
{
	uint32_t kept = 0;

	qsort(tables, count, sizeof(*tables), compare_tables);
	for (size_t i = 0; i < count; i++) {
		struct heap_table *t = &tables[kept - (kept > 0)];

		if (!kept || compare_tables(t, &tables[i]) != 0) {
			tables[kept++] = tables[i];
			continue;
		}
		t->objects_count += tables[i].objects_count;
		t->objects_bytes += tables[i].objects_bytes;
	}
	return kept;
}

/* `all` has a method table once for each thread that saw it, or for each place where suspended
 * calls wait. */
static bool
keep_tables(struct clr_graph *g, const struct clr_table_totals *const *all, size_t count,
	    struct error *err)
{
	struct heap_memory *m = heap_builder_memory(g->builder, err);
	struct heap_table *tables =
	    arena_array(heap_builder_arena(g->builder), struct heap_table, count, err);

	if (!m || !tables)
		return false;
	for (size_t i = 0; i < count; i++)
		tables[i] = (struct heap_table){
			.address = all[i]->method_table,
			.objects_count = all[i]->count,
			.objects_bytes = all[i]->bytes,
			.type = type_of(g, all[i])->id,
		};
	m->tables = tables;
	m->tables_count = merge_tables(tables, count);
	return true;
}

static bool
name_types(struct clr_graph *g, const struct clr_table_totals *const *all, size_t count,
	   struct error *err)
{
	for (size_t i = 0; i < count; i++) {
		if (!clr_types_add_call(g->types, all[i]->method_table, all[i]->resume_info, err))
			return false;
		if (!progress_add(g->options->progress, 1))
			return error_cancelled(err);
	}
	return true;
}

/* Skips types that are not named yet. */
static uint64_t
add_all_to_tally(const struct clr_graph *g, struct tally *t,
		 const struct clr_table_totals *const *all, size_t count)
{
	uint64_t objects = 0;

	for (size_t i = 0; i < count; i++) {
		const struct clr_type *type = type_of(g, all[i]);

		objects += all[i]->count;
		if (type)
			add_to_tally(t, type->id, all[i]);
	}
	return objects;
}

static bool
add_types(struct clr_graph *g, const struct clr_table_totals *const *all, size_t count,
	  struct error *err)
{
	struct tally *tally;

	progress_begin(g->options->progress, "naming types", "types", count);
	if (!name_types(g, all, count, err))
		return false;
	tally = heap_builder_tally(g->builder, err);
	if (!tally)
		return false;
	add_all_to_tally(g, tally, all, count);
	add_links_to_tally(g, tally);
	if (!keep_tables(g, all, count, err) || !keep_generations(g, all, count, err))
		return false;
	for (unsigned i = 0; i < g->workers_count; i++)
		for (size_t size = 0; size < TALLY_SIZES; size++)
			tally->sizes[size] += g->workers[i].sizes[size];
	return heap_builder_publish(g->builder, g->options->preview, g->objects_count,
				    g->objects_count, true, err) &&
	       heap_builder_totals(g->builder, err);
}

static bool
plan_addresses(struct clr_graph *g, struct error *err)
{
	struct addresses *addresses = heap_builder_addresses(g->builder);

	if (g->options->what == LOAD_TYPES)
		return true;
	if (!addresses_plan(addresses, err))
		return false;
	/* Ranges are disjoint and their objects follow one another. */
	if (g->objects_count && !addresses_are_placed(addresses))
		return error_set(err, ERROR_INPUT, "objects are not aligned to 8 bytes");
	return addresses_seal(addresses, err);
}

/* --- slices, for early results --- */

static void
tally_restart(struct tally *t, uint32_t types_count)
{
	for (type_id i = 0; i < types_count; i++)
		t->types[i] = (struct tally_type){ .min_bytes = UINT64_MAX };
}

/* New types are named only after the first slice and at the end, so that ids do not depend on the
 * machine's speed. */
static bool
show_so_far(struct clr_graph *g, struct error *err)
{
	bool is_first = !g->shown;
	const struct clr_table_totals **all;
	size_t count;
	bool is_good;

	if (!is_first && (!g->options->preview || clock_ns() - g->shown_ns < PUBLISH_NS))
		return true;
	all = gather_totals(g, &count, err);
	is_good = all && (!is_first || name_types(g, all, count, err));
	if (is_good && is_first)
		g->shown = heap_builder_tally(g->builder, err);
	is_good = is_good && g->shown;
	if (is_good) {
		uint64_t objects;

		tally_restart(g->shown, heap_builder_types_count(g->builder));
		objects = add_all_to_tally(g, g->shown, all, count);
		g->shown_ns = clock_ns();
		is_good =
		    heap_builder_publish(g->builder, g->options->preview, objects, 0, false, err);
	}
	memory_free(all);
	return is_good;
}

static bool
walk_ranges(struct clr_graph *g, struct error *err)
{
	const struct clr_range *ranges = g->heaps->ranges;
	size_t ranges_count = g->heaps->ranges_count;

	while (g->walked < ranges_count) {
		uint64_t slice = g->shown ? SLICE_BYTES : FIRST_SLICE_BYTES;
		size_t end = g->walked;

		for (uint64_t bytes = 0; end < ranges_count && bytes < slice; end++)
			bytes += ranges[end].end - ranges[end].start;
		if (!worker_run_all(g->workers_count, end - g->walked, walk_range, g, err))
			return false;
		g->walked = end;
		if (end < ranges_count && !show_so_far(g, err))
			return false;
	}
	if (g->shown) /* summed again at the end */
		tally_restart(g->shown, heap_builder_types_count(g->builder));
	return true;
}

/* --- gaps between objects --- */

/* Moves the gaps of all threads, by address, to the heap. */
static bool
gather_gaps(struct clr_graph *g, struct error *err)
{
	struct heap_memory *m = heap_builder_memory(g->builder, err);
	struct arena *a = heap_builder_arena(g->builder);
	size_t free_count = 0, holes_count = 0;
	struct heap_free_block *blocks;
	struct heap_hole *holes;

	for (unsigned i = 0; i < g->workers_count; i++) {
		free_count += g->workers[i].free_count;
		holes_count += g->workers[i].holes_count;
	}
	if (!m || free_count > UINT32_MAX || holes_count > UINT32_MAX)
		return m && error_set(err, ERROR_INPUT, "more than 4,294,967,295 free blocks");
	blocks = arena_array(a, struct heap_free_block, free_count, err);
	holes = arena_array(a, struct heap_hole, holes_count, err);
	if (!blocks || !holes)
		return false;
	for (unsigned i = 0; i < g->workers_count; i++) {
		const struct clr_graph_worker *w = &g->workers[i];

		for (size_t k = 0; k < w->free_count; k++)
			blocks[m->free_blocks_count++] = w->free_blocks[k];
		for (size_t k = 0; k < w->holes_count; k++)
			holes[m->holes_count++] = w->holes[k];
	}
	SORT_BY(blocks, free_count, address);
	SORT_BY(holes, holes_count, start);
	m->free_blocks = blocks;
	m->holes = holes;
	m->segments = g->segments;
	m->segments_count = (uint32_t)g->heaps->ranges_count;
	return true;
}

bool
clr_graph_objects(struct clr_graph *g, struct error *err)
{
	const struct clr_table_totals **all = NULL;
	bool is_good = false;
	size_t count = 0;

	progress_begin_bytes(g->options->progress, "walking the heap", clr_heaps_bytes(g->heaps));
	g->segments = arena_array(heap_builder_arena(g->builder), struct heap_segment,
				  g->heaps->ranges_count + 1, err);
	if (g->segments && start_workers(g, err) && walk_ranges(g, err))
		all = gather_totals(g, &count, err);
	is_good =
	    all && add_types(g, all, count, err) && gather_gaps(g, err) && plan_addresses(g, err);
	memory_free(all);
	stop_workers(g);
	return is_good;
}
