#include "model/analysis/finder.h"
#include "model/graph/retention.h"
#include "model/table/facts.h"
#include "model/table/table.h"
#include "model/heap/bits.h"
#include <stdlib.h>
#include <string.h>

enum {
	LOOK_EVERY = 65536,
	MUCH_PART = 100,
	MUCH_MIN = 16 << 10,
	MANY_PART = 5000,
	MANY_MIN = 20,
	LIST_MAX = 65536 /* objects; a longer sort could not be cancelled */
};

#define FINDING_LISTED(kind) &kind,
const struct finding_kind *const finding_kinds[] = { FINDING_KINDS(FINDING_LISTED) };

bool
finding_is_sought(const struct finding_kind *kind, const struct heap *h, bool has_retained)
{
	return table_heaps_include((enum table_heaps)kind->heaps, h) &&
	       (has_retained || !kind->needs_retained) && (!kind->is_sought || kind->is_sought(h));
}

const char *
finding_harmless(const struct heap *h, const struct finding *f)
{
	const struct finding_kind *kind = f->kind;

	if (f->ended)
		return "nothing will empty it, as long as what uses it has ended";
	return h->memory && kind->harmless_in_memory ? kind->harmless_in_memory : kind->harmless;
}

/* --- looking through the heap -------------------------------------------- */

static bool
sort_by_role(struct finder *f, struct error *err)
{
	const struct heap *h = f->heap;

	progress_begin(f->progress, "looking for suspects", "objects", h->nodes_count);
	for (node_id n = 0; n < h->nodes_count; n++) {
		uint8_t role = f->roles[heap_type_of(h, n)];

		if (n % LOOK_EVERY == 0 && !progress_add(f->progress, LOOK_EVERY))
			return error_cancelled(err);
		if (role == ROLE_NONE ||
		    (role == ROLE_ARRAY && heap_size(h, n) < ARRAY_BYTES_MIN) ||
		    !finder_is_live(f, n))
			continue;
		if (!node_list_add(&f->by_role[role], n, err))
			return false;
	}
	return true;
}

/* --- finding and sorting ------------------------------------------------- */

static void
set_limits(struct finder *f, const struct findings_input *in)
{
	uint64_t much = in->reach->reachable_bytes / MUCH_PART;
	uint64_t many = in->reach->reachable_count / MANY_PART;

	f->much = much > MUCH_MIN ? much : MUCH_MIN;
	f->many = many > MANY_MIN ? many : MANY_MIN;
	if (in->lower && in->lower->much < f->much)
		f->much = in->lower->much;
	if (in->lower && in->lower->many < f->many)
		f->many = in->lower->many;
	f->ignores_shares = in->ignores_shares;
}

static bool
finder_init(struct finder *f, const struct findings_input *in, struct progress *progress,
	    struct error *err)
{
	const struct heap *h = in->heap;
	size_t types = (size_t)h->types_count + 1;

	*f = (struct finder){ .heap = h,
			      .reverse = in->reverse,
			      .reach = in->reach,
			      .retained = in->retained,
			      .earlier = in->earlier,
			      .progress = progress };
	set_limits(f, in);
	arena_init(&f->scratch, 0);
	f->roles = arena_array(&f->scratch, uint8_t, types, err);
	f->is_own = arena_array(&f->scratch, bool, types, err);
	f->tally.counts = arena_array(&f->scratch, uint32_t, types, err);
	f->tally.bytes = arena_array(&f->scratch, uint64_t, types, err);
	f->tally.types = arena_array(&f->scratch, type_id, types, err);
	f->seen = arena_array(&f->scratch, uint64_t, bits_words(h->nodes_count), err);
	f->out = memory_new(1, sizeof *f->out, err);
	if (!f->out)
		return false;
	arena_init(&f->out->arena, 0);
	f->out->limits = (struct findings_limits){ f->much, f->many };
	if (!f->roles || !f->is_own || !f->tally.counts || !f->tally.bytes || !f->tally.types ||
	    !f->seen)
		return false;
	for (type_id t = 0; t < h->types_count; t++) {
		f->roles[t] = (uint8_t)role_of(&h->types[t]);
		f->is_own[t] = !type_is_of_framework(&h->types[t]);
	}
	return true;
}

static void
finder_clear(struct finder *f)
{
	for (int i = 0; i < ROLE_COUNT; i++)
		memory_free(f->by_role[i].items);
	memory_free(f->reported.items);
	memory_free(f->locks.items);
	arena_clear(&f->scratch);
}

uint64_t
finding_weight(const struct finding *f)
{
	if (f->kind->weight)
		return f->kind->weight(f);
	return f->retained.bytes ? f->retained.bytes : f->bytes;
}

/* Returns the weight by which findings are sorted. What only says how objects are used counts half:
   of two findings about the same bytes, the reason why they live comes first. */
static uint64_t
order_of(const struct finding *f)
{
	return finding_weight(f) >> f->kind->is_waste;
}

static int
compare_findings(const void *x, const void *y)
{
	const struct finding *a = x, *b = y;
	uint64_t weight_a = order_of(a), weight_b = order_of(b);

	if (a->is_stall != b->is_stall)
		return a->is_stall ? -1 : 1;
	if (weight_a != weight_b)
		return weight_a > weight_b ? -1 : 1;
	if (a->bytes != b->bytes)
		return a->bytes > b->bytes ? -1 : 1;
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	if (!a->nodes_count || !b->nodes_count)
		return 0;
	return (a->nodes[0] > b->nodes[0]) - (a->nodes[0] < b->nodes[0]);
}

/* Sort, and keep only the FINDINGS_MAX largest findings of each kind: hundreds of one kind would
   hide the others. */
static void
findings_sort(struct findings *f, bool has_no_limit)
{
	uint32_t of_kind[FINDING_KIND_COUNT] = { 0 }, kept = 0;

	if (f->count)
		qsort(f->items, f->count, sizeof *f->items, compare_findings);
	for (uint32_t i = 0; i < f->count; i++)
		if (has_no_limit || of_kind[f->items[i].rank]++ < FINDINGS_MAX)
			f->items[kept++] = f->items[i];
	f->left_out = f->count - kept;
	f->count = kept;
}

/* A short list is sorted; a long one becomes a bit set, since sorting it could not be cancelled. */
static bool
retained_of_nodes(struct finder *f, const node_id *nodes, uint32_t count, struct retained_sum *sum,
		  struct error *err)
{
	bool ok;

	if (count <= LIST_MAX)
		return retained_of_list(f->retained, nodes, count, sum, err);
	for (uint32_t i = 0; i < count; i++)
		bits_add(f->seen, nodes[i]);
	ok = retained_of_set(f->retained, f->seen, f->progress, sum, err);
	for (uint32_t i = 0; i < count; i++)
		bits_remove(f->seen, nodes[i]);
	return ok;
}

static bool
add_retained(struct finder *f, struct finding *finding, struct error *err)
{
	uint32_t count = finding->nodes_count;
	node_id *nodes;
	bool ok;

	if (!count)
		return true;
	if (finding->kind->retained)
		return finding->kind->retained(f, finding, &finding->retained, err);
	nodes = memory_new((size_t)count + 1, sizeof *nodes, err);
	if (!nodes)
		return false;
	memcpy(nodes, finding->nodes, count * sizeof *nodes);
	/* It may retain objects that no one of the evidence retains alone. */
	if (finding->kind->subject_counts)
		nodes[count++] = finding->subject;
	ok = retained_of_nodes(f, nodes, count, &finding->retained, err);
	memory_free(nodes);
	return ok;
}

static bool
add_all_retained(struct finder *f, struct error *err)
{
	if (!f->retained)
		return true;
	progress_begin(f->progress, "adding up retained sizes", "findings", f->out->count);
	for (uint32_t i = 0; i < f->out->count; i++)
		if (!add_retained(f, &f->out->items[i], err))
			return false;
	return !progress_is_cancelled(f->progress) || error_cancelled(err);
}

/* Lets the kinds that come last, or all others, look for their findings. */
static bool
find_kinds(struct finder *f, bool last, struct error *err)
{
	bool ok = true;

	for (uint8_t i = 0; ok && i < FINDING_KIND_COUNT; i++) {
		const struct finding_kind *kind = finding_kinds[i];

		if (kind->find && kind->comes_last == last &&
		    finding_is_sought(kind, f->heap, f->retained != NULL))
			ok = kind->find(f, err);
	}
	return ok;
}

static void
set_ranks(struct findings *f)
{
	for (uint32_t i = 0; i < f->count; i++)
		while (finding_kinds[f->items[i].rank] != f->items[i].kind)
			f->items[i].rank++;
}

struct findings_input
findings_input_of(const struct facts *facts)
{
	return (struct findings_input){
		.heap = facts->heap,
		.reverse = facts->reverse,
		.reach = facts->reach,
		.retained = facts->retention ? facts->retention->retained : NULL,
		.earlier = facts->earlier,
	};
}

struct findings *
findings_find(const struct findings_input *in, struct progress *progress, struct error *err)
{
	struct finder f;
	bool ok = finder_init(&f, in, progress, err) && sort_by_role(&f, err) &&
		  finder_list_locks(&f, err) && find_kinds(&f, false, err) &&
		  find_kinds(&f, true, err) && finder_set_keepers(&f, err) &&
		  finder_set_ended(&f, err) && add_all_retained(&f, err);

	finder_clear(&f);
	if (ok) {
		set_ranks(f.out);
		findings_sort(f.out, in->has_no_limit);
		return f.out;
	}
	findings_free(f.out);
	return NULL;
}

void
findings_free(struct findings *f)
{
	if (!f)
		return;
	memory_free(f->items);
	arena_clear(&f->arena);
	memory_free(f);
}
