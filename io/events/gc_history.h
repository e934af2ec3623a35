#ifndef IO_EVENTS_GC_HISTORY_H
#define IO_EVENTS_GC_HISTORY_H

/*
 * Reads other events of a collection (gc_events.h) into a gc_record. Offsets are for pointers of 8
 * bytes; P is the size of a pointer.
 *
 *   1 GCStart       0 u32 number, 4 u32 generation, 8 u32 reason, 12 u32 type,
 *                   16 u16, 18 u64 client's number (version 2)
 *   4 HeapStats     0 u64 size, u64 promoted of generations 0, 1, 2, large;
 *                   64 u64 finalized bytes, 72 u64 finalized, 80 u32 pinned,
 *                   84 u32 sync blocks, 88 u32 handles, 92 u16,
 *                   94 u64 size, u64 promoted of pinned objects (version 2)
 *   9 SuspendBegin  0 u32 reason, 4 u32 collections so far
 *                   (version 0: u16 reason)
 *  13 FinalizersEnd 0 u32 count
 *  35 Triggered     0 u32 reason
 *  39 Dynamic       UTF-16 "CommittedUsage", u32 42; u16 version, u64 in use,
 *                   u64 to be given back, u64 free in regions, u64 free,
 *                   u64 bookkeeping
 * 202 Mark          0 u32 heap, 4 u16, 6 u32 whose, 10 u64 bytes
 * 203 Join          0 u32 heap, 4 u32 begin or end, 8 u32 kind, 12 u16,
 *                   14 u32 id
 * 204 HeapHistory   0 u16, 2 P allocated from free lists, P rejected there,
 *     (version 3)   18 P at ends of segments, P in condemned generations, P
 *                   pinned, P pinned ahead, 50 u32 free list efficiency,
 *                   54 u32 reasons, u32 more reasons, 62 u32 compact reason,
 *                   66 u32 expand mechanism, 70 u32 heap, 74 P commit,
 *                   82 u32 n, n times 10 P: enum gc_size
 * 205 GlobalHistory 0 u64 budget of generation 0, 8 u32 heaps, 12 u32
 *                   generation, 16 u32 reductions, 20 u32 reason,
 *                   24 u32 mechanisms, 28 u16 (version 1), 30 u32 pause mode,
 *                   34 u32 memory load (2), 38 u32 reasons, 42 u32 more (3),
 *                   46 u32 n, n times u32 microseconds (4)
 *
 * Newer versions append fields, which are ignored, and older payloads are shorter: their missing
 * fields are unknown. Only lack of memory is an error.
 */
#include "io/events/nettrace.h"
#include "model/gc/log.h"

void gc_history_start(struct gc_record *r, const struct nettrace_event *event);
void gc_history_stats(struct gc_record *r, const struct nettrace_event *event);
void gc_history_global(struct gc_record *r, const struct nettrace_event *event);
bool gc_history_heap(struct gc_record *r, const struct nettrace_event *event,
		     unsigned pointer_bytes, struct error *err) MUST_USE;
bool gc_history_mark(struct gc_record *r, const struct nettrace_event *event,
		     struct error *err) MUST_USE;

struct gc_committed {
	uint64_t bytes, bookkeeping;
};
/* False if it is another dynamic event. */
bool gc_committed_read(struct gc_committed *committed, const struct nettrace_event *event);

enum gc_join_kind { GC_JOIN_LAST, GC_JOIN_WAIT, GC_JOIN_RESTART, GC_JOIN_FIRST };
struct gc_join {
	uint32_t heap, is_end, kind;
};
bool gc_join_read(struct gc_join *join, const struct nettrace_event *event);

/* The u32 at the start of the payload; GC_UNKNOWN32 if it is too short. */
uint32_t gc_first_number(const struct nettrace_event *event);
/* Do the mechanisms of this GlobalHistory include "concurrent"? */
bool gc_history_is_concurrent(const struct nettrace_event *event);

#endif
