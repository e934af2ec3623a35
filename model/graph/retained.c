#include "model/graph/retained.h"

#include "model/base/sorted.h"
#include "model/base/worker.h"
#include "model/graph/flood.h"
#include <stdlib.h>

enum { BATCH = 1 << 16, SPACING = 64, AHEAD = 24 };

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
		b->before[p / SPACING + 1] +=
		    retained_size_at(b->r, (uint32_t)p);
	}
	return progress_add(b->progress, end - first) || error_cancelled(err);
}

static bool
build_run(struct build *b, struct error *err)
{
	uint64_t count = b->r->heap->nodes_count;
	uint64_t parts = (count + BATCH - 1) / BATCH;

	progress_begin(b->progress, "summing up retained sizes", "objects",
		       count);
	if (!worker_run_all(worker_threads(), parts, run_codes, b, err))
		return false;
	for (uint64_t i = 1; i <= count / SPACING + 1; i++)
		b->before[i] += b->before[i - 1];
	return true;
}

const struct retained *
retained_compute(const struct dominators *d, struct progress *progress,
		 struct error *err)
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
	return (struct retained_sum){ end - first, bytes_before(r, end) -
						       bytes_before(r, first) };
}

/* ---- sets ---- */

/*
 * One walk in preorder. An object below another one of its group adds nothing,
 * so only outermost ones are opened, and closed when the walk leaves their
 * subtrees. The open ones are a chain of parents: no stack is needed.
 */
struct group_walk {
	const struct retained *r;
	const uint32_t *groups; /* of types or objects */
	struct retained_sum *sums;
	uint64_t *opened_bytes;     /* by group: bytes before the open object */
	uint32_t *opened_positions; /* 1 + its position; 0: none open */
	uint64_t bytes;             /* bytes before the current position */
};

/* Always a compile-time constant, so that each case has a loop of its own. */
enum grouped_by { BY_TYPE, BY_GROUP_OF_TYPE, BY_GROUP_OF_OBJECT };

static inline __attribute__((always_inline)) uint32_t
group_at(const struct heap *h, const uint32_t *groups, enum grouped_by by,
	 node_id n)
{
	if (by == BY_GROUP_OF_OBJECT)
		return groups[n];
	return by == BY_TYPE ? heap_type_of(h, n) : groups[heap_type_of(h, n)];
}

/* Types and groups are in id order, not in preorder: prefetch them. */
static inline __attribute__((always_inline)) void
group_prefetch(const struct dominators *d, const uint32_t *groups,
	       enum grouped_by by, node_id n)
{
	if (by == BY_GROUP_OF_OBJECT)
		__builtin_prefetch(&groups[n]);
	else
		dominators_prefetch_type(d, n);
}

static inline __attribute__((always_inline)) void
group_close(struct group_walk *w, enum grouped_by by, uint32_t position,
	    uint32_t now)
{
	const struct dominators *d = w->r->dominators;
	uint32_t group = group_at(d->heap, w->groups, by, d->objects[position]);

	if (w->opened_positions[group] != position + 1)
		return;
	w->opened_positions[group] = 0;
	w->sums[group].count += now - position;
	w->sums[group].bytes += w->bytes - w->opened_bytes[group];
}

static inline __attribute__((always_inline)) bool
group_walk_run(struct group_walk *w, enum grouped_by by, uint32_t count,
	       struct progress *progress, struct error *err)
{
	const struct dominators *d = w->r->dominators;
	const struct heap *h = d->heap;
	uint32_t open = 0; /* 1 + the position of the innermost open object */

	for (uint32_t p = 0; p < count; p++) {
		bool is_leaf = p + 1 == count || d->parents[p + 1] != p + 1;
		uint64_t size = retained_size_at(w->r, p);
		uint32_t group = group_at(h, w->groups, by, d->objects[p]);

		if (p + AHEAD < count)
			group_prefetch(d, w->groups, by, d->objects[p + AHEAD]);
		for (; open != d->parents[p]; open = d->parents[open - 1])
			group_close(w, by, open - 1, p);
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
		if (!(p & (BATCH - 1)) &&
		    !progress_add(progress, p ? BATCH : 0))
			return error_cancelled(err);
	}
	for (; open; open = d->parents[open - 1])
		group_close(w, by, open - 1, count);
	return true;
}

static bool
group_walk(struct group_walk *w, enum grouped_by by, size_t groups_count,
	   uint32_t count, struct progress *progress, struct error *err)
{
	bool is_ok;

	w->opened_bytes =
	    memory_new(groups_count + 1, sizeof(*w->opened_bytes), err);
	w->opened_positions =
	    memory_new(groups_count + 1, sizeof(*w->opened_positions), err);
	progress_begin(progress, "adding up retained sizes", "objects", count);
	is_ok = w->sums && w->opened_bytes && w->opened_positions;
	if (is_ok && by == BY_TYPE)
		is_ok = group_walk_run(w, BY_TYPE, count, progress, err);
	else if (is_ok && by == BY_GROUP_OF_TYPE)
		is_ok =
		    group_walk_run(w, BY_GROUP_OF_TYPE, count, progress, err);
	else if (is_ok)
		is_ok =
		    group_walk_run(w, BY_GROUP_OF_OBJECT, count, progress, err);
	memory_free(w->opened_bytes);
	memory_free(w->opened_positions);
	return is_ok;
}

struct retained_sum *
retained_by_type(const struct retained *r, bool only_reachable, struct arena *a,
		 struct progress *progress, struct error *err)
{
	const struct heap *h = r->heap;
	uint32_t count =
	    only_reachable ? r->dominators->reachable_count : h->nodes_count;
	struct group_walk w = { .r = r };

	w.sums = arena_array(a, struct retained_sum, (size_t)h->types_count + 1,
			     err);
	return group_walk(&w, BY_TYPE, h->types_count, count, progress, err)
		   ? w.sums
		   : NULL;
}

bool
retained_by_group(const struct retained *r, const uint32_t *of_type,
		  const uint32_t *of_object, uint32_t groups_count,
		  struct retained_sum *sums, struct progress *progress,
		  struct error *err)
{
	struct group_walk w = { .r = r,
				.groups = of_type ? of_type : of_object,
				.sums = sums };

	return group_walk(&w, of_type ? BY_GROUP_OF_TYPE : BY_GROUP_OF_OBJECT,
			  groups_count, r->heap->nodes_count, progress, err);
}

static void
sum_add(const struct retained *r, uint32_t first, uint32_t end,
	struct retained_sum *sum)
{
	struct retained_sum more = retained_between(r, first, end);

	sum->count += more.count;
	sum->bytes += more.bytes;
}

bool
retained_of_set(const struct retained *r, const uint64_t *set,
		struct progress *progress, struct retained_sum *sum,
		struct error *err)
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
		if (!(p & (BATCH - 1)) &&
		    !progress_add(progress, p ? BATCH : 0))
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

bool
retained_without(const struct retained *r, const struct ignored *ig,
		 const uint64_t *set, struct progress *progress,
		 struct retained_sum *sum, struct error *err)
{
	struct flood rest;
	bool is_ok;

	progress_begin(progress, "searching for what would remain", "objects",
		       r->heap->nodes_count);
	is_ok = flood_init(&rest, r->heap, progress, err);
	if (is_ok) {
		rest.ignored = ig;
		rest.avoided = set;
		is_ok = flood_add_roots(&rest) && flood_run(&rest);
	}
	if (is_ok) {
		*sum = retained_between(r, 0, r->dominators->reachable_count);
		sum->count -= rest.count;
		sum->bytes -= rest.bytes;
	}
	flood_clear(&rest);
	return is_ok;
}
