/* Findings of the reference dumps, and of heaps just above and below every threshold. */
#include "io/events/walk.h"
#include "io/gcdump/gcdump.h"
#include "model/analysis/findings.h"
#include "model/table/table.h"
#include "model/heap/memory.h"
#include "tests/drive/heaps.h"
#include "tests/made/graphs.h"
#include "tests/drive/run_tests.h"
#include "tests/drive/screens.h"
#include "tests/made/suspects.h"
#include "model/analysis/finding_id.h"
#include "model/analysis/finding_text.h"

#include <string.h>

/* --- one heap with all that is computed about it -------------------------- */

struct analysed {
	const struct heap *heap;
	const struct reverse *reverse;
	const struct reach *reach;
	const struct dominators *dominators;
	const struct retained *retained;
	struct findings *findings;
};

/* No object is evidence of memory outside of the heap. */
static bool
is_outside(const struct finding_kind *kind)
{
	return kind == &finding_native || kind == &finding_kept || kind == &finding_arena ||
	       kind == &finding_assembly;
}

static void
check_evidence(const struct analysed *a, const struct finding *f)
{
	uint64_t bytes = 0;

	assert_int_equal(f->nodes_count > 0, !is_outside(f->kind));
	for (uint32_t i = 0; i < f->nodes_count; i++) {
		assert_true(f->nodes[i] < a->heap->nodes_count);
		assert_true(!i || f->nodes[i - 1] < f->nodes[i]);
		assert_int_equal(a->reach->distance[f->nodes[i]] == DISTANCE_UNREACHABLE,
				 f->kind == &finding_unrooted);
		bytes += heap_size(a->heap, f->nodes[i]);
	}
	if (!is_outside(f->kind))
		assert_int_equal(f->bytes, bytes);
	assert_true(f->subject == NODE_NONE || f->subject < a->heap->nodes_count);
	assert_non_null(f->name);
	assert_true(*finding_harmless(a->heap, f));
}

static struct analysed
analyse(const struct heap *h, bool with_dominators)
{
	struct error err = { 0 };
	struct analysed a = { .heap = h };
	struct findings_input in = { .heap = h };

	in.reverse = a.reverse = reverse_compute(h, NULL, &err);
	in.reach = a.reach = reach_compute(h, true, NULL, &err);
	assert_true(a.reverse && a.reach);
	if (with_dominators) {
		a.dominators = dominators_compute(h, a.reverse, NULL, 0, NULL, &err);
		assert_non_null(a.dominators);
		in.retained = a.retained = retained_compute(a.dominators, NULL, &err);
		assert_non_null(a.retained);
	}
	a.findings = findings_find(&in, NULL, &err);
	assert_ok(a.findings, &err);
	for (uint32_t i = 0; i < a.findings->count; i++)
		check_evidence(&a, &a.findings->items[i]);
	return a;
}

static void
analysed_clear(struct analysed *a)
{
	findings_free(a->findings);
	retained_free(a->retained);
	dominators_free(a->dominators);
	reach_free(a->reach);
	reverse_free(a->reverse);
	heap_free(a->heap);
}

static const char *
type_name(const struct analysed *a, type_id type)
{
	return type == TYPE_NONE ? "" : a->heap->types[type].name;
}

/* The one of this kind about this type; NULL: any type. */
static const struct finding *
find(const struct analysed *a, const struct finding_kind *kind, const char *type)
{
	for (uint32_t i = 0; i < a->findings->count; i++) {
		const struct finding *f = &a->findings->items[i];

		if (f->kind == kind && (!type || !strcmp(type, type_name(a, f->type))))
			return f;
	}
	return NULL;
}

static const struct finding *
expect(const struct analysed *a, const struct finding_kind *kind, const char *type)
{
	const struct finding *f = find(a, kind, type);

	if (!f)
		fail_msg("no %s of %s", kind->id, type ? type : "any type");
	return f;
}

/* --- the reference program ----------------------------------------------- */

static const char *const dumps[] = {
	"tests/data/leaky-8.gcdump.zst",        "tests/data/leaky-9.gcdump.zst",
	"tests/data/leaky-10.gcdump",           "tests/data/leaky-10-server.gcdump.zst",
	"tests/data/leaky-10-later.gcdump.zst", "tests/data/leaky-10.nettrace.zst",
};
enum { LATER = 4, TRACE = 5, DUMPS_COUNT = 6 };

/* clang-format off */
/* The findings that the program is known to have: its `fact` lines, and Leaky.cs. */
static const struct want {
	const struct finding_kind *kind;
	const char *type;
	uint64_t count, whole;
	const char *subject; /* its type; NULL: not looked at */
	uint32_t nodes_count;
} wants[] = {
	/* kind                type                                count  whole  subject                  nodes */
	{ &finding_collection,  "Leaky.Session",                    5000,  5001,  "List<Leaky.Session>",   5000 },
	{ &finding_collection,  "Leaky.Child",                      1000,  1000,  "List<Leaky.Child>",     1000 },
	{ &finding_event,       "Leaky.Subscriber",                 200,   1,     "Leaky.Publisher",       200 },
	{ &finding_async,       "async Leaky.Program.WaitForever()", 50,   50,    "TaskCompletionSource<int>", 50 },
	{ &finding_finalizer,   "Leaky.Pending",                    0,     20,    NULL,                    0 },
	{ &finding_context,     "Plugin.Thing",                     1,     0,     "Plugin.Thing",          1 },
	{ &finding_context,     "",                                 1,     0,     "System.Reflection.LoaderAllocator", 1 },
};
/* clang-format on */

/* Returns the number beside `count`: of all, of those that have the type, or of what holds them. */
static uint64_t
whole_of(const struct finding *f)
{
	if (f->all_count || f->type_count)
		return f->all_count ? f->all_count : f->type_count;
	return f->holders_count;
}

static void
check_want(const struct analysed *a, const struct want *w, uint64_t factor)
{
	const struct finding *f = expect(a, w->kind, w->type);

	if (w->count)
		assert_int_equal(f->count, w->count * factor);
	assert_int_equal(whole_of(f), w->whole > 5000 ? w->whole * factor - factor + 1 : w->whole);
	if (w->nodes_count)
		assert_int_equal(f->nodes_count, w->nodes_count * factor);
	if (w->subject)
		assert_string_equal(type_name(a, heap_type_of(a->heap, f->subject)), w->subject);
}

TEST(test_reference)
{
	for (size_t d = 0; d < DUMPS_COUNT; d++) {
		struct analysed a = analyse(heap_of_file(dumps[d]), false);

		for (size_t i = 0; i < COUNT_OF(wants); i++)
			check_want(&a, &wants[i], d == LATER && !i ? 2 : 1);
		/* Nothing else: all that there is to find is in the table. */
		assert_int_equal(a.findings->count, COUNT_OF(wants));
		/* Methods on the stack are only known of traces. */
		assert_string_equal(expect(&a, &finding_finalizer, NULL)->name,
				    d == TRACE ? "Leaky.Finalizable.Finalize" : "");
		analysed_clear(&a);
	}
}

/* With dominators: the list, and what each finding holds. */
TEST(test_reference_retained)
{
	for (size_t d = 0; d < DUMPS_COUNT; d++) {
		struct analysed a = analyse(heap_of_file(dumps[d]), true);
		const struct finding *f;
		uint32_t stalls;

		/* In the larger heap the list is too small a part. */
		if (d != LATER) {
			f = expect(&a, &finding_dominator, "Leaky.Link");
			assert_int_equal(f->count, 10000);
			assert_int_equal(f->type_count, 10000);
			assert_int_equal(f->retained.bytes, 10000 * 32);
		}
		/* Each subscriber has an array of 1,000 bytes. */
		f = expect(&a, &finding_event, NULL);
		assert_int_equal(f->retained.count, 2 * 200);
		assert_int_equal(f->retained.bytes, 200 * (24 + 1024));
		f = expect(&a, &finding_collection, "Leaky.Child");
		assert_int_equal(f->retained.count, 2 * 1000 + 2);
		/* Sessions hold dictionaries, also those that are in others. */
		stalls = a.findings->items[0].is_stall;
		assert_int_equal(stalls, d == TRACE);
		assert_string_equal(type_name(&a, a.findings->items[stalls].type), "Leaky.Session");
		for (uint32_t i = 1 + stalls; i < a.findings->count; i++)
			assert_true(a.findings->items[i - 1].retained.bytes >=
				    a.findings->items[i].retained.bytes);
		analysed_clear(&a);
	}
}

/* --- thresholds ---------------------------------------------------------- */

/* clang-format off */
static const struct threshold {
	const char *name;
	make_suspects *make;
	size_t below, at; /* `below` finds nothing; `at` 0: never anything */
	const struct finding_kind *kind;
	uint64_t count, whole;
	const char *type, *subject;
	uint32_t nodes_count;
} thresholds[] = {
	/* name              make                 below  at     kind                    count  whole  type            subject                nodes */
	{ "collection",      make_collection,     99,    100,   &finding_collection,     100,   100,   "A.Item",       "List<A.Item>",        100 },
	{ "minority",        make_minority,       100,   101,   &finding_collection,     101,   202,   "A.Item",       "List<A.Item>",        101 },
	{ "small",           make_small,          96,    104,   &finding_collection,     150,   150,   "A.Item",       "A.Item[]",            150 },
	{ "parts",           make_parts,          1000,  0,     0,                      0,     0,     NULL,           NULL,                  0 },
	{ "joint parts",     make_joint_parts,    1000,  0,     0,                      0,     0,     NULL,           NULL,                  0 },
	{ "event",           make_event,          49,    50,    &finding_event,          50,    1,     "A.Subscriber", "A.Publisher",         50 },
	{ "typed event",     make_typed_event,    49,    50,    &finding_event,          50,    1,     "A.Subscriber", "A.Publisher",         50 },
	{ "wrapped event",   make_wrapped_event,  49,    50,    &finding_event,          50,    1,     "A.Subscriber", "A.Publisher",         50 },
	{ "large event",     make_large_event,    49,    50,    &finding_event,          50,    1,     "A.Subscriber", "A.Handler",           50 },
	{ "static handlers", make_static_handlers, 64,   0,     0,                      0,     0,     NULL,           NULL,                  0 },
	{ "mixed list",      make_mixed_list,     64,    0,     0,                      0,     0,     NULL,           NULL,                  0 },
	{ "static table",    make_static_table,   200,   0,     0,                      0,     0,     NULL,           NULL,                  0 },
	{ "tree",            make_tree,           64,    0,     0,                      0,     0,     NULL,           NULL,                  0 },
	{ "timers",          make_timers,         99,    100,   &finding_timer,          100,   0,     "A.Cleaner",    "TimerQueueTimer",     100 },
	{ "state timers",    make_state_timers,   99,    100,   &finding_timer,          100,   0,     "A.State",      "TimerQueueTimer",     100 },
	{ "dead timers",     make_dead_timers,    1000,  0,     0,                      0,     0,     NULL,           NULL,                  0 },
	{ "async",           make_async,          19,    20,    &finding_async,          20,    30,    "async A.Program.Run()", "Task<int>",  20 },
	{ "async, class",    make_async_of_class, 19,    20,    &finding_async,          20,    30,    "async A.Program.Run()", "Task<int>",  20 },
	{ "async, unknown",  make_async_unknown,  13,    14,    &finding_async,          21,    21,    "async A.Program.Run()", NULL,         21 },
	{ "async, library",  make_library_async,  999,   1000,  &finding_async,          1000,  1500,  "async SemaphoreSlim.Run()", "Task<int>", 1000 },
	{ "backlog",         make_backlog,        19,    20,    &finding_finalizer,      20,    20,    "A.Pending",    NULL,                  20 },
	{ "library backlog", make_library_backlog, 999,  1000,  &finding_finalizer,      1000,  1000,  "FileStream",   NULL,                  1000 },
	{ "stuck",           make_stuck,          0,     1,     &finding_finalizer,      1,     1,     "A.Pending",    NULL,                  1 },
	{ "dependents",      make_dependents,     999,   1000,  &finding_dependent,      1000,  1000,  "A.Value",      NULL,                  1000 },
	{ "weak table",      make_weak_table,     1022,  1023,  &finding_weak_table,     1023,  1,     "ConditionalWeakTable<A.Key, A.Value>", "ConditionalWeakTable<A.Key, A.Value>", 1 },
	{ "joint table",     make_joint_table,    1022,  1023,  &finding_weak_table,     1023,  1,     "ConditionalWeakTable<A.Key, A.Value>", "ConditionalWeakTable<A.Key, A.Value>", 1 },
	{ "pinned",          make_pinned,         99,    100,   &finding_pinned,         100,   100,   "byte[]",       NULL,                  100 },
	{ "pinned large",    make_pinned_large,   1000,  0,     0,                      0,     0,     NULL,           NULL,                  0 },
	{ "pinned unknown",  make_pinned_unknown, 1000,  0,     0,                      0,     0,     NULL,           NULL,                  0 },
	{ "array",           make_array,          5000,  50,    &finding_array,          50,    20000, "A.Item[]",     "A.Item[]",            1 },
	{ "values",          make_values,         150,   0,     0,                      0,     0,     NULL,           NULL,                  0 },
	{ "contexts",        make_contexts,       0,     3,     &finding_context,        3,     0,     "P.Thing",      "P.Thing",             6 },
	{ "thread static",   make_thread_static,  5456,  5464,  &finding_thread_static,  3,     0,     "byte[]",       "byte[]",              3 },
	{ "handles",         make_handles,        19,    20,    &finding_handle,         20,    0,     "A.Stream",     "A.Stream",            20 },
	{ "many roots",      make_many_roots,     255,   256,   &finding_type,           256,   0,     "A.Order",      NULL,                  256 },
	{ "pool",            make_pool,           0,     42,    &finding_pool,           42,    0,     "byte[]",       "byte[]", 44 },
	{ "dominator",       make_dominator,      98,    99,    &finding_dominator,      100,   99,    "A.Part",       "A.Holder",            1 },
	{ "list",            make_list,           5,     500,   &finding_dominator,      500,   500,   "A.Link",       "A.Link",              1 },
	{ "holes",           make_holes,          9,     10,    &finding_fragmentation,  10,    0,       "byte[]",     NULL,                  10 },
	{ "half free",       make_half_free,      314992, 315000, &finding_fragmentation, 20,   0,        "byte[]",    NULL,                  20 },
	{ "pinned holes",    make_pinned_holes,   46,    47,    &finding_fragmentation,  47,    0,       "byte[]",     NULL,                  47 },
	{ "young holes",     make_young_holes,    20,    0,     0,                      0,     0,     NULL,           NULL,                  0 },
	{ "young pinned holes", make_young_pinned_holes, 46, 47, &finding_fragmentation,  47,    0,       "byte[]",     NULL,                  47 },
	{ "lossy holes",     make_lossy_holes,    20,    0,     0,                      0,     0,     NULL,           NULL,                  0 },
	{ "padding",         make_padding,        200000, 0,    0,                      0,     0,     NULL,           NULL,                  0 },
	{ "unrooted",        make_unrooted,       4199,  4200,  &finding_unrooted,       4200,  0,       "A.Record",   NULL,                  4200 },
	{ "few unrooted",    make_few_unrooted,   4194,  4195,  &finding_unrooted,       4195,  0,       "A.Record",   NULL,                  4195 },
	{ "young unrooted",  make_young_unrooted, 9000,  0,     0,                      0,     0,     NULL,           NULL,                  0 },
	{ "own parts",       make_own_parts,      26,    27,    &finding_dominator,      298,   27,    "A.Part",       "A.Holder",            1 },
	{ "few own parts",   make_few_own_parts,  26,    27,    &finding_dominator,      29,    27,    "string",       "A.Holder",            1 },
	{ "callbacks",       make_callbacks,      99,    100,   &finding_registration,   100,   0,     "A.Job",        "CancellationTokenSource", 100 },
	{ "free callbacks",  make_free_callbacks, 200,   0,     0,                      0,     0,     NULL,           NULL,                  0 },
	{ "library callbacks", make_library_callbacks, 999, 1000, &finding_registration,  1000,  0,     "Task",         "CancellationTokenSource", 1000 },
	{ "links",           make_links,          99,    100,   &finding_registration,   100,   0,     "A.Job",        "CancellationTokenSource", 100 },
	{ "bare links",      make_bare_links,     99,    100,   &finding_registration,   100,   0,     NULL,           "CancellationTokenSource", 100 },
	{ "own links",       make_own_links,      200,   0,     0,                      0,     0,     NULL,           NULL,                  0 },
	{ "streams",         make_streams,        99,    100,   &finding_disposable,     100,   1,     "FileStream",   "List<IDisposable>",   100 },
	{ "derived streams", make_derived_streams, 99,   100,   &finding_disposable,     100,   1,     "A.Log",        "List<IDisposable>",   100 },
	{ "clients",         make_clients,        99,    100,   &finding_disposable,     100,   1,     "HttpClient",   "List<IDisposable>",   100 },
	{ "sockets",         make_sockets,        99,    100,   &finding_disposable,     100,   100,   "System.Net.Sockets.Socket", "A.Peer",              100 },
	{ "server's sockets", make_server_sockets, 300, 0,      0,                      0,     0,     NULL,           NULL,                  0 },
	{ "factory's clients", make_factory_clients, 200, 0,    0,                      0,     0,     NULL,           NULL,                  0 },
	{ "semaphore",       make_semaphore,      19,    20,    &finding_async,          20,    20,    "async A.Program.Run()", "SemaphoreSlim", 20 },
	{ "lock",            make_lock,           9,     10,    &finding_lock,           10,    0,     "object",       "object",              1 },
	{ "blocked finalizer", make_blocked_finalizer, 19, 20,  &finding_finalizer,      20,    20,    "FileStream",   "object",              20 },
	{ "free finalizer",  make_free_finalizer, 600,   0,     0,                      0,     0,     NULL,           NULL,                  0 },
	{ "rootless",        make_rootless,       9000,  0,     0,                      0,     0,     NULL,           NULL,                  0 },
	{ "native",          make_native,         127,   128,   &finding_native,         0,     0,         NULL,       NULL,                  0 },
	{ "native sums",     make_native_sums,    128,   129,   &finding_native,         0,     0,         NULL,       NULL,                  0 },
	{ "assemblies",      make_assemblies,     49,    50,    &finding_assembly,       50,     0,         NULL,       NULL,                  0 },
	{ "emitted",         make_emitted,        199,   200,   &finding_assembly,       200,   0,         NULL,       NULL,                  0 },
	{ "libraries",       make_libraries,      9000,  0,     0,                      0,     0,     NULL,           NULL,                  0 },
	{ "kept",            make_kept,           127,   128,   &finding_kept,           1,     0,         NULL,       NULL,                  0 },
	{ "arenas",          make_arenas,         63,    64,    &finding_arena,          214,     0,         NULL,       NULL,                  0 },
	{ "images",          make_images,         9000,  0,     0,                      0,     0,     NULL,           NULL,                  0 },
};
/* clang-format on */

static struct analysed
analyse_made(make_suspects *make, size_t n)
{
	/* Dominators would find more in some of them. */
	return analyse(heap_made(make, n),
		       make == make_dominator || make == make_list || make == make_own_parts ||
			   make == make_few_own_parts || make == make_many_roots ||
			   make == make_pool || make == make_handles ||
			   (make == make_large_event && n >= 50));
}

/* All that is found beside the arrays of make_array(), which is a collection where it is full. */
static uint32_t
count_findings(const struct analysed *a, const struct threshold *t)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < a->findings->count; i++)
		count += t->make != make_array || a->findings->items[i].kind == &finding_array;
	return count;
}

TEST_ROWS(test_threshold, thresholds)
{
	const struct threshold *t = *state;
	struct analysed a = analyse_made(t->make, t->below);
	const struct finding *f;

	if (count_findings(&a, t))
		fail_msg("%zu: found %s", t->below, a.findings->items[0].kind->id);
	analysed_clear(&a);
	if (!t->at)
		return;
	a = analyse_made(t->make, t->at);
	f = expect(&a, t->kind, t->type);
	assert_int_equal(count_findings(&a, t), 1);
	assert_int_equal(f->count, t->count);
	assert_int_equal(whole_of(f), t->whole);
	assert_int_equal(f->nodes_count, t->nodes_count);
	assert_int_equal(f->is_guess,
			 t->make == make_async_unknown || t->kind == &finding_disposable);
	if (t->subject)
		assert_string_equal(type_name(&a, heap_type_of(a.heap, f->subject)), t->subject);
	analysed_clear(&a);
}

/* --- the rest ------------------------------------------------------------ */

/* No collection has just run in a heap from memory. */
TEST(test_harmless)
{
	struct heap_memory memory = { 0 };
	struct heap file = { 0 }, core = { .memory = &memory };
	struct finding f = { .kind = &finding_finalizer };

	assert_non_null(strstr(finding_harmless(&file, &f), "collection"));
	assert_null(strstr(finding_harmless(&core, &f), "collection"));
	f.kind = &finding_timer;
	assert_string_equal(finding_harmless(&file, &f), finding_harmless(&core, &f));
}

TEST(test_empty)
{
	struct analysed a = analyse_made(make_nothing, 0);

	assert_int_equal(a.findings->count, 0);
	analysed_clear(&a);
}

TEST(test_left_out)
{
	struct error err = { 0 };
	struct analysed a = analyse_made(make_methods, 60);

	assert_int_equal(a.findings->count, FINDINGS_MAX);
	assert_int_equal(a.findings->left_out, 10);
	findings_free(a.findings);
	a.findings = findings_find(
	    &(struct findings_input){
		.heap = a.heap, .reverse = a.reverse, .reach = a.reach, .has_no_limit = true },
	    NULL, &err);
	assert_ok(a.findings, &err);
	assert_int_equal(a.findings->count, FINDINGS_MAX + 10);
	assert_int_equal(a.findings->left_out, 0);
	analysed_clear(&a);
}

/* --- sentences ----------------------------------------------------------- */

/* clang-format off */
static const struct sentence {
	make_suspects *make;
	size_t n;
	const struct finding_kind *kind;
	const char *want;
} sentences[] = {
	{ make_collection,     100,    &finding_collection,    "all 100 A.Item are in one List<A.Item>, kept by static items" },
	{ make_minority,       128,    &finding_collection,    "128 of 229 A.Item are in one List<A.Item>, kept by static items" },
	{ make_event,          50,     &finding_event,         "50 handlers of A.Subscriber are registered with one A.Publisher as A.Handler, kept by static publisher" },
	{ make_two_events,     50,     &finding_event,         "100 handlers of A.Subscriber are registered with 2 A.Publisher as A.Handler, kept by static publisher" },
	{ make_static_event,   50,     &finding_event,         "50 handlers of A.Subscriber are registered with one A.Handler, kept by static Changed" },
	{ make_timers,         100,    &finding_timer,         "100 timers for A.Cleaner are scheduled" },
	{ make_async,          30,     &finding_async,         "30 calls of async A.Program.Run() have not completed: all wait for one Task<int>, kept by several roots" },
	{ make_async_unknown,  30,     &finding_async,         "45 calls of async A.Program.Run() exist, completed or not, kept by several roots" },
	{ make_awaited,        30,     &finding_async,         "30 calls of async A.Program.Run() have not completed, kept by several roots" },
	{ make_semaphore,      30,     &finding_async,         "30 calls of async A.Program.Run() have not completed: all wait for one SemaphoreSlim of A.Gate, kept by static gate" },
	{ make_two_semaphores, 40,     &finding_async,         "40 calls of async A.Program.Run() have not completed: all wait for 2 SemaphoreSlim, kept by several roots" },
	{ make_promises,       30,     &finding_async,         "30 calls of async A.Program.Run() have not completed: all wait for one TaskCompletionSource<int> each, kept by several roots" },
	{ make_delays,         30,     &finding_async,         "30 calls of async A.Program.Run() have not completed: all wait for Task.Delay, kept by several roots" },
	{ make_folded,         30,     &finding_async,         "30 calls of async A.Program.Outer() have not completed: all wait for Task.Delay, kept by several roots" },
	{ make_chains,         30,     &finding_async,         "30 calls of async A.Shop.Ask() have not completed: all wait for one TaskCompletionSource of A.Gate, kept by static gate" },
	{ make_nameless_chains, 30,    &finding_async,         "90 async calls have not completed: all wait for one TaskCompletionSource of A.Gate, kept by static gate" },
	{ make_lock,           10,     &finding_lock,          "10 threads wait for one lock: the object of A.Ledger, which thread 12 (OS 4712) \"hoarder\" holds in A.Ledger.Post, kept by static ledger" },
	{ make_lock_of_id,     10,     &finding_lock,          "10 threads wait for one lock: the object of A.Ledger, which thread 12 (OS 4712) \"hoarder\" holds, kept by static ledger" },
	{ make_lock_of_unknown, 10,    &finding_lock,          "10 threads wait for one lock: the object of A.Ledger, which an unknown thread holds, kept by static ledger" },
	{ make_blocked_finalizer, 20,  &finding_finalizer,     "20 FileStream wait for their finalizers; the finalizer thread is in A.Pending.Close and waits for a lock that thread 12 (OS 4712) \"hoarder\" holds" },
	{ make_backlog,        20,     &finding_finalizer,     "20 A.Pending wait for their finalizers" },
	{ make_stuck,          20,     &finding_finalizer,     "20 A.Pending wait for their finalizers; the finalizer thread is in A.Stuck.Finalize" },
	{ make_dependents,     1000,   &finding_dependent,     "1,000 A.Value are kept by dependent handles (ConditionalWeakTable)" },
	{ make_weak_table,     2048,   &finding_weak_table,    "1 ConditionalWeakTable<A.Key, A.Value> has room for 2,048 entries" },
	{ make_pinned,         100,    &finding_pinned,        "100 byte[] are pinned by handles in generations 0 to 2" },
	{ make_array,          50,     &finding_array,         "1 large A.Item[] has 50 references in 20,000 elements, kept by static items" },
	{ make_contexts,       1,      &finding_context,       "2 P.Thing keep one collectible load context from being unloaded, kept by static things" },
	{ make_contexts,       3,      &finding_context,       "6 P.Thing keep 3 collectible load contexts from being unloaded, kept by static things" },
	{ make_thread_static,  10000,  &finding_thread_static, "3 objects such as byte[] are values of one variable on all threads, kept by thread static t_buffer" },
	{ make_handles,        100,    &finding_handle,        "100 A.Stream are kept only by strong handles of their own" },
	{ make_many_roots,     300,    &finding_type,          "300 A.Order retain 1.17 MiB that no other finding explains, 100% of the heap, kept by several roots, most of kind static" },
	{ make_thread_local,   100000, &finding_thread_static, "3 objects such as A.State are values of one variable on all threads, kept by thread static t_state" },
	{ make_service,        100,    &finding_collection,    "all 100 A.Item are in one List<A.Item>, kept by A.Store (singleton of the service container), through static System.Net.Sockets.SocketAsyncEngine.s_engines" },
	{ make_no_service,     100,    &finding_collection,    "all 100 A.Item are in one List<A.Item>, kept by A.Store, through static System.Net.Sockets.SocketAsyncEngine.s_engines" },
	{ make_pool,           100,    &finding_pool,          "ArrayPool<T>.Shared holds 100 byte[] (9.54 MiB) for reuse, in the buckets of 2 threads" },
	{ make_dominator,      200,    &finding_dominator,     "one A.Holder retains 200 A.Part (1.91 MiB), 201 objects in all, kept by static holder" },
	{ make_own_parts,      27,     &finding_dominator,     "one A.Holder retains 27 A.Part (270,648 B), 298 objects in all, kept by static holder" },
	{ make_large,          300000, &finding_dominator,     "one byte[] takes 300,000 B, kept by static buffer" },
	{ make_callbacks,      100,    &finding_registration,  "100 A.Job stay registered with one CancellationTokenSource, kept by static shutdown" },
	{ make_links,          100,    &finding_registration,  "100 A.Job stay registered with one CancellationTokenSource through undisposed Linked1CancellationTokenSource, kept by static shutdown" },
	{ make_streams,        100,    &finding_disposable,    "100 FileStream own a SafeFileHandle each, disposed or not, in one List<IDisposable>, kept by static open" },
	{ make_sockets,        100,    &finding_disposable,    "100 System.Net.Sockets.Socket own a SafeSocketHandle each, disposed or not, in 100 A.Peer, kept by static open" },
	{ make_ended,          200,    &finding_dominator,     "one ConcurrentQueue<A.Parcel> retains 200 A.Parcel (1.91 MiB), 201 objects in all; A.Clerk, which uses it, has ended with A.LabelException, kept by A.Belt, through static System.Net.Sockets.SocketAsyncEngine.s_engines" },
	{ make_ended_beside,   200,    &finding_dominator,     "one ConcurrentQueue<A.Parcel> retains 200 A.Parcel (1.91 MiB), 201 objects in all, kept by a scope of the service container, through static System.Net.Sockets.SocketAsyncEngine.s_engines" },
	{ make_holes,          10,     &finding_fragmentation, "82.0% of the large object heap is free: 4.29 MiB in 10 holes between 10 large objects such as byte[]" },
	{ make_pinned_holes,   100,    &finding_fragmentation, "99.9% of generation 2 is free: 8.58 MiB in 100 holes between 100 pinned objects such as byte[]" },
	{ make_young_pinned_holes, 50, &finding_fragmentation, "99.9% of generation 0 is free: 4.29 MiB in 50 holes between 50 pinned objects such as byte[]" },
	{ make_unrooted,       4200,   &finding_unrooted,      "4,200 objects such as A.Record have no root: 4.01 MiB, 50.0% of all bytes; garbage, or kept by roots that the file does not name" },
	{ make_unrooted_memory, 4200,  &finding_unrooted,      "4,200 objects such as A.Record have no root: 4.01 MiB, 50.0% of all bytes; garbage that survived, which a full collection frees" },
	{ make_unrooted_gaps,  4200,   &finding_unrooted,      "4,200 objects such as A.Record have no root: 4.01 MiB, 50.0% of all bytes; they may be in use, kept by stacks and thread-static variables, which Native AOT does not report" },
	{ make_unrooted_lossy, 4200,   &finding_unrooted,      "4,200 objects such as A.Record have no root: 4.01 MiB, 50.0% of all bytes; they may be in use: the capture is incomplete" },
	{ make_unrooted_walk,  4200,   &finding_unrooted,      "4,200 objects such as A.Record have no root: 4.01 MiB, 50.0% of all bytes; a full collection has just run, so roots that are not reported keep them" },
	{ make_native,         128,    &finding_native,        "128.00 MiB of 208.00 MiB resident memory is native, 80.00 MiB is managed: 128.00 MiB native heap in 214 arenas" },
	{ make_assemblies,     50,     &finding_assembly,      "50 assemblies named A.Proxies_… were made at run time and stay, in 3.00 MiB of code and loader heaps" },
	{ make_serializers,    50,     &finding_assembly,      "50 assemblies named Microsoft.GeneratedCode… were made at run time and stay, in 3.00 MiB of code and loader heaps; XmlSerializer makes one for each serializer with a root name or extra types: keep the serializer" },
	{ make_proxies,        50,     &finding_assembly,      "50 assemblies named DynamicProxyGenAssembly… were made at run time and stay, in 3.00 MiB of code and loader heaps; a ProxyGenerator makes one: keep the generator" },
	{ make_scripts,        50,     &finding_assembly,      "50 assemblies named ℛ… were made at run time and stay, in 3.00 MiB of code and loader heaps; each compiled script has one: keep the script" },
	{ make_kept,           128,    &finding_kept,          "128.00 MiB of 218.00 MiB resident memory holds no objects: the collector keeps it for new ones; DOTNET_GCConserveMemory makes it keep less, and an aggressive GC.Collect returns it" },
	{ make_arenas,         100,    &finding_arena,         "214 arenas of malloc have 20.00 MiB of 120.00 MiB in use and keep the rest, 120.00 MiB resident: MALLOC_ARENA_MAX=2 makes fewer, malloc_trim() returns it" },
	{ make_one_arena,      100,    &finding_arena,         "1 arena of malloc has 20.00 MiB of 120.00 MiB in use and keeps the rest, 120.00 MiB resident: malloc_trim() returns it" },
	{ make_native_sums,    129,    &finding_native,        "129.00 MiB of 189.00 MiB resident memory is native, 24 B is managed: 129.00 MiB other" },
};
/* clang-format on */

TEST(test_sentences)
{
	for (size_t i = 0; i < COUNT_OF(sentences); i++) {
		const struct sentence *w = &sentences[i];
		struct analysed a = analyse(heap_made(w->make, w->n), true);
		struct error err = { 0 };
		struct session *s =
		    session_new_of_heap(heap_made(w->make, w->n), (struct waker){ 0 }, &err);
		char bytes[FINDING_TEXT_BYTES];
		struct text text = text_in(bytes, sizeof bytes);
		struct facts facts;

		assert_non_null(s);
		assert_true(session_require(s, NEED_REACH, &err));
		facts = session_facts(s);
		finding_text(&facts, expect(&a, w->kind, NULL), &text);
		assert_string_equal(bytes, w->want);
		session_free(s);
		analysed_clear(&a);
	}
}

TEST(test_every_kind_has_a_sentence)
{
	for (int i = 0; i < FINDING_KIND_COUNT; i++) {
		bool is_tested = finding_kinds[i]->heaps != OF_ANY_HEAP;

		for (size_t k = 0; k < COUNT_OF(sentences); k++)
			is_tested |= sentences[k].kind == finding_kinds[i];
		assert_true(is_tested);
	}
}

/* --- ids ----------------------------------------------------------------- */

/* clang-format off */
static const struct {
	make_suspects *make;
	size_t n;
	const struct finding_kind *kind;
	const char *want;
} ids[] = {
	{ make_collection,    100,   &finding_collection,    "collection:A.Item:List<A.Item>:static items" },
	{ make_minority,      128,   &finding_collection,    "collection:A.Item:List<A.Item>:static items" },
	{ make_event,         50,    &finding_event,         "event:A.Subscriber:A.Handler:A.Publisher:static publisher" },
	{ make_static_event,  50,    &finding_event,         "event:A.Subscriber:A.Handler:A.Handler:static Changed" },
	{ make_timers,        100,   &finding_timer,         "timer:A.Cleaner" },
	{ make_async,         30,    &finding_async,         "async:async A.Program.Run()" },
	{ make_stuck,         20,    &finding_finalizer,     "finalizer" },
	{ make_dependents,    1000,  &finding_dependent,     "dependent" },
	{ make_pinned,        100,   &finding_pinned,        "pinned" },
	{ make_native,        128,   &finding_native,        "native" },
	{ make_handles,       100,   &finding_handle,        "handle:A.Stream:strong" },
	{ make_thread_static, 10000, &finding_thread_static, "thread-static:t_buffer" },
	{ make_dominator,     200,   &finding_dominator,     "dominator:A.Holder:static holder" },
	{ make_holes,         10,    &finding_fragmentation, "fragmentation:loh" },
	{ make_unrooted,      4200,  &finding_unrooted,      "unrooted" },
};
/* clang-format on */

TEST(test_ids)
{
	for (size_t i = 0; i < COUNT_OF(ids); i++) {
		struct analysed a = analyse(heap_made(ids[i].make, ids[i].n), true);
		struct error err = { 0 };
		struct session *s = session_new_of_heap(heap_made(ids[i].make, ids[i].n),
							(struct waker){ 0 }, &err);
		char id[FINDING_ID_BYTES];
		struct facts facts;

		assert_non_null(s);
		assert_true(session_require(s, NEED_REACH, &err));
		facts = session_facts(s);
		assert_string_equal(finding_id(&facts, expect(&a, ids[i].kind, NULL), id),
				    ids[i].want);
		session_free(s);
		analysed_clear(&a);
	}
}

/* --- made-up graphs ------------------------------------------------------ */

static uint64_t
held(const struct analysed *a, node_id n)
{
	return retained_of(a->retained, n).bytes;
}

/* Whether some object that it dominates directly holds as much. */
static bool
is_above(const struct analysed *a, node_id n, uint64_t enough)
{
	for (node_id m = 0; m < a->heap->nodes_count; m++)
		if (dominators_of(a->dominators, m) == n && held(a, m) >= enough)
			return true;
	return false;
}

/*
 * Object by object: what holds a tenth of what is reachable, with nothing below it that does, hangs
 * on the subject of a finding; and no finding is without such.
 */
static void
check_dominators(const struct analysed *a)
{
	const struct heap *h = a->heap;
	uint64_t much = a->reach->reachable_bytes / 100, enough;
	uint32_t lowest = 0, told = 0;

	enough = 10 * much > 256 << 10 ? 10 * much : 256 << 10;
	for (uint32_t i = 0; i < a->findings->count; i++) {
		const struct finding *f = &a->findings->items[i];

		if (f->kind != &finding_dominator)
			continue;
		told++;
		assert_true(held(a, f->subject) >= enough);
		assert_int_equal(f->retained.bytes, held(a, f->subject));
	}
	for (node_id n = 0; n < h->nodes_count; n++) {
		bool is_told = false;

		if (a->reach->distance[n] == DISTANCE_UNREACHABLE || held(a, n) < enough ||
		    is_above(a, n, enough))
			continue;
		lowest++;
		for (uint32_t i = 0; i < a->findings->count && !is_told; i++)
			is_told = a->findings->items[i].subject != NODE_NONE &&
				  dominators_holds(a->dominators, a->findings->items[i].subject, n);
		assert_true(is_told);
	}
	assert_true(told <= lowest);
}

/* One of 30,000 objects, in a heap of which nine in ten are dead. */
TEST(test_garbage)
{
	enum { HELD = 30000, ALL = 10 * HELD };
	struct graph *g = graph_new(ALL, 2);
	struct analysed a;

	graph_root(g, 0, ROOT_STATIC, "held");
	for (node_id n = 1; n < HELD; n++)
		graph_ref(g, 0, n);
	a = analyse(graph_heap(g), true);
	assert_true(held(&a, 0) < a.heap->bytes_count / 10);
	assert_int_equal(expect(&a, &finding_dominator, NULL)->subject, 0);
	analysed_clear(&a);
}

/* Cycles, hubs, islands, roots of all kinds: nothing is told that is not so. */
TEST(test_graphs)
{
	uint32_t told = 0;

	for (uint64_t seed = 1; seed <= 60; seed++) {
		struct graph *g = seed % 10 == 0   ? graph_hub(8000)
				  : seed % 10 == 1 ? graph_list(8000)
						   : graph_mixed(seed, 8000);
		struct analysed a = analyse(graph_heap(g), true);

		check_dominators(&a);
		told += a.findings->count;
		analysed_clear(&a);
		graph_free(g);
	}
	assert_true(told >= 6);
}

/* Wherever it is stopped, it says so and leaves nothing behind. */
TEST(test_cancelled)
{
	const struct heap *h = leaky_heap();
	struct error err = { 0 };
	struct findings_input in = { .heap = h };
	struct progress progress = { 0 };

	in.reverse = reverse_compute(h, NULL, &err);
	in.reach = reach_compute(h, true, NULL, &err);
	assert_true(in.reverse && in.reach);
	progress_cancel(&progress);
	assert_null(findings_find(&in, &progress, &err));
	assert_int_equal(err.kind, ERROR_CANCELLED);
	reach_free(in.reach);
	reverse_free(in.reverse);
	heap_free(h);
}
