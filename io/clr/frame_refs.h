#ifndef IO_CLR_FRAME_REFS_H
#define IO_CLR_FRAME_REFS_H

/*
 * The references of a managed thread's frames, which the GC info of their methods names
 * (io/runtime/gc_live.h). A frame whose references are all known makes a stretch of the stack
 * known. What remains must be searched for words that may be references:
 *
 *   native code   below the first managed frame, and between managed frames
 *   arguments     on the stack of other code than known frames
 *   unknown       frames without GC info, or at a place where no collection can begin, as inside of
 *                 a write barrier; before .NET 10, where the thread was stopped behind a call
 *   exceptions    the frame that has thrown, and those between a handler and its method: the
 *                 runtime decides by the exception's state which of them go on
 *
 * Registers of such code may be saved in frames that are known; their values are among the slots.
 * A walk that does not reach the end of the stack makes nothing known. Nor does one that had to
 * pass native code by the chain of Frames while the thread blocked collections, as in a write
 * barrier: it may lack the handler of an exception, which changes what is live in the frames that
 * it has.
 */
#include "io/runtime/gc_info.h"
#include "io/runtime/stack_walk.h"

struct clr_frame_slot {
	uint64_t value;
	uint64_t place;  /* address of the word, or a register's number (X64_RAX…) */
	uint64_t record; /* the method (MethodDesc); 0: unknown */
	uint32_t frame;  /* number of the frame, from 0 */
	bool is_known;   /* else the value may be no reference */
	bool is_pinned;
};

struct clr_known_stretch {
	uint64_t start, end;
};

struct clr_frame_refs {
	struct clr_frame_slot *slots;
	size_t slots_count, slots_room;
	struct clr_known_stretch *stretches; /* by address */
	size_t stretches_count, stretches_room;
	bool has_known_registers;        /* the slots have those of the thread */
	uint32_t frames, unknown_frames; /* managed frames */
	const char *unknown_why;         /* of the first unknown frame; or NULL */
	char why[CLR_STACK_WHY_BYTES];   /* "": the walk is complete */
};

/* Reads the frames of a thread. `info` is scratch. False sets `err`: no memory. */
bool clr_frame_refs_read(struct clr_frame_refs *out, const struct clr_runtime *rt,
			 const struct clr_thread *thread, const struct memory_thread *os,
			 struct gc_info *info, struct error *err) MUST_USE;
void clr_frame_refs_clear(struct clr_frame_refs *refs);

#endif
