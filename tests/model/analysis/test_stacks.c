/* Stacks of threads that are made up: as a list, as a tree, and in words. */
#include "model/analysis/lock_waiters.h"
#include "model/analysis/stack_tree.h"
#include "model/analysis/tables.h"
#include "tests/drive/run_tests.h"
#include "tests/drive/table_rows.h"
#include <string.h>

#define CORELIB "/usr/share/dotnet/shared/System.Private.CoreLib.dll"
#define APP     "/app/shop.dll"

/* A call of the framework, of the application, and the system's. */
#define OF_CORE(class, method)                                                                     \
	{                                                                                          \
		.text = method, .full = method, .type = "System.Threading." class,                 \
		.module = CORELIB                                                                  \
	}
#define OF_APP(method)                                                                             \
	{                                                                                          \
		.text = "Shop." method, .full = "Shop." method "(int)", .type = "Shop.Worker",     \
		.module = APP                                                                      \
	}
#define NATIVE                                                                                     \
	{                                                                                          \
		.text = "libc.so.6 + 0x85f16", .full = "libc.so.6 + 0x85f16", .type = "",          \
		.module = "/lib/libc.so.6", .kind = CONTENT_FRAME_NATIVE, .ip = 0x7f00,            \
		.sp = 0x7e00                                                                       \
	}
#define MARK                                                                                       \
	{                                                                                          \
		.text = "[InlinedCallFrame]", .full = "[InlinedCallFrame]", .type = "",            \
		.module = "", .kind = CONTENT_FRAME_TRANSITION                                     \
	}

enum { CALLS_MAX = 6 };

static struct content_frame sleeping[] = {
	NATIVE,
	MARK,
	OF_CORE("Thread", "Thread.Sleep"),
	OF_APP("Run"),
	OF_CORE("Thread", "Thread.StartCallback"),
};
static struct content_frame waiting[] = {
	OF_CORE("Monitor", "Monitor.Wait"),
	OF_CORE("ManualResetEventSlim", "ManualResetEventSlim.Wait"),
	OF_CORE("Tasks.Task", "Task.InternalWait"),
	OF_APP("Pay"),
	OF_APP("Run"),
	OF_CORE("Thread", "Thread.StartCallback"),
};
static struct content_frame running[] = {
	OF_APP("Pay"),
	OF_APP("Run"),
	OF_CORE("Thread", "Thread.StartCallback"),
};
static struct content_frame locking[] = {
	NATIVE,
	{ .text = "[HelperMethodFrame_1OBJ] Monitor.Enter",
	  .type = "System.Threading.Monitor",
	  .module = CORELIB,
	  .kind = CONTENT_FRAME_TRANSITION },
	OF_APP("Run"),
};
static struct content_frame native[] = { NATIVE };
static struct content_frame found[] = {
	{ .text = "Thread.Sleep",
	  .type = "System.Threading.Thread",
	  .module = CORELIB,
	  .kind = CONTENT_FRAME_FOUND },
};

static const struct content_frames stacks[] = {
	{ sleeping, COUNT_OF(sleeping), "" },
	{ waiting, COUNT_OF(waiting), "" },
	{ running, COUNT_OF(running), "it stops at 0x7f00: the stack is damaged there" },
	{ native, COUNT_OF(native), "" },
	{ found, COUNT_OF(found), "the stack is not walked" },
	{ NULL, 0, "its registers are unknown" },
	{ locking, COUNT_OF(locking), "" },
};
enum { SLEEPING, WAITING, RUNNING, IN_NATIVE, FOUND, UNKNOWN, LOCKING };

/* The system's id of a thread is 100 more than the number of its stack. */
static bool
frames(const void *source, uint64_t os_id, uint32_t max, struct content_frames *out,
       struct arena *a, struct error *err)
{
	(void)source;
	(void)a;
	(void)err;
	assert_true(max >= CALLS_MAX);
	*out = os_id ? stacks[os_id - 100] : stacks[UNKNOWN];
	return true;
}

static const struct contents_ops contents = { .frames = frames };

#define NO_OBJECTS .object = NODE_NONE, .thrown = NODE_NONE
static struct heap_thread threads[] = {
	{ .id = 1, .os_id = 100 + SLEEPING, .address = 8, .name = "sleeper", NO_OBJECTS },
	{ .id = 2, .os_id = 100 + WAITING, .address = 8, .name = "", NO_OBJECTS },
	{ .id = 3, .os_id = 100 + RUNNING, .address = 8, .name = "", NO_OBJECTS },
	{ .os_id = 100 + IN_NATIVE, .name = "", NO_OBJECTS },
	{ .id = 9, .address = 8, .name = "gone", NO_OBJECTS },
};
static const struct heap_memory memory = {
	.contents = &contents,
	.threads = threads,
	.threads_count = COUNT_OF(threads),
};
static const struct heap heap = { .memory = &memory };
static const struct facts all_facts = { .heap = &heap };

static struct stacks
read_all(uint64_t number)
{
	struct error err = { 0 };
	struct stacks s;

	assert_ok(stacks_read(&s, &heap, number, NULL, &err), &err);
	return s;
}

TEST(reads_all_or_one)
{
	struct stacks s = read_all(0);

	assert_int_equal(s.count, COUNT_OF(threads));
	stacks_clear(&s);
	s = read_all(2);
	assert_int_equal(s.count, 1);
	assert_int_equal(s.items[0].thread, 1);
	stacks_clear(&s);
	s = read_all(100 + IN_NATIVE);
	assert_int_equal(s.count, 1);
	assert_int_equal(s.items[0].thread, 3);
	stacks_clear(&s);
}

static const struct said {
	const char *name;
	unsigned stack;
	enum heap_thread_mode mode;
	const char *state, *own;
	uint32_t depth;
	bool is_finalizer, has_ended;
} said[] = {
	/* clang-format off */
	{ "sleeps",     SLEEPING,  THREAD_PREEMPTIVE,  "sleeps",           "Shop.Run", 3, false, false },
	{ "a task",     WAITING,   THREAD_PREEMPTIVE,  "waits for a task", "Shop.Pay", 6, false, false },
	{ "a lock",     LOCKING,   THREAD_PREEMPTIVE,  "waits for a lock", "Shop.Run", 1, false, false },
	{ "runs",       RUNNING,   THREAD_COOPERATIVE, "runs",             "Shop.Pay", 3, false, false },
	{ "allocates",  SLEEPING,  THREAD_COOPERATIVE, "in the runtime",   "Shop.Run", 3, false, false },
	{ "native",     IN_NATIVE, THREAD_PREEMPTIVE,  "in native code",   NULL,       0, false, false },
	{ "found",      FOUND,     THREAD_PREEMPTIVE,  "",                 NULL,       1, false, false },
	{ "unknown",    UNKNOWN,   THREAD_PREEMPTIVE,  "",                 NULL,       0, false, false },
	{ "finalizer",  SLEEPING,  THREAD_PREEMPTIVE,  "finalizer",        "Shop.Run", 3, true,  false },
	{ "idle",       IN_NATIVE, THREAD_PREEMPTIVE,  "finalizer, idle",  NULL,       0, true,  false },
	{ "ended",      UNKNOWN,   THREAD_PREEMPTIVE,  "not started, or ended", NULL,  0, false, true },
	/* clang-format on */
};

TEST_ROWS(says_what_threads_do, said)
{
	const struct said *s = *state;
	const struct heap_thread t = { .id = 5,
				       .os_id = s->has_ended ? 0 : 100,
				       .mode = (uint8_t)s->mode,
				       .is_finalizer = s->is_finalizer };
	const struct content_frame *own = stack_own_frame(&stacks[s->stack], NULL);

	assert_string_equal(stack_state(&t, &stacks[s->stack], NULL), s->state);
	assert_int_equal(stack_depth(&stacks[s->stack]), s->depth);
	assert_true((own != NULL) == (s->own != NULL));
	if (own)
		assert_string_equal(own->text, s->own);
}

/* "mymodules" names what is the application's instead. */
TEST(own_code_can_be_named)
{
	assert_ptr_equal(stack_own_frame(&stacks[WAITING], "System*"), &waiting[0]);
	assert_null(stack_own_frame(&stacks[WAITING], "Other"));
	assert_ptr_equal(stack_own_frame(&stacks[SLEEPING], "shop"), &sleeping[3]);
	assert_string_equal(stack_state(&threads[0], &stacks[SLEEPING], "Other"), "sleeps");
}

/* --- the tree ------------------------------------------------------------- */

TEST(merges_equal_calls)
{
	static const struct {
		const char *text, *ids;
		uint32_t threads, ends, depth;
	} wanted[] = {
		/* clang-format off */
		{ "Thread.StartCallback",      "1, 2, 3", 3, 0, 0 },
		{ "Shop.Run",                  "1, 2, 3", 3, 0, 1 },
		{ "Shop.Pay",                  "2, 3",    2, 1, 2 },
		{ "Task.InternalWait",         "2",       1, 0, 3 },
		{ "ManualResetEventSlim.Wait", "2",       1, 0, 4 },
		{ "Monitor.Wait",              "2",       1, 1, 4 },
		{ "Thread.Sleep",              "1",       1, 1, 2 },
		/* clang-format on */
	};
	struct stacks s = read_all(0);
	struct error err = { 0 };
	struct stack_tree tree;

	assert_ok(stack_tree_make(&tree, &s, &memory, &err), &err);
	assert_int_equal(tree.threads_count, 3);
	assert_int_equal(tree.count, COUNT_OF(wanted));
	for (uint32_t i = 0; i < tree.count; i++) {
		assert_string_equal(tree.nodes[i].frame->text, wanted[i].text);
		assert_string_equal(tree.nodes[i].ids, wanted[i].ids);
		assert_int_equal(tree.nodes[i].threads_count, wanted[i].threads);
		assert_int_equal(tree.nodes[i].ends_count, wanted[i].ends);
		assert_int_equal(tree.nodes[i].depth, wanted[i].depth);
	}
	stacks_clear(&s);
}

/* Methods with one name are told apart by their records. */
TEST(keeps_overloads_apart)
{
	static struct content_frame calls[][1] = {
		{ { .text = "A.F", .type = "A", .module = "", .record = 8 } },
		{ { .text = "A.F", .type = "A", .module = "", .record = 16 } },
		{ { .text = "A.F", .type = "A", .module = "", .record = 8 } },
	};
	struct stack items[COUNT_OF(calls)];
	struct stacks s = { .items = items, .count = COUNT_OF(calls) };
	struct error err = { 0 };
	struct stack_tree tree;

	arena_init(&s.arena, 0);
	for (uint32_t i = 0; i < s.count; i++)
		items[i] = (struct stack){ .thread = i, .frames = { calls[i], 1, "" } };
	assert_ok(stack_tree_make(&tree, &s, &memory, &err), &err);
	assert_int_equal(tree.count, 2);
	assert_int_equal(tree.nodes[0].threads_count, 2);
	assert_int_equal(tree.nodes[1].threads_count, 1);
	stacks_clear(&s);
}

/* A list of ids is cut, and the number of threads is not. */
TEST(shows_some_ids)
{
	enum { MANY = 40 };
	static struct stack items[MANY];
	static struct heap_thread many[MANY];
	struct heap_memory m = { .threads = many, .threads_count = MANY };
	struct stacks s = { .items = items, .count = MANY };
	struct error err = { 0 };
	struct stack_tree tree;

	arena_init(&s.arena, 0);
	for (uint32_t i = 0; i < MANY; i++) {
		many[i] = (struct heap_thread){ .id = i + 1, .name = "" };
		items[i] = (struct stack){ .thread = i, .frames = stacks[RUNNING] };
	}
	assert_ok(stack_tree_make(&tree, &s, &m, &err), &err);
	assert_int_equal(tree.nodes[0].threads_count, MANY);
	assert_string_equal(tree.nodes[0].ids, "1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 …");
	stacks_clear(&s);
}

/* --- tables --------------------------------------------------------------- */

static const char *
cell(const struct table_rows *r, uint32_t item, const char *column)
{
	static struct value v;

	table_rows_cell(r, item, column, &v);
	return v.text;
}

TEST(lists_calls)
{
	const struct subject about = { .node = NODE_NONE, .type = TYPE_NONE, .text = "" };
	struct table_rows r;

	table_rows_make(&r, &stacks_table, &all_facts, &about);
	/* 5, 6, 3 and the reason, 1; a thread that has ended has none. */
	assert_int_equal(r.count, 16);
	assert_string_equal(cell(&r, 0, "kind"), "native");
	assert_string_equal(cell(&r, 1, "kind"), "transition");
	assert_string_equal(cell(&r, 3, "method"), "Shop.Run(int)");
	assert_string_equal(cell(&r, 3, "own"), "yes");
	assert_string_equal(cell(&r, 3, "name"), "sleeper");
	assert_string_equal(cell(&r, 4, "own"), "");
	assert_int_equal(table_rows_number(&r, 3, "frame"), 3);
	assert_string_equal(cell(&r, 14, "kind"), "stopped");
	assert_string_equal(cell(&r, 14, "method"),
			    "it stops at 0x7f00: the stack is damaged there");
	assert_int_equal(table_rows_number(&r, 14, "thread"), 3);
	table_rows_clear(&r);
}

static const struct argument {
	const char *name, *why; /* NULL: good */
} arguments[] = {
	/* clang-format off */
	{ "2",    NULL },
	{ "103",  NULL },
	{ "",     NULL },
	{ "0",    "stacks takes the id of a thread" },
	{ "-1",   "stacks takes the id of a thread" },
	{ "2x",   "stacks takes the id of a thread" },
	{ "99999999999999999999", "stacks takes the id of a thread" },
	{ "4",    "no thread has the id 4" },
	/* clang-format on */
};

TEST_ROWS(takes_the_id_of_a_thread, arguments)
{
	const struct argument *a = *state;
	const struct subject about = { .node = NODE_NONE, .type = TYPE_NONE, .text = a->name };
	struct error err = { 0 };

	assert_true(stacks_table.rows->accepts(&all_facts, &about, &err) == !a->why);
	if (a->why)
		assert_memory_equal(err.message, a->why, strlen(a->why));
}

TEST(threads_have_states)
{
	const struct subject about = { .node = NODE_NONE, .type = TYPE_NONE, .text = "" };
	struct table_rows r;
	struct value v;

	table_rows_make(&r, &threads_table, &all_facts, &about);
	assert_int_equal(r.count, COUNT_OF(threads));
	assert_string_equal(cell(&r, 1, "state"), "waits for a task");
	assert_string_equal(cell(&r, 1, "method"), "Shop.Pay");
	assert_int_equal(table_rows_number(&r, 1, "calls"), 6);
	assert_string_equal(cell(&r, 4, "state"), "not started, or ended");
	table_rows_cell(&r, 4, "calls", &v);
	assert_int_equal(v.kind, VALUE_BLANK);
	table_rows_clear(&r);
}

/* A heap whose contents are not read has threads, too. */
TEST(threads_without_stacks)
{
	const struct subject about = { .node = NODE_NONE, .type = TYPE_NONE, .text = "" };
	struct heap_memory bare = memory;
	struct heap h = { .memory = &bare };
	struct facts f = { .heap = &h };
	struct table_rows r;

	bare.contents = NULL;
	table_rows_make(&r, &threads_table, &f, &about);
	assert_int_equal(r.count, COUNT_OF(threads));
	assert_string_equal(cell(&r, 0, "state"), "");
	table_rows_clear(&r);
}

/* --- who waits for a lock --------------------------------------------------- */

static bool
frames_of_waiter(const void *source, uint64_t os_id, uint32_t max, struct content_frames *out,
		 struct arena *a, struct error *err)
{
	(void)os_id;
	return frames(source, 100 + LOCKING, max, out, a, err);
}

/* A thread without a managed id is named by that of the system, which looks like one otherwise. */
TEST(ids_of_the_system_are_marked)
{
	static const struct contents_ops ops = { .frames = frames_of_waiter };
	static const struct heap_thread waiters[] = {
		{ .os_id = 3, .name = "", NO_OBJECTS },
		{ .id = 7, .os_id = 4, .name = "", NO_OBJECTS },
	};
	static const struct heap_memory m = { .contents = &ops,
					      .threads = waiters,
					      .threads_count = 2 };
	static const struct root roots[] = {
		{ .kind = ROOT_STACK_WORD, .name = "OS thread 3", .label = "" },
		{ .kind = ROOT_STACK_WORD, .name = "thread 7 (OS 4)", .label = "" },
	};
	static const struct heap h = {
		.nodes_count = 1, .roots = roots, .roots_count = 2, .memory = &m
	};
	struct heap_lock lock = { .monitor = NODE_NONE, .os_id = 5, .entered = 1, .waiters = 2 };
	const struct heap_locks locks = { .items = &lock, .count = 1 };
	struct lock_waiters who = { 0 };
	struct error err = { 0 };
	struct arena a;

	arena_init(&a, 0);
	assert_ok(lock_waiters_name(&who, &h, &locks, NULL, &a, NULL, &err), &err);
	assert_string_equal(who.ids, "7, OS 3");
	assert_string_equal(who.methods, "2 in Shop.Run");
	arena_clear(&a);
}
