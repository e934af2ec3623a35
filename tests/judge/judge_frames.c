#include "tests/judge/judge_frames.h"
#include "io/runtime/stack_walk.h"
#include "io/runtime/threads.h"
#include "model/heap/memory.h"
#include "tests/drive/run_tests.h"
#include <inttypes.h>

struct judged {
	const char *what;
	const struct oracle *oracle;
	struct clr_runtime *runtime;
	const char *at; /* the next line of the oracle */
	struct oracle_line line;
	bool has_line;
	unsigned threads, frames, transitions, more, unknown, named;
};

/* Moves to the thread's next managed frame. */
static void
next_line(struct judged *j)
{
	do
		j->has_line = oracle_next(j->oracle, "frame", &j->at, &j->line);
	while (j->has_line && !oracle_is(&j->line, 4, "managed"));
}

static bool
is_of(const struct judged *j, uint64_t os_id)
{
	return j->has_line && oracle_number(&j->line, 0) == os_id;
}

static void
compare_frame(struct judged *j, const struct clr_stack_frame *f, const struct clr_thread *t)
{
	uint64_t ip = oracle_hex(&j->line, 1), sp = oracle_hex(&j->line, 2);
	uint64_t record = oracle_hex(&j->line, 3);

	if (f->state.ip != ip || f->state.value[X64_RSP] != sp)
		fail_msg("%s: thread %" PRIu64 ": a frame at %" PRIx64 " (stack %" PRIx64
			 "), not %" PRIx64 " (%" PRIx64 ")",
			 j->what, t->os_id, f->state.ip, f->state.value[X64_RSP], ip, sp);
	if (!record && f->code.record)
		j->named++;
	else if (!f->code.record && j->runtime->memory->is_dump)
		j->unknown++;
	else if (f->code.record != record)
		fail_msg("%s: thread %" PRIu64 ": the method at %" PRIx64 " is %" PRIx64
			 ", not %" PRIx64 ": %s",
			 j->what, t->os_id, ip, record, f->code.record,
			 f->code.why ? f->code.why : "found");
	j->frames++;
	next_line(j);
}

static void
compare_thread(struct judged *j, const struct clr_thread *t, const struct memory_thread *os)
{
	struct clr_stack_walk w;
	struct clr_stack_frame f;

	if (!clr_stack_walk_begin(&w, j->runtime, j->runtime->reader, t, os))
		fail_msg("%s: thread %" PRIu64 ": %s", j->what, t->os_id, w.why);
	while (clr_stack_walk_next(&w, &f)) {
		j->transitions += f.kind == CLR_STACK_TRANSITION;
		if (f.kind != CLR_STACK_MANAGED)
			continue;
		if (is_of(j, t->os_id))
			compare_frame(j, &f, t);
		else if (t->mode == THREAD_COOPERATIVE)
			j->more++;
		else
			fail_msg("%s: thread %" PRIu64 ": a frame at %" PRIx64 " that ClrMD lacks",
				 j->what, t->os_id, f.state.ip);
	}
	if (!w.is_complete)
		fail_msg("%s: thread %" PRIu64 ": %s", j->what, t->os_id, w.why);
	if (is_of(j, t->os_id))
		fail_msg("%s: thread %" PRIu64 ": the frame at %" PRIx64 " is missing", j->what,
			 t->os_id, oracle_hex(&j->line, 1));
	j->threads++;
}

void
judge_frames(const char *what, const struct oracle *o, const struct memory *m)
{
	struct judged j = { .what = what, .oracle = o };
	struct error err = { 0 };

	j.runtime = clr_runtime_open(m, &err);
	if (!j.runtime)
		fail_msg("%s: %s", what, err.message);
	next_line(&j);
	while (j.has_line) {
		uint64_t os_id = oracle_number(&j.line, 0);
		const struct clr_thread *t = clr_thread_find(j.runtime, CLR_THREAD_BY_OS_ID, os_id);

		if (!t)
			fail_msg("%s: ClrMD has a thread %" PRIu64, what, os_id);
		compare_thread(&j, t, memory_thread_find(m, os_id));
	}
	printf("%s: %u frames of %u threads are equal, %u of unknown methods, %u of methods that "
	       "only we know, %u more; %u Frames\n",
	       what, j.frames, j.threads, j.unknown, j.named, j.more, j.transitions);
	assert_true(j.frames > 0);
	clr_runtime_close(j.runtime);
}
