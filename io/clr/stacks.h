#ifndef IO_CLR_STACKS_H
#define IO_CLR_STACKS_H

/*
 * Objects on the stacks and in the registers of threads. Which words there are
 * references, only the runtime's code knows; so every word that could be one
 * counts: what is kept alive is all here, and a little that is not. A word may
 * also lead into an object (a reference to a field, or to an element).
 *
 * Each thread's stack from a little below its pointer to its base, which the
 * runtime knows; of a thread that it does not know, to the C library's record
 * of the thread (x64) or the end of the mapping around it, 16 MiB at most. A
 * thread that a signal moved to another stack (io/runtime/signal_frame.h) has
 * both searched, and the registers it had. 512 MiB of all; 10 ns a word.
 */
#include "io/runtime/heaps.h"
#include "model/heap/addresses.h"

struct clr_stack_root {
	uint64_t object;
	uint64_t os_id;   /* of the thread */
	uint64_t slot;    /* where it stands; or the number of a register */
	bool is_interior; /* leads into the object, not to its start */
};

struct clr_stacks {
	struct clr_stack_root *items; /* a thread's objects, each once */
	size_t count, room;
	/* Stacks of the runtime's threads of which some is absent. */
	uint32_t missing_count;
};

/*
 * Where the stacks of a thread lie, for who copies them: at most those that
 * clr_stacks_read() looks at. Not all of it need be mapped.
 */
struct clr_stack_range {
	uint64_t start, end;
};
enum { CLR_STACK_RANGES = 2 };
unsigned clr_stack_ranges(const struct clr_runtime *rt,
			  const struct memory_thread *thread,
			  struct clr_stack_range out[CLR_STACK_RANGES]);

/* `objects` is sealed. False only without memory. */
bool clr_stacks_read(struct clr_stacks *out, const struct clr_heaps *heaps,
		     const struct addresses *objects,
		     struct error *err) MUST_USE;
void clr_stacks_clear(struct clr_stacks *stacks);

#endif
