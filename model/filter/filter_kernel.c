#include "model/filter/filter_kernel.h"
#include "model/graph/reach.h"
#include "model/graph/retention.h"
#include "model/graph/reverse.h"
#include "model/table/object_columns.h"
#include "model/base/sorted.h"
#include "model/heap/bits.h"
#include "model/base/worker.h"
#include <string.h>

/* Fewer objects are tested one by one. */
enum { SPARSE = BATCH_OBJECTS / 16 };

/* --- testing a batch ------------------------------------------------------ */

typedef enum truth object_test(const struct kernel *k, node_id n);

/* Tests all objects of a batch; `test` must be inlined. */
static inline __attribute__((always_inline)) void
test_each(const struct kernel *k, const struct batch *b, struct lanes *out, object_test *test)
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

/* The same for slow tests: test only undecided objects. */
static inline __attribute__((always_inline)) void
test_wanted(const struct kernel *k, const struct batch *b, struct lanes *out, object_test *test)
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
	return (enum truth)(k->condition->answers[heap_type_of(k->heap, n)] - 1);
}

static void
kernel_type(const struct kernel *k, const struct batch *b, struct lanes *out)
{
	test_each(k, b, out, object_by_type);
}

/* Ids are in address order, so a range of addresses is a range of ids. */
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
	uint32_t distance = k->facts->reach->distance[n];

	if (distance == DISTANCE_UNREACHABLE)
		return TRUTH_UNKNOWN;
	return truth_of(interval_has(&k->interval, distance));
}

static void
kernel_distance(const struct kernel *k, const struct batch *b, struct lanes *out)
{
	test_each(k, b, out, object_by_distance);
}

/* Walks range by range, as each has many objects. */
static void
kernel_generation(const struct kernel *k, const struct batch *b, struct lanes *out)
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
			node_id next = first > n ? first : first + h->ranges[range].count;

			end = next < end ? next : end;
		}
		for (; n < end; n++)
			lanes_put(out, n - b->first, truth);
	}
}

static enum truth
object_by_in(const struct kernel *k, node_id n)
{
	uint64_t count = reverse_count(k->facts->reverse, n);

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
	reverse_scan_init(&scan, k->facts->reverse, b->first);
	for (node_id n = b->first; n < b->end; n++)
		lanes_put(out, n - b->first,
			  truth_of(interval_has(&k->interval, reverse_scan_next(&scan).left)));
}

/* A faster test for conditions that distinguish only 0, 1 and more
   references. */
static void
kernel_in_few(const struct kernel *k, const struct batch *b, struct lanes *out)
{
	const struct reverse *rev = k->facts->reverse;
	uint64_t none = interval_has(&k->interval, 0) ? UINT64_MAX : 0;
	uint64_t one = interval_has(&k->interval, 1) ? UINT64_MAX : 0;
	uint64_t more = interval_has(&k->interval, 2) ? UINT64_MAX : 0;

	for (unsigned w = 0; w < b->words; w++) {
		uint64_t referred = rev->referred[(b->first >> 6) + w];
		uint64_t several = rev->several[(b->first >> 6) + w];

		out->yes[w] = (none & ~referred) | (one & referred & ~several) | (more & several);
		out->no[w] = ~out->yes[w];
	}
}

static enum truth
object_by_out(const struct kernel *k, node_id n)
{
	return truth_of(interval_has(&k->interval, heap_refs(k->heap, n).left));
}

/* Returns the encoded references of a batch; it begins at a block. */
static const uint8_t *
refs_of_batch(const struct heap *h, const struct batch *b)
{
	const struct chunk *chunk = &h->chunks[b->first >> CHUNK_SHIFT];

	return chunk->bytes + chunk->offsets[(b->first & (CHUNK_NODES - 1)) >> BLOCK_SHIFT];
}

static void
kernel_out(const struct kernel *k, const struct batch *b, struct lanes *out)
{
	bool of_none = interval_has(&k->interval, 0);
	uint32_t count = b->end - b->first;
	uint16_t sources[SWEEP_NODES] = { 0 };
	const uint8_t *at;

	if (b->wanted_count < SPARSE) {
		test_wanted(k, b, out, object_by_out);
		return;
	}
	memset(out->yes, of_none ? 0xff : 0, sizeof(out->yes));
	memset(out->no, of_none ? 0 : 0xff, sizeof(out->no));
	at = refs_of_batch(k->heap, b);
	for (uint32_t done = 0; done < count; done += SWEEP_NODES) {
		uint32_t found = sweep_sources(k->sweep, b->first + done, count - done, sources);

		for (uint32_t i = 0; i < found; i++) {
			uint32_t lane = done + sources[i];
			uint64_t left, bit;

			at = varint_get(at, &left);
			bit = interval_has(&k->interval, left) != of_none;
			out->yes[lane >> 6] ^= bit << (lane & 63);
			out->no[lane >> 6] ^= bit << (lane & 63);
			while (left)
				left -= !(*at++ & 0x80);
		}
	}
}

static enum truth
object_by_row(const struct kernel *k, node_id n)
{
	struct row row = row_of_node(k->heap, n);

	/* Check here as well: a batch of strings with millions of characters takes a minute. */
	if (progress_is_cancelled(k->sweep->progress))
		return TRUTH_UNKNOWN;
	return condition_test(k->condition, k->listing, &row);
}

static void
kernel_row(const struct kernel *k, const struct batch *b, struct lanes *out)
{
	test_wanted(k, b, out, object_by_row);
}

/* Decodes a list of references, and returns whether one is to these types. */
static inline bool
holds_any(const struct kernel *k, const uint8_t **at, node_id node, bool is_asked)
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
		bool holds = k->sweep->has_refs[heap_type_of(k->heap, n)] &&
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
	const struct dominators *d = k->facts->retention->dominators;

	return truth_of(interval_has(&k->condition->positions, d->positions[n]));
}

static void
kernel_under(const struct kernel *k, const struct batch *b, struct lanes *out)
{
	test_each(k, b, out, object_by_position);
}

static enum truth
object_by_life(const struct kernel *k, node_id n)
{
	bool is_live = k->facts->reach->distance[n] != DISTANCE_UNREACHABLE;

	return truth_of(is_live == (k->condition->comparison == COMPARE_IS));
}

static void
kernel_live(const struct kernel *k, const struct batch *b, struct lanes *out)
{
	test_each(k, b, out, object_by_life);
}

/* --- choosing a kernel --------------------------------------------------- */

/* Marks all objects that objects of these types refer to. */
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
		__atomic_fetch_or(&h->held[target >> 6], UINT64_C(1) << (target & 63),
				  __ATOMIC_RELAXED);
}

static bool
mark_held_chunk(void *context, uint64_t part, unsigned thread, struct error *err)
{
	struct holding *h = context;

	(void)thread;
	return sweep_chunk(h->sweep, (uint32_t)part, visit_held, h) || error_cancelled(err);
}

static bool
choose_held(struct kernel *k, const struct sweep *sweep, struct arena *a, struct error *err)
{
	struct holding h = { sweep, k->condition->types, NULL };

	h.held = k->held = arena_array(a, uint64_t, bits_words(k->heap->nodes_count), err);
	k->test = kernel_held;
	progress_begin(sweep->progress, "looking what they hold", "objects", k->heap->nodes_count);
	return h.held && worker_run_all(worker_threads(), sweep_chunks_count(k->heap),
					mark_held_chunk, &h, err);
}

static void
choose_size(struct kernel *k)
{
	k->test = kernel_size;
	for (int code = 0; code < SIZE_CODES; code++)
		k->by_code[code] = (uint8_t)size_truth(k->condition, k->heap->sizes[code]);
}

static void
choose_generation(struct kernel *k)
{
	struct value value;

	k->test = k->heap->generation_counts ? kernel_generation : kernel_unknown;
	for (int gen = 0; gen < GEN_COUNT; gen++) {
		value_generation(&value, (enum generation)gen);
		k->by_gen[gen] = condition_compare(k->condition, &value);
	}
}

/* Returns the first object at or above an address. */
static node_id
first_at(const struct heap *h, wide address)
{
	node_id at;

	LOWER_BOUND(at, 0, h->nodes_count, heap_address(h, at) < address);
	return at;
}

static const struct interval no_object = { 0, UINT64_MAX, true };

/* Returns the objects at addresses from `low` to below `end`. */
static struct interval
ids_between(const struct heap *h, wide low, wide end)
{
	node_id first = first_at(h, low), last = first_at(h, end);

	if (first >= last)
		return no_object;
	return (struct interval){ first, last - 1U, false };
}

/* Returns false if the values are not addresses. */
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

/* Returns false if the condition is not an interval. */
static bool
choose_in(struct kernel *k)
{
	const struct interval *i = &k->interval;

	if (!choose_interval(k, kernel_in))
		return false;
	if (i->low <= 2 && (i->high < 2 || i->high == UINT64_MAX))
		k->test = kernel_in_few;
	return true;
}

/* Returns false if the column has no kernel faster than its cell, or the condition is not an
   interval. */
static bool
choose_object_number(struct kernel *k, object_number *number)
{
	if (number == object_address)
		return choose_address(k);
	if (number == object_size) {
		choose_size(k);
		return !k->condition->pattern;
	}
	if (number == object_generation) {
		choose_generation(k);
		return true;
	}
	if (number == object_in)
		return choose_in(k);
	if (number == object_out)
		return choose_interval(k, kernel_out);
	return number == object_distance && choose_interval(k, kernel_distance);
}

static void
choose_type(struct kernel *k)
{
	k->test = kernel_type;
	for (type_id t = 0; t < k->heap->types_count; t++)
		(void)condition_test_type(k->condition, k->listing, t);
}

static void
choose_column(struct kernel *k)
{
	const struct condition *c = k->condition;
	const struct column *column = &k->listing->table->columns[c->column];

	if (column->needs & ~k->facts->has)
		k->test = kernel_unknown;
	else if (c->answers)
		choose_type(k);
	else if (column->from.source != SOURCE_OBJECT ||
		 !choose_object_number(k, column->from.object)) {
		k->test = kernel_row;
		k->is_serial = true;
	}
}

bool
kernel_choose(struct kernel *k, struct condition *c, const struct listing *l,
	      const struct sweep *sweep, struct arena *a, struct error *err)
{
	*k = (struct kernel){ .condition = c,
			      .listing = l,
			      .facts = &l->facts,
			      .heap = sweep->heap,
			      .sweep = sweep };
	switch (c->kind) {
	case CONDITION_COLUMN:
		choose_column(k);
		return true;
	case CONDITION_OBJECT:
		k->test = kernel_address;
		k->interval = ids_between(k->heap, c->low.address, (wide)c->low.address + 1);
		return true;
	case CONDITION_HOLDS:
		k->test = kernel_holds;
		return true;
	case CONDITION_HELD_BY:
		return choose_held(k, sweep, a, err);
	case CONDITION_UNDER:
		k->test = l->facts.has & NEED_RETAINED ? kernel_under : kernel_unknown;
		return true;
	case CONDITION_NEW:
	case CONDITION_GONE:
	case CONDITION_SURVIVED:
		k->test = kernel_row;
		return true;
	case CONDITION_MINE:
		k->test = kernel_type;
		return true;
	case CONDITION_LIVE:
		k->test = l->facts.has & NEED_REACH ? kernel_live : kernel_unknown;
		return true;
	}
	return false;
}
