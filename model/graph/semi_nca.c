#include "model/graph/semi_nca.h"

#include "model/base/worker.h"
#include <string.h>

enum {
	BATCH = 1 << 16,
	COPIED_AT_ONCE = 1 << 20,
	BLOCK_REFERRERS = 1 << 16, /* looked up ahead, in two blocks */
	BLOCK_SPANS = 1 << 14,
	FAR = 24,             /* objects ahead whose offset is prefetched */
	NEAR = 12,            /* objects ahead whose record is prefetched */
	CLIMBS = 8,           /* average steps up the tree, per object */
	LONG_CLIMB = 1 << 20, /* steps for one object */
};

/* Referrers of one shared object, or a part of them. */
struct span {
	uint32_t number, end;
	bool is_last, is_rooted;
};

struct block {
	uint32_t *referrers; /* objects, then their numbers */
	struct span *spans;
	uint32_t spans_count;
};

/* Iterates over the shared objects, last to first. */
struct lookup {
	uint32_t left;   /* shared objects not yet begun */
	uint32_t number; /* the current shared object */
	bool is_open;    /* the current one has more referrers */
	node_id node;
	struct referrers referrers;
};

struct semi_nca {
	struct depth_first *df;
	uint32_t *ancestors; /* df->parents, with compressed paths */
	uint32_t *labels;    /* least semidominator on the path there */
	uint32_t *dominators;
	struct lookup lookup;
	struct block blocks[2];
	unsigned full;        /* the block to evaluate */
	uint32_t shared_left; /* shared objects still to evaluate */
	uint32_t least;       /* least semidominator so far, for the current object */
	struct error *err;
};

/* Returns the highest shared number below `number`; there must be one. */
static uint32_t
shared_before(const uint64_t *bits, uint32_t number)
{
	size_t word = number >> 6;
	uint64_t rest = bits[word] & ((UINT64_C(1) << (number & 63)) - 1);

	while (!rest)
		rest = bits[--word];
	return (uint32_t)(word << 6) + 63 - (uint32_t)__builtin_clzll(rest);
}

/* Returns the lowest shared number above `number`; there must be one. */
static uint32_t
shared_after(const uint64_t *bits, uint32_t number)
{
	size_t word = number >> 6;
	uint64_t rest = bits[word] & (UINT64_MAX << (number & 63) << 1);

	while (!rest)
		rest = bits[++word];
	return (uint32_t)(word << 6) + (uint32_t)__builtin_ctzll(rest);
}

/* ---- reading referrers ---- */

static inline void
lookup_prefetch(const struct semi_nca *s, uint32_t i)
{
	const struct chunk *chunks = s->df->rev->chunks;
	const node_id *shared = s->df->shared;
	node_id n;

	if (i > FAR && (n = shared[i - FAR]) != NODE_NONE)
		__builtin_prefetch(
		    &chunks[n >> CHUNK_SHIFT].offsets[(n & (CHUNK_NODES - 1)) >> BLOCK_SHIFT]);
	if (i > NEAR && (n = shared[i - NEAR]) != NODE_NONE) {
		const struct chunk *c = &chunks[n >> CHUNK_SHIFT];

		__builtin_prefetch(c->bytes + c->offsets[(n & (CHUNK_NODES - 1)) >> BLOCK_SHIFT]);
	}
}

static void
lookup_begin(struct semi_nca *s)
{
	struct lookup *l = &s->lookup;

	lookup_prefetch(s, l->left);
	l->number = shared_before(s->df->is_shared, l->number);
	l->node = s->df->shared[--l->left];
	l->is_open = true;
	l->referrers = (struct referrers){ 0 };
	if (l->node != NODE_NONE)
		l->referrers = reverse_of(s->df->rev, l->node);
}

static uint32_t
lookup_fill(struct semi_nca *s, node_id *at, uint32_t room)
{
	const struct depth_first *df = s->df;
	struct lookup *l = &s->lookup;
	uint32_t count = 0;

	while (count < room) {
		if (!referrers_next(&l->referrers, &at[count])) {
			l->is_open = false;
			break;
		}
		count += !ignored_ref(df->ig, at[count], l->node);
	}
	return count;
}

static void
block_fill(struct semi_nca *s, struct block *b)
{
	const uint32_t *slots = s->df->slots;
	struct lookup *l = &s->lookup;
	uint32_t count = 0;

	b->spans_count = 0;
	while (count < BLOCK_REFERRERS && b->spans_count < BLOCK_SPANS && (l->is_open || l->left)) {
		if (!l->is_open)
			lookup_begin(s);
		count += lookup_fill(s, b->referrers + count, BLOCK_REFERRERS - count);
		b->spans[b->spans_count++] =
		    (struct span){ l->number, count, !l->is_open, l->node == NODE_NONE };
	}
	/* A separate loop lets many cache misses overlap. */
	for (uint32_t i = 0; i < count; i++)
		b->referrers[i] = slots[b->referrers[i]];
}

/* ---- semidominators ---- */

/*
 * Returns the least semidominator on the path from `v` up to the first ancestor that is not after
 * `w`. Compresses the path, visiting it twice: on the way up it reverses the links, so that no
 * stack is needed, and then returns along them.
 */
static inline uint32_t
evaluate(struct semi_nca *s, uint32_t v, uint32_t w)
{
	uint32_t *ancestors = s->ancestors, *labels = s->labels;
	uint32_t below = 0, top = v, root, least;

	if (v <= w)
		return v;
	while (ancestors[top] > w) {
		uint32_t next = ancestors[top];

		ancestors[top] = below;
		below = top;
		top = next;
	}
	root = ancestors[top];
	least = labels[top];
	while (below) {
		uint32_t next = ancestors[below];

		if (labels[below] > least)
			labels[below] = least;
		least = labels[below];
		ancestors[below] = root;
		below = next;
	}
	return least;
}

static bool
block_evaluate(struct semi_nca *s, const struct block *b, struct error *err)
{
	uint32_t i = 0, work = 0;

	for (uint32_t k = 0; k < b->spans_count; k++) {
		const struct span *span = &b->spans[k];
		uint32_t w = span->number, last;

		/* Unreachable referrers do not matter to reachable objects. */
		last = w <= s->df->reachable_numbers ? s->df->reachable_numbers : UINT32_MAX;
		for (; i < span->end; i++) {
			uint32_t v = b->referrers[i], semi;

			semi = v <= last ? evaluate(s, v, w) : UINT32_MAX;
			if (semi < s->least)
				s->least = semi;
		}
		if (!span->is_last)
			continue;
		if (s->least > s->ancestors[w])
			s->least = s->ancestors[w];
		if (span->is_rooted)
			s->least = 0;
		s->labels[w] = s->least;
		s->df->shared[--s->shared_left] = s->least;
		s->least = UINT32_MAX;
		work++;
	}
	return progress_add(s->df->sweep.progress, work) || error_cancelled(err);
}

static bool
semi_part(void *context, uint64_t part, unsigned thread, struct error *err)
{
	struct semi_nca *s = context;

	(void)thread;
	if (part)
		return block_evaluate(s, &s->blocks[s->full], err);
	block_fill(s, &s->blocks[!s->full]);
	return true;
}

/* Stores the semidominators of shared objects in df->shared. */
static bool
semi_compute(struct semi_nca *s, struct arena *scratch)
{
	s->lookup =
	    (struct lookup){ .left = s->df->shared_count, .number = s->df->numbers_count + 1 };
	s->shared_left = s->df->shared_count;
	s->least = UINT32_MAX;
	for (int i = 0; i < 2; i++) {
		s->blocks[i].referrers = arena_array(scratch, uint32_t, BLOCK_REFERRERS, s->err);
		s->blocks[i].spans = arena_array(scratch, struct span, BLOCK_SPANS, s->err);
		if (!s->blocks[i].referrers || !s->blocks[i].spans)
			return false;
	}
	progress_begin(s->df->sweep.progress, "computing dominators", "objects",
		       s->df->shared_count);
	block_fill(s, &s->blocks[0]);
	for (s->full = 0; s->blocks[s->full].spans_count; s->full = !s->full)
		if (!worker_run_all(worker_threads(), 2, semi_part, s, s->err))
			return false;
	return true;
}

/* ---- nearest common ancestors ---- */

/* Jump pointers in the dominator tree. */
struct jumps {
	const uint32_t *dominators;
	uint32_t *jump, *depth;
};

static inline void
jumps_add(struct jumps *j, uint32_t w)
{
	uint32_t d = j->dominators[w], up = j->jump[d];

	j->depth[w] = j->depth[d] + 1;
	j->jump[w] =
	    j->depth[d] - j->depth[up] == j->depth[up] - j->depth[j->jump[up]] ? j->jump[up] : d;
}

/* Continues at shared object `i` with jump pointers. */
static bool
nca_bounded(struct semi_nca *s, uint32_t i, uint32_t first)
{
	struct jumps j = { s->dominators, s->ancestors, s->labels };
	const uint64_t *is_shared = s->df->is_shared;

	j.jump[0] = j.depth[0] = 0;
	for (uint32_t w = 1; w <= s->df->numbers_count; w++) {
		if (w >= first && bits_has(is_shared, w)) {
			uint32_t semi = s->df->shared[i++];
			uint32_t d = s->dominators[w];

			while (d > semi)
				d = j.jump[d] > semi ? j.jump[d] : s->dominators[d];
			s->dominators[w] = d;
		}
		jumps_add(&j, w);
		if (!(w & (BATCH - 1)) && progress_is_cancelled(s->df->sweep.progress))
			return error_cancelled(s->err);
	}
	return true;
}

static bool
nca_compute(struct semi_nca *s)
{
	const struct depth_first *df = s->df;
	uint64_t climbs = 0, limit = (uint64_t)CLIMBS * df->numbers_count;
	uint64_t work = 0;
	uint32_t w = 0;

	for (uint32_t i = 0; i < df->shared_count; i++) {
		uint32_t semi = df->shared[i], d, steps = 0;

		w = shared_after(df->is_shared, w);
		for (d = s->dominators[w]; d > semi && steps < LONG_CLIMB; steps++)
			d = s->dominators[d];
		climbs += steps;
		if (d > semi || climbs > limit)
			return nca_bounded(s, i, w);
		s->dominators[w] = d;
		work += steps + 1;
		if (work < BATCH)
			continue;
		work = 0;
		if (progress_is_cancelled(df->sweep.progress))
			return error_cancelled(s->err);
	}
	return true;
}

/* Initializes one of two arrays with the parents, checking for Esc meanwhile.
 */
static bool
copy_parents(void *context, uint64_t part, unsigned thread, struct error *err)
{
	const struct semi_nca *s = context;
	const uint32_t *parents = s->df->parents;
	uint32_t *to = part ? s->labels : s->dominators;
	size_t count = (size_t)s->df->numbers_count + 1;

	(void)thread;
	for (size_t at = 0; at < count; at += COPIED_AT_ONCE) {
		size_t some = count - at < COPIED_AT_ONCE ? count - at : COPIED_AT_ONCE;

		memcpy(to + at, parents + at, some * sizeof(*parents));
		if (progress_is_cancelled(s->df->sweep.progress))
			return error_cancelled(err);
	}
	return true;
}

uint32_t *
semi_nca_compute(struct depth_first *df, struct arena *a, struct error *err)
{
	size_t count = (size_t)df->numbers_count + 1;
	struct semi_nca s = { .df = df, .ancestors = df->parents, .err = err };
	struct arena scratch;
	bool is_ok;

	arena_init(&scratch, 0);
	s.dominators = arena_array(a, uint32_t, count, err);
	s.labels = arena_array(&scratch, uint32_t, count, err);
	is_ok = s.dominators && s.labels &&
		worker_run_all(worker_threads(), 2, copy_parents, &s, err) &&
		semi_compute(&s, &scratch) && nca_compute(&s);
	arena_clear(&scratch);
	return is_ok ? s.dominators : NULL;
}
