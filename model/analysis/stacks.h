#ifndef MODEL_ANALYSIS_STACKS_H
#define MODEL_ANALYSIS_STACKS_H

/*
 * The stacks of all threads, and what each thread was doing. They are read when they are asked for:
 * some 20 µs a call, so that hundreds of threads take a moment.
 */
#include "model/base/arena.h"
#include "model/heap/memory.h"

struct stack {
	uint32_t thread; /* index in the heap's threads */
	struct content_frames frames;
};
struct stacks {
	struct stack *items; /* in the order of the threads */
	uint32_t count;
	struct arena arena;
};

/* Returns true if a number means the thread: its managed id, or that of the operating system if no
   thread has it as its managed id; 0 means all. */
bool stack_is_of(const struct heap_memory *m, uint32_t thread, uint64_t number);
/* Reads the stacks of the threads that `number` means. False sets `err`; clear in any case. The
   heap has contents. */
bool stacks_read(struct stacks *out, const struct heap *h, uint64_t number,
		 struct progress *progress, struct error *err) MUST_USE;
void stacks_clear(struct stacks *s);

/* Returns true if the method is the application's; `patterns` as in model/heap/my_code.h. */
bool frame_is_own(const struct content_frame *frame, const char *patterns);
/* Returns the innermost call of the application; NULL: there is none. */
const struct content_frame *stack_own_frame(const struct content_frames *frames,
					    const char *patterns);
/* Returns the number of managed calls. */
uint32_t stack_depth(const struct content_frames *frames);
/* The state of a thread that waits for a lock. */
extern const char stack_waits_for_lock[];
/* Returns what the thread was doing, in words: "waits for a lock"; "": unknown. */
const char *stack_state(const struct heap_thread *t, const struct content_frames *frames,
			const char *patterns);

/* Returns true for the states of a thread that waits: for others, or for a time. */
bool stack_state_waits(const char *state);

#endif
