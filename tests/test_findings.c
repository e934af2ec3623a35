/* What looks like a leak: in the reference dumps, and just above and below
   every threshold. */
#include "io/gcdump.h"
#include "io/walk.h"
#include "model/findings.h"
#include "tests/run_tests.h"
#include "tests/screens.h"

#include <stdlib.h>
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

static void
check_evidence(const struct analysed *a, const struct finding *f)
{
	uint64_t bytes = 0;

	assert_true(f->nodes_count > 0);
	for (uint32_t i = 0; i < f->nodes_count; i++) {
		assert_true(f->nodes[i] < a->heap->nodes_count);
		assert_true(!i || f->nodes[i - 1] < f->nodes[i]);
		assert_true(a->reach->distance[f->nodes[i]] !=
			    DISTANCE_UNREACHABLE);
		bytes += heap_size(a->heap, f->nodes[i]);
	}
	assert_true(f->bytes >= bytes);
	assert_true(f->subject == NODE_NONE ||
		    f->subject < a->heap->nodes_count);
	assert_non_null(f->name);
	assert_true(*finding_kinds[f->kind].harmless);
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
		a.dominators =
		    dominators_compute(h, a.reverse, NULL, 0, NULL, &err);
		assert_non_null(a.dominators);
		in.retained = a.retained =
		    retained_compute(a.dominators, NULL, &err);
		assert_non_null(a.retained);
	}
	a.findings = findings_find(&in, NULL, &err);
	if (!a.findings)
		fail_msg("%s", err.message);
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
find(const struct analysed *a, enum finding_kind kind, const char *type)
{
	for (uint32_t i = 0; i < a->findings->count; i++) {
		const struct finding *f = &a->findings->items[i];

		if (f->kind == kind &&
		    (!type || !strcmp(type, type_name(a, f->type))))
			return f;
	}
	return NULL;
}

static const struct finding *
expect(const struct analysed *a, enum finding_kind kind, const char *type)
{
	const struct finding *f = find(a, kind, type);

	if (!f)
		fail_msg("no %s of %s", finding_kinds[kind].id,
			 type ? type : "any type");
	return f;
}

/* --- the reference program ----------------------------------------------- */

static const char *const dumps[] = {
	"tests/data/leaky-8.gcdump.zst",
	"tests/data/leaky-9.gcdump.zst",
	"tests/data/leaky-10.gcdump",
	"tests/data/leaky-10-server.gcdump.zst",
	"tests/data/leaky-10-later.gcdump.zst",
	"tests/data/leaky-10.nettrace.zst",
};
enum { LATER = 4, TRACE = 5, DUMPS_COUNT = 6 };

static const struct heap *
load(const char *path)
{
	const struct source *source =
	    strstr(path, "nettrace") ? &source_nettrace : &source_gcdump;
	struct error err = { 0 };
	const struct heap *h = source->load(path, LOAD_ALL, NULL, NULL, &err);

	if (!h)
		fail_msg("%s", err.message);
	return h;
}

/* clang-format off */
/* What the program says of itself: its `fact` lines, and Leaky.cs. */
static const struct want {
	enum finding_kind kind;
	const char *type;
	uint64_t count, whole;
	const char *subject; /* its type; NULL: not looked at */
	uint32_t nodes_count;
} wants[] = {
	/* kind                type                                count  whole  subject                  nodes */
	{ FINDING_COLLECTION,  "Leaky.Session",                    5000,  5001,  "List<Leaky.Session>",   5000 },
	{ FINDING_COLLECTION,  "Leaky.Child",                      1000,  1000,  "List<Leaky.Child>",     1000 },
	{ FINDING_EVENT,       "Leaky.Subscriber",                 200,   1,     "Leaky.Publisher",       200 },
	{ FINDING_ASYNC,       "async Leaky.Program.WaitForever()", 50,   50,    "Task<int>",             50 },
	{ FINDING_FINALIZER,   "Leaky.Pending",                    0,     20,    NULL,                    0 },
	{ FINDING_CONTEXT,     "Plugin.Thing",                     1,     0,     "Plugin.Thing",          1 },
	{ FINDING_CONTEXT,     "",                                 1,     0,     "System.Reflection.LoaderAllocator", 1 },
};
/* clang-format on */

static void
check_want(const struct analysed *a, const struct want *w, uint64_t factor)
{
	const struct finding *f = expect(a, w->kind, w->type);

	if (w->count)
		assert_int_equal(f->count, w->count * factor);
	assert_int_equal(f->whole, w->whole > 5000
				       ? w->whole * factor - factor + 1
				       : w->whole);
	if (w->nodes_count)
		assert_int_equal(f->nodes_count, w->nodes_count * factor);
	if (w->subject)
		assert_string_equal(
		    type_name(a, heap_type_of(a->heap, f->subject)),
		    w->subject);
}

static void
test_reference(void **state)
{
	(void)state;
	for (size_t d = 0; d < DUMPS_COUNT; d++) {
		struct analysed a = analyse(load(dumps[d]), false);

		for (size_t i = 0; i < sizeof wants / sizeof wants[0]; i++)
			check_want(&a, &wants[i], d == LATER && !i ? 2 : 1);
		/* Nothing else: all that there is to find is in the table. */
		assert_int_equal(a.findings->count,
				 sizeof wants / sizeof wants[0]);
		/* Methods on the stack are only known of traces. */
		assert_string_equal(expect(&a, FINDING_FINALIZER, NULL)->name,
				    d == TRACE ? "Leaky.Finalizable.Finalize"
					       : "");
		analysed_clear(&a);
	}
}

/* With dominators: the list, and what each finding holds. */
static void
test_reference_retained(void **state)
{
	(void)state;
	for (size_t d = 0; d < DUMPS_COUNT; d++) {
		struct analysed a = analyse(load(dumps[d]), true);
		const struct finding *f;

		/* In the larger heap the list is too small a part. */
		if (d != LATER) {
			f = expect(&a, FINDING_DOMINATOR, "Leaky.Link");
			assert_int_equal(f->count, 10000);
			assert_int_equal(f->whole, 10000);
			assert_int_equal(f->retained.bytes, 10000 * 32);
		}
		/* Each subscriber has an array of 1,000 bytes. */
		f = expect(&a, FINDING_EVENT, NULL);
		assert_int_equal(f->retained.count, 2 * 200);
		assert_int_equal(f->retained.bytes, 200 * (24 + 1024));
		f = expect(&a, FINDING_COLLECTION, "Leaky.Child");
		assert_int_equal(f->retained.count, 2 * 1000 + 2);
		/* Sessions hold dictionaries, also those that are in others. */
		assert_string_equal(type_name(&a, a.findings->items[0].type),
				    "Leaky.Session");
		for (uint32_t i = 1; i < a.findings->count; i++)
			assert_true(a.findings->items[i - 1].retained.bytes >=
				    a.findings->items[i].retained.bytes);
		analysed_clear(&a);
	}
}

/* --- made-up heaps ------------------------------------------------------- */

struct maker {
	struct heap_stream *stream;
	uint64_t next; /* address */
	struct error err;
};

static uint64_t
add(struct maker *m, const char *type, uint64_t size, const uint64_t *refs,
    size_t refs_count)
{
	type_id id =
	    heap_builder_type(heap_stream_builder(m->stream), type,
			      "/app/System.Private.CoreLib.dll", &m->err);
	uint64_t address = m->next;

	m->next += (size + 7) & ~UINT64_C(7);
	assert_true(heap_stream_object(m->stream, address, id, size, refs_count,
				       &m->err));
	for (size_t i = 0; i < refs_count; i++)
		assert_true(heap_stream_ref(m->stream, refs[i], &m->err));
	return address;
}

static void
root(struct maker *m, uint64_t object, enum root_kind kind, const char *name)
{
	assert_true(heap_stream_root(m->stream, object, kind,
				     kind == ROOT_PINNED, name, "", &m->err));
}

/* `count` objects of a type, each with the same reference if there is one. */
static uint64_t *
add_many(struct maker *m, size_t count, const char *type, uint64_t size,
	 uint64_t ref)
{
	uint64_t *all = calloc(count + 1, sizeof *all);

	assert_non_null(all);
	for (size_t i = 0; i < count; i++)
		all[i] = add(m, type, size, &ref, ref != 0);
	return all;
}

/* An array of them, with room for `room` elements. */
static uint64_t
add_array(struct maker *m, const char *type, uint64_t *elements, size_t count,
	  size_t room)
{
	uint64_t array = add(m, type, 24 + 8 * room, elements, count);

	free(elements);
	return array;
}

static void
make_collection(struct maker *m, size_t n)
{
	uint64_t array =
	    add_array(m, "A.Item[]", add_many(m, n, "A.Item", 200, 0), n, 128);
	uint64_t list =
	    add(m, "System.Collections.Generic.List<A.Item>", 32, &array, 1);

	root(m, list, ROOT_STATIC, "items");
}

/* As many again are elsewhere, and one more. */
static void
make_minority(struct maker *m, size_t n)
{
	uint64_t *others = add_many(m, 101, "A.Item", 200, 0);

	make_collection(m, n);
	for (size_t i = 0; i < 101; i++)
		root(m, others[i], ROOT_STACK, "");
	free(others);
}

/* 150 elements of so many bytes each. */
static void
make_small(struct maker *m, size_t n)
{
	root(m,
	     add_array(m, "A.Item[]", add_many(m, 150, "A.Item", n, 0), 150,
		       150),
	     ROOT_STATIC, "items");
}

/* Both spellings of them. */
static void
make_joint_parts(struct maker *m, size_t n)
{
	root(m,
	     add_array(m, "System.Collections.Concurrent.C<A.Item>+Node[]",
		       add_many(m, n,
				"System.Collections.Concurrent.C<A.Item>+Node",
				200, 0),
		       n, n),
	     ROOT_STATIC, "nodes");
}

/* The parts of a collection are not what it is about. */
static void
make_parts(struct maker *m, size_t n)
{
	root(m,
	     add_array(m, "Node<A.Item>[]",
		       add_many(m, n, "Node<A.Item>", 200, 0), n, n),
	     ROOT_STATIC, "nodes");
}

static void
make_event_of(struct maker *m, size_t n, bool is_itself, const char *type)
{
	uint64_t *handlers = calloc(n + 1, sizeof *handlers), list;
	uint64_t refs[2], delegate, publisher;

	assert_non_null(handlers);
	for (size_t i = 0; i < n; i++) {
		uint64_t subscriber = add(m, "A.Subscriber", 24, NULL, 0);

		handlers[i] = add(m, "A.Handler", 64, &subscriber, 1);
	}
	list = add_array(m, type, handlers, n, 64);
	refs[0] = is_itself ? m->next : list;
	refs[1] = list;
	delegate = add(m, "A.Handler", 64, refs, 2);
	publisher = add(m, "A.Publisher", 24, &delegate, 1);
	root(m, publisher, ROOT_STATIC, "publisher");
}

static void
make_event(struct maker *m, size_t n)
{
	make_event_of(m, n, true, "System.Object[]");
}

/* Mono's lists have a type of their own. */
static void
make_typed_event(struct maker *m, size_t n)
{
	make_event_of(m, n, false, "System.Delegate[]");
}

/* An object that has an array of its own kind is not a delegate. */
static void
make_tree(struct maker *m, size_t n)
{
	make_event_of(m, n, false, "System.Object[]");
}

static void
make_timers_of(struct maker *m, size_t n, bool has_state, bool is_rooted)
{
	uint64_t queue = add(m, "System.Threading.TimerQueue", 80, NULL, 0);

	for (size_t i = 0; i < n; i++) {
		uint64_t target = add(m, "A.Cleaner", 24, NULL, 0);
		uint64_t callback =
		    add(m, "System.Threading.TimerCallback", 64, &target, 1);
		uint64_t state = add(m, "A.State", 24, NULL, 0);
		uint64_t refs[] = { queue, callback, state };
		uint64_t timer = add(m, "System.Threading.TimerQueueTimer", 96,
				     refs, has_state ? 3 : 2);

		if (is_rooted)
			root(m, timer, ROOT_STATIC, "timers");
	}
}

static void
make_timers(struct maker *m, size_t n)
{
	make_timers_of(m, n, false, true);
}

static void
make_state_timers(struct maker *m, size_t n)
{
	make_timers_of(m, n, true, true);
}

static void
make_dead_timers(struct maker *m, size_t n)
{
	make_timers_of(m, n, true, false);
}

#define BOX "AsyncStateMachineBox<System.Int32,A.Program+<Run>d__5>"

/* Half as many again have completed, and refer to what marks them. */
static void
make_async(struct maker *m, size_t n)
{
	uint64_t task =
	    add(m, "System.Threading.Tasks.Task<System.Int32>", 72, NULL, 0);
	uint64_t mark = add(m, "System.Object", 24, NULL, 0);
	uint64_t *calls = add_many(m, n, BOX, 100, task);
	uint64_t *done = add_many(m, n / 2, BOX, 100, mark);

	root(m, mark, ROOT_STATIC,
	     n % 2 ? "s_taskCompletionSentinel"
		   : "Task.s_taskCompletionSentinel");
	for (size_t i = 0; i < n; i++)
		root(m, calls[i], ROOT_STACK, "");
	for (size_t i = 0; i < n / 2; i++)
		root(m, done[i], ROOT_STACK, "");
	free(calls);
	free(done);
}

/* All waiting, registered, and half of these as well held by something else. */
static void
make_backlog(struct maker *m, size_t n)
{
	uint64_t *waiting = add_many(m, n, "A.Pending", 24, 0);
	uint64_t *others = add_many(m, 30, "A.Pending", 24, 0);

	for (size_t i = 0; i < n; i++)
		root(m, waiting[i], ROOT_FINALIZER, "");
	for (size_t i = 0; i < 30; i++) {
		root(m, others[i], ROOT_FINALIZER, "");
		root(m, others[i], ROOT_STATIC, "others");
	}
	free(waiting);
	free(others);
}

static void
make_stuck(struct maker *m, size_t n)
{
	make_backlog(m, n);
	root(m, add(m, "A.Stuck", 24, NULL, 0), ROOT_STACK, "A.Stuck.Finalize");
}

static void
make_dependents(struct maker *m, size_t n)
{
	uint64_t *values = add_many(m, n, "A.Value", 8, 0);

	for (size_t i = 0; i < n; i++)
		root(m, values[i], ROOT_DEPENDENT, "");
	free(values);
}

#define TABLE                                                                  \
	"System.Runtime.CompilerServices.ConditionalWeakTable<A.Key,A.Value>"

/* A table with room for so many entries, in either spelling of its parts. */
static void
make_weak_table_of(struct maker *m, size_t n, const char *entry,
		   const char *part)
{
	uint64_t entries = add(m, entry, 24 + 16 * n, NULL, 0);
	uint64_t container = add(m, part, 56, &entries, 1);

	root(m, add(m, TABLE, 40, &container, 1), ROOT_STATIC, "table");
}

static void
make_weak_table(struct maker *m, size_t n)
{
	make_weak_table_of(m, n, "Entry<A.Key,A.Value>[]",
			   "Container<A.Key,A.Value>");
}

static void
make_joint_table(struct maker *m, size_t n)
{
	make_weak_table_of(m, n, TABLE "+Entry[]", TABLE "+Container");
}

static void
make_pinned_in(struct maker *m, size_t n, enum generation gen)
{
	uint64_t start = m->next;
	uint64_t *pinned = add_many(m, n, "System.Byte[]", 48, 0);

	for (size_t i = 0; i < n; i++)
		root(m, pinned[i], ROOT_PINNED, "");
	free(pinned);
	if (gen != GEN_UNKNOWN)
		assert_true(heap_stream_range(m->stream, start, m->next, gen,
					      -1, &m->err));
}

static void
make_pinned(struct maker *m, size_t n)
{
	make_pinned_in(m, n, GEN_2);
}

static void
make_pinned_large(struct maker *m, size_t n)
{
	make_pinned_in(m, n, GEN_POH);
}

static void
make_pinned_unknown(struct maker *m, size_t n)
{
	make_pinned_in(m, n, GEN_UNKNOWN);
}

/* 20,000 elements, so many of them used. */
static void
make_array(struct maker *m, size_t n)
{
	root(
	    m,
	    add_array(m, "A.Item[]", add_many(m, n, "A.Item", 24, 0), n, 20000),
	    ROOT_STATIC, "items");
}

/* Elements that are values: how many are used is not known. */
static void
make_values(struct maker *m, size_t n)
{
	root(
	    m,
	    add_array(m, "A.Pair[]", add_many(m, n, "A.Item", 24, 0), n, 20000),
	    ROOT_STATIC, "pairs");
}

static void
make_contexts(struct maker *m, size_t n)
{
	uint64_t *contexts =
	    add_many(m, n, "System.Reflection.LoaderAllocator", 48, 0);

	for (size_t i = 0; i < n; i++) {
		root(m, add(m, "P.Thing", 24, &contexts[i], 1), ROOT_STATIC,
		     "things");
		root(m, add(m, "P.Thing", 24, &contexts[i], 1), ROOT_STATIC,
		     "things");
		(void)add(m, "P.Dead", 24, &contexts[i], 1);
	}
	free(contexts);
}

/* So many bytes for each of three threads, and little for another variable. */
static void
make_thread_static(struct maker *m, size_t n)
{
	for (int i = 0; i < 3; i++) {
		root(m, add(m, "System.Byte[]", n, NULL, 0), ROOT_THREAD_STATIC,
		     "t_buffer");
		root(m, add(m, "System.Byte[]", 100, NULL, 0),
		     ROOT_THREAD_STATIC, "t_other");
	}
}

/* A holder of so many objects, beside what is not its own. */
static void
make_dominator(struct maker *m, size_t n)
{
	uint64_t *parts = add_many(m, n, "A.Part", 10000, 0);
	uint64_t holder = add(m, "A.Holder", 10000, parts, n);

	free(parts);
	root(m, holder, ROOT_STATIC, "holder");
	for (size_t i = 0; i < 1000 - n - 1; i++)
		root(m, add(m, "A.Other", 10000, NULL, 0), ROOT_STATIC,
		     "other");
}

/* A list held by its first, of which every member holds the rest. */
static void
make_list(struct maker *m, size_t n)
{
	uint64_t *unused = add_many(m, 2000 - n, "A.Other", 24, 0);
	uint64_t next = 0;

	for (size_t i = 0; i < 2000 - n; i++)
		root(m, unused[i], ROOT_STATIC, "other");
	free(unused);
	for (size_t i = 0; i < n; i++)
		next = add(m, "A.Link", 1000, &next, next != 0);
	root(m, next, ROOT_STATIC, "list");
}

/* clang-format off */
static const struct threshold {
	const char *name;
	void (*make)(struct maker *m, size_t n);
	size_t below, at; /* `below` finds nothing; `at` 0: never anything */
	enum finding_kind kind;
	uint64_t count, whole;
	const char *type, *subject;
	uint32_t nodes_count;
} thresholds[] = {
	/* name              make                 below  at     kind                    count  whole  type            subject                nodes */
	{ "collection",      make_collection,     99,    100,   FINDING_COLLECTION,     100,   100,   "A.Item",       "List<A.Item>",        100 },
	{ "minority",        make_minority,       100,   101,   FINDING_COLLECTION,     101,   202,   "A.Item",       "List<A.Item>",        101 },
	{ "small",           make_small,          96,    104,   FINDING_COLLECTION,     150,   150,   "A.Item",       "A.Item[]",            150 },
	{ "parts",           make_parts,          1000,  0,     0,                      0,     0,     NULL,           NULL,                  0 },
	{ "joint parts",     make_joint_parts,    1000,  0,     0,                      0,     0,     NULL,           NULL,                  0 },
	{ "event",           make_event,          49,    50,    FINDING_EVENT,          50,    1,     "A.Subscriber", "A.Publisher",         50 },
	{ "typed event",     make_typed_event,    49,    50,    FINDING_EVENT,          50,    1,     "A.Subscriber", "A.Publisher",         50 },
	{ "tree",            make_tree,           64,    0,     0,                      0,     0,     NULL,           NULL,                  0 },
	{ "timers",          make_timers,         99,    100,   FINDING_TIMER,          100,   0,     "A.Cleaner",    "TimerQueueTimer",     100 },
	{ "state timers",    make_state_timers,   99,    100,   FINDING_TIMER,          100,   0,     "A.State",      "TimerQueueTimer",     100 },
	{ "dead timers",     make_dead_timers,    1000,  0,     0,                      0,     0,     NULL,           NULL,                  0 },
	{ "async",           make_async,          19,    20,    FINDING_ASYNC,          20,    30,    "async A.Program.Run()", "Task<int>",  20 },
	{ "backlog",         make_backlog,        19,    20,    FINDING_FINALIZER,      20,    20,    "A.Pending",    NULL,                  20 },
	{ "stuck",           make_stuck,          0,     1,     FINDING_FINALIZER,      1,     1,     "A.Pending",    NULL,                  1 },
	{ "dependents",      make_dependents,     999,   1000,  FINDING_DEPENDENT,      1000,  1000,  "A.Value",      NULL,                  1000 },
	{ "weak table",      make_weak_table,     1022,  1023,  FINDING_WEAK_TABLE,     1023,  1,     "ConditionalWeakTable<A.Key, A.Value>", "ConditionalWeakTable<A.Key, A.Value>", 1 },
	{ "joint table",     make_joint_table,    1022,  1023,  FINDING_WEAK_TABLE,     1023,  1,     "ConditionalWeakTable<A.Key, A.Value>", "ConditionalWeakTable<A.Key, A.Value>", 1 },
	{ "pinned",          make_pinned,         99,    100,   FINDING_PINNED,         100,   100,   "byte[]",       NULL,                  100 },
	{ "pinned large",    make_pinned_large,   1000,  0,     0,                      0,     0,     NULL,           NULL,                  0 },
	{ "pinned unknown",  make_pinned_unknown, 1000,  0,     0,                      0,     0,     NULL,           NULL,                  0 },
	{ "array",           make_array,          5000,  50,    FINDING_ARRAY,          50,    20000, "A.Item[]",     "A.Item[]",            1 },
	{ "values",          make_values,         50,    0,     0,                      0,     0,     NULL,           NULL,                  0 },
	{ "contexts",        make_contexts,       0,     3,     FINDING_CONTEXT,        3,     0,     "P.Thing",      "P.Thing",             6 },
	{ "thread static",   make_thread_static,  5456,  5464,  FINDING_THREAD_STATIC,  3,     0,     "byte[]",       "byte[]",              3 },
	{ "dominator",       make_dominator,      98,    99,    FINDING_DOMINATOR,      100,   99,    "A.Part",       "A.Holder",            1 },
	{ "list",            make_list,           5,     500,   FINDING_DOMINATOR,      500,   500,   "A.Link",       "A.Link",              1 },
};
/* clang-format on */

static struct analysed
analyse_made(void (*make)(struct maker *m, size_t n), size_t n)
{
	struct maker m = { .next = 0x100000 };
	const struct heap *h;

	m.stream = heap_stream_new(&m.err);
	assert_non_null(m.stream);
	heap_builder_info(heap_stream_builder(m.stream))->is_64bit = true;
	make(&m, n);
	h = heap_stream_finish(m.stream, NULL, &m.err);
	if (!h)
		fail_msg("%s", m.err.message);
	/* Dominators would find more in some of them. */
	return analyse(h, make == make_dominator || make == make_list);
}

/* All that is found beside the arrays of make_array(), which is a collection
   where it is full. */
static uint32_t
count_findings(const struct analysed *a, const struct threshold *t)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < a->findings->count; i++)
		count += t->make != make_array ||
			 a->findings->items[i].kind == FINDING_ARRAY;
	return count;
}

static void
test_threshold(void **state)
{
	const struct threshold *t = *state;
	struct analysed a = analyse_made(t->make, t->below);
	const struct finding *f;

	if (count_findings(&a, t))
		fail_msg("%zu: found %s", t->below,
			 finding_kinds[a.findings->items[0].kind].id);
	analysed_clear(&a);
	if (!t->at)
		return;
	a = analyse_made(t->make, t->at);
	f = expect(&a, t->kind, t->type);
	assert_int_equal(count_findings(&a, t), 1);
	assert_int_equal(f->count, t->count);
	assert_int_equal(f->whole, t->whole);
	assert_int_equal(f->nodes_count, t->nodes_count);
	if (t->subject)
		assert_string_equal(
		    type_name(&a, heap_type_of(a.heap, f->subject)),
		    t->subject);
	analysed_clear(&a);
}

/* --- the rest ------------------------------------------------------------ */

static void
make_nothing(struct maker *m, size_t n)
{
	(void)m;
	(void)n;
}

static void
test_empty(void **state)
{
	struct analysed a = analyse_made(make_nothing, 0);

	(void)state;
	assert_int_equal(a.findings->count, 0);
	analysed_clear(&a);
}

/* 60 methods of which 20 calls wait each: the rest is counted. */
static void
make_methods(struct maker *m, size_t n)
{
	char name[128];

	for (size_t i = 0; i < n; i++) {
		uint64_t *calls;

		snprintf(name, sizeof name,
			 "AsyncStateMachineBox<System.Int32,A.B+<Run%zu>d__5>",
			 i);
		calls = add_many(m, 20, name, 100, 0);
		for (size_t c = 0; c < 20; c++)
			root(m, calls[c], ROOT_STACK, "");
		free(calls);
	}
}

static void
test_left_out(void **state)
{
	struct analysed a = analyse_made(make_methods, 60);

	(void)state;
	assert_int_equal(a.findings->count, FINDINGS_MAX);
	assert_int_equal(a.findings->left_out, 10);
	analysed_clear(&a);
}

/* Wherever it is stopped, it says so and leaves nothing behind. */
static void
test_cancelled(void **state)
{
	const struct heap *h = leaky_heap();
	struct error err = { 0 };
	struct findings_input in = { .heap = h };
	struct progress progress = { 0 };

	(void)state;
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

/* --- screens ------------------------------------------------------------- */

/* clang-format off */
static const struct screen_case {
	const char *name;
	const struct heap *(*heap)(void);
	int rows, columns;
	const char *steps;
} screen_cases[] = {
	/* name                  heap          rows cols steps */
	{ "findings-80x24",      leaky_heap,   24,  80,  "9 wait" },
	{ "findings-200x60",     leaky_heap,   60,  200, ":findings" },
	{ "findings-40x10",      leaky_heap,   10,  40,  ":findings j" },
	{ "findings-later",      leaky_heap,   24,  80,  ":findings G" },
	{ "findings-sorted",     leaky_heap,   24,  80,  ":findings :sort_kind" },
	{ "findings-filtered",   leaky_heap,   14,  80,  ":findings :filter_Session" },
	{ "findings-no-match",   leaky_heap,   14,  80,  ":findings :filter_xyzzy" },
	{ "findings-none",       awkward_heap, 14,  80,  ":findings" },
	{ "findings-objects",    leaky_heap,   14,  80,  ":findings Enter" },
	{ "findings-one-object", leaky_heap,   24,  80,  ":findings G Enter" },
	{ "findings-tree",       leaky_heap,   14,  80,  ":findings r" },
};
/* clang-format on */

static void
test_screens(void **state)
{
	const struct screen_case *c = *state;
	struct app *app = app_on(c->heap());
	struct screen *s = screen_for_test(c->rows, c->columns, false);

	app_steps(app, s, c->steps);
	expect_screen(app, s, c->name, false);
	screen_free(s);
	app_end(app);
}

enum {
	THRESHOLDS_COUNT = sizeof thresholds / sizeof thresholds[0],
	SCREENS_COUNT = sizeof screen_cases / sizeof screen_cases[0],
};

int
main(void)
{
	static const struct CMUnitTest others[] = {
		cmocka_unit_test(test_reference),
		cmocka_unit_test(test_reference_retained),
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_left_out),
		cmocka_unit_test(test_cancelled),
	};
	enum { OTHERS_COUNT = sizeof others / sizeof others[0] };
	struct CMUnitTest
	    tests[THRESHOLDS_COUNT + SCREENS_COUNT + OTHERS_COUNT];
	size_t count = 0;

	for (size_t i = 0; i < THRESHOLDS_COUNT; i++)
		tests[count++] =
		    (struct CMUnitTest){ thresholds[i].name, test_threshold,
					 NULL, NULL,
					 (void *)(uintptr_t)&thresholds[i] };
	for (size_t i = 0; i < SCREENS_COUNT; i++)
		tests[count++] =
		    (struct CMUnitTest){ screen_cases[i].name, test_screens,
					 NULL, NULL,
					 (void *)(uintptr_t)&screen_cases[i] };
	memcpy(tests + count, others, sizeof others);
	return run_tests_named("test_findings", tests, count + OTHERS_COUNT);
}
