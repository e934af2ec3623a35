#include "model/graph/depth_first.h"

#include "model/base/worker.h"
#include <inttypes.h>
#include <string.h>

enum {
	BATCH = 1 << 16, /* objects and references between checks for Esc */
};
#define NO_REFS UINT32_MAX

/* ---- pruning ---- */

/* Stores the offset of each object's references, if it has any. */
static bool
init_slots(struct depth_first *df, node_id first, uint32_t count, struct error *err)
{
	const uint8_t *start = df->sweep.heap->chunks[first >> CHUNK_SHIFT].bytes;
	const uint8_t *at = start;
	uint32_t *slots = df->slots + first, found;
	uint16_t sources[SWEEP_NODES] = { 0 };

	memset(slots, 0xff, count * sizeof(*slots));
	for (uint32_t done = 0; done < count; done += SWEEP_NODES) {
		found = sweep_sources(&df->sweep, first + done, count - done, sources);
		for (uint32_t i = 0; i < found; i++) {
			uint32_t offset = (uint32_t)(at - start);
			uint64_t left;

			at = varint_get(at, &left);
			if (left)
				slots[done + sources[i]] = offset;
			for (; left > BATCH; left -= BATCH) {
				at = varint_skip(at, BATCH);
				if (progress_is_cancelled(df->sweep.progress))
					return error_cancelled(err);
			}
			at = varint_skip(at, left);
		}
	}
	return true;
}

/* Returns a mask of those among 64 objects that refer to nothing. */
static uint64_t
leaves_of(const uint32_t *slots, uint32_t count)
{
	uint64_t leaves = 0;

	for (uint32_t i = 0; i < count; i++)
		leaves |= (uint64_t)(slots[i] == NO_REFS) << i;
	return leaves;
}

static bool
init_chunk(void *context, uint64_t part, unsigned thread, struct error *err)
{
	struct depth_first *df = context;
	const struct reverse *rev = df->rev;
	node_id first = chunk_first((uint32_t)part);
	uint32_t count = chunk_end(df->sweep.heap, (uint32_t)part) - first;

	(void)thread;
	if (!init_slots(df, first, count, err))
		return false;
	for (uint32_t done = 0; done < count; done += 64) {
		uint32_t some = count - done < 64 ? count - done : 64;
		size_t word = (first + done) >> 6;

		df->several[word] |= rev->several[word];
		df->pruned[word] = leaves_of(df->slots + first + done, some) & rev->referred[word] &
				   ~df->several[word];
	}
	return progress_add(df->sweep.progress, count) || error_cancelled(err);
}

/* Rooted objects and those with partly ignored referrers are not pruned. */
static bool
init_special(struct depth_first *df, struct error *err)
{
	const struct heap *h = df->sweep.heap;

	for (uint32_t i = 0; i < h->roots_count; i++) {
		bits_add(df->several, h->roots[i].object);
		if (!ignored_root(df->ig, i))
			bits_add(df->rooted, h->roots[i].object);
	}
	if (!df->ig || !df->ig->some)
		return true;
	for (node_id n = 0; n < h->nodes_count; n++) {
		struct refs refs;
		node_id target;

		if (!(n & (BATCH - 1)) && progress_is_cancelled(df->sweep.progress))
			return error_cancelled(err);
		if (!df->ig->some[n >> 6]) {
			n |= 63;
			continue;
		}
		if (!bits_has(df->ig->some, n))
			continue;
		refs = heap_refs(h, n);
		while (refs_next(&refs, &target)) {
			if (ignored_ref(df->ig, n, target))
				bits_add(df->several, target);
			if (!(refs.left & (BATCH - 1)) && progress_is_cancelled(df->sweep.progress))
				return error_cancelled(err);
		}
	}
	return true;
}

static bool
init_arrays(struct depth_first *df, struct arena *a, struct error *err)
{
	uint32_t nodes_count = df->sweep.heap->nodes_count;
	size_t words = bits_words(nodes_count);

	df->slots = arena_array(a, uint32_t, (size_t)nodes_count + 1, err);
	df->pruned = arena_array(&df->arena, uint64_t, words, err);
	df->seen = arena_array(&df->scratch, uint64_t, words, err);
	df->several = arena_array(&df->scratch, uint64_t, words, err);
	df->rooted = arena_array(&df->scratch, uint64_t, words, err);
	return df->slots && df->pruned && df->seen && df->several && df->rooted;
}

bool
depth_first_init(struct depth_first *df, const struct heap *h, const struct reverse *rev,
		 const struct ignored *ig, struct arena *a, struct progress *progress,
		 struct error *err)
{
	*df = (struct depth_first){ .rev = rev, .ig = ig };
	arena_init(&df->arena, 0);
	arena_init(&df->numbers, 0);
	arena_init(&df->scratch, 0);
	if (!sweep_init(&df->sweep, h, &df->arena, progress, err) || !init_arrays(df, a, err) ||
	    !init_special(df, err))
		return false;
	progress_begin(progress, "looking for shared objects", "objects", h->nodes_count);
	if (!worker_run_all(worker_threads(), sweep_chunks_count(h), init_chunk, df, err))
		return false;
	memcpy(df->seen, df->pruned, bits_words(h->nodes_count) * sizeof(*df->seen));
	df->numbers_wanted = h->nodes_count - bits_count(df->pruned, h->nodes_count);
	df->shared_wanted = bits_count(df->several, h->nodes_count);
	return true;
}

void
depth_first_clear(struct depth_first *df)
{
	arena_clear(&df->arena);
	arena_clear(&df->numbers);
	arena_clear(&df->scratch);
}

void
depth_first_forget(struct depth_first *df)
{
	arena_clear(&df->numbers);
	df->parents = NULL;
	df->shared = NULL;
	df->is_shared = NULL;
}

/* ---- the search ---- */

/* An object and its references not yet followed. */
struct cursor {
	const uint8_t *at;
	uint64_t left;
	node_id node, last;
	uint32_t number;
	bool is_filtered; /* some references are ignored */
};

/* A suspended object, and the target to visit next. */
struct frame {
	node_id node, pending; /* NODE_NONE if there is none */
	uint32_t number, offset, left;
};

struct search {
	struct depth_first *df;
	struct cursor now;
	struct frame *frames;
	size_t frames_count, frames_room;
	uint64_t stack_limit;
	uint32_t work;
	bool is_cancelled;
	/* Objects in postorder; NULL: number them instead. */
	node_id *left;
	uint32_t left_count;
	struct error *err;
};

static inline bool
cursor_next(struct search *s, node_id *found)
{
	const uint64_t *seen = s->df->seen;
	struct cursor *c = &s->now;
	node_id target = c->last;
	uint64_t delta;

	while (c->left) {
		c->left--;
		c->at = varint_get(c->at, &delta);
		target = (node_id)((int64_t)target + varint_unzigzag(delta));
		if (!bits_has(seen, target) &&
		    !(c->is_filtered && ignored_ref(s->df->ig, c->node, target))) {
			c->last = *found = target;
			return true;
		}
		if (!(c->left & (BATCH - 1)) && progress_is_cancelled(s->df->sweep.progress)) {
			s->is_cancelled = true;
			c->left = 0;
		}
	}
	return false;
}

static inline void
cursor_enter(struct search *s, node_id n, uint32_t parent)
{
	struct depth_first *df = s->df;
	struct cursor *c = &s->now;
	uint32_t slot = df->slots[n];

	bits_add(df->seen, n);
	*c = (struct cursor){ .node = n, .last = n };
	if (slot != NO_REFS) {
		c->at = df->sweep.heap->chunks[n >> CHUNK_SHIFT].bytes + slot;
		c->at = varint_get(c->at, &c->left);
		c->is_filtered = ignored_some_of(df->ig, n);
	}
	s->work++;
	if (s->left)
		return;
	c->number = ++df->numbers_count;
	df->slots[n] = c->number;
	df->parents[c->number] = parent;
	if (parent && bits_has(df->several, n)) {
		bits_add(df->is_shared, c->number);
		df->shared[df->shared_count++] = bits_has(df->rooted, n) ? NODE_NONE : n;
	}
}

static bool
frame_push(struct search *s, node_id pending)
{
	const struct cursor *c = &s->now;
	const struct chunk *chunks = s->df->sweep.heap->chunks;
	uint32_t offset = 0;

	if (s->frames_count == s->frames_room) {
		uint64_t bytes = s->frames_room * sizeof(*s->frames) * 2;

		if (bytes > s->stack_limit)
			return error_set(s->err, ERROR_SYSTEM,
					 "chains of more than %zu objects: following them "
					 "takes %" PRIu64 " MB more than is available",
					 s->frames_count, bytes >> 20);
		if (!MAKE_ROOM(s->frames, s->frames_count + 1, s->frames_room, s->err))
			return false;
	}
	if (c->left)
		offset = (uint32_t)(c->at - chunks[c->node >> CHUNK_SHIFT].bytes);
	/* The number fits: a chunk has less than 4 GiB of references. */
	s->frames[s->frames_count++] =
	    (struct frame){ c->node, pending, c->number, offset, (uint32_t)c->left };
	return true;
}

/* Resumes the object suspended last; true if it has an unseen target. */
static inline bool
frame_pop(struct search *s, node_id *found)
{
	const struct frame *f = &s->frames[--s->frames_count];
	struct depth_first *df = s->df;
	struct cursor *c = &s->now;

	c->at = df->sweep.heap->chunks[f->node >> CHUNK_SHIFT].bytes + f->offset;
	c->left = f->left;
	c->node = f->node;
	c->last = f->pending;
	c->number = f->number;
	c->is_filtered = ignored_some_of(df->ig, f->node);
	if (f->pending == NODE_NONE)
		return false;
	*found = f->pending;
	return !bits_has(df->seen, f->pending) || cursor_next(s, found);
}

static bool
search_report(struct search *s)
{
	s->is_cancelled |= !progress_add(s->df->sweep.progress, s->work);
	s->work = 0;
	return !s->is_cancelled || error_cancelled(s->err);
}

static bool
search_from(struct search *s, node_id start)
{
	node_id next = start, pending;

	cursor_enter(s, start, 0);
	for (;;) {
		bool has_next = cursor_next(s, &next);

		while (!has_next) {
			if (s->left)
				s->left[s->left_count++] = s->now.node;
			if (!s->frames_count)
				return !s->is_cancelled || error_cancelled(s->err);
			has_next = frame_pop(s, &next);
		}
		__builtin_prefetch(&s->df->slots[next]);
		/* Mark it now, or it would be its own next target. */
		bits_add(s->df->seen, next);
		if (cursor_next(s, &pending)) {
			__builtin_prefetch(&s->df->slots[pending]);
			if (!frame_push(s, pending))
				return false;
		} else if (s->left && !frame_push(s, NODE_NONE)) {
			return false;
		}
		cursor_enter(s, next, s->now.number);
		if ((s->work >= BATCH || s->is_cancelled) && !search_report(s))
			return false;
	}
}

static bool
search_roots(struct search *s)
{
	const struct depth_first *df = s->df;
	const struct heap *h = df->sweep.heap;

	for (uint32_t i = 0; i < h->roots_count; i++)
		if (!ignored_root(df->ig, i) && !bits_has(df->seen, h->roots[i].object) &&
		    !search_from(s, h->roots[i].object))
			return false;
	return true;
}

/* Records the postorder of a search through all unreachable objects. */
static bool
search_leaving(struct search *s)
{
	struct depth_first *df = s->df;
	uint64_t *seen = df->seen;
	size_t words = bits_words(df->sweep.heap->nodes_count);
	bool is_ok = true;

	s->left = arena_array(&df->scratch, node_id, (size_t)df->numbers_wanted - df->numbers_count,
			      s->err);
	df->seen = arena_array(&df->scratch, uint64_t, words, s->err);
	if (!s->left || !df->seen) {
		df->seen = seen;
		return false;
	}
	memcpy(df->seen, seen, words * sizeof(*seen));
	for (node_id n = 0; is_ok && n < df->sweep.heap->nodes_count; n++) {
		if (df->seen[n >> 6] == UINT64_MAX)
			n |= 63;
		else if (!bits_has(df->seen, n))
			is_ok = search_from(s, n);
	}
	df->seen = seen;
	return is_ok;
}

static bool
search_unreachable(struct search *s)
{
	struct depth_first *df = s->df;
	node_id *left;

	if (df->numbers_count == df->numbers_wanted)
		return true;
	progress_begin(df->sweep.progress, "ordering unreachable objects", "objects",
		       (uint64_t)(df->numbers_wanted - df->numbers_count) * 2);
	if (!search_leaving(s))
		return false;
	left = s->left;
	s->left = NULL;
	for (uint32_t i = s->left_count; i-- > 0;)
		if (!bits_has(df->seen, left[i]) && !search_from(s, left[i]))
			return false;
	return true;
}

bool
depth_first_run(struct depth_first *df, uint64_t stack_limit, struct error *err)
{
	struct search s = { .df = df, .stack_limit = stack_limit, .err = err };
	size_t numbers = (size_t)df->numbers_wanted + 1;
	bool is_ok;

	df->parents = arena_array(&df->numbers, uint32_t, numbers, err);
	df->is_shared = arena_array(&df->numbers, uint64_t, bits_words(df->numbers_wanted), err);
	df->shared = arena_array(&df->numbers, node_id, (size_t)df->shared_wanted + 1, err);
	if (!df->parents || !df->is_shared || !df->shared)
		return false;
	progress_begin(df->sweep.progress, "searching depth first", "objects", df->numbers_wanted);
	is_ok = search_roots(&s);
	df->reachable_numbers = df->numbers_count;
	is_ok = is_ok && search_unreachable(&s);
	df->stack_bytes = s.frames_room * sizeof(*s.frames);
	memory_free(s.frames);
	arena_clear(&df->scratch);
	df->seen = df->several = df->rooted = NULL;
	return is_ok && search_report(&s);
}
