#include "io/runtime/stack_walk.h"
#include "model/heap/memory.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
	NATIVE_STEPS_MAX = 1000,
	STATE_HIJACKED = 0x80, /* in Thread.State: a return address leads to the runtime */
};

static void
end(struct clr_stack_walk *w, const char *why)
{
	snprintf(w->why, sizeof(w->why), "it stops at 0x%" PRIx64 ": %s", w->state.ip, why);
	w->step = CLR_STEP_END;
}

static void
end_complete(struct clr_stack_walk *w)
{
	w->step = CLR_STEP_END;
	w->is_complete = !w->has_unknown && !w->is_hijacked;
	if (!w->is_complete)
		snprintf(w->why, sizeof(w->why), "frames may be missing: %s",
			 w->has_unknown ? "the runtime left a Frame of an unknown kind there"
					: "the runtime was about to stop the thread");
}

/* Takes the registers of the next frame. False: they cannot be those of one. */
static bool
go_on(struct clr_stack_walk *w, const struct x64_state *state)
{
	uint64_t sp = state->value[X64_RSP];

	if (sp < w->sp || sp > w->base || sp % 8)
		return false;
	w->state = *state;
	w->sp = sp;
	w->is_leaf = w->is_interrupted = w->is_exact = false;
	return true;
}

/* --- code ----------------------------------------------------------------- */

static bool
is_managed(const struct clr_code *code)
{
	return code->kind == CLR_CODE_JITTED || code->kind == CLR_CODE_PRECOMPILED;
}

/* Finds what an instruction pointer is in. A call may be the last instruction of its function: its
 * return address is that of the next one. */
static bool
find_code(const struct clr_stack_walk *w, uint64_t ip, bool is_exact, struct clr_code *out)
{
	(void)!clr_code_find(w->runtime, w->reader, ip, out);
	if (!is_exact && (out->entry == ip || !out->entry_end)) {
		(void)!clr_code_find(w->runtime, w->reader, ip - 1, out);
		out->offset++;
	}
	return is_managed(out);
}

/* Unwinds the managed frame. */
static void
unwind(struct clr_stack_walk *w, struct clr_stack_frame *out)
{
	struct x64_state up = w->state;
	const char *why = clr_unwind(&out->code, w->reader, &up, w->is_leaf);

	if (why) {
		end(w, why);
	} else if (up.value[X64_RSP] <= w->sp || !go_on(w, &up)) {
		end(w, "the stack is damaged there");
	} else {
		out->caller_sp = w->sp;
		w->step = CLR_STEP_SKIP;
	}
}

/* Returns false if nothing is to be shown there. */
static bool
look_at_code(struct clr_stack_walk *w, struct clr_stack_frame *out)
{
	bool is_first = w->is_first;

	*out = (struct clr_stack_frame){ .state = w->state,
					 .is_leaf = w->is_leaf,
					 .is_interrupted = w->is_interrupted };
	w->is_first = false;
	if (find_code(w, w->state.ip, w->is_exact, &out->code)) {
		out->kind = CLR_STACK_MANAGED;
		unwind(w, out);
		return true;
	}
	w->step = is_first && w->is_cooperative ? CLR_STEP_NATIVE : CLR_STEP_CHAIN;
	out->kind = out->code.kind == CLR_CODE_STUB ? CLR_STACK_STUB : CLR_STACK_NATIVE;
	return is_first;
}

/* --- native code ---------------------------------------------------------- */

/* Unwinds native frames until managed code. False: it leads nowhere; nothing has changed. */
static bool
cross_native(struct clr_stack_walk *w, struct x64_state state, bool is_exact)
{
	struct clr_code code;

	for (int i = 0; i < NATIVE_STEPS_MAX; i++) {
		bool is_signal = false;

		if (!call_frames_step(&w->native, &state, is_exact, &is_signal))
			return false;
		is_exact = is_signal;
		if (!find_code(w, state.ip, is_exact, &code))
			continue;
		if (!go_on(w, &state))
			return false;
		w->is_leaf = w->is_exact = is_exact;
		w->step = CLR_STEP_CODE;
		return true;
	}
	return false;
}

/* --- the chain of Frames -------------------------------------------------- */

/* Reads the next Frame and moves to the one after it. */
static bool
take_frame(struct clr_stack_walk *w, struct clr_stack_frame *out)
{
	*out = (struct clr_stack_frame){ .kind = CLR_STACK_TRANSITION, .state = w->state };
	if (!clr_chain_frame_read(w->runtime, w->reader, w->frame, &out->chain)) {
		end(w, "the runtime's next Frame is not in memory");
		return false;
	}
	w->has_unknown |= out->chain.kind == CLR_FRAME_UNKNOWN;
	w->frame = out->chain.next;
	if (w->frame && (w->frame <= out->chain.address || w->frame >= w->base)) {
		end(w, "the runtime's chain of Frames is damaged there");
		return false;
	}
	return true;
}

/* Frames inside the managed frame that was unwound last are shown, but not used. */
static bool
skip_frame(struct clr_stack_walk *w, struct clr_stack_frame *out)
{
	w->step = w->frame && w->frame < w->sp ? CLR_STEP_SKIP : CLR_STEP_CODE;
	if (w->step == CLR_STEP_CODE)
		return false;
	out->is_skipped = take_frame(w, out);
	return out->is_skipped;
}

static void
use_frame(struct clr_stack_walk *w, const struct clr_chain_frame *frame)
{
	struct x64_state state = w->state;
	enum clr_frame_gives gives = clr_chain_frame_state(w->runtime, w->reader, frame, &state);

	if (gives == CLR_FRAME_GIVES_NOTHING)
		return;
	if (gives == CLR_FRAME_GIVES_ABSENT) {
		end(w, "what the runtime's Frame there leads to is not in memory");
	} else if (gives == CLR_FRAME_GIVES_NATIVE) {
		if (!cross_native(w, state, false))
			end(w, "the native code of the runtime there could not be unwound");
	} else if (!go_on(w, &state)) {
		end(w, "the runtime's chain of Frames is damaged there");
	} else {
		w->step = CLR_STEP_CODE;
		w->is_leaf = gives == CLR_FRAME_GIVES_LEAF;
		w->is_exact = w->is_leaf || frame->kind == CLR_FRAME_FAULTING;
	}
	w->is_interrupted = frame->has_thrown;
}

static bool
follow_chain(struct clr_stack_walk *w, struct clr_stack_frame *out)
{
	if (!w->frame) {
		end_complete(w);
		return false;
	}
	if (!take_frame(w, out))
		return false;
	use_frame(w, &out->chain);
	return true;
}

/* --- the walk ------------------------------------------------------------- */

/* The ordinary stack, or what is left of the mapping. A thread on another stack, as in a handler of
 * a signal, returns to the ordinary one. */
static void
find_stack(struct clr_stack_walk *w, const struct clr_thread *thread)
{
	uint64_t sp = w->state.value[X64_RSP];
	const struct memory_mapping *mapping = memory_mapping_at(w->runtime->memory, sp);

	w->sp = sp;
	w->base = thread->stack_base;
	if (w->base && (sp < thread->stack_limit || sp >= w->base))
		w->sp = thread->stack_limit;
	if (!w->base)
		w->base = mapping ? mapping->end : sp;
}

bool
clr_stack_walk_begin(struct clr_stack_walk *w, const struct clr_runtime *rt,
		     struct memory_reader *r, const struct clr_thread *thread,
		     const struct memory_thread *os)
{
	const char *why = NULL;

	memset(w, 0, sizeof(*w));
	w->runtime = rt;
	w->reader = r;
	w->step = CLR_STEP_END;
	if (rt->native)
		why = "stacks of Native AOT programs are not read";
	else if (rt->memory->machine != MEMORY_X64)
		why = "stacks are read on x64 only";
	else if (!os || !x64_state_begin(&w->state, rt->memory, os))
		why = "its registers are unknown";
	else if (!clr_u64(&rt->layout, r, thread->address, CLR_THREAD_FRAME, &w->frame))
		why = "the runtime's record of the thread is not in memory";
	if (why) {
		snprintf(w->why, sizeof(w->why), "%s", why);
		return false;
	}
	if (w->frame == UINT64_MAX)
		w->frame = 0;
	find_stack(w, thread);
	call_frames_begin(&w->native, rt->memory, r);
	w->is_hijacked = thread->state & STATE_HIJACKED;
	w->is_cooperative = thread->mode == THREAD_COOPERATIVE;
	w->is_first = w->is_leaf = w->is_exact = true;
	w->step = CLR_STEP_CODE;
	return true;
}

bool
clr_stack_walk_next(struct clr_stack_walk *w, struct clr_stack_frame *out)
{
	bool is_found = false;

	if (w->step != CLR_STEP_END && w->count == CLR_STACK_FRAMES_MAX)
		end(w, "it has too many frames");
	while (!is_found && w->step != CLR_STEP_END) {
		if (w->step == CLR_STEP_CODE)
			is_found = look_at_code(w, out);
		else if (w->step == CLR_STEP_SKIP)
			is_found = skip_frame(w, out);
		else if (w->step == CLR_STEP_CHAIN)
			is_found = follow_chain(w, out);
		else if (!cross_native(w, w->state, true))
			w->step = CLR_STEP_CHAIN;
	}
	w->count += is_found;
	return is_found;
}
