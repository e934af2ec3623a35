/* Threads that wait for async calls: which ones, and in which methods of the application. */
#include "model/analysis/async_threads.h"
#include "model/heap/memory.h"
#include "tests/drive/run_tests.h"
#include <string.h>

#define CORELIB "/usr/share/dotnet/shared/System.Private.CoreLib.dll"

static struct content_frame wait_in_load[] = {
	{ .text = "Task.InternalWait",
	  .full = "",
	  .type = "System.Threading.Tasks.Task",
	  .module = CORELIB },
	{ .text = "Shop.Worker.Load", .full = "", .type = "Shop.Worker", .module = "/shop.dll" },
};
static struct content_frame wait_in_pay[] = {
	{ .text = "Task.InternalWait",
	  .full = "",
	  .type = "System.Threading.Tasks.Task",
	  .module = CORELIB },
	{ .text = "Shop.Worker.Pay", .full = "", .type = "Shop.Worker", .module = "/shop.dll" },
};
static struct content_frame wait_in_core[] = {
	{ .text = "Task.InternalWait",
	  .full = "",
	  .type = "System.Threading.Tasks.Task",
	  .module = CORELIB },
};
static struct content_frame run[] = {
	{ .text = "Shop.Worker.Run", .full = "", .type = "Shop.Worker", .module = "/shop.dll" },
};

/* By the system's id of the thread, from 100. */
static const struct content_frames stacks[] = {
	{ wait_in_load, COUNT_OF(wait_in_load), "" },
	{ wait_in_load, COUNT_OF(wait_in_load), "" },
	{ wait_in_pay, COUNT_OF(wait_in_pay), "" },
	{ wait_in_core, COUNT_OF(wait_in_core), "" },
	{ run, COUNT_OF(run), "" },
};

static bool
frames(const void *source, uint64_t os_id, uint32_t max, struct content_frames *out,
       struct arena *a, struct error *err)
{
	(void)source;
	(void)max;
	(void)a;
	(void)err;
	*out = stacks[os_id - 100];
	return true;
}

static const struct contents_ops ops = { .frames = frames };
static const struct heap_thread threads[] = {
	{ .id = 1, .os_id = 100, .name = "" }, { .id = 2, .os_id = 101, .name = "" },
	{ .id = 3, .os_id = 102, .name = "" }, { .id = 4, .os_id = 103, .name = "" },
	{ .id = 5, .os_id = 104, .name = "" },
};
static const struct heap_memory memory = {
	.contents = &ops,
	.threads = threads,
	.threads_count = COUNT_OF(threads),
};
/* Object n is on the stack of thread n; the last one is not on any. */
static const struct root roots[] = {
	{ .object = 0, .kind = ROOT_STACK, .name = "Shop", .label = "thread 1 (OS 100), frame 3" },
	{ .object = 1, .kind = ROOT_STACK_WORD, .name = "thread 2 (OS 101)", .label = "" },
	{ .object = 2, .kind = ROOT_STACK_WORD, .name = "thread 3 (OS 102)", .label = "" },
	{ .object = 3, .kind = ROOT_STACK_WORD, .name = "thread 4 (OS 103)", .label = "" },
	{ .object = 4, .kind = ROOT_STACK_WORD, .name = "thread 5 (OS 104)", .label = "" },
	{ .object = 5, .kind = ROOT_STATIC, .name = "thread 5 (OS 104)", .label = "" },
};
static const struct heap heap = {
	.nodes_count = COUNT_OF(roots),
	.roots = roots,
	.roots_count = COUNT_OF(roots),
	.memory = &memory,
};

static const struct row {
	const char *name;
	node_id nodes[4]; /* the ends of the chains */
	uint32_t count;
	uint8_t kind;
	const char *wanted;
} rows[] = {
	{ "one thread", { 0 }, 1, ASYNC_OTHER, " ← thread 1 (OS 100) in Shop.Worker.Load" },
	{ "one that waits in the framework", { 3 }, 1, ASYNC_OTHER, " ← thread 4 (OS 103)" },
	{ "two in one method", { 0, 1 }, 2, ASYNC_OTHER, " ← 2 threads in Shop.Worker.Load" },
	{ "in two methods", { 2, 0, 1 }, 3, ASYNC_OTHER, " ← 3 threads, 2 in Shop.Worker.Load" },
	{ "one that waits for two",
	  { 0, 0 },
	  2,
	  ASYNC_OTHER,
	  " ← thread 1 (OS 100) in Shop.Worker.Load" },
	{ "of three, one waits for two",
	  { 0, 1, 0, 2 },
	  4,
	  ASYNC_OTHER,
	  " ← 3 threads, 2 in Shop.Worker.Load" },
	{ "one that runs", { 4 }, 1, ASYNC_OTHER, "" },
	{ "no stack", { 5 }, 1, ASYNC_OTHER, "" },
	{ "a task", { 0 }, 1, ASYNC_TASK, "" },
};

TEST_ROWS(names_threads, rows)
{
	const struct row *row = *state;
	struct async_item items[4] = { 0 };
	struct async_chain chains[4] = { 0 };
	const struct async_group group = { .chains_count = row->count };
	const struct async_calls calls = { .items = items, .chains = chains };
	struct error err = { 0 };
	struct arena a;

	for (uint32_t i = 0; i < row->count; i++) {
		items[i] = (struct async_item){ .node = row->nodes[i], .kind = row->kind };
		chains[i].item = i;
	}
	arena_init(&a, 0);
	assert_string_equal(async_threads(&heap, &calls, &group, NULL, &a, NULL, &err),
			    row->wanted);
	arena_clear(&a);
}

TEST(a_cancelled_request_reads_no_stack)
{
	struct async_item item = { .kind = ASYNC_OTHER };
	struct async_chain chain = { 0 };
	const struct async_group group = { .chains_count = 1 };
	const struct async_calls calls = { .items = &item, .chains = &chain };
	struct progress progress = { 0 };
	struct error err = { 0 };
	struct arena a;

	progress_cancel(&progress);
	arena_init(&a, 0);
	assert_null(async_threads(&heap, &calls, &group, NULL, &a, &progress, &err));
	assert_int_equal(err.kind, ERROR_CANCELLED);
	arena_clear(&a);
}
