#include "model/analysis/finder.h"
#include "model/table/table.h"
#include "model/analysis/timers.h"
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

/* clang-format off */
const struct finding_kind_info finding_kinds[FINDING_KIND_COUNT] = {
	[FINDING_DOMINATOR] = { "dominator", "objects that retain much",
		"no leak if it is meant to hold so much: a cache with a limit, a model that was loaded", OF_ANY_HEAP, NULL },
	[FINDING_COLLECTION] = { "collection", "collections with most objects of a type",
		"no leak if it is a cache or an index with a limit, or holds the main data of the program", OF_ANY_HEAP, NULL },
	[FINDING_EVENT] = { "event", "event handlers",
		"no leak if the subscribers live as long as the publisher anyway", OF_ANY_HEAP, NULL },
	[FINDING_TIMER] = { "timer", "timers",
		"no leak if each belongs to something that is still running, such as a request with a time limit", OF_ANY_HEAP, NULL },
	[FINDING_ASYNC] = { "async", "waiting async calls",
		"no leak if so many calls are in progress, such as one for each connection or message", OF_ANY_HEAP, NULL },
	[FINDING_REGISTRATION] = { "registration", "cancellation callbacks",
		"no leak if each belongs to work that is still running; disposing a registration or a linked source ends it", OF_ANY_HEAP, NULL },
	[FINDING_DISPOSABLE] = { "disposable", "undisposed resources",
		"no leak if all of them are in use, such as one for each open connection", OF_ANY_HEAP, NULL },
	[FINDING_FINALIZER] = { "finalizer", "finalizer backlog",
		"no leak if they died just now: the capture triggers a collection, and its dead objects then wait for their finalizers; in a second capture, other objects wait", OF_ANY_HEAP,
		"no leak if the finalizer thread keeps up: in a second capture, other objects wait" },
	[FINDING_DEPENDENT] = { "dependent", "values of dependent handles",
		"no leak if their keys are still needed: a value is freed with its key, which the file does not record", OF_ANY_HEAP,
		"no leak if their keys are still needed: a value is freed with its key" },
	[FINDING_WEAK_TABLE] = { "weak-table", "weak tables",
		"no leak if so many keys are alive; the table does not keep them alive, but does not shrink either", OF_ANY_HEAP, NULL },
	[FINDING_PINNED] = { "pinned", "pinned objects",
		"harmless if they were allocated early and together, and stay: gaps arise where the objects around them die", OF_ANY_HEAP, NULL },
	[FINDING_ARRAY] = { "array", "mostly empty arrays",
		"no leak if they are about to be filled, or the pool that they belong to is meant to keep them", OF_ANY_HEAP, NULL },
	[FINDING_CONTEXT] = { "context", "load contexts",
		"no leak while the plugin is in use, or if the assembly was made by a serializer or a mock and is used again", OF_ANY_HEAP, NULL },
	[FINDING_THREAD_STATIC] = { "thread-static", "thread static variables",
		"no leak if there are few threads and each needs its own object, such as a buffer", OF_ANY_HEAP, NULL },
	[FINDING_FRAGMENTATION] = { "fragmentation", "fragmentation",
		"harmless if new objects soon fill the holes; a compacting collection closes them, except around pinned objects", OF_ANY_HEAP, NULL },
	[FINDING_UNROOTED] = { "unrooted", "unrooted bytes",
		"no leak if the next full collection frees them; if roots are missing, all of them may be in use", OF_ANY_HEAP, NULL },
	[FINDING_NATIVE] = { "native", "native memory",
		"no leak in itself: native libraries, threads and mapped files take memory that no heap shows; a second capture shows what grows", OF_ANY_HEAP, NULL },
	[FINDING_DUPLICATE_STRINGS] = { "duplicate", "duplicate strings",
		"no leak if they are short-lived; others could share one string, by string.Intern() or a table of your own", OF_CONTENTS, NULL },
	[FINDING_LARGE_STRINGS] = { "large-string", "large strings",
		"no leak if the text is needed as a whole, such as a document that is being worked on", OF_CONTENTS, NULL },
	[FINDING_EMPTY_COLLECTIONS] = { "empty", "empty collections",
		"no leak if they are about to be filled; otherwise they were created too early, or with too much capacity", OF_FIELDS, NULL },
	[FINDING_ZERO_ARRAYS] = { "zeros", "arrays of zeros",
		"no leak if they are buffers about to be filled, or belong to a pool", OF_CONTENTS, NULL },
	[FINDING_BOXES] = { "boxed", "boxed values",
		"no leak in itself: a box takes 16 bytes more than its value; generic collections need none", OF_CONTENTS, NULL },
	[FINDING_LOCK] = { "lock", "locks that many threads wait for",
		"harmless if the holder is about to release it; in a second capture, another thread holds it and others wait", OF_FIELDS, NULL },
};
/* clang-format on */

const char *
finding_harmless(const struct heap *h, const struct finding *f)
{
	const struct finding_kind_info *info = &finding_kinds[f->kind];

	return h->memory && info->harmless_in_memory ? info->harmless_in_memory : info->harmless;
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

/* The objects between the holes of a generation explain little. */
uint64_t
finding_weight(const struct finding *f)
{
	if (f->kind == FINDING_FRAGMENTATION)
		return f->unused_bytes;
	if (f->kind == FINDING_LOCK)
		return f->count;
	return f->retained.bytes ? f->retained.bytes : f->bytes;
}

static int
compare_findings(const void *x, const void *y)
{
	const struct finding *a = x, *b = y;
	uint64_t weight_a = finding_weight(a), weight_b = finding_weight(b);

	if (a->is_stall != b->is_stall)
		return a->is_stall ? -1 : 1;
	if (weight_a != weight_b)
		return weight_a > weight_b ? -1 : 1;
	if (a->bytes != b->bytes)
		return a->bytes > b->bytes ? -1 : 1;
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
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
		if (has_no_limit || of_kind[f->items[i].kind]++ < FINDINGS_MAX)
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

/* Add the collection to its elements, and the source to what is registered with it: they may retain
   objects that no element retains alone. */
static bool
add_retained(struct finder *f, struct finding *finding, struct error *err)
{
	uint32_t count = finding->nodes_count;
	node_id *nodes;
	bool ok;

	if (finding->kind == FINDING_NATIVE)
		return true;
	/* These are all objects without a root: what any of them retains is among them. */
	if (finding->kind == FINDING_UNROOTED) {
		finding->retained =
		    (struct retained_sum){ .count = finding->nodes_count, .bytes = finding->bytes };
		return true;
	}
	if (finding->kind == FINDING_TIMER)
		return timers_retained(f->retained, finding->nodes, count, &finding->retained, err);
	nodes = memory_new((size_t)count + 1, sizeof *nodes, err);
	if (!nodes)
		return false;
	memcpy(nodes, finding->nodes, count * sizeof *nodes);
	if (finding->kind == FINDING_COLLECTION || finding->kind == FINDING_REGISTRATION)
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

struct findings *
findings_find(const struct findings_input *in, struct progress *progress, struct error *err)
{
	struct finder f;
	bool ok = finder_init(&f, in, progress, err) && sort_by_role(&f, err) &&
		  find_in_arrays(&f, err) && find_timers(&f, err) && find_async(&f, err) &&
		  find_weak_tables(&f, err) && find_contexts(&f, err) && find_locks(&f, err) &&
		  find_callbacks(&f, err) && find_disposables(&f, err) && find_by_roots(&f, err) &&
		  find_fragmentation(&f, err) && find_unrooted(&f, err) && find_native(&f, err) &&
		  find_dominators(&f, err) && find_in_values(&f, err) && add_all_retained(&f, err);

	finder_clear(&f);
	if (ok) {
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
