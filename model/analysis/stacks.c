#include "model/analysis/stacks.h"
#include "model/heap/my_code.h"
#include <string.h>

enum { FRAMES_MAX = 1 << 18 }; /* of one stack */
#define TEXTS_MAX ((size_t)1 << 30)

bool
stack_is_of(const struct heap_memory *m, uint32_t thread, uint64_t number)
{
	const struct heap_thread *t = &m->threads[thread];
	uint32_t i = 0;

	if (!number || t->id == number || t->os_id != number)
		return !number || t->id == number;
	while (i < m->threads_count && m->threads[i].id != number)
		i++;
	return i == m->threads_count;
}

bool
stacks_read(struct stacks *out, const struct heap *h, uint64_t number, struct progress *progress,
	    struct error *err)
{
	const struct heap_memory *m = h->memory;

	*out = (struct stacks){ 0 };
	arena_init(&out->arena, TEXTS_MAX);
	out->items = arena_array(&out->arena, struct stack, m->threads_count + (size_t)1, err);
	if (!out->items)
		return false;
	progress_begin(progress, "walking stacks", "threads", m->threads_count);
	for (uint32_t i = 0; i < m->threads_count; i++) {
		struct stack *stack = &out->items[out->count];

		if (!stack_is_of(m, i, number))
			continue;
		if (!progress_add(progress, 1))
			return error_cancelled(err);
		stack->thread = i;
		out->count++;
		if (!m->contents->frames(m->source, m->threads[i].os_id, FRAMES_MAX, &stack->frames,
					 &out->arena, err))
			return false;
	}
	return true;
}

void
stacks_clear(struct stacks *s)
{
	arena_clear(&s->arena);
}

/* --- whose code it is ----------------------------------------------------- */

static bool
has_method(const struct content_frame *frame)
{
	return frame->kind == CONTENT_FRAME_MANAGED || frame->kind == CONTENT_FRAME_FOUND;
}

bool
frame_is_own(const struct content_frame *frame, const char *patterns)
{
	const struct type class = { .name = "", .raw = frame->type, .module = frame->module };

	return has_method(frame) && *frame->type && my_code_has(&class, patterns);
}

const struct content_frame *
stack_own_frame(const struct content_frames *frames, const char *patterns)
{
	for (uint32_t i = 0; i < frames->count; i++)
		if (frame_is_own(&frames->items[i], patterns))
			return &frames->items[i];
	return NULL;
}

uint32_t
stack_depth(const struct content_frames *frames)
{
	uint32_t depth = 0;

	for (uint32_t i = 0; i < frames->count; i++)
		depth += has_method(&frames->items[i]);
	return depth;
}

/* --- what the thread was doing -------------------------------------------- */

const char stack_waits_for_lock[] = "waits for a lock";

/* Methods of the framework in which threads spend their time, by the beginning of their text, which
   has no namespace. */
static const struct waiting {
	const char *method, *state;
	bool waits; /* else it is idle, or at work */
} waiting[] = {
	{ "Condition.Wait", "in Monitor.Wait", true },
	{ "GC.Collect", "in a collection", false },
	{ "GC.WaitForPendingFinalizers", "waits for finalizers", true },
	{ "Lock.", stack_waits_for_lock, true },
	{ "LowLevelLifoSemaphore.Wait", "pool worker, idle", false },
	{ "ManualResetEventSlim.Wait", "waits for an event", true },
	{ "Monitor.Wait", "in Monitor.Wait", true },
	{ "Monitor.", stack_waits_for_lock, true },
	{ "PortableThreadPool.GateThread", "pool's gate thread", false },
	{ "ReaderWriterLockSlim.", stack_waits_for_lock, true },
	{ "SemaphoreSlim.Wait", "waits for a semaphore", true },
	{ "Task.Wait", "waits for a task", true },
	{ "Task.InternalWait", "waits for a task", true },
	{ "Task.SpinThenBlockingWait", "waits for a task", true },
	{ "Thread.Join", "waits for a thread", true },
	{ "Thread.Sleep", "sleeps", true },
	{ "TimerQueue.TimerThread", "timer thread", false },
	{ "WaitHandle.", "waits for an event", true },
};

/* A mark of the runtime names the method of the runtime that was called: "[HelperMethodFrame]
   Monitor.Enter". */
static const char *
waiting_in(const struct content_frame *frame)
{
	static const char namespace[] = "System.";
	const char *method = frame->text, *marked;

	if (frame->kind == CONTENT_FRAME_TRANSITION && (marked = strchr(method, ' ')) != NULL)
		method = marked + 1;
	else if (frame->kind != CONTENT_FRAME_MANAGED)
		return NULL;
	if (strncmp(frame->type, namespace, sizeof namespace - 1) != 0)
		return NULL;
	for (size_t i = 0; i < sizeof waiting / sizeof waiting[0]; i++)
		if (!strncmp(method, waiting[i].method, strlen(waiting[i].method)))
			return waiting[i].state;
	return NULL;
}

/* The outermost call that waits says it best, of those that the application called last: waiting
   for a task ends in Monitor.Wait. */
static const char *
waiting_state(const struct content_frames *frames, const char *patterns)
{
	const char *found = NULL, *state;

	for (uint32_t i = 0; i < frames->count; i++) {
		const struct content_frame *frame = &frames->items[i];

		if (frame_is_own(frame, patterns))
			break;
		state = waiting_in(frame);
		found = state ? state : found;
	}
	return found;
}

bool
stack_state_waits(const char *state)
{
	for (size_t i = 0; i < sizeof waiting / sizeof waiting[0]; i++)
		if (!strcmp(waiting[i].state, state))
			return waiting[i].waits;
	return false;
}

/* Without walked calls nothing is known. */
static bool
is_walked(const struct content_frames *frames)
{
	return frames->count ? frames->items[0].kind != CONTENT_FRAME_FOUND : !*frames->why;
}

const char *
stack_state(const struct heap_thread *t, const struct content_frames *frames, const char *patterns)
{
	const char *state = waiting_state(frames, patterns);

	if (!t->os_id)
		return t->id ? "not started, or ended" : "ended";
	if (t->is_finalizer)
		return is_walked(frames) && !stack_depth(frames) ? "finalizer, idle" : "finalizer";
	if (!is_walked(frames))
		return "";
	if (state && t->mode != THREAD_COOPERATIVE)
		return state;
	if (frames->count && frames->items[0].kind == CONTENT_FRAME_MANAGED)
		return "runs";
	return t->mode == THREAD_COOPERATIVE ? "in the runtime" : "in native code";
}
