#include "tests/made/suspects.h"
#include "tests/made/maker.h"
#include "model/heap/root_gaps.h"
#include "tests/drive/run_tests.h"

#include <stdlib.h>

/* A root of that kind for each; the array is freed. */
static void
root_many(struct maker *m, uint64_t *objects, size_t count, enum root_kind kind, const char *name)
{
	for (size_t i = 0; i < count; i++)
		root(m, objects[i], kind, name);
	free(objects);
}

/* An array of them, with room for `room` elements. */
static uint64_t
add_array(struct maker *m, const char *type, uint64_t *elements, size_t count, size_t room)
{
	uint64_t array = add(m, type, 24 + 8 * room, elements, count);

	free(elements);
	return array;
}

void
make_collection(struct maker *m, size_t n)
{
	uint64_t array = add_array(m, "A.Item[]", add_many(m, n, "A.Item", 200, 0), n, 128);
	uint64_t list = add(m, "System.Collections.Generic.List<A.Item>", 32, &array, 1);

	root(m, list, ROOT_STATIC, "items");
}

/* As many again are elsewhere, and one more. */
void
make_minority(struct maker *m, size_t n)
{
	uint64_t *others = add_many(m, 101, "A.Item", 200, 0);

	make_collection(m, n);
	root_many(m, others, 101, ROOT_STACK, "");
}

/* 150 elements of so many bytes each. */
void
make_small(struct maker *m, size_t n)
{
	root(m, add_array(m, "A.Item[]", add_many(m, 150, "A.Item", n, 0), 150, 150), ROOT_STATIC,
	     "items");
}

/* Both spellings of them. */
void
make_joint_parts(struct maker *m, size_t n)
{
	root(m,
	     add_array(m, "System.Collections.Concurrent.C<A.Item>+Node[]",
		       add_many(m, n, "System.Collections.Concurrent.C<A.Item>+Node", 200, 0), n,
		       n),
	     ROOT_STATIC, "nodes");
}

/* The parts of a collection are not what it is about. */
void
make_parts(struct maker *m, size_t n)
{
	root(m, add_array(m, "Node<A.Item>[]", add_many(m, n, "Node<A.Item>", 200, 0), n, n),
	     ROOT_STATIC, "nodes");
}

/* Handlers of one subscriber each; free() them. */
static uint64_t *
add_handlers(struct maker *m, size_t n, uint64_t subscriber_bytes)
{
	uint64_t *handlers = calloc(n + 1, sizeof *handlers);

	assert_non_null(handlers);
	for (size_t i = 0; i < n; i++) {
		uint64_t subscriber = add(m, "A.Subscriber", subscriber_bytes, NULL, 0);

		handlers[i] = add(m, "A.Handler", 64, &subscriber, 1);
	}
	return handlers;
}

/* A static event with these handlers, which are freed. */
static void
root_event(struct maker *m, uint64_t *handlers, size_t n)
{
	uint64_t refs[2];

	refs[1] = add_array(m, "System.Object[]", handlers, n, 64);
	refs[0] = m->next;
	root(m, add(m, "A.Handler", 64, refs, 2), ROOT_STATIC, "Changed");
}

static void
make_event_of(struct maker *m, size_t n, bool is_itself, const char *type)
{
	uint64_t list = add_array(m, type, add_handlers(m, n, 24), n, 64);
	uint64_t refs[2], delegate, publisher;

	refs[0] = is_itself ? m->next : list;
	refs[1] = list;
	delegate = add(m, "A.Handler", 64, refs, 2);
	publisher = add(m, "A.Publisher", 24, &delegate, 1);
	root(m, publisher, ROOT_STATIC, "publisher");
}

void
make_event(struct maker *m, size_t n)
{
	make_event_of(m, n, true, "System.Object[]");
}

/* Mono's lists have a type of their own. */
void
make_typed_event(struct maker *m, size_t n)
{
	make_event_of(m, n, false, "System.Delegate[]");
}

/* .NET 11 wraps each delegate of a list in a struct. */
void
make_wrapped_event(struct maker *m, size_t n)
{
	make_event_of(m, n, false, "System.Delegate+Wrapper[]");
}

/* Subscribers so large that what holds the list would be told as well. */
void
make_large_event(struct maker *m, size_t n)
{
	root_event(m, add_handlers(m, n, 10000), n);
}

/* Handlers that are static methods keep nobody. */
void
make_static_handlers(struct maker *m, size_t n)
{
	uint64_t *handlers = calloc(n + 1, sizeof *handlers);

	assert_non_null(handlers);
	for (size_t i = 0; i < n; i++) {
		uint64_t itself = m->next;

		handlers[i] = add(m, "A.Handler", 64, &itself, 1);
	}
	root_event(m, handlers, n);
}

/* An array with something else in it is no list of handlers. */
void
make_mixed_list(struct maker *m, size_t n)
{
	uint64_t subscriber = add(m, "A.Subscriber", 24, NULL, 0);
	uint64_t *handlers = add_many(m, n, "A.Handler", 64, subscriber);

	handlers[n - 1] = subscriber;
	root_event(m, handlers, n);
}

/* Static variables stand in a table of the runtime: no collection. */
void
make_static_table(struct maker *m, size_t n)
{
	uint64_t *values = add_many(m, n, "A.Item", 200, 0);

	for (size_t i = 0; i < n; i++)
		root(m, values[i], ROOT_STATIC, "item");
	root(m, add_array(m, "System.Object[]", values, n, n), ROOT_STRONG, "");
}

/* An object that has an array of its own kind is not a delegate. */
void
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
		uint64_t callback = add(m, "System.Threading.TimerCallback", 64, &target, 1);
		uint64_t state = add(m, "A.State", 24, NULL, 0);
		uint64_t refs[] = { queue, callback, state };
		uint64_t timer =
		    add(m, "System.Threading.TimerQueueTimer", 96, refs, has_state ? 3 : 2);

		if (is_rooted)
			root(m, timer, ROOT_STATIC, "timers");
	}
}

void
make_timers(struct maker *m, size_t n)
{
	make_timers_of(m, n, false, true);
}

void
make_state_timers(struct maker *m, size_t n)
{
	make_timers_of(m, n, true, true);
}

void
make_dead_timers(struct maker *m, size_t n)
{
	make_timers_of(m, n, true, false);
}

#define BOX "AsyncStateMachineBox<System.Int32,A.Program+<Run>d__5>"

/*
 * A task that refers to `n` calls through a list, as those that go on after it, and they to it.
 * Half as many again have completed, and refer to what marks them.
 */
static void
make_async_of(struct maker *m, size_t n, const char *box, const char *mark_name,
	      const char *list_type)
{
	uint64_t task = m->next, list = task + 72, array = list + 32;
	uint64_t first = array + 24 + 8 * n, mark;
	uint64_t *calls = calloc(n + 1, sizeof *calls);

	assert_non_null(calls);
	for (size_t i = 0; i < n; i++)
		calls[i] = first + 104 * i;
	(void)add(m, "System.Threading.Tasks.Task<System.Int32>", 72, &list, 1);
	(void)add(m, "System.Collections.Generic.List<System.Object>", 32, &array, 1);
	(void)add_array(m, list_type, calls, n, n);
	for (size_t i = 0; i < n; i++)
		root(m, add(m, box, 104, &task, 1), ROOT_STACK, "");
	mark = add(m, "System.Object", 24, NULL, 0);
	root(m, mark, ROOT_STATIC, mark_name);
	root_many(m, add_many(m, n / 2, box, 104, mark), n / 2, ROOT_STACK, "");
}

void
make_async(struct maker *m, size_t n)
{
	make_async_of(m, n, BOX, "s_taskCompletionSentinel", "System.Object[]");
}

void
make_async_of_class(struct maker *m, size_t n)
{
	make_async_of(m, n, BOX, "Task.s_taskCompletionSentinel", "System.Object[]");
}

/* A method of the base library. */
void
make_library_async(struct maker *m, size_t n)
{
	make_async_of(m, n,
		      "AsyncStateMachineBox<System.Int32,System.Threading.SemaphoreSlim+<Run>d__5>",
		      "s_taskCompletionSentinel", "System.Object[]");
}

/* The task waits for them. */
void
make_awaited(struct maker *m, size_t n)
{
	make_async_of(m, n, BOX, "s_taskCompletionSentinel", "System.Threading.Tasks.Task[]");
}

/* Which of them have completed cannot be told. */
void
make_async_unknown(struct maker *m, size_t n)
{
	make_async_of(m, n, BOX, "", "System.Object[]");
}

/* All waiting, registered, and half of these as well held by something else. */
void
make_backlog(struct maker *m, size_t n)
{
	uint64_t *waiting = add_many(m, n, "A.Pending", 24, 0);
	uint64_t *others = add_many(m, 30, "A.Pending", 24, 0);

	root_many(m, waiting, n, ROOT_FINALIZER, "");
	for (size_t i = 0; i < 30; i++) {
		root(m, others[i], ROOT_FINALIZER, "");
		root(m, others[i], ROOT_STATIC, "others");
	}
	free(others);
}

/* A capture finds some of the base library's always. */
void
make_library_backlog(struct maker *m, size_t n)
{
	root_many(m, add_many(m, n, "System.IO.FileStream", 8, 0), n, ROOT_FINALIZER, "");
}

void
make_stuck(struct maker *m, size_t n)
{
	make_backlog(m, n);
	root(m, add(m, "A.Stuck", 24, NULL, 0), ROOT_STACK, "A.Stuck.Finalize");
}

void
make_dependents(struct maker *m, size_t n)
{
	root_many(m, add_many(m, n, "A.Value", 8, 0), n, ROOT_DEPENDENT, "");
}

#define TABLE "System.Runtime.CompilerServices.ConditionalWeakTable<A.Key,A.Value>"

/* A table with room for so many entries, in either spelling of its parts. */
static void
make_weak_table_of(struct maker *m, size_t n, const char *entry, const char *part)
{
	uint64_t entries = add(m, entry, 24 + 16 * n, NULL, 0);
	uint64_t container = add(m, part, 56, &entries, 1);

	root(m, add(m, TABLE, 40, &container, 1), ROOT_STATIC, "table");
}

void
make_weak_table(struct maker *m, size_t n)
{
	make_weak_table_of(m, n, "Entry<A.Key,A.Value>[]", "Container<A.Key,A.Value>");
}

void
make_joint_table(struct maker *m, size_t n)
{
	make_weak_table_of(m, n, TABLE "+Entry[]", TABLE "+Container");
}

static void
make_pinned_in(struct maker *m, size_t n, enum generation gen)
{
	uint64_t start = m->next;

	root_many(m, add_many(m, n, "System.Byte[]", 48, 0), n, ROOT_PINNED, "");
	if (gen != GEN_UNKNOWN)
		assert_true(heap_stream_range(m->stream, start, m->next, gen, -1, &m->err));
}

void
make_pinned(struct maker *m, size_t n)
{
	make_pinned_in(m, n, GEN_2);
}

void
make_pinned_large(struct maker *m, size_t n)
{
	make_pinned_in(m, n, GEN_POH);
}

void
make_pinned_unknown(struct maker *m, size_t n)
{
	make_pinned_in(m, n, GEN_UNKNOWN);
}

/* 20,000 elements, so many of them used. */
void
make_array(struct maker *m, size_t n)
{
	root(m, add_array(m, "A.Item[]", add_many(m, n, "A.Item", 24, 0), n, 20000), ROOT_STATIC,
	     "items");
}

/* Elements that are values: how many are used is not known. */
void
make_values(struct maker *m, size_t n)
{
	root(m, add_array(m, "A.Pair[]", add_many(m, n, "A.Item", 24, 0), n, 20000), ROOT_STATIC,
	     "pairs");
}

void
make_contexts(struct maker *m, size_t n)
{
	uint64_t *contexts = add_many(m, n, "System.Reflection.LoaderAllocator", 48, 0);

	for (size_t i = 0; i < n; i++) {
		root(m, add(m, "P.Thing", 24, &contexts[i], 1), ROOT_STATIC, "things");
		root(m, add(m, "P.Thing", 24, &contexts[i], 1), ROOT_STATIC, "things");
		(void)add(m, "P.Dead", 24, &contexts[i], 1);
	}
	free(contexts);
}

/* So many bytes for each of three threads, and little for another variable. */
void
make_thread_static(struct maker *m, size_t n)
{
	for (int i = 0; i < 3; i++) {
		root(m, add(m, "System.Byte[]", n, NULL, 0), ROOT_THREAD_STATIC, "t_buffer");
		root(m, add(m, "System.Byte[]", 100, NULL, 0), ROOT_THREAD_STATIC, "t_other");
	}
}

/* So many objects that handles keep, each with a large part, and as many bytes again elsewhere. */
void
make_handles(struct maker *m, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t part = add(m, "System.Byte[]", 20000, NULL, 0);

		root(m, add(m, "A.Stream", 100, &part, 1), ROOT_STRONG, "");
	}
	make_many_roots(m, 200);
}

/* Small objects of one thread static variable that keep so many bytes each. */
void
make_thread_local(struct maker *m, size_t n)
{
	for (int i = 0; i < 3; i++) {
		uint64_t part = add(m, "System.Byte[]", n, NULL, 0);

		root(m, add(m, "A.State", 24, &part, 1), ROOT_THREAD_STATIC, "t_state");
	}
}

/* A collection of so many objects, which a service has that a socket leads to; a type of the
   application has the name of a call site, too. */
static void
add_service(struct maker *m, size_t n, const char *site)
{
	uint64_t array = add_array(m, "A.Item[]", add_many(m, n, "A.Item", 200, 0), n, 128);
	uint64_t list = add(m, "System.Collections.Generic.List<A.Item>", 32, &array, 1);
	uint64_t store = add(m, "A.Store", 24, &list, 1);
	uint64_t socket = add(m, "System.Net.Sockets.Socket", 24, &store, 1);

	root(m, socket, ROOT_STATIC, "System.Net.Sockets.SocketAsyncEngine.s_engines");
	root(m, add(m, site, 64, &store, 1), ROOT_STRONG, "");
}

void
make_service(struct maker *m, size_t n)
{
	add_service(m, n,
		    "Microsoft.Extensions.DependencyInjection.ServiceLookup.ConstructorCallSite");
}

void
make_no_service(struct maker *m, size_t n)
{
	add_service(m, n, "A.ServiceLookup.ConstructorCallSite");
}

/* So many arrays in the buckets of a pool that two threads have. */
void
make_pool(struct maker *m, size_t n)
{
	for (int i = 0; i < 2; i++) {
		uint64_t *arrays = add_many(m, n / 2, "System.Byte[]", 100000, 0);
		uint64_t buckets =
		    add(m, "System.Buffers.SharedArrayPoolThreadLocalArray[]", 500, arrays, n / 2);

		free(arrays);
		root(m, buckets, ROOT_STRONG, "");
	}
}

/* So many objects under roots of several kinds, each with a large part. */
void
make_many_roots(struct maker *m, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t part = add(m, "System.Byte[]", 4000, NULL, 0);

		root(m, add(m, "A.Order", 100, &part, 1), i % 3 ? ROOT_STATIC : ROOT_STACK,
		     "order");
	}
}

/* A holder of so many objects, beside what is not its own. */
void
make_dominator(struct maker *m, size_t n)
{
	uint64_t *parts = add_many(m, n, "A.Part", 10000, 0);
	uint64_t holder = add(m, "A.Holder", 10000, parts, n);

	free(parts);
	root(m, holder, ROOT_STATIC, "holder");
	for (size_t i = 0; i < 1000 - n - 1; i++)
		root(m, add(m, "System.Byte[]", 10000, NULL, 0), ROOT_STATIC, "other");
}

/* A list held by its first, of which every member holds the rest. */
void
make_list(struct maker *m, size_t n)
{
	uint64_t next = 0;

	root_many(m, add_many(m, 2000 - n, "A.Other", 24, 0), 2000 - n, ROOT_STATIC, "other");
	for (size_t i = 0; i < n; i++)
		next = add(m, "A.Link", 1000, &next, next != 0);
	root(m, next, ROOT_STATIC, "list");
}

/* One large object among others. */
void
make_large(struct maker *m, size_t n)
{
	root(m, add(m, "System.Byte[]", n, NULL, 0), ROOT_STATIC, "buffer");
	root(m, add(m, "A.Other", 24, NULL, 0), ROOT_STATIC, "other");
}

/* The handlers of a static event: nobody but the root has the delegate. */
void
make_static_event(struct maker *m, size_t n)
{
	root_event(m, add_handlers(m, n, 24), n);
}

/* Two publishers with enough handlers each. */
void
make_two_events(struct maker *m, size_t n)
{
	make_event(m, n);
	make_event(m, n);
}

void
make_nothing(struct maker *m, size_t n)
{
	(void)m;
	(void)n;
}

/* 60 methods of which 20 calls wait each: the rest is counted. */
void
make_methods(struct maker *m, size_t n)
{
	char name[128];

	for (size_t i = 0; i < n; i++) {
		snprintf(name, sizeof name, "AsyncStateMachineBox<System.Int32,A.B+<Run%zu>d__5>",
			 i);
		root_many(m, add_many(m, 20, name, 100, 0), 20, ROOT_STACK, "");
	}
}

const struct heap *
heap_made(make_suspects *make, size_t n)
{
	struct maker m = { .next = 0x100000 };
	const struct heap *h;

	m.stream = heap_stream_new(&m.err);
	assert_non_null(m.stream);
	info_of(&m)->is_64bit = true;
	make(&m, n);
	h = heap_stream_finish(m.stream, NULL, &m.err);
	if (!h)
		fail_msg("%s", m.err.message);
	return h;
}
