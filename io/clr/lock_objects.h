#ifndef IO_CLR_LOCK_OBJECTS_H
#define IO_CLR_LOCK_OBJECTS_H

/*
 * Objects that are locks themselves: System.Threading.Lock, of .NET 9 and
 * later. No header and no sync block tells who holds one; its fields do, as
 * measured on .NET 9 and 10:
 *
 *   _owningThreadId   the number in the system of the thread that holds it
 *   _state            bit 0 locked, bits 7-31 threads that wait
 *   _recursionCount   how often again
 */
#include "io/clr/contents.h"
#include "model/heap/memory.h"

/*
 * Adds those that are held, by object. A look at the type of every object;
 * false sets `err`: no memory, or cancelled.
 */
bool clr_lock_objects_read(struct clr_contents *c, struct heap_locks *out,
			   struct progress *progress,
			   struct error *err) MUST_USE;

#endif
