#include "model/analysis/survival.h"
#include "model/analysis/survival_keys.h"
#include "model/heap/contents.h"
#include <stdlib.h>
#include <string.h>

enum {
	LOOK_EVERY = 65536,
	RUN = 1024, /* objects that are sorted at once */
	/* Two heaps are of one process if at least one in so many objects of the smaller heap is at
	   the same address: the system places the heaps of each process at random. */
	FOUND_PART = 50,
	/* Unmistakable objects that are looked at, about; so many must be known, and of these at
	   most one in so many found elsewhere, if nothing has moved. */
	SAMPLE = 100000,
	EVIDENCE_MIN = 50,
	MOVED_PART = 50,
};

/* One of the heaps. */
struct side {
	const struct heap *heap;
	const uint32_t *rows; /* by type */
	uint64_t *found;      /* bits: in the other heap as well */
	uint64_t *keys;       /* by object; NULL: not needed */
	struct candidate *candidates;
	size_t count;
};

/* An object that is looked for in the other heap by its key. */
struct candidate {
	uint64_t key;
	uint32_t youth; /* 0 for objects that have survived collections */
	node_id node;
};

struct comparing {
	struct side first, last;
	struct progress *progress;
};

/* Returns false if the user has cancelled; looks once in LOOK_EVERY steps. */
static bool
may_go_on(const struct comparing *c, uint64_t step)
{
	return step % LOOK_EVERY || !progress_is_cancelled(c->progress);
}

/* --- the same addresses -------------------------------------------------- */

static bool
is_same(const struct comparing *c, node_id first, node_id last)
{
	const struct heap *a = c->first.heap, *b = c->last.heap;

	return c->first.rows[heap_type_of(a, first)] == c->last.rows[heap_type_of(b, last)] &&
	       heap_size(a, first) == heap_size(b, last);
}

/* Finds objects at the same address that are not found yet, in a step through both heaps; made-up
   addresses say nothing. */
static bool
find_by_address(struct comparing *c, uint64_t *found, struct error *err)
{
	struct addresses_scan a, b;
	uint64_t first, last, steps = 0;
	bool has_first, has_last;

	addresses_scan_init(&a, c->first.heap->addresses, 0);
	addresses_scan_init(&b, c->last.heap->addresses, 0);
	has_first = addresses_scan_next(&a, &first);
	has_last = addresses_scan_next(&b, &last);
	while (has_first && has_last && !address_is_made_up(first) && !address_is_made_up(last)) {
		int order = (first > last) - (first < last);

		if (!order && is_same(c, a.next - 1, b.next - 1) &&
		    !bits_has(c->first.found, a.next - 1) && !bits_has(c->last.found, b.next - 1)) {
			bits_add(c->first.found, a.next - 1);
			bits_add(c->last.found, b.next - 1);
			++*found;
		}
		if (!may_go_on(c, ++steps))
			return error_cancelled(err);
		if (order <= 0)
			has_first = addresses_scan_next(&a, &first);
		if (order >= 0)
			has_last = addresses_scan_next(&b, &last);
	}
	return true;
}

/* --- the same contents --------------------------------------------------- */

static uint32_t
youth_of(const struct heap *h, node_id n)
{
	enum generation gen = h->generation_counts ? heap_generation(h, n) : GEN_UNKNOWN;

	return gen == GEN_0 ? 2 : gen == GEN_1 ? 1 : 0;
}

static int
compare_candidates(const void *x, const void *y)
{
	const struct candidate *a = x, *b = y;

	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	if (a->youth != b->youth)
		return a->youth < b->youth ? -1 : 1;
	return (a->node > b->node) - (a->node < b->node);
}

/* Merges sorted runs of this length in pairs. */
static bool
merge_runs(const struct comparing *c, const struct candidate *from, struct candidate *to,
	   size_t count, size_t length)
{
	size_t first = 0, second = 0, middle = 0, end = 0;

	for (size_t i = 0; i < count; i++) {
		bool is_first;

		if (i == end) {
			first = i;
			second = middle = length < count - i ? i + length : count;
			end = length < count - middle ? middle + length : count;
		}
		is_first = second == end ||
			   (first < middle && compare_candidates(&from[first], &from[second]) < 0);
		to[i] = from[is_first ? first++ : second++];
		if (!may_go_on(c, i))
			return false;
	}
	return true;
}

/* Sorts short runs, then merges them: one qsort() of all could not be cancelled. */
static bool
sort_candidates(const struct comparing *c, struct side *s, struct error *err)
{
	struct candidate *other = memory_new(s->count + 1, sizeof *other, err);
	bool goes_on = true;

	if (!other)
		return false;
	for (size_t at = 0; goes_on && at < s->count; at += RUN) {
		size_t left = s->count - at;

		qsort(s->candidates + at, left < RUN ? left : RUN, sizeof *s->candidates,
		      compare_candidates);
		goes_on = !progress_is_cancelled(c->progress);
	}
	for (size_t length = RUN; goes_on && length < s->count; length *= 2) {
		struct candidate *sorted = other;

		goes_on = merge_runs(c, s->candidates, sorted, s->count, length);
		other = s->candidates;
		s->candidates = sorted;
	}
	memory_free(other);
	return goes_on || error_cancelled(err);
}

static bool
is_wanted(const struct side *s, node_id n, uint64_t step)
{
	return !bits_has(s->found, n) && !(s->keys[n] % step);
}

/* Lists the objects that are not found yet and whose keys are multiples of `step`. The collector
   keeps the order of objects, so those of a key are in order of age. */
static bool
gather(const struct comparing *c, struct side *s, uint64_t step, struct error *err)
{
	size_t count = 0;

	memory_free(s->candidates);
	s->count = 0;
	for (node_id n = 0; n < s->heap->nodes_count; n++)
		count += is_wanted(s, n, step);
	s->candidates = memory_new(count + 1, sizeof *s->candidates, err);
	if (!s->candidates)
		return false;
	for (node_id n = 0; n < s->heap->nodes_count; n++) {
		if (is_wanted(s, n, step))
			s->candidates[s->count++] =
			    (struct candidate){ s->keys[n], youth_of(s->heap, n), n };
		if (!may_go_on(c, n))
			return error_cancelled(err);
	}
	return sort_candidates(c, s, err);
}

static bool
make_keys(struct comparing *c, enum keys_of of, struct error *err)
{
	memory_free(c->first.keys);
	memory_free(c->last.keys);
	c->last.keys = NULL;
	c->first.keys = survival_keys(c->first.heap, c->first.rows, of, c->progress, err);
	if (c->first.keys)
		c->last.keys = survival_keys(c->last.heap, c->last.rows, of, c->progress, err);
	return c->last.keys != NULL;
}

/* Returns the end of the candidates with the same key. */
static size_t
run_end(const struct side *s, size_t at)
{
	size_t end = at;

	while (end < s->count && s->candidates[end].key == s->candidates[at].key)
		end++;
	return end;
}

/* The candidates of one key that both heaps have. */
struct alike {
	const struct candidate *first, *last;
	size_t first_count, last_count;
};
struct tally {
	uint64_t known, moved;
};
/* Returns false if the user has cancelled. */
typedef bool visit_alike(const struct comparing *c, const struct alike *a, struct tally *tally);

static bool
is_elsewhere(const struct comparing *c, node_id first, node_id last)
{
	return heap_address(c->first.heap, first) != heap_address(c->last.heap, last);
}

/* Objects are unmistakable if no other in either heap looks the same. */
static bool
count_unmistakable(const struct comparing *c, const struct alike *a, struct tally *tally)
{
	if (a->first_count != 1 || a->last_count != 1)
		return true;
	tally->moved += is_elsewhere(c, a->first->node, a->last->node);
	return may_go_on(c, ++tally->known);
}

/* The oldest have survived. */
static bool
pair_up(const struct comparing *c, const struct alike *a, struct tally *tally)
{
	for (size_t i = 0; i < a->first_count && i < a->last_count; i++) {
		bits_add(c->first.found, a->first[i].node);
		bits_add(c->last.found, a->last[i].node);
		tally->moved += is_elsewhere(c, a->first[i].node, a->last[i].node);
		if (!may_go_on(c, ++tally->known))
			return false;
	}
	return true;
}

static bool
for_all_alike(const struct comparing *c, struct tally *tally, visit_alike *visit, struct error *err)
{
	const struct candidate *first = c->first.candidates;
	const struct candidate *last = c->last.candidates;
	size_t a = 0, b = 0;
	uint64_t steps = 0;

	while (a < c->first.count && b < c->last.count) {
		struct alike alike = { .first = first + a, .last = last + b };
		bool goes_on = may_go_on(c, ++steps);

		if (first[a].key < last[b].key) {
			a++;
		} else if (first[a].key > last[b].key) {
			b++;
		} else {
			alike.first_count = run_end(&c->first, a) - a;
			alike.last_count = run_end(&c->last, b) - b;
			a += alike.first_count;
			b += alike.last_count;
			goes_on = goes_on && visit(c, &alike, tally);
		}
		if (!goes_on)
			return error_cancelled(err);
	}
	return true;
}

static void
forget_found(struct side *s)
{
	memset(s->found, 0, bits_words(s->heap->nodes_count) * sizeof *s->found);
}

enum verdict { MOVED, NOT_MOVED, UNDECIDED };

/* Judge by a sample of the objects that cannot be mistaken for others. An object that has changed
   has different keys in the two heaps and does not count. */
static bool
judge(struct comparing *c, enum verdict *verdict, struct error *err)
{
	uint64_t step = c->first.heap->nodes_count / SAMPLE + 1;
	uint64_t *first = c->first.found, *last = c->last.found;
	struct tally tally = { 0 };
	bool ok;

	/* All objects count, wherever they were found. */
	c->first.found = memory_new(bits_words(c->first.heap->nodes_count), sizeof *first, err);
	c->last.found = memory_new(bits_words(c->last.heap->nodes_count), sizeof *last, err);
	ok = c->first.found && c->last.found && gather(c, &c->first, step, err) &&
	     gather(c, &c->last, step, err);
	memory_free(c->first.found);
	memory_free(c->last.found);
	c->first.found = first;
	c->last.found = last;
	ok = ok && for_all_alike(c, &tally, count_unmistakable, err);
	*verdict = tally.known < EVIDENCE_MIN               ? UNDECIDED
		   : tally.moved * MOVED_PART > tally.known ? MOVED
							    : NOT_MOVED;
	return ok;
}

static bool
pair_all(struct comparing *c, struct survival *s, struct error *err)
{
	struct tally tally = { 0 };

	if (!gather(c, &c->first, 1, err) || !gather(c, &c->last, 1, err) ||
	    !for_all_alike(c, &tally, pair_up, err))
		return false;
	s->moved_count += (uint32_t)tally.moved;
	return true;
}

/* Where objects have moved, an address says little: another object of the same type may be there
   now. So addresses only decide about objects that contents do not pair. What is left after that
   has changed, and is paired by less and less of its contents. */
static bool
find_by_contents(struct comparing *c, struct survival *s, enum keys_of of, struct error *err)
{
	uint64_t found = 0;

	forget_found(&c->first);
	forget_found(&c->last);
	if (!pair_all(c, s, err) || !find_by_address(c, &found, err))
		return false;
	while (of-- > KEYS_OF_SIZE)
		if (!make_keys(c, of, err) || !pair_all(c, s, err))
			return false;
	return true;
}

/* Decides whether addresses can be trusted, and does without them if not. */
static bool
check_addresses(struct comparing *c, struct survival *s, struct error *err)
{
	enum keys_of of = contents_have_fields(c->first.heap) && contents_have_fields(c->last.heap)
			      ? KEYS_OF_VALUES
			      : KEYS_OF_SHAPE;
	enum verdict verdict;

	if (!make_keys(c, of, err) || !judge(c, &verdict, err))
		return false;
	s->is_estimate = verdict != NOT_MOVED;
	return verdict != MOVED || find_by_contents(c, s, of, err);
}

/* --- results ------------------------------------------------------------- */

static bool
sum_up(struct survival *s, const struct comparing *c, struct error *err)
{
	for (node_id n = 0; n < s->last->nodes_count; n++) {
		struct survival_sum *sum = &s->rows[c->last.rows[heap_type_of(s->last, n)]];

		if (bits_has(c->last.found, n)) {
			sum->survived++;
		} else {
			sum->new_count++;
			bits_add(s->is_new, n);
		}
		if (!may_go_on(c, n))
			return error_cancelled(err);
	}
	for (node_id n = 0; n < s->first->nodes_count; n++) {
		if (!may_go_on(c, n))
			return error_cancelled(err);
		if (bits_has(c->first.found, n))
			continue;
		s->rows[c->first.rows[heap_type_of(s->first, n)]].gone_count++;
		bits_add(s->is_gone, n);
	}
	for (uint32_t row = 0; row < s->rows_count; row++) {
		const struct survival_sum *sum = &s->rows[row];

		s->all.survived += sum->survived;
		s->all.new_count += sum->new_count;
		s->all.gone_count += sum->gone_count;
	}
	return true;
}

static bool
compare(struct survival *s, struct comparing *c, struct error *err)
{
	uint32_t smaller = s->first->nodes_count < s->last->nodes_count ? s->first->nodes_count
									: s->last->nodes_count;
	uint64_t found = 0;

	progress_begin(c->progress, "looking for new objects", "objects", 0);
	if (!find_by_address(c, &found, err))
		return false;
	if (!found || found * FOUND_PART < smaller)
		return true;
	s->is_known = true;
	/* If every object of the first heap is found, there is no doubt. */
	if (found < s->first->nodes_count && !check_addresses(c, s, err))
		return false;
	return sum_up(s, c, err);
}

static bool
side_init(struct side *s, const struct heap *h, const uint32_t *rows, struct error *err)
{
	*s = (struct side){ .heap = h, .rows = rows };
	s->found = memory_new(bits_words(h->nodes_count), sizeof *s->found, err);
	return s->found != NULL;
}

static void
side_clear(struct side *s)
{
	memory_free(s->found);
	memory_free(s->keys);
	memory_free(s->candidates);
}

static bool
make_room(struct survival *s, struct error *err)
{
	s->rows = memory_new((size_t)s->rows_count + 1, sizeof *s->rows, err);
	s->is_new = memory_new(bits_words(s->last->nodes_count), sizeof *s->is_new, err);
	s->is_gone = memory_new(bits_words(s->first->nodes_count), sizeof *s->is_gone, err);
	return s->rows && s->is_new && s->is_gone;
}

bool
survival_compute(struct survival *s, const struct type_match *match,
		 const struct heap *const *heaps, uint32_t first_at, uint32_t last_at,
		 struct progress *progress, struct error *err)
{
	struct comparing c = { .progress = progress };
	bool ok;

	*s = (struct survival){ .rows_count = match->rows_count,
				.first = heaps[first_at],
				.last = heaps[last_at] };
	ok = side_init(&c.first, s->first, match->rows[first_at], err);
	ok = side_init(&c.last, s->last, match->rows[last_at], err) && ok;
	ok = ok && make_room(s, err) && compare(s, &c, err);
	side_clear(&c.first);
	side_clear(&c.last);
	if (!ok)
		survival_clear(s);
	return ok;
}

void
survival_clear(struct survival *s)
{
	memory_free(s->rows);
	memory_free(s->is_new);
	memory_free(s->is_gone);
	*s = (struct survival){ 0 };
}
