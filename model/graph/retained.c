#include "model/graph/retained.h"

#include "model/base/sorted.h"
#include "model/base/worker.h"
#include "model/heap/bits.h"
#include <stdlib.h>

enum { BATCH = 1 << 16, SPACING = 64, AHEAD = 24, PART_MIN = 1 << 13 };

struct build {
	const struct retained *r; /* its arrays are being filled */
	uint8_t *codes;
	uint64_t *before;
	struct progress *progress;
};

/* Gathers size codes by position, and sums of every 64 sizes. */
static bool
run_codes(void *context, uint64_t part, unsigned thread, struct error *err)
{
	const struct build *b = context;
	const struct heap *h = b->r->heap;
	const node_id *objects = b->r->dominators->objects;
	uint64_t first = part * BATCH, end = first + BATCH;

	(void)thread;
	if (end > h->nodes_count)
		end = h->nodes_count;
	for (uint64_t p = first; p < end; p++) {
		b->codes[p] = h->size_codes[objects[p]];
		b->before[p / SPACING + 1] += retained_size_at(b->r, (uint32_t)p);
	}
	return progress_add(b->progress, end - first) || error_cancelled(err);
}

static bool
build_run(struct build *b, struct error *err)
{
	uint64_t count = b->r->heap->nodes_count;
	uint64_t parts = (count + BATCH - 1) / BATCH;

	progress_begin(b->progress, "summing up retained sizes", "objects", count);
	if (!worker_run_all(worker_threads(), parts, run_codes, b, err))
		return false;
	for (uint64_t i = 1; i <= count / SPACING + 1; i++)
		b->before[i] += b->before[i - 1];
	return true;
}

const struct retained *
retained_compute(const struct dominators *d, struct progress *progress, struct error *err)
{
	struct retained *r = memory_new(1, sizeof(*r), err);
	struct build b = { .r = r, .progress = progress };
	size_t count = d->heap->nodes_count;

	if (!r)
		return NULL;
	r->heap = d->heap;
	r->dominators = d;
	arena_init(&r->arena, 0);
	b.codes = arena_array(&r->arena, uint8_t, count + 1, err);
	b.before = arena_array(&r->arena, uint64_t, count / SPACING + 2, err);
	r->codes = b.codes;
	r->before = b.before;
	r->bytes = sizeof(*r) + r->arena.used_bytes;
	if (b.codes && b.before && build_run(&b, err))
		return r;
	retained_free(r);
	return NULL;
}

void
retained_free(const struct retained *r)
{
	struct retained *owned = (struct retained *)(uintptr_t)r;

	if (!r)
		return;
	arena_clear(&owned->arena);
	memory_free(owned);
}

static uint64_t
bytes_before(const struct retained *r, uint32_t position)
{
	uint64_t bytes = r->before[position / SPACING];

	for (uint32_t p = position / SPACING * SPACING; p < position; p++)
		bytes += retained_size_at(r, p);
	return bytes;
}

struct retained_sum
retained_between(const struct retained *r, uint32_t first, uint32_t end)
{
	if (end == first + 1) /* most objects retain only themselves */
		return (struct retained_sum){ 1, retained_size_at(r, first) };
	return (struct retained_sum){ end - first, bytes_before(r, end) - bytes_before(r, first) };
}

/* ---- sets ---- */

/*
 * One walk in preorder. An object below another one of its group adds nothing, so only outermost
 * ones are opened, and closed when the walk leaves their subtrees. The open ones are a chain of
 * parents: no stack is needed.
 *
 * Threads walk one part of the positions each. A part begins with what is open there, the ancestors
 * of its first object, and leaves what is open at its end to the next part.
 */
struct group_walk {
	uint32_t first, end; /* positions */
	struct retained_sum *sums;
	uint64_t *opened_bytes;     /* by group: bytes before the open object */
	uint32_t *opened_positions; /* 1 + its position; 0: none open */
	uint64_t bytes;             /* bytes before the current position */
};

/* Always a compile-time constant, so that each case has a loop of its own. */
enum grouped_by { BY_TYPE, BY_GROUP_OF_TYPE, BY_GROUP_OF_OBJECT };

struct grouping {
	const struct retained *r;
	enum grouped_by by;
	const uint32_t *groups; /* of types or objects */
	size_t groups_count;
	uint32_t count; /* objects */
	struct progress *progress;
	struct group_walk walks[WORKER_MAX];
};

static inline __attribute__((always_inline)) uint32_t
group_at(const struct grouping *g, enum grouped_by by, uint32_t position)
{
	node_id n = g->r->dominators->objects[position];

	if (by == BY_GROUP_OF_OBJECT)
		return g->groups[n];
	return by == BY_TYPE ? heap_type_of(g->r->heap, n) : g->groups[heap_type_of(g->r->heap, n)];
}

/* Types and groups are in id order, not in preorder: prefetch them. */
static inline __attribute__((always_inline)) void
group_prefetch(const struct grouping *g, enum grouped_by by, uint32_t position)
{
	const struct dominators *d = g->r->dominators;

	if (by == BY_GROUP_OF_OBJECT)
		__builtin_prefetch(&g->groups[d->objects[position]]);
	else
		dominators_prefetch_type(d, d->objects[position]);
}

/* Opens the ancestors of the first object. The outermost of a group wins, as
   it comes last. */
static inline __attribute__((always_inline)) void
group_open_ancestors(struct group_walk *w, const struct grouping *g, enum grouped_by by)
{
	const uint32_t *parents = g->r->dominators->parents;

	for (uint32_t p = parents[w->first]; p; p = parents[p - 1])
		w->opened_positions[group_at(g, by, p - 1)] = p;
	for (uint32_t p = parents[w->first]; p; p = parents[p - 1]) {
		uint32_t group = group_at(g, by, p - 1);

		if (w->opened_positions[group] == p)
			w->opened_bytes[group] = bytes_before(g->r, p - 1);
	}
	w->bytes = bytes_before(g->r, w->first);
}

static inline __attribute__((always_inline)) void
group_close(struct group_walk *w, const struct grouping *g, enum grouped_by by, uint32_t position,
	    uint32_t now)
{
	uint32_t group = group_at(g, by, position);

	if (w->opened_positions[group] != position + 1)
		return;
	w->opened_positions[group] = 0;
	w->sums[group].count += now - position;
	w->sums[group].bytes += w->bytes - w->opened_bytes[group];
}

static inline __attribute__((always_inline)) bool
group_walk_run(struct group_walk *w, const struct grouping *g, enum grouped_by by,
	       struct error *err)
{
	const uint32_t *parents = g->r->dominators->parents;
	/* 1 + the position of the innermost open object, and of the innermost that the next part
	   leaves. */
	uint32_t open, rest = w->end < g->count ? parents[w->end] : 0;

	group_open_ancestors(w, g, by);
	open = parents[w->first];
	for (uint32_t p = w->first; p < w->end; p++) {
		bool is_leaf = p + 1 == g->count || parents[p + 1] != p + 1;
		uint64_t size = retained_size_at(g->r, p);
		uint32_t group = group_at(g, by, p);

		if (p + AHEAD < w->end)
			group_prefetch(g, by, p + AHEAD);
		for (; open != parents[p]; open = parents[open - 1])
			group_close(w, g, by, open - 1, p);
		if (!w->opened_positions[group] && is_leaf) {
			w->sums[group].count++;
			w->sums[group].bytes += size;
		} else if (!w->opened_positions[group]) {
			w->opened_positions[group] = p + 1;
			w->opened_bytes[group] = w->bytes;
		}
		if (!is_leaf)
			open = p + 1;
		w->bytes += size;
		if (!(p & (BATCH - 1)) && !progress_add(g->progress, p ? BATCH : 0))
			return error_cancelled(err);
	}
	for (; open != rest; open = parents[open - 1])
		group_close(w, g, by, open - 1, w->end);
	return true;
}

static bool
run_walk(void *context, uint64_t part, unsigned thread, struct error *err)
{
	struct grouping *g = context;
	struct group_walk w = g->walks[part]; /* in no other thread's cache */
	size_t room = g->groups_count + 1;
	bool is_ok;

	(void)thread;
	if (!w.sums)
		w.sums = memory_new(room, sizeof(*w.sums), err);
	g->walks[part].sums = w.sums;
	w.opened_bytes = w.sums ? memory_new(room, sizeof(*w.opened_bytes), err) : NULL;
	w.opened_positions =
	    w.opened_bytes ? memory_new(room, sizeof(*w.opened_positions), err) : NULL;
	is_ok = w.opened_positions != NULL;
	if (is_ok && g->by == BY_TYPE)
		is_ok = group_walk_run(&w, g, BY_TYPE, err);
	else if (is_ok && g->by == BY_GROUP_OF_TYPE)
		is_ok = group_walk_run(&w, g, BY_GROUP_OF_TYPE, err);
	else if (is_ok)
		is_ok = group_walk_run(&w, g, BY_GROUP_OF_OBJECT, err);
	memory_free(w.opened_bytes);
	memory_free(w.opened_positions);
	return is_ok;
}

/* Adds to the zeroed `sums`. */
static bool
grouping_run(struct grouping *g, struct retained_sum *sums, struct error *err)
{
	uint32_t parts = worker_threads();
	bool is_ok;

	/* Each part has arrays of its own. */
	if (g->count / parts < PART_MIN || g->count / parts < g->groups_count)
		parts = 1;
	for (uint32_t i = 0; i < parts; i++) {
		g->walks[i].first = (uint32_t)((uint64_t)g->count * i / parts);
		g->walks[i].end = (uint32_t)((uint64_t)g->count * (i + 1) / parts);
	}
	g->walks[0].sums = sums;
	progress_begin(g->progress, "adding up retained sizes", "objects", g->count);
	is_ok = !g->count || worker_run_all(parts, parts, run_walk, g, err);
	for (uint32_t i = 1; i < parts; i++) {
		const struct retained_sum *more = g->walks[i].sums;

		for (size_t t = 0; is_ok && t < g->groups_count; t++) {
			sums[t].count += more[t].count;
			sums[t].bytes += more[t].bytes;
		}
		memory_free(g->walks[i].sums);
	}
	return is_ok;
}

struct retained_sum *
retained_by_type(const struct retained *r, bool only_reachable, struct arena *a,
		 struct progress *progress, struct error *err)
{
	const struct heap *h = r->heap;
	uint32_t count = only_reachable ? r->dominators->reachable_count : h->nodes_count;
	struct grouping g = { .r = r,
			      .by = BY_TYPE,
			      .groups_count = h->types_count,
			      .count = count,
			      .progress = progress };
	struct retained_sum *sums =
	    arena_array(a, struct retained_sum, (size_t)h->types_count + 1, err);

	return sums && grouping_run(&g, sums, err) ? sums : NULL;
}

bool
retained_by_group(const struct retained *r, const uint32_t *of_type, const uint32_t *of_object,
		  uint32_t groups_count, struct retained_sum *sums, struct progress *progress,
		  struct error *err)
{
	struct grouping g = { .r = r,
			      .by = of_type ? BY_GROUP_OF_TYPE : BY_GROUP_OF_OBJECT,
			      .groups = of_type ? of_type : of_object,
			      .groups_count = groups_count,
			      .count = r->heap->nodes_count,
			      .progress = progress };

	return grouping_run(&g, sums, err);
}

static void
sum_add(const struct retained *r, uint32_t first, uint32_t end, struct retained_sum *sum)
{
	struct retained_sum more = retained_between(r, first, end);

	sum->count += more.count;
	sum->bytes += more.bytes;
}

bool
retained_of_set(const struct retained *r, const uint64_t *set, struct progress *progress,
		struct retained_sum *sum, struct error *err)
{
	const struct dominators *d = r->dominators;
	uint32_t count = d->heap->nodes_count, inside = 0;

	*sum = (struct retained_sum){ 0 };
	progress_begin(progress, "summing up a set", "objects", count);
	for (uint32_t p = 0; p < count; p++) {
		if (p >= inside && bits_has(set, d->objects[p])) {
			inside = dominators_end(d, p);
			sum_add(r, p, inside, sum);
		}
		if (!(p & (BATCH - 1)) && !progress_add(progress, p ? BATCH : 0))
			return error_cancelled(err);
	}
	return true;
}

bool
retained_of_list(const struct retained *r, const node_id *nodes, size_t count,
		 struct retained_sum *sum, struct error *err)
{
	uint32_t *positions = memory_new(count, sizeof(*positions), err);
	uint32_t inside = 0;

	*sum = (struct retained_sum){ 0 };
	if (!positions)
		return false;
	for (size_t i = 0; i < count; i++)
		positions[i] = r->dominators->positions[nodes[i]];
	SORT_NUMBERS(positions, count);
	for (size_t i = 0; i < count; i++) {
		if (positions[i] < inside)
			continue;
		inside = dominators_end(r->dominators, positions[i]);
		sum_add(r, positions[i], inside, sum);
	}
	memory_free(positions);
	return true;
}
