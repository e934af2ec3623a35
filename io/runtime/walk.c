#include "io/runtime/walk.h"
#include <assert.h>

enum {
	BLOCK_BYTES = CLR_BYTES_MAX,
	HOLES_MAX = 4096,
	PAGE_BYTES = 4096,
	/* The largest gap before a context that is an unfinished allocation. */
	UNFINISHED_MAX = 16 << 10,
	/* Consecutive objects that end a hole. */
	OBJECTS_IN_A_ROW = 8,
	SEARCH_BYTES = 4 << 20, /* searched in one call */
	ABSENT_MAX = 64 << 10,  /* consecutive absent pages before giving up */
};

struct clr_walk {
	const struct clr_heaps *heaps;
	const struct clr_range *range;
	struct clr_tables *tables;
	uint64_t at;        /* address of the next object */
	uint64_t last_good; /* the object before it */
	const struct clr_context *context, *contexts_end;
	/* The bytes being read: a view of the whole range, or a block. */
	uint64_t window_start, window_end;
	const uint8_t *window;
	uint8_t *block;
	bool is_view;
	/* The hole being searched: from hole_start to `at`. */
	bool is_searching;
	uint64_t hole_start;
	enum clr_hole_reason hole_reason;
	uint32_t absent_count; /* consecutive absent pages */
	struct clr_hole *holes;
	size_t holes_count;
	struct clr_walk_sums sums;
};

const char *
clr_hole_text(enum clr_hole_reason reason)
{
	static const char *const texts[] = {
		[CLR_HOLE_ABSENT] = "not in memory",
		[CLR_HOLE_NO_TABLE] = "no method table",
		[CLR_HOLE_BAD_TABLE] = "not a method table",
		[CLR_HOLE_TOO_LARGE] = "an object past the end of its range",
		[CLR_HOLE_UNFINISHED] = "an object being allocated",
	};

	return texts[reason];
}

struct clr_walk *
clr_walk_new(const struct clr_heaps *h, struct clr_tables *tables, struct error *err)
{
	struct clr_walk *w = memory_new(1, sizeof(*w), err);

	if (!w)
		return NULL;
	w->heaps = h;
	w->tables = tables;
	w->block = memory_new(BLOCK_BYTES, 1, err);
	w->holes = memory_new(HOLES_MAX, sizeof(*w->holes), err);
	if (w->block && w->holes)
		return w;
	clr_walk_free(w);
	return NULL;
}

void
clr_walk_free(struct clr_walk *w)
{
	if (!w)
		return;
	memory_free(w->block);
	memory_free(w->holes);
	memory_free(w);
}

const struct clr_hole *
clr_walk_holes(const struct clr_walk *w, size_t *count)
{
	*count = w->holes_count;
	return w->holes;
}

const struct clr_walk_sums *
clr_walk_sums(const struct clr_walk *w)
{
	return &w->sums;
}

/* Finds the contexts in the range; only gen0 to gen2 have any. */
static void
walk_find_contexts(struct clr_walk *w)
{
	const struct clr_heaps *h = w->heaps;
	size_t i = 0, k;

	w->context = w->contexts_end = NULL;
	if (!h->contexts_count)
		return;
	while (i < h->contexts_count && h->contexts[i].pointer < w->range->start)
		i++;
	for (k = i; k < h->contexts_count && w->range->generation <= GEN_2 &&
		    h->contexts[k].pointer < w->range->end;)
		k++;
	w->context = w->contexts_end = NULL;
	if (k > i) {
		w->context = h->contexts + i;
		w->contexts_end = h->contexts + k;
	}
}

void
clr_walk_start(struct clr_walk *w, const struct clr_range *range)
{
	uint64_t len = range->end - range->start;

	w->range = range;
	w->at = range->start;
	w->last_good = 0;
	w->is_searching = false;
	w->holes_count = 0;
	w->sums = (struct clr_walk_sums){ 0 };
	walk_find_contexts(w);
	w->window_start = w->window_end = range->start;
	w->window = len ? memory_view(w->heaps->runtime->memory, range->start, (size_t)len) : NULL;
	w->is_view = w->window != NULL;
	if (w->is_view)
		w->window_end = range->end;
}

/* --- window -------------------------------------------------------------- */

/* True if [at, at + len) is in the window. */
static inline bool
window_has(const struct clr_walk *w, uint64_t at, uint64_t len)
{
	return at >= w->window_start && at <= w->window_end && len <= w->window_end - at;
}

/* True if the window starts at `at`, so that moving it gains nothing. */
static inline bool
window_starts(const struct clr_walk *w, uint64_t at)
{
	return w->window_start == at && w->window_end > at;
}

/* Moves the window to `at`; false: its first byte is absent. */
static bool
window_move(struct clr_walk *w, uint64_t at)
{
	uint64_t len = w->range->end - at;

	if (w->is_view)
		return false;
	if (len > BLOCK_BYTES)
		len = BLOCK_BYTES;
	w->window = w->block;
	w->window_start = at;
	w->window_end = at + memory_copy(w->heaps->runtime->memory, at, w->block, (size_t)len);
	return w->window_end > at;
}

/* --- objects ------------------------------------------------------------- */

enum look { LOOK_GOOD, LOOK_MOVE, LOOK_BAD };

/* Looks at the object at `at`. LOOK_MOVE: the window does not have its start. LOOK_BAD: no object
 * is there, for *reason. */
static inline enum look
object_look(const struct clr_walk *w, uint64_t at, struct clr_object *o,
	    enum clr_hole_reason *reason)
{
	const struct clr_table *t;
	const uint8_t *bytes;
	uint64_t word, left = w->range->end - at;

	if (__builtin_expect(left < CLR_OBJECT_MIN, 0)) {
		*reason = CLR_HOLE_TOO_LARGE;
		return LOOK_BAD;
	}
	if (!window_has(w, at, 2 * sizeof(word)))
		return LOOK_MOVE;
	bytes = w->window + (at - w->window_start);
	word = bytes_load_u64(bytes) & ~CLR_OBJECT_MARKS;
	t = clr_tables_get(w->tables, word);
	if (__builtin_expect(!t, 0)) {
		*reason = word ? CLR_HOLE_BAD_TABLE : CLR_HOLE_NO_TABLE;
		return LOOK_BAD;
	}
	o->components = t->component_size ? bytes_load_u32(bytes + 8) : 0;
	o->size = clr_object_size(t, o->components);
	if (__builtin_expect(o->size > left, 0)) {
		*reason = CLR_HOLE_TOO_LARGE;
		return LOOK_BAD;
	}
	o->address = at;
	o->table = word;
	o->flags = t->flags;
	o->is_free = t->is_free;
	o->bytes = bytes;
	return LOOK_GOOD;
}

/* --- holes --------------------------------------------------------------- */

static void
hole_close(struct clr_walk *w, uint64_t end)
{
	w->is_searching = false;
	w->sums.holes_count++;
	w->sums.holes_bytes += end - w->hole_start;
	if (w->holes_count < HOLES_MAX)
		w->holes[w->holes_count++] =
		    (struct clr_hole){ w->hole_start, end, w->last_good, w->hole_reason };
}

static bool
is_zero(struct clr_walk *w, uint64_t at, uint64_t end)
{
	for (; at < end; at += 8) {
		if (!window_has(w, at, 8) && !window_move(w, at))
			return false;
		if (!window_has(w, at, 8) || bytes_load_u64(w->window + (at - w->window_start)))
			return false;
	}
	return true;
}

/*
 * A thread may stop between taking memory for an object and writing its method table. The memory
 * before its allocation context is then zero, and no object.
 */
static bool
skip_unfinished(struct clr_walk *w)
{
	const struct clr_context *c = w->context;

	while (c < w->contexts_end && c->pointer <= w->at)
		c++;
	if (c == w->contexts_end || c->pointer - w->at > UNFINISHED_MAX ||
	    !is_zero(w, w->at, c->pointer))
		return false;
	w->hole_start = w->at;
	w->hole_reason = CLR_HOLE_UNFINISHED;
	hole_close(w, c->pointer);
	w->at = c->pointer;
	return true;
}

/* True if several objects in a row, or the end, follow from here on. */
static bool
objects_follow(struct clr_walk *w, uint64_t at)
{
	const struct clr_context *c = w->context;
	enum clr_hole_reason reason;
	struct clr_object o;

	for (int i = 0; i < OBJECTS_IN_A_ROW && at < w->range->end; i++) {
		enum look look;

		while (c < w->contexts_end && c->pointer < at)
			c++;
		if (c < w->contexts_end && c->pointer == at)
			return true; /* an allocation context: no coincidence */
		look = object_look(w, at, &o, &reason);
		if (look == LOOK_MOVE && window_move(w, at))
			look = object_look(w, at, &o, &reason);
		if (look != LOOK_GOOD)
			return false;
		at += o.size;
	}
	return true;
}

/* Skips an absent page and the unmapped addresses after it. */
static void
skip_absent(struct clr_walk *w)
{
	const struct memory *m = w->heaps->runtime->memory;
	uint64_t next = (w->at / PAGE_BYTES + 1) * PAGE_BYTES;
	const struct memory_mapping *mapping = memory_mapping_next(m, next);

	if (!next || !mapping || ++w->absent_count > ABSENT_MAX || next >= w->range->end)
		w->at = w->range->end;
	else
		w->at = mapping->start > next ? mapping->start : next;
}

/* Searches from `at` for consecutive objects. A lone word that points to a method table is a
 * coincidence. */
static void
search(struct clr_walk *w)
{
	uint64_t end = w->range->end - w->at > SEARCH_BYTES ? w->at + SEARCH_BYTES : w->range->end;

	while (w->at < end) {
		uint64_t word;

		while (w->context < w->contexts_end && w->context->pointer < w->at)
			w->context++;
		if (w->context < w->contexts_end && w->context->pointer == w->at) {
			hole_close(w, w->at);
			return;
		}
		if (!window_has(w, w->at, 8) &&
		    (!window_move(w, w->at) || !window_has(w, w->at, 8))) {
			skip_absent(w);
			continue;
		}
		w->absent_count = 0;
		word = bytes_load_u64(w->window + (w->at - w->window_start)) & ~CLR_OBJECT_MARKS;
		if (word && w->at != w->hole_start && clr_tables_get(w->tables, word) &&
		    objects_follow(w, w->at)) {
			hole_close(w, w->at);
			return;
		}
		w->at += 8;
	}
	if (w->at >= w->range->end) {
		w->at = w->range->end;
		hole_close(w, w->at);
	}
}

static void
search_start(struct clr_walk *w, enum clr_hole_reason reason)
{
	if (reason == CLR_HOLE_NO_TABLE && skip_unfinished(w))
		return;
	w->is_searching = true;
	w->hole_start = w->at;
	w->hole_reason = reason;
	w->absent_count = 0;
}

/* --- walking ------------------------------------------------------------- */

/* Drops contexts already passed, and skips the memory of one that is here. */
static inline void
skip_context(struct clr_walk *w)
{
	while (w->context < w->contexts_end && w->context->pointer <= w->at) {
		const struct clr_context *c = w->context++;
		uint64_t end = w->range->end;

		if (c->pointer != w->at)
			continue;
		/* The limit leaves room for one minimal object. */
		if (c->limit < end && end - c->limit > CLR_OBJECT_MIN)
			end = c->limit + CLR_OBJECT_MIN;
		w->sums.contexts_bytes += end - w->at;
		w->at = end;
	}
}

static void
sum_up(struct clr_walk *w, const struct clr_object *o)
{
	if (o->is_free) {
		w->sums.free_count++;
		w->sums.free_bytes += o->size;
	} else {
		w->sums.objects_count++;
		w->sums.objects_bytes += o->size;
	}
}

/* Sets bytes_len. False: the window must move first, as it ends within the object. */
static inline bool
object_fits(const struct clr_walk *w, struct clr_object *o)
{
	uint64_t there = w->window_end - o->address;

	if (o->size > there && !w->is_view && o->address != w->window_start)
		return false;
	if (there > o->size)
		there = o->size;
	o->bytes_len = there > CLR_BYTES_MAX ? CLR_BYTES_MAX : (uint32_t)there;
	return true;
}

bool
clr_walk_next(struct clr_walk *w, struct clr_object *objects, size_t max, size_t *count)
{
	enum clr_hole_reason reason = CLR_HOLE_ABSENT;
	size_t n = 0;

	*count = 0;
	if (w->is_searching)
		search(w);
	while (n < max && !w->is_searching) {
		struct clr_object *o = &objects[n];
		enum look look;

		if (w->context < w->contexts_end && w->context->pointer <= w->at)
			skip_context(w);
		if (w->at >= w->range->end)
			break;
		look = object_look(w, w->at, o, &reason);
		if (look == LOOK_GOOD && object_fits(w, o)) {
			o->generation = (uint8_t)clr_range_generation(w->range, w->at);
			sum_up(w, o);
			w->last_good = w->at;
			w->at += o->size;
			n++;
			continue;
		}
		/* Moving the window would invalidate the bytes of objects in this batch. */
		if (n)
			break;
		if (look == LOOK_BAD)
			search_start(w, reason);
		else if (window_starts(w, w->at) || !window_move(w, w->at))
			search_start(w, CLR_HOLE_ABSENT);
	}
	*count = n;
	if (n || w->at < w->range->end || w->is_searching)
		return true;
	/* Every byte of the range is counted exactly once, whatever its contents. */
	assert(w->sums.objects_bytes + w->sums.free_bytes + w->sums.contexts_bytes +
		   w->sums.holes_bytes ==
	       w->range->end - w->range->start);
	return false;
}
