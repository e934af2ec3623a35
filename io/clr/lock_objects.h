#ifndef IO_CLR_LOCK_OBJECTS_H
#define IO_CLR_LOCK_OBJECTS_H

/*
 * System.Threading.Lock objects, of .NET 9 and later, which do not lock through a header or sync
 * block. In .NET 11 a sync block refers to one, too. Their fields, as measured in .NET 9 to 11:
 *
 *   _owningThreadId        kernel thread id of the holder; in 11 its managed id
 *   _state                 bit 0 locked, bits 7-31 waiting threads
 *   _recursionCount        times entered, less one
 *   _waitEventOrCondition  in 11 a Condition once a thread was in Monitor.Wait;
 *                          the list of these threads begins at _waitersHead
 */
#include "io/clr/contents.h"
#include "model/heap/memory.h"

/* Completes the locks that have a `monitor`, and adds the other locks that are held, in order of
 * object, after checking the type of every object. False sets `err`: no memory, or cancelled. */
bool clr_lock_objects_read(struct clr_contents *c, struct heap_locks *out,
			   struct progress *progress, struct error *err) MUST_USE;

#endif
