/*
 * A filter over a whole heap: each condition goes through a batch of objects on
 * its own, in a tight loop over the heap's arrays, and leaves two bits an
 * object: yes and no; neither is unknown. `and`, `or` and `not` work on 64
 * objects at a time. What is decided already is not looked at again.
 */
#include "model/bits.h"
#include "model/sweep.h"
#include "model/worker.h"
#include "tui/filter_code.h"
#include "tui/view.h"
#include <string.h>

enum {
	BATCH = 4096, /* objects; what is known of them stays in the cache */
	WORDS = BATCH / 64,
	SPARSE = BATCH / 16, /* so few are looked up one by one */
};

struct lanes {
	uint64_t yes[WORDS], no[WORDS];
};

struct batch {
	node_id first;
	unsigned words, wanted_count;
	node_id end;
	const uint64_t *wanted; /* bits of the objects that are undecided */
};

/* How a condition is tested; found once for the whole scan. */
struct kernel;
typedef void kernel_test(const struct kernel *k, const struct batch *b,
			 struct lanes *out);
struct kernel {
	kernel_test *test;
	struct condition *condition;
	const struct view *view;
	const struct heap *heap;
	struct interval interval;
	uint8_t by_code[SIZE_CODES + 1]; /* enum truth of each size code */
	enum truth by_gen[GEN_COUNT];
	const uint8_t *has_refs; /* one byte a type */
	uint64_t *held;          /* a bit an object */
};

/* What one thread works on. */
struct scan_thread {
	struct lanes stack[FILTER_STACK_MAX];
	uint64_t wanted[FILTER_STACK_MAX][WORDS];
};

struct scan {
	const struct filter *filter;
	const struct heap *heap;
	const uint8_t *types; /* NULL: all */
	struct sweep sweep;
	struct kernel kernels[FILTER_CONDITIONS_MAX];
	struct scan_thread *threads;
	unsigned threads_count;
	uint64_t *found; /* a bit an object */
	/* Of each chunk. */
	uint32_t *counts, *starts;
	uint64_t *bytes, *unknown_counts;
	node_id *ids;
	struct arena arena;
};

/* --- kernels ------------------------------------------------------------- */

typedef enum truth object_test(const struct kernel *k, node_id n);

/* `test` is to be inlined. */
static inline __attribute__((always_inline)) void
test_each(const struct kernel *k, const struct batch *b, struct lanes *out,
	  object_test *test)
{
	for (unsigned w = 0; w < b->words; w++) {
		node_id n = b->first + w * 64;
		unsigned count = b->end - n < 64 ? b->end - n : 64;
		uint64_t yes = 0, no = 0;

		for (unsigned i = 0; b->wanted[w] && i < count; i++) {
			enum truth truth = test(k, n + i);

			yes |= (uint64_t)(truth == TRUTH_YES) << i;
			no |= (uint64_t)(truth == TRUTH_NO) << i;
		}
		out->yes[w] = yes;
		out->no[w] = no;
	}
}

/* The same for what is slow: only objects that are undecided. */
static inline __attribute__((always_inline)) void
test_wanted(const struct kernel *k, const struct batch *b, struct lanes *out,
	    object_test *test)
{
	for (unsigned w = 0; w < b->words; w++) {
		uint64_t yes = 0, no = 0;

		for (uint64_t left = b->wanted[w]; left; left &= left - 1) {
			unsigned i = (unsigned)__builtin_ctzll(left);
			enum truth truth = test(k, b->first + w * 64 + i);

			yes |= (uint64_t)(truth == TRUTH_YES) << i;
			no |= (uint64_t)(truth == TRUTH_NO) << i;
		}
		out->yes[w] = yes;
		out->no[w] = no;
	}
}

static inline void
lanes_put(struct lanes *out, unsigned lane, enum truth truth)
{
	uint64_t bit = UINT64_C(1) << (lane & 63);

	out->yes[lane >> 6] |= truth == TRUTH_YES ? bit : 0;
	out->no[lane >> 6] |= truth == TRUTH_NO ? bit : 0;
}

static inline bool
is_wanted(const struct batch *b, node_id n)
{
	return bits_has(b->wanted, n - b->first);
}

static void
kernel_unknown(const struct kernel *k, const struct batch *b, struct lanes *out)
{
	(void)k;
	(void)b;
	memset(out, 0, sizeof *out);
}

static enum truth
object_by_type(const struct kernel *k, node_id n)
{
	return (enum truth)(k->condition->answers[heap_type_of(k->heap, n)] -
			    1);
}

static void
kernel_type(const struct kernel *k, const struct batch *b, struct lanes *out)
{
	test_each(k, b, out, object_by_type);
}

/* Ids are in the order of addresses. */
static enum truth
object_by_id(const struct kernel *k, node_id n)
{
	return truth_of(interval_has(&k->interval, n));
}

static void
kernel_address(const struct kernel *k, const struct batch *b, struct lanes *out)
{
	test_each(k, b, out, object_by_id);
}

static enum truth
size_truth(const struct condition *c, uint64_t size)
{
	struct value value;

	value_bytes(&value, size);
	return condition_compare(c, &value);
}

static enum truth
object_by_size(const struct kernel *k, node_id n)
{
	uint8_t code = k->heap->size_codes[n];

	if (code == SIZE_ESCAPE)
		return size_truth(k->condition, heap_large_size(k->heap, n));
	return (enum truth)k->by_code[code];
}

static void
kernel_size(const struct kernel *k, const struct batch *b, struct lanes *out)
{
	test_each(k, b, out, object_by_size);
}

static enum truth
object_by_distance(const struct kernel *k, node_id n)
{
	uint32_t distance = k->view->session->reach->distance[n];

	if (distance == DISTANCE_UNREACHABLE)
		return TRUTH_UNKNOWN;
	return truth_of(interval_has(&k->interval, distance));
}

static void
kernel_distance(const struct kernel *k, const struct batch *b,
		struct lanes *out)
{
	test_each(k, b, out, object_by_distance);
}

/* Ranges are long: one after the other, many objects each. */
static void
kernel_generation(const struct kernel *k, const struct batch *b,
		  struct lanes *out)
{
	const struct heap *h = k->heap;
	node_id n = b->first;
	uint32_t range = 0;

	memset(out, 0, sizeof *out);
	while (n < b->end) {
		enum truth truth = k->by_gen[heap_generation(h, n)];
		node_id end = b->end;

		while (range < h->ranges_count &&
		       h->ranges[range].first + h->ranges[range].count <= n)
			range++;
		if (range < h->ranges_count) {
			node_id first = h->ranges[range].first;
			node_id next =
			    first > n ? first : first + h->ranges[range].count;

			end = next < end ? next : end;
		}
		for (; n < end; n++)
			lanes_put(out, n - b->first, truth);
	}
}

static enum truth
object_by_in(const struct kernel *k, node_id n)
{
	uint64_t count = reverse_count(k->view->session->reverse, n);

	return truth_of(interval_has(&k->interval, count));
}

static void
kernel_in(const struct kernel *k, const struct batch *b, struct lanes *out)
{
	struct reverse_scan scan;

	if (b->wanted_count < SPARSE) {
		test_wanted(k, b, out, object_by_in);
		return;
	}
	memset(out, 0, sizeof *out);
	reverse_scan_init(&scan, k->view->session->reverse, b->first);
	for (node_id n = b->first; n < b->end; n++)
		lanes_put(out, n - b->first,
			  truth_of(interval_has(
			      &k->interval, reverse_scan_next(&scan).left)));
}

static enum truth
object_by_out(const struct kernel *k, node_id n)
{
	return truth_of(interval_has(&k->interval, heap_refs(k->heap, n).left));
}

/* As sweep_chunk(), from a batch on, which begins a block. */
static const uint8_t *
refs_of_batch(const struct heap *h, const struct batch *b)
{
	const struct chunk *chunk = &h->chunks[b->first >> CHUNK_SHIFT];

	return chunk->bytes +
	       chunk->offsets[(b->first & (CHUNK_NODES - 1)) >> BLOCK_SHIFT];
}

static void
kernel_out(const struct kernel *k, const struct batch *b, struct lanes *out)
{
	const uint8_t *at;

	if (b->wanted_count < SPARSE) {
		test_wanted(k, b, out, object_by_out);
		return;
	}
	memset(out, 0, sizeof *out);
	at = refs_of_batch(k->heap, b);
	for (node_id n = b->first; n < b->end; n++) {
		uint64_t left = 0;

		if (k->has_refs[heap_type_of(k->heap, n)])
			at = varint_get(at, &left);
		lanes_put(out, n - b->first,
			  truth_of(interval_has(&k->interval, left)));
		while (left)
			left -= !(*at++ & 0x80);
	}
}

static enum truth
object_by_row(const struct kernel *k, node_id n)
{
	struct row row = row_of_node(k->heap, n);

	return condition_test(k->condition, k->view, &row);
}

static void
kernel_row(const struct kernel *k, const struct batch *b, struct lanes *out)
{
	test_wanted(k, b, out, object_by_row);
}

/* Reads a list of references: is one of them to these types? */
static inline bool
holds_any(const struct kernel *k, const uint8_t **at, node_id node,
	  bool is_asked)
{
	const uint8_t *types = k->condition->types;
	node_id target = node;
	uint64_t left, delta;
	bool holds = false;

	*at = varint_get(*at, &left);
	for (; left && is_asked && !holds; left--) {
		*at = varint_get(*at, &delta);
		target = (node_id)((int64_t)target + varint_unzigzag(delta));
		holds = types[heap_type_of(k->heap, target)];
	}
	while (left)
		left -= !(*(*at)++ & 0x80);
	return holds;
}

static void
kernel_holds(const struct kernel *k, const struct batch *b, struct lanes *out)
{
	const uint8_t *at;

	if (b->wanted_count < SPARSE) {
		test_wanted(k, b, out, object_by_row);
		return;
	}
	memset(out, 0, sizeof *out);
	at = refs_of_batch(k->heap, b);
	for (node_id n = b->first; n < b->end; n++) {
		bool holds = k->has_refs[heap_type_of(k->heap, n)] &&
			     holds_any(k, &at, n, is_wanted(b, n));

		lanes_put(out, n - b->first, truth_of(holds));
	}
}

static enum truth
object_by_held(const struct kernel *k, node_id n)
{
	return truth_of(bits_has(k->held, n));
}

static void
kernel_held(const struct kernel *k, const struct batch *b, struct lanes *out)
{
	test_each(k, b, out, object_by_held);
}

static enum truth
object_by_position(const struct kernel *k, node_id n)
{
	const struct dominators *d = k->view->session->holdings->dominators;

	return truth_of(
	    interval_has(&k->condition->positions, d->positions[n]));
}

static void
kernel_under(const struct kernel *k, const struct batch *b, struct lanes *out)
{
	test_each(k, b, out, object_by_position);
}

static enum truth
object_by_life(const struct kernel *k, node_id n)
{
	bool is_live =
	    k->view->session->reach->distance[n] != DISTANCE_UNREACHABLE;

	return truth_of(is_live == (k->condition->comparison == COMPARE_IS));
}

static void
kernel_live(const struct kernel *k, const struct batch *b, struct lanes *out)
{
	test_each(k, b, out, object_by_life);
}

/* --- choosing kernels ---------------------------------------------------- */

/* All that objects of these types refer to. */
struct holding {
	const struct sweep *sweep;
	const uint8_t *types;
	uint64_t *held;
};

static inline __attribute__((always_inline)) void
visit_held(void *context, node_id source, node_id target)
{
	const struct holding *h = context;

	if (h->types[heap_type_of(h->sweep->heap, source)])
		__atomic_fetch_or(&h->held[target >> 6],
				  UINT64_C(1) << (target & 63),
				  __ATOMIC_RELAXED);
}

static bool
mark_held_chunk(void *context, uint64_t part, unsigned thread,
		struct error *err)
{
	struct holding *h = context;

	(void)thread;
	return sweep_chunk(h->sweep, (uint32_t)part, visit_held, h) ||
	       error_cancelled(err);
}

static bool
choose_held(struct scan *s, struct kernel *k, struct error *err)
{
	struct holding h = { &s->sweep, k->condition->types, NULL };

	h.held = k->held = arena_array(&s->arena, uint64_t,
				       bits_words(s->heap->nodes_count), err);
	k->test = kernel_held;
	progress_begin(s->sweep.progress, "looking what they hold",
		       s->heap->nodes_count);
	return h.held &&
	       worker_run_all(worker_threads(), sweep_chunks_count(s->heap),
			      mark_held_chunk, &h, err);
}

static void
choose_size(struct kernel *k)
{
	k->test = kernel_size;
	for (int code = 0; code < SIZE_CODES; code++)
		k->by_code[code] =
		    (uint8_t)size_truth(k->condition, k->heap->sizes[code]);
}

static void
choose_generation(struct kernel *k)
{
	struct value value;

	k->test =
	    k->heap->generation_counts ? kernel_generation : kernel_unknown;
	for (int gen = 0; gen < GEN_COUNT; gen++) {
		value_generation(&value, (enum generation)gen);
		k->by_gen[gen] = condition_compare(k->condition, &value);
	}
}

/* The first object at or above an address. */
static node_id
first_at(const struct heap *h, wide address)
{
	node_id low = 0, high = h->nodes_count;

	while (low < high) {
		node_id middle = low + (high - low) / 2;

		if (heap_address(h, middle) < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static const struct interval no_object = { 0, UINT64_MAX, true };

/* Objects at addresses from `low` to below `end`. */
static struct interval
ids_between(const struct heap *h, wide low, wide end)
{
	node_id first = first_at(h, low), last = first_at(h, end);

	if (first >= last)
		return no_object;
	return (struct interval){ first, last - 1U, false };
}

/* False if what is typed are no addresses. */
static bool
choose_address(struct kernel *k)
{
	const struct condition *c = k->condition;
	const struct heap *h = k->heap;
	const wide end = (wide)UINT64_MAX + 1;
	wide low = c->low.address;

	if (c->pattern || !c->low.has_address)
		return false;
	k->test = kernel_address;
	switch (c->comparison) {
	case COMPARE_IS:
	case COMPARE_IS_NOT:
		k->interval = ids_between(h, low, low + 1);
		if (c->comparison == COMPARE_IS_NOT)
			k->interval.is_outside = !k->interval.is_outside;
		return true;
	case COMPARE_BELOW:
		k->interval = ids_between(h, 0, low);
		return true;
	case COMPARE_AT_MOST:
		k->interval = ids_between(h, 0, low + 1);
		return true;
	case COMPARE_ABOVE:
		k->interval = ids_between(h, low + 1, end);
		return true;
	case COMPARE_AT_LEAST:
		k->interval = ids_between(h, low, end);
		return true;
	case COMPARE_WITHIN:
		k->interval = ids_between(h, low, (wide)c->high.address + 1);
		return c->high.has_address;
	case COMPARE_MATCHES:
	case COMPARE_MATCHES_NOT:
		break;
	}
	return false;
}

static bool
choose_interval(struct kernel *k, kernel_test *test)
{
	k->test = test;
	return condition_interval(k->condition, &k->interval);
}

/* False if the column is none that stands in the heap, or is compared oddly. */
static bool
choose_heap_column(struct kernel *k, const struct column *column)
{
	const struct heap_column *h = k->view->ops->heap_columns;

	while (h && h->id && strcmp(h->id, column->id) != 0)
		h++;
	if (!h || !h->id)
		return false;
	switch (h->number) {
	case HEAP_ADDRESS:
		return choose_address(k);
	case HEAP_SIZE:
		choose_size(k);
		return !k->condition->pattern;
	case HEAP_GENERATION:
		choose_generation(k);
		return true;
	case HEAP_IN:
		return choose_interval(k, kernel_in);
	case HEAP_OUT:
		return choose_interval(k, kernel_out);
	case HEAP_DISTANCE:
		return choose_interval(k, kernel_distance);
	}
	return false;
}

static void
choose_type(struct kernel *k)
{
	k->test = kernel_type;
	for (type_id t = 0; t < k->heap->types_count; t++)
		(void)condition_test_type(k->condition, k->view, t);
}

static void
choose_column(struct kernel *k)
{
	const struct condition *c = k->condition;
	const struct column *column = &k->view->ops->columns[c->column];

	if (column->needs & ~k->view->session->has)
		k->test = kernel_unknown;
	else if (c->answers)
		choose_type(k);
	else if (!choose_heap_column(k, column))
		k->test = kernel_row;
}

static bool
choose_kernel(struct scan *s, struct kernel *k, struct error *err)
{
	struct condition *c = k->condition;

	switch (c->kind) {
	case CONDITION_COLUMN:
		choose_column(k);
		return true;
	case CONDITION_OBJECT:
		k->test = kernel_address;
		k->interval = ids_between(s->heap, c->low.address,
					  (wide)c->low.address + 1);
		return true;
	case CONDITION_HOLDS:
		k->test = kernel_holds;
		return true;
	case CONDITION_HELD_BY:
		return choose_held(s, k, err);
	case CONDITION_UNDER:
		k->test = k->view->session->has & NEED_HOLDINGS
			      ? kernel_under
			      : kernel_unknown;
		return true;
	case CONDITION_LIVE:
		k->test = k->view->session->has & NEED_REACH ? kernel_live
							     : kernel_unknown;
		return true;
	}
	return false;
}

static bool
choose_kernels(struct scan *s, struct filter *f, const struct view *v,
	       struct error *err)
{
	s->threads_count = worker_threads();
	for (unsigned i = 0; i < f->conditions_count; i++) {
		struct kernel *k = &s->kernels[i];

		k->condition = &f->conditions[i];
		k->view = v;
		k->heap = s->heap;
		k->has_refs = s->sweep.has_refs;
		if (!choose_kernel(s, k, err))
			return false;
		/* Patterns remember what they have seen: one thread only. */
		if (k->test == kernel_row)
			s->threads_count = 1;
	}
	return true;
}

/* --- running ------------------------------------------------------------- */

/* Those of the batch that are left; returns how many. */
static unsigned
want(uint64_t *to, const uint64_t *from, const uint64_t *decided,
     unsigned words)
{
	unsigned count = 0;

	for (unsigned w = 0; w < words; w++) {
		to[w] = from[w] & ~decided[w];
		count += (unsigned)__builtin_popcountll(to[w]);
	}
	return count;
}

static void
lanes_not(struct lanes *l)
{
	struct lanes was = *l;

	memcpy(l->yes, was.no, sizeof l->yes);
	memcpy(l->no, was.yes, sizeof l->no);
}

static void
lanes_and(struct lanes *l, const struct lanes *right)
{
	for (unsigned w = 0; w < WORDS; w++) {
		l->yes[w] &= right->yes[w];
		l->no[w] |= right->no[w];
	}
}

static void
lanes_or(struct lanes *l, const struct lanes *right)
{
	for (unsigned w = 0; w < WORDS; w++) {
		l->yes[w] |= right->yes[w];
		l->no[w] &= right->no[w];
	}
}

/* As run() of filter.c, for all objects of the batch at once. */
static void
run_batch(const struct scan *s, struct scan_thread *t, struct batch *b)
{
	unsigned top = 0, depth = 0, counts[FILTER_STACK_MAX] = { 0 };

	counts[0] = b->wanted_count;
	for (unsigned at = 0; at < s->filter->code_count; at++) {
		const struct instruction *i = &s->filter->code[at];
		struct lanes *last = &t->stack[top ? top - 1 : 0];

		switch ((enum op)i->op) {
		case OP_TEST:
			b->wanted = t->wanted[depth];
			b->wanted_count = counts[depth];
			s->kernels[i->operand].test(&s->kernels[i->operand], b,
						    &t->stack[top++]);
			break;
		case OP_NOT:
			lanes_not(last);
			break;
		case OP_AND:
			lanes_and(last - 1, last);
			top--;
			depth--;
			break;
		case OP_OR:
			lanes_or(last - 1, last);
			top--;
			depth--;
			break;
		case OP_SKIP_AND:
		case OP_SKIP_OR:
			depth++;
			counts[depth] =
			    want(t->wanted[depth], t->wanted[depth - 1],
				 i->op == OP_SKIP_AND ? last->no : last->yes,
				 b->words);
			if (counts[depth] == 0) {
				depth--;
				at = i->operand - 1U;
			}
			break;
		}
	}
}

/* The objects of the batch that are listed at all. */
static unsigned
want_types(const struct scan *s, const struct batch *b, uint64_t *wanted)
{
	unsigned count = 0;

	memset(wanted, 0, sizeof(uint64_t) * WORDS);
	for (node_id n = b->first; n < b->end; n++) {
		bool is_listed =
		    !s->types || s->types[heap_type_of(s->heap, n)];

		wanted[(n - b->first) >> 6] |= (uint64_t)is_listed
					       << ((n - b->first) & 63);
		count += is_listed;
	}
	return count;
}

static void
keep_found(struct scan *s, const struct scan_thread *t, const struct batch *b,
	   uint32_t chunk)
{
	for (unsigned w = 0; w < b->words; w++) {
		uint64_t wanted = t->wanted[0][w];
		uint64_t yes = t->stack[0].yes[w] & wanted;
		uint64_t unknown = wanted & ~(yes | t->stack[0].no[w]);

		s->found[(b->first >> 6) + w] = yes;
		s->counts[chunk] += (uint32_t)__builtin_popcountll(yes);
		s->unknown_counts[chunk] +=
		    (uint64_t)__builtin_popcountll(unknown);
	}
}

static bool
scan_chunk(void *context, uint64_t part, unsigned thread, struct error *err)
{
	struct scan *s = context;
	struct scan_thread *t = &s->threads[thread];
	uint32_t chunk = (uint32_t)part;
	node_id end = chunk_end(s->heap, chunk);

	for (node_id n = chunk_first(chunk); n < end;) {
		struct batch b = { .first = n };

		b.end = end - n < BATCH ? end : n + BATCH;
		b.words = (b.end - n + 63) / 64;
		b.wanted_count = want_types(s, &b, t->wanted[0]);
		n = b.end;
		if (!b.wanted_count)
			continue;
		run_batch(s, t, &b);
		keep_found(s, t, &b, chunk);
		if (progress_is_cancelled(s->sweep.progress))
			return error_cancelled(err);
	}
	return progress_add(s->sweep.progress, end - chunk_first(chunk)) ||
	       error_cancelled(err);
}

static bool
list_chunk(void *context, uint64_t part, unsigned thread, struct error *err)
{
	struct scan *s = context;
	uint32_t chunk = (uint32_t)part;
	node_id first = chunk_first(chunk), end = chunk_end(s->heap, chunk);
	node_id *out = s->ids + s->starts[chunk];

	(void)thread;
	(void)err;
	for (; first < end; first += 64)
		for (uint64_t left = s->found[first >> 6]; left;
		     left &= left - 1) {
			node_id n = first + (node_id)__builtin_ctzll(left);

			*out++ = n;
			s->bytes[chunk] += heap_size(s->heap, n);
		}
	return true;
}

static bool
scan_make_room(struct scan *s, struct error *err)
{
	size_t chunks = (size_t)sweep_chunks_count(s->heap) + 1;

	s->threads =
	    arena_array(&s->arena, struct scan_thread, s->threads_count, err);
	s->found = arena_array(&s->arena, uint64_t,
			       bits_words(s->heap->nodes_count), err);
	s->counts = arena_array(&s->arena, uint32_t, chunks, err);
	s->starts = arena_array(&s->arena, uint32_t, chunks, err);
	s->bytes = arena_array(&s->arena, uint64_t, chunks, err);
	s->unknown_counts = arena_array(&s->arena, uint64_t, chunks, err);
	return s->threads && s->found && s->counts && s->starts && s->bytes &&
	       s->unknown_counts;
}

static bool
scan_run(struct scan *s, struct filter *f, struct id_list *list,
	 struct error *err)
{
	uint32_t chunks = sweep_chunks_count(s->heap);

	progress_begin(s->sweep.progress, "filtering", s->heap->nodes_count);
	if (!worker_run_all(s->threads_count, chunks, scan_chunk, s, err))
		return false;
	for (uint32_t c = 0; c < chunks; c++) {
		s->starts[c] = list->count;
		list->count += s->counts[c];
		f->unknown_count += s->unknown_counts[c];
	}
	list->ids = s->ids =
	    memory_resize(NULL, (size_t)list->count + 1, sizeof(node_id), err);
	if (!s->ids ||
	    !worker_run_all(worker_threads(), chunks, list_chunk, s, err))
		return false;
	for (uint32_t c = 0; c < chunks; c++)
		list->bytes_count += s->bytes[c];
	return true;
}

bool
filter_list(struct filter *f, const struct view *v, const uint8_t *types,
	    struct progress *progress, struct id_list *list, struct error *err)
{
	struct scan *s = memory_new(1, sizeof *s, err);
	bool ok;

	*list = (struct id_list){ 0 };
	if (!s)
		return false;
	arena_init(&s->arena, 0);
	s->filter = f;
	s->heap = v->session->heap;
	s->types = types;
	ok = sweep_init(&s->sweep, s->heap, &s->arena, progress, err) &&
	     choose_kernels(s, f, v, err) && scan_make_room(s, err) &&
	     scan_run(s, f, list, err);
	if (!ok)
		id_list_free(list);
	arena_clear(&s->arena);
	memory_free(s);
	return ok;
}
