/* The agent, with processes that the test makes up. */
#include "capture/remote/agent.h"
#include "capture/remote/frame.h"
#include "capture/remote/wire.h"
#include "io/heaptop/heaptop.h"
#include "tests/drive/run_tests.h"
#include "tests/made/graphs.h"
#include "tests/made/text_heap.h"
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* --- made-up processes -----------------------------------------------------
 */

struct live_capture {
	struct live_card card;
};

/* The heap of process 1 comes at once; that of process 2 when cancelled; that of process 3 is
   large. */
static atomic_int captures, waiting;

static struct live_process *
list(size_t *count, struct progress *progress, struct error *err)
{
	struct live_process *all = memory_new(2, sizeof(*all), err);

	(void)progress;
	assert_ok(all, err);
	all[0].pid = 1;
	all[1].pid = 2;
	*count = 2;
	return all;
}

static struct live_capture *
open_capture(const struct live_target *target, const struct live_options *options,
	     const struct live_capture *before, struct progress *progress, struct error *err)
{
	struct live_capture *c;

	(void)progress, (void)before;
	if (target->pid > 3) {
		error_set(err, ERROR_ATTACH, "there is no process %d", (int)target->pid);
		return NULL;
	}
	c = memory_new(1, sizeof(*c), err);
	assert_ok(c, err);
	assert_int_equal(options->memory_bytes, 1 << 30);
	c->card.pid = target->pid;
	captures++;
	return c;
}

static const struct live_card *
card_of(const struct live_capture *c)
{
	return &c->card;
}

static const struct heap *
large_heap(void)
{
	struct graph *g = graph_mixed(1, 300000);
	const struct heap *h = graph_heap(g);

	graph_free(g);
	return h;
}

static const struct heap *
load(struct live_capture *c, struct progress *progress, struct preview *preview, struct error *err)
{
	struct text_heap made;

	(void)preview;
	if (c->card.pid == 1)
		return text_heap(&made, "a1:b1 b1:a1 !static:S=a1");
	if (c->card.pid == 3)
		return large_heap();
	waiting++;
	progress_begin(progress, "waiting", NULL, 10);
	while (!progress_is_cancelled(progress))
		poll(NULL, 0, 1);
	waiting--;
	error_cancelled(err);
	return NULL;
}

static void
watch(const struct live_capture *c, struct live_watch *out)
{
	*out = (struct live_watch){ .bytes = (uint64_t)c->card.pid };
}

static bool
tell_cost(const struct live_capture *c, char *text, size_t text_size)
{
	snprintf(text, text_size, "paused %d ms", (int)c->card.pid);
	return true;
}

static void
free_capture(struct live_capture *c)
{
	captures -= c != NULL;
	memory_free(c);
}

static bool
plan_allocations(const struct live_target *target, struct live_allocations *plan,
		 struct progress *progress, struct error *err)
{
	(void)target, (void)progress, (void)err;
	plan->survival_stop_ns = plan->without_survival ? 0 : 9000000;
	plan->sessions = 1;
	plan->target.limit_bytes = 5;
	return true;
}

static const struct live_ops live = {
	.list = list,
	.open = open_capture,
	.card = card_of,
	.load = load,
	.watch = watch,
	.tell_cost = tell_cost,
	.free = free_capture,
	.plan_allocations = plan_allocations,
};

/* --- the agent on a thread --------------------------------------------------
 */

static uint32_t silent_max_ms; /* of the next agent */

static struct serving {
	pthread_t thread;
	int theirs, ours;
	bool ok;
	struct error err;
	struct frame frame;
} serving;

static void *
serve(void *context)
{
	struct agent_options options = { "v1", 1 << 30, &live, silent_max_ms };
	struct serving *s = context;

	error_clear(&s->err);
	s->ok = agent_serve(s->theirs, s->theirs, &options, &s->err);
	close(s->theirs);
	return NULL;
}

static const struct frame *
next(void)
{
	const struct frame_source from = { .fd = serving.ours };
	struct error err;

	error_clear(&err);
	assert_ok(frame_read(&from, &serving.frame, &err), &err);
	return &serving.frame;
}

static int
begin(void **state)
{
	int pair[2];

	(void)state;
	signal(SIGPIPE, SIG_IGN);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	serving.theirs = pair[0];
	serving.ours = pair[1];
	assert_int_equal(pthread_create(&serving.thread, NULL, serve, &serving), 0);
	assert_int_equal(next()->kind, SAY_HELLO);
	assert_memory_equal(serving.frame.bytes, "v1", 2);
	return 0;
}

/* Its input ends: it frees all captures and returns. */
static int
end(void **state)
{
	(void)state;
	shutdown(serving.ours, SHUT_WR);
	pthread_join(serving.thread, NULL);
	close(serving.ours);
	progress_cancel_all(false);
	assert_int_equal(captures, 0);
	assert_int_equal(waiting, 0);
	return 0;
}
#define TEST_OF_AGENT(name) TEST_BETWEEN(name, begin, end)

static void
put_question(uint32_t channel, enum frame_kind kind, const struct wire_ask *question)
{
	uint8_t bytes[WIRE_BYTES];
	size_t len = wire_put(WIRE_ASK, question, bytes);

	assert_int_equal(frame_write(serving.ours, channel, kind, bytes, len), 0);
}

static void
ask(uint32_t channel, enum frame_kind kind, int32_t pid, uint32_t capture)
{
	const struct wire_ask question = { .pid = pid, .capture = capture };

	put_question(channel, kind, &question);
}

/* The next message on the channel that is no progress. */
static const struct frame *
next_on(uint32_t channel)
{
	const struct frame *f;

	do
		f = next();
	while (f->channel != channel || f->kind == SAY_PROGRESS);
	return f;
}

static struct wire_end
end_on(uint32_t channel)
{
	const struct frame *f = next_on(channel);
	struct wire_end end;
	struct error err;

	error_clear(&err);
	assert_int_equal(f->kind, SAY_END);
	assert_ok(wire_take(WIRE_END, f->bytes, f->len, &end, &err), &err);
	return end;
}

static uint32_t
opened(uint32_t channel, int32_t pid)
{
	ask(channel, ASK_OPEN, pid, 0);
	assert_int_equal(next_on(channel)->kind, SAY_CARD);
	return end_on(channel).capture;
}

TEST_OF_AGENT(lists)
{
	ask(5, ASK_LIST, 0, 0);
	assert_int_equal(next_on(5)->kind, SAY_PROCESS);
	assert_int_equal(next_on(5)->kind, SAY_PROCESS);
	assert_int_equal(end_on(5).err.kind, ERROR_NONE);
}

TEST_OF_AGENT(sends_a_heap)
{
	const struct frame *f;
	const struct heap *h;
	struct wire_end end;
	struct error err;

	error_clear(&err);
	ask(1, ASK_LOAD, 0, opened(1, 1));
	f = next_on(1);
	assert_int_equal(f->kind, SAY_BYTES);
	h = saved_read(f->bytes, f->len, NULL, &(struct load_how){ .path = "x", .what = LOAD_ALL },
		       &err);
	assert_ok(h, &err);
	assert_int_equal(h->nodes_count, 2);
	heap_free(h);
	end = end_on(1);
	assert_string_equal(end.text, "paused 1 ms");
	assert_true(end.is_complete);
}

TEST_OF_AGENT(passes_errors_on)
{
	struct wire_end end;

	ask(1, ASK_OPEN, 99, 0);
	end = end_on(1);
	assert_int_equal(end.err.kind, ERROR_ATTACH);
	assert_string_equal(end.err.message, "there is no process 99");
	for (uint32_t capture = 0; capture < 3; capture++) {
		ask(1, ASK_LOAD, 0, capture);
		assert_string_equal(end_on(1).err.message, "there is no such capture");
	}
}

TEST_OF_AGENT(plans_a_recording)
{
	struct wire_ask question = { .pid = 1 };
	struct wire_end end;

	put_question(1, ASK_PLAN, &question);
	end = end_on(1);
	assert_int_equal(end.survival_stop_ns, 9000000);
	assert_int_equal(end.sessions, 1);
	assert_int_equal(end.target.limit_bytes, 5);
	question.without_survival = true;
	put_question(1, ASK_PLAN, &question);
	assert_int_equal(end_on(1).survival_stop_ns, 0);
}

TEST_OF_AGENT(cancels_one_of_two)
{
	uint32_t first = opened(1, 2), second = opened(2, 2);
	struct wire_progress now;
	const struct frame *f;
	struct error err;

	error_clear(&err);
	ask(1, ASK_LOAD, 0, first);
	ask(2, ASK_LOAD, 0, second);
	do
		f = next();
	while (waiting < 2 || f->kind != SAY_PROGRESS || f->channel != 2);
	assert_ok(wire_take(WIRE_PROGRESS, f->bytes, f->len, &now, &err), &err);
	assert_int_equal(frame_write(serving.ours, 1, ASK_CANCEL, NULL, 0), 0);
	assert_int_equal(end_on(1).err.kind, ERROR_CANCELLED);
	assert_int_equal(waiting, 1);
	/* A capture that is freed while it loads is freed when it has. */
	ask(3, ASK_FREE, 0, second);
	assert_int_equal(end_on(3).err.kind, ERROR_NONE);
	assert_int_equal(captures, 2);
	assert_int_equal(frame_write(serving.ours, 2, ASK_CANCEL, NULL, 0), 0);
	assert_int_equal(end_on(2).err.kind, ERROR_CANCELLED);
	assert_int_equal(captures, 1);
}

TEST_OF_AGENT(ends_with_its_input_while_it_loads)
{
	ask(1, ASK_LOAD, 0, opened(1, 2));
	while (!waiting)
		poll(NULL, 0, 1);
}

/* --- a side that vanishes --------------------------------------------------
 */

static int
begin_impatiently(void **state)
{
	silent_max_ms = 500;
	return begin(state);
}

static int
end_impatiently(void **state)
{
	int result = end(state);

	silent_max_ms = 0;
	return result;
}
#define TEST_OF_SILENCE(name) TEST_BETWEEN(name, begin_impatiently, end_impatiently)

/* It ends although its input does not. */
TEST_OF_SILENCE(ends_when_nothing_comes)
{
	ask(1, ASK_LOAD, 0, opened(1, 2));
	while (!waiting)
		poll(NULL, 0, 1);
	while (waiting)
		poll(NULL, 0, 1);
}

static void
stay_for(int ms)
{
	for (; ms > 0; ms -= 100) {
		assert_int_equal(frame_write(serving.ours, 0, ASK_NOTHING, NULL, 0), 0);
		poll(NULL, 0, 100);
	}
}

TEST_OF_SILENCE(stays_while_something_comes)
{
	ask(1, ASK_LOAD, 0, opened(1, 2));
	while (!waiting)
		poll(NULL, 0, 1);
	stay_for(1500);
	assert_int_equal(waiting, 1);
}

/* Its output is not read, and a heap larger than any buffer waits for room. */
TEST_OF_SILENCE(ends_while_it_sends)
{
	uint32_t capture = opened(1, 3);

	ask(1, ASK_LOAD, 0, capture);
	pthread_join(serving.thread, NULL);
	assert_int_equal(captures, 0);
	assert_int_equal(pthread_create(&serving.thread, NULL, serve, &serving), 0);
}

/* The same for the answer to one question too many, which the thread sends that listens. */
TEST_OF_SILENCE(ends_while_it_refuses)
{
	uint32_t large = opened(1, 3), waits = opened(1, 2);

	ask(1, ASK_LOAD, 0, large);
	stay_for(300); /* its heap finds no more room */
	for (uint32_t channel = 2; channel < 40; channel++)
		ask(channel, ASK_LOAD, 0, waits);
	pthread_join(serving.thread, NULL);
	assert_int_equal(captures, 0);
	assert_int_equal(pthread_create(&serving.thread, NULL, serve, &serving), 0);
}

/* Bytes that are not read for a time are not lost while others come. */
TEST_OF_SILENCE(waits_for_a_slow_reader)
{
	uint32_t capture = opened(1, 3);
	const struct frame *f;
	size_t len = 0;

	ask(1, ASK_LOAD, 0, capture);
	stay_for(1500);
	while (f = next_on(1), f->kind == SAY_BYTES)
		len += f->len;
	assert_int_equal(f->kind, SAY_END);
	assert_true(len > 1 << 20);
}

TEST_OF_AGENT(refuses_too_many_questions)
{
	uint32_t capture = opened(1, 2), channel = 2;
	struct wire_end end;

	while (channel < 40)
		ask(channel++, ASK_LOAD, 0, capture);
	end = end_on(channel - 1);
	assert_string_equal(end.err.message, "too many questions are open at once");
}

TEST_OF_AGENT(ends_on_a_message_that_is_no_question)
{
	assert_int_equal(frame_write(serving.ours, 1, SAY_CARD, "card", 4), 0);
	pthread_join(serving.thread, NULL);
	assert_false(serving.ok);
	assert_string_equal(serving.err.message, "a message came that is not a question");
	assert_int_equal(pthread_create(&serving.thread, NULL, serve, &serving), 0);
}
