/* Heaps with something that waits: async calls, threads, a finalizer. */
#include "tests/made/maker.h"
#include "model/heap/memory.h"

#define CORELIB "/shared/Microsoft.NETCore.App/10.0.0/System.Private.CoreLib.dll"
#define BOX     "AsyncStateMachineBox<System.Int32,A.Program+<Run>d__5>"
#define OUTER   "AsyncStateMachineBox<System.Int32,A.Program+<Outer>d__6>"

/* Up to three references; 0: none. */
static uint64_t
put(struct maker *m, const char *type, uint64_t size, uint64_t first, uint64_t second,
    uint64_t third)
{
	const uint64_t refs[] = { first, second, third };
	uint64_t used[COUNT_OF(refs)];
	size_t count = 0;

	for (size_t i = 0; i < COUNT_OF(refs); i++)
		if (refs[i])
			used[count++] = refs[i];
	return add(m, type, size, used, count);
}

/* Completed calls would refer to it. */
static void
put_mark(struct maker *m)
{
	root(m, put(m, "System.Object", 24, 0, 0, 0), ROOT_STATIC, "s_taskCompletionSentinel");
}

/* --- async calls --------------------------------------------------------- */

/* `n` calls in the list of a semaphore, which refers only to its ends. */
static void
put_semaphore(struct maker *m, size_t n)
{
	enum { WAITER = 88, CALL = 104 };
	uint64_t first = m->next, call = first + WAITER * n;
	uint64_t semaphore = call + CALL * n;

	for (size_t i = 0; i < n; i++) {
		uint64_t waiter = first + WAITER * i;

		(void)put(m, "System.Threading.SemaphoreSlim+TaskNode", WAITER, call + CALL * i,
			  i ? waiter - WAITER : 0, i + 1 < n ? waiter + WAITER : 0);
	}
	for (size_t i = 0; i < n; i++)
		(void)put(m, BOX, CALL, first + WAITER * i, 0, 0);
	(void)put(m, "System.Threading.SemaphoreSlim", 72, first, call - WAITER, 0);
	root(m, put(m, "A.Gate", 24, semaphore, 0, 0), ROOT_STATIC, "gate");
}

void
make_semaphore(struct maker *m, size_t n)
{
	put_semaphore(m, n);
	put_mark(m);
}

void
make_two_semaphores(struct maker *m, size_t n)
{
	put_semaphore(m, n / 2);
	put_semaphore(m, n / 2);
	put_mark(m);
}

/* Each call awaits an object of its own of that type, to which `holder`
   refers. */
static void
put_tasks(struct maker *m, size_t n, const char *type, const char *holder)
{
	enum { TASK = 72, CALL = 104 };

	for (size_t i = 0; i < n; i++) {
		uint64_t task = put(m, type, TASK, m->next + TASK, 0, 0);

		(void)put(m, BOX, CALL, task, 0, 0);
		if (holder)
			task = put(m, holder, 24, task, 0, 0);
		root(m, task, ROOT_STRONG, "");
	}
	put_mark(m);
}

void
make_promises(struct maker *m, size_t n)
{
	put_tasks(m, n, "System.Threading.Tasks.Task<System.Int32>",
		  "System.Threading.Tasks.TaskCompletionSource<System.Int32>");
}

void
make_delays(struct maker *m, size_t n)
{
	put_tasks(m, n, "System.Threading.Tasks.Task+DelayPromise", NULL);
}

/* The outer call, which is larger, awaits the inner one. */
void
make_folded(struct maker *m, size_t n)
{
	enum { TASK = 72, CALL = 104 };

	for (size_t i = 0; i < n; i++) {
		uint64_t task = m->next, call = task + TASK;

		(void)put(m, "System.Threading.Tasks.Task+DelayPromise", TASK, call, 0, 0);
		(void)put(m, BOX, CALL, call + CALL, task, 0);
		(void)put(m, OUTER, CALL + 8, call, 0, 0);
		root(m, task, ROOT_STRONG, "");
		root(m, call + CALL, ROOT_STRONG, "");
	}
	put_mark(m);
}

/* --- calls without boxes -------------------------------------------------- */

#define SERVICES                "System.Runtime.CompilerServices."
#define HELPERS                 SERVICES "AsyncHelpers+"
#define NAMELESS                SERVICES "Continuation"
#define CALL_OF(method, number) NAMELESS "<A.Shop+<" method ">d__" number ">"

enum { CONTINUATION = 64, OUTERMOST = 80, HELPER = 72, PROMISE = 72 };

/* `n` times Ask, called by Pay, called by Checkout: all await one task. Objects of the chain are in
   the order of their addresses. */
static void
put_chains(struct maker *m, size_t n, const char *const calls[3])
{
	enum { CHAIN = HELPER + 2 * CONTINUATION + OUTERMOST + PROMISE };
	uint64_t first = m->next, task = first + CHAIN * n;
	uint64_t *helpers = calloc(n + 1, sizeof *helpers);

	assert_non_null(helpers);
	for (size_t i = 0; i < n; i++) {
		uint64_t helper = first + CHAIN * i, ask = helper + HELPER;
		uint64_t pay = ask + CONTINUATION, outer = pay + CONTINUATION;
		uint64_t promise = outer + OUTERMOST;

		helpers[i] =
		    put(m, SERVICES "RuntimeAsyncTaskContinuation", HELPER, ask, task, promise);
		(void)put(m, calls[0], CONTINUATION, pay, 0, 0);
		(void)put(m, calls[1], CONTINUATION, outer, 0, 0);
		(void)put(m, calls[2], OUTERMOST, 0, 0, 0);
		(void)put(m, HELPERS "RuntimeAsyncTask<System.Int32>", PROMISE, helper, 0, 0);
		root(m, promise, ROOT_STRONG, "");
	}
	(void)put(m, "System.Threading.Tasks.Task", 64, task + 64, 0, 0);
	(void)put(m, "System.Collections.Generic.List<System.Object>", 32, task + 96, 0, 0);
	(void)add(m, "System.Object[]", 24 + 8 * n, helpers, n);
	task = put(m, "System.Threading.Tasks.TaskCompletionSource", 24, task, 0, 0);
	root(m, put(m, "A.Gate", 24, task, 0, 0), ROOT_STATIC, "gate");
	put_mark(m);
	free(helpers);
}

void
make_chains(struct maker *m, size_t n)
{
	static const char *const calls[] = { CALL_OF("Ask", "5"), CALL_OF("Pay", "6"),
					     CALL_OF("Checkout", "7") };

	put_chains(m, n, calls);
}

/* As events describe them. */
void
make_nameless_chains(struct maker *m, size_t n)
{
	static const char *const calls[] = { NAMELESS, NAMELESS, NAMELESS };

	put_chains(m, n, calls);
}

/* A call that has ended, one whose callee runs, one that awaits the source of a ValueTask, one that
   awaits a task by its caller's, and idle objects. */
void
make_odd_chains(struct maker *m, size_t n)
{
	uint64_t next, promise;

	(void)n;
	next = put(m, NAMELESS, 64, m->next + 64, 0, 0);
	(void)put(m, "A.Cart", 24, 0, 0, 0);
	root(m, next, ROOT_STRONG, "");
	next = put(m, NAMELESS, 72, m->next + 72, 0, 0);
	(void)put(m, NAMELESS, 88, m->next + 88, 0, 0);
	(void)put(m, "A.Cart", 24, 0, 0, 0);
	root(m, next, ROOT_STACK_WORD, "thread 1");
	next = m->next;
	promise = put(m, HELPERS "RuntimeAsyncTask<A.Cart>", PROMISE, next + PROMISE, 0, 0);
	(void)put(m, HELPERS "ValueTaskSourceContinuation", HELPER, next + PROMISE + HELPER,
		  next + PROMISE + HELPER + 96, 0);
	(void)put(m, NAMELESS, 96, 0, 0, 0);
	(void)put(m, "A.Source", 24, promise, 0, 0);
	root(m, promise, ROOT_STRONG, "");
	root(m, put(m, NAMELESS, 48, 0, 0, 0), ROOT_STATIC, "idle");
	next = put(m, SERVICES "RuntimeAsyncTaskContinuation", HELPER, 0, 0, 0);
	root(m, next, ROOT_STATIC, "idle");
	put_mark(m);
}

/* --- locks --------------------------------------------------------------- */

enum { HOLDER = 4712, FINALIZER = 77 };

/* `waiters` threads wait for the lock; `os_id` 0: its holder is unknown. */
struct awaited {
	uint32_t waiters, thread;
	uint64_t os_id;
};

/* The first object is the lock that `source` describes. */
static bool
awaited_locks(const void *source, struct heap_locks *out, struct progress *progress,
	      struct error *err)
{
	const struct awaited *lock = source;

	(void)progress;
	return APPEND(out->items, out->count, out->room, err,
		      (struct heap_lock){ .object = 0,
					  .monitor = NODE_NONE,
					  .index = 1,
					  .thread = lock->thread,
					  .os_id = lock->os_id,
					  .entered = 1,
					  .waiters = lock->waiters });
}

static bool
frames(const void *source, uint64_t os_id, uint32_t max, struct content_frames *out,
       struct arena *a, struct error *err)
{
	static struct content_frame of_holder[] = {
		{ .text = "System.Threading.Thread.Sleep",
		  .type = "System.Threading.Thread",
		  .module = CORELIB },
		{ .text = "A.Ledger.Post", .type = "A.Ledger", .module = "/app/a.dll" },
	};
	static struct content_frame of_finalizer[] = {
		{ .text = "System.Threading.Thread.Sleep",
		  .type = "System.Threading.Thread",
		  .module = CORELIB },
		{ .text = "A.Pending.Close", .type = "A.Pending", .module = "/app/a.dll" },
	};

	(void)source;
	(void)a;
	(void)err;
	assert_true(max >= 2);
	*out = (struct content_frames){ os_id == HOLDER ? of_holder : of_finalizer, 2, "" };
	return true;
}

/* Nothing but locks and stacks can be read. */
static size_t
read_bytes(const void *source, uint64_t address, void *to, size_t len)
{
	(void)source;
	(void)address;
	(void)to;
	(void)len;
	return 0;
}

static bool
lay_out(const void *source, node_id object, struct content_layout *out, struct arena *a,
	struct error *err)
{
	(void)source;
	(void)object;
	(void)out;
	(void)a;
	(void)err;
	return false;
}

static const struct contents_ops lock_contents = {
	.awaited_locks = awaited_locks,
	.frames = frames,
	.bytes = read_bytes,
	.layout = lay_out,
};

static void
put_lock(struct maker *m, struct awaited awaited)
{
	static const struct heap_thread threads[] = {
		{ .os_id = 0, .id = 5, .name = "dead" },
		{ .os_id = HOLDER, .id = 12, .name = "hoarder" },
		{ .os_id = FINALIZER, .id = 2, .name = ".NET Finalizer", .is_finalizer = true },
	};
	struct heap_builder *b = heap_stream_builder(m->stream);
	struct awaited *source = arena_array(heap_builder_arena(b), struct awaited, 1, &m->err);
	struct heap_memory *memory = heap_builder_memory(b, &m->err);
	uint64_t lock = put(m, "System.Object", 24, 0, 0, 0);

	assert_true(source && memory);
	*source = awaited;
	memory->contents = &lock_contents;
	memory->source = source;
	memory->threads = threads;
	memory->threads_count = COUNT_OF(threads);
	root(m, put(m, "A.Ledger", 24, lock, 0, 0), ROOT_STATIC, "ledger");
	root(m, lock, ROOT_STACK_WORD, "thread 4712 hoarder");
}

void
make_lock(struct maker *m, size_t n)
{
	put_lock(m, (struct awaited){ (uint32_t)n, 12, HOLDER });
}

/* Only the managed id of the thread that holds it is known. */
void
make_lock_of_id(struct maker *m, size_t n)
{
	put_lock(m, (struct awaited){ (uint32_t)n, 12, 0 });
}

/* The thread that holds it is none that the runtime knows. */
void
make_lock_of_unknown(struct maker *m, size_t n)
{
	put_lock(m, (struct awaited){ (uint32_t)n, 0, 0 });
}

/* These objects of the base library are too few for a backlog. */
static void
put_files(struct maker *m, size_t n)
{
	for (size_t i = 0; i < n; i++)
		root(m, put(m, "System.IO.FileStream", 24, 0, 0, 0), ROOT_FINALIZER, "");
}

void
make_blocked_finalizer(struct maker *m, size_t n)
{
	put_lock(m, (struct awaited){ 1, 12, HOLDER });
	root(m, 0x100000, ROOT_STACK_WORD, "thread 77 .NET Finalizer");
	put_files(m, n);
}

/* Another thread waits for the lock. */
void
make_free_finalizer(struct maker *m, size_t n)
{
	put_lock(m, (struct awaited){ 1, 12, HOLDER });
	root(m, 0x100000, ROOT_STACK_WORD, "thread 770 worker");
	put_files(m, n);
}
