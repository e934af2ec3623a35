#ifndef MODEL_ANALYSIS_AWAITED_LOCK_H
#define MODEL_ANALYSIS_AWAITED_LOCK_H

/*
 * Which thread waits for which lock, in heaps from memory. A thread counts as waiting for a lock if
 * a frame, or a word of its stack, refers to the lock's object, or to the System.Threading.Lock of
 * its sync block.
 */
#include "model/base/arena.h"
#include "model/heap/memory.h"

/* Returns the system's id of the thread on whose stack the root is, in heaps from memory; or 0. */
uint64_t root_thread(const struct root *root);
/* Returns true for the roots on the stack of that thread, in heaps from memory. */
bool root_is_of_thread(const struct root *root, uint64_t os_id);
/* Returns the lock for which the thread waits, which another thread holds. NULL: none, or
   cancelled. */
const struct heap_lock *awaited_lock(const struct heap *h, const struct heap_locks *locks,
				     uint64_t os_id, struct progress *progress);
/* Returns 'thread 12 "worker"', in the arena, or NULL: no memory. "": no thread holds the lock. */
const char *lock_holder(const struct heap *h, const struct heap_lock *lock, struct arena *a,
			struct error *err) MUST_USE;

#endif
