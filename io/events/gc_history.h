#ifndef IO_EVENTS_GC_HISTORY_H
#define IO_EVENTS_GC_HISTORY_H

/*
 * What the runtime tells of a collection besides its beginning and its end
 * (gc_events.h), read into a gc_record. Offsets are for pointers of 8 bytes,
 * P is the size of one.
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
 *                   14 u32 which
 * 204 HeapHistory   0 u16, 2 P allocated from free lists, P rejected there,
 *     (version 3)   18 P at ends of segments, P in condemned ones, P pinned,
 *                   P of these ahead, 50 u32 efficiency of free lists,
 *                   54 u32 reasons, u32 more reasons, 62 u32 why compacted,
 *                   66 u32 how expanded, 70 u32 heap, 74 P commit,
 *                   82 u32 n, n times 10 P: enum gc_size
 * 205 GlobalHistory 0 u64 budget of generation 0, 8 u32 heaps, 12 u32
 *                   generation, 16 u32 reductions, 20 u32 reason,
 *                   24 u32 mechanisms, 28 u16 (version 1), 30 u32 pause mode,
 *                   34 u32 memory load (2), 38 u32 reasons, 42 u32 more (3),
 *                   46 u32 n, n times u32 microseconds (4)
 *
 * Newer versions append, and older ones end earlier: what is not there is
 * unknown, and what is not known is left alone. Nothing here fails but for
 * lack of memory.
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
/* False: another event of that id. */
bool gc_committed_read(struct gc_committed *committed,
		       const struct nettrace_event *event);

enum gc_join_kind {
	GC_JOIN_LAST,
	GC_JOIN_WAIT,
	GC_JOIN_RESTART,
	GC_JOIN_FIRST
};
struct gc_join {
	uint32_t heap, is_end, kind;
};
bool gc_join_read(struct gc_join *join, const struct nettrace_event *event);

/* The u32 that an event begins with; GC_UNKNOWN32: there is none. */
uint32_t gc_first_number(const struct nettrace_event *event);
/* Its mechanisms say so. */
bool gc_history_is_concurrent(const struct nettrace_event *event);

#endif
