#ifndef IO_RUNTIME_STACK_WALK_H
#define IO_RUNTIME_STACK_WALK_H

/*
 * Walks the stack of a managed thread, from the innermost frame outwards, without the runtime's
 * debugging library (CoreCLR on x64). Managed frames are unwound (io/runtime/unwind.h). Native code
 * is crossed by the chain of Frames that hangs on the thread (frame_chain.h) or, where a thread
 * stands in native code that leaves no Frame, by call frame information (io/memory/call_frames.h):
 *
 *   preemptive mode    the chain has the managed caller
 *   cooperative mode   native frames are unwound; if that leads nowhere, the chain
 *
 * The stack pointer rises and stays in the thread's stack, so a walk ends. Where it cannot go on it
 * stops and says why; it never guesses.
 *
 * A frame costs some 20 reads of memory.
 */
#include "io/memory/call_frames.h"
#include "io/runtime/frame_chain.h"
#include "io/runtime/unwind.h"

enum {
	CLR_STACK_FRAMES_MAX = 1 << 18, /* a stack of 1.5 MB can have 100,000 */
	CLR_STACK_WHY_BYTES = 200,
};

enum clr_stack_frame_kind {
	CLR_STACK_MANAGED,    /* code of a method, or of one of its handlers */
	CLR_STACK_STUB,       /* code that the runtime generated for itself */
	CLR_STACK_NATIVE,     /* other code */
	CLR_STACK_TRANSITION, /* a Frame of the runtime */
};

struct clr_stack_frame {
	enum clr_stack_frame_kind kind;
	/* The registers in that frame; state.ip and state.value[X64_RSP] are its instruction and
	 * its stack pointer. Of a transition: those of the frame before it. */
	struct x64_state state;
	/* The stack pointer of the caller of managed code; 0: it could not be unwound. */
	uint64_t caller_sp;
	/* The code at state.ip, if it is managed. Its method may be unknown: code.record is 0, and
	 * code.why has the reason. */
	struct clr_code code;
	struct clr_chain_frame chain; /* of a transition */
	bool is_leaf;                 /* the thread was stopped there */
	bool is_interrupted;          /* it has thrown or faulted there */
	bool is_skipped;              /* a transition inside the managed frame before it */
};

enum clr_stack_step { CLR_STEP_CODE, CLR_STEP_SKIP, CLR_STEP_NATIVE, CLR_STEP_CHAIN, CLR_STEP_END };

struct clr_stack_walk {
	const struct clr_runtime *runtime;
	struct memory_reader *reader;
	/* How it ended: `is_complete`, or the reason in `why`, a sentence without its full stop. */
	bool is_complete;
	char why[CLR_STACK_WHY_BYTES];
	/* How far it is; for stack_walk.c. */
	enum clr_stack_step step;
	struct call_frames native;
	struct x64_state state;
	uint64_t frame;    /* the next Frame; 0: none */
	uint64_t sp, base; /* the rest of the stack */
	uint32_t count;
	bool is_cooperative, is_first, is_leaf, is_interrupted, is_exact;
	bool has_unknown, is_hijacked;
};

/*
 * `thread` is managed, and `os` has its registers; NULL: unknown. The reader is the caller's own.
 * False sets w->why: the stacks of this runtime or machine cannot be walked, or this thread has
 * none.
 */
bool clr_stack_walk_begin(struct clr_stack_walk *w, const struct clr_runtime *rt,
			  struct memory_reader *r, const struct clr_thread *thread,
			  const struct memory_thread *os) MUST_USE;
/* The next frame. False: the walk has ended, see `is_complete` and `why`. */
bool clr_stack_walk_next(struct clr_stack_walk *w, struct clr_stack_frame *out) MUST_USE;

#endif
