#ifndef IO_CLR_STACKS_H
#define IO_CLR_STACKS_H

/*
 * Finds objects on the stacks and in the registers of threads. In frames of managed code, the words
 * that are references are known (frame_refs.h). The rest is scanned conservatively: every word that
 * could be a reference counts, so that the roots are complete, but some are false. A word may also
 * point into an object, as a reference to a field or an element does.
 *
 * A thread's stack is scanned from a little below its pointer to its base, which the runtime
 * records; a native thread's to the C library's thread descriptor (x64) or the end of its mapping,
 * at most 16 MiB. For a thread that a signal moved to another stack (io/runtime/signal_frame.h)
 * both stacks and the saved registers are scanned, and on x64 for Native AOT the program's
 * variables of the thread, below the thread descriptor. All stacks together are limited to 512 MiB.
 * Costs 10 ns a word.
 */
#include "io/clr/frame_refs.h"
#include "io/runtime/heaps.h"
#include "model/heap/addresses.h"

struct clr_stack_root {
	uint64_t object;
	uint64_t os_id; /* the thread */
	/* Address of the word, or a register's number: if known X64_RAX…, else the kernel's. */
	uint64_t slot;
	bool is_interior; /* points into the object, not to its start */
	bool is_local;    /* among the thread's variables of Native AOT */
	/* A reference of a frame, not a word that may be one. */
	bool is_known, is_pinned;
	uint32_t frame;  /* its number */
	uint64_t record; /* its method (MethodDesc), or 0 */
};

struct clr_stacks {
	/* Each thread has one for every object and method that refers to it, and one for every
	 * object that only words refer to. */
	struct clr_stack_root *items;
	size_t count, room;
	/* Managed threads whose stacks are partly absent. */
	uint32_t missing_count;
	/* Threads whose variables of Native AOT are absent, or of an unknown place. */
	uint32_t missing_locals_count;
	uint32_t unread_count;           /* managed threads whose frames were not read */
	uint32_t frames, unknown_frames; /* of the others */
	const char *unknown_why;         /* of the first unknown frame; or NULL */
	char why[CLR_STACK_WHY_BYTES];   /* why the first was not read */
};

/* The stack ranges of a thread, for copying them: at least what clr_stacks_read() scans. They may
 * be partly unmapped. */
struct clr_stack_range {
	uint64_t start, end;
};
enum { CLR_STACK_RANGES = 2 };
unsigned clr_stack_ranges(const struct clr_runtime *rt, const struct memory_thread *thread,
			  struct clr_stack_range out[CLR_STACK_RANGES]);

/* `objects` is sealed; `is_conservative`: all words count. False sets `err`: no memory. */
bool clr_stacks_read(struct clr_stacks *out, const struct clr_heaps *heaps,
		     const struct addresses *objects, bool is_conservative,
		     struct error *err) MUST_USE;
void clr_stacks_clear(struct clr_stacks *stacks);

#endif
