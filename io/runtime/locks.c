#include "io/runtime/locks.h"
#include "io/runtime/syncs.h"
#include "io/runtime/threads.h"

enum {
	HEADER_IS_INDEX = 1 << 27,
	HEADER_IS_HASH = 1 << 26,
	HEADER_HASH = (1 << 26) - 1,
	THREAD_MASK = 0xffff,
	DEPTH_SHIFT = 16,
	DEPTH_MASK = 63,

	BLOCK_STATE = 0,
	BLOCK_ENTERED = 4,
	BLOCK_HOLDER = 8,
	BLOCK_HOLDER_OS = 16,
	BLOCK_INDEX = 28,
	BLOCK_WAITS = 72, /* list of records of threads in Monitor.Wait */
	WAIT_LINK = 32,   /* offset of the link; a record begins with its block */
	INDEX_MASK = 0x7fffffff,
	IS_LOCKED = 1,
	WAITERS_SHIFT = 6,

	LOOK_EVERY = 65536,
	BLOCKS_EVERY = 4096,
};

void
clr_header_read(uint32_t word, struct content_header *out)
{
	*out = (struct content_header){
		.word = word,
		.sync_block = clr_sync_of_header(word),
	};
	if (word & HEADER_IS_INDEX && word & HEADER_IS_HASH) {
		out->has_hash = true;
		out->hash = word & HEADER_HASH;
	} else if (!(word & HEADER_IS_INDEX)) {
		out->lock_thread = word & THREAD_MASK;
		out->lock_depth = word >> DEPTH_SHIFT & DEPTH_MASK;
	}
}

static uint32_t
thread_of_holder(const struct clr_runtime *rt, uint64_t holder, uint64_t os_id)
{
	const struct clr_thread *t = clr_thread_find(rt, CLR_THREAD_BY_OS_ID, os_id);

	if (!t || !t->id)
		t = clr_thread_find(rt, CLR_THREAD_BY_ADDRESS, holder);
	if (!t)
		t = clr_thread_find(rt, CLR_THREAD_BY_ID, holder);
	return t ? t->id : 0;
}

static void
set_thin_holder(const struct clr_runtime *rt, struct heap_lock *lock, uint32_t id, uint32_t depth)
{
	const struct clr_thread *thread = clr_thread_find(rt, CLR_THREAD_BY_ID, id);

	lock->thread = id;
	lock->os_id = thread ? thread->os_id : 0;
	lock->entered = depth + 1;
}

/*
 * Counts the records in the list, which lie on the waiting threads' stacks. Each names its block.
 * Comparing with a record kept at powers of two finds cycles within three times their length, so
 * all lists together cost no more steps than there is memory.
 */
static uint32_t
count_waits(const struct clr_runtime *rt, uint64_t block)
{
	uint64_t link, of, seen = 0;
	uint32_t count = 0;

	if (!memory_u64(rt->reader, block + BLOCK_WAITS, &link))
		return WAITERS_UNKNOWN;
	for (; link; count++) {
		if (count >= rt->threads_count || link == seen ||
		    !memory_u64(rt->reader, link - WAIT_LINK, &of) || of != block)
			return WAITERS_UNKNOWN;
		if ((count & (count - 1)) == 0) /* 0 or a power of two */
			seen = link;
		if (!memory_u64(rt->reader, link, &link))
			return WAITERS_UNKNOWN;
	}
	return count;
}

/* Since .NET 11 a block refers to a Lock object once threads have competed for it; until then it
 * has the word of a thin lock. */
static bool
read_managed_block(const struct clr_runtime *rt, const struct heap *h, struct heap_lock *lock)
{
	const struct clr_layout *l = &rt->layout;
	struct memory_reader *r = rt->reader;
	uint64_t handle, object;
	uint32_t thin, index;

	if (!clr_u64(l, r, lock->block, CLR_SYNC_LOCK, &handle) ||
	    !clr_u32(l, r, lock->block, CLR_SYNC_THIN_LOCK, &thin) ||
	    !memory_u32(r, lock->block + l->offset[CLR_SYNC_THIN_LOCK] + sizeof(thin), &index) ||
	    (index & INDEX_MASK) != lock->index)
		return false;
	if (handle) {
		lock->monitor = memory_u64(r, handle, &object) ? heap_find(h, object) : NODE_NONE;
		return lock->monitor != NODE_NONE;
	}
	if (thin & THREAD_MASK)
		set_thin_holder(rt, lock, thin & THREAD_MASK, thin >> DEPTH_SHIFT & DEPTH_MASK);
	return true;
}

/* False: the block is absent, or has another index. */
static bool
read_block(const struct clr_runtime *rt, const struct heap *h, struct heap_lock *lock)
{
	struct memory_reader *r = rt->reader;
	uint32_t state, entered, index;
	uint64_t holder, os_id;

	if (clr_has(&rt->layout, CLR_SYNC_LOCK))
		return read_managed_block(rt, h, lock);
	if (!memory_u32(r, lock->block + BLOCK_STATE, &state) ||
	    !memory_u32(r, lock->block + BLOCK_ENTERED, &entered) ||
	    !memory_u64(r, lock->block + BLOCK_HOLDER, &holder) ||
	    !memory_u64(r, lock->block + BLOCK_HOLDER_OS, &os_id) ||
	    !memory_u32(r, lock->block + BLOCK_INDEX, &index) ||
	    (index & INDEX_MASK) != lock->index)
		return false;
	lock->waiters = state >> WAITERS_SHIFT;
	lock->pulse_waiters = count_waits(rt, lock->block);
	if (!(state & IS_LOCKED))
		return true;
	lock->entered = entered;
	lock->os_id = os_id;
	lock->thread = thread_of_holder(rt, holder, os_id);
	return true;
}

/* False: the entry does not refer back to the object. */
static bool
find_block(const struct clr_syncs *syncs, const struct clr_runtime *rt, const struct heap *h,
	   struct heap_lock *lock)
{
	struct clr_sync sync;

	if (lock->index >= syncs->used || !clr_syncs_at(syncs, rt->reader, lock->index, &sync) ||
	    sync.object != heap_address(h, lock->object))
		return false;
	lock->block = sync.block;
	return true;
}

static bool
read_blocks(const struct clr_runtime *rt, const struct heap *h, struct heap_locks *locks,
	    struct progress *progress, struct error *err)
{
	struct clr_syncs syncs = { 0 };
	bool is_found = clr_syncs_find(&syncs, rt);

	progress_begin(progress, "reading locks", "locks", locks->count);
	for (size_t i = 0; i < locks->count; i++) {
		struct heap_lock *lock = &locks->items[i];

		if (i % BLOCKS_EVERY == 0 && !progress_add(progress, i ? BLOCKS_EVERY : 0))
			return error_cancelled(err);
		if (lock->index &&
		    (!is_found || !find_block(&syncs, rt, h, lock) || !read_block(rt, h, lock)))
			locks->unknown_count++;
	}
	return true;
}

static bool
add_lock(const struct clr_runtime *rt, const struct content_header *header, node_id object,
	 struct heap_locks *out, struct error *err)
{
	struct heap_lock *lock;

	if (!header->sync_block && !header->lock_thread)
		return true;
	if (!MAKE_ROOM(out->items, out->count + 1, out->room, err))
		return false;
	lock = &out->items[out->count++];
	*lock = (struct heap_lock){ .object = object,
				    .index = header->sync_block,
				    .monitor = NODE_NONE };
	if (!header->sync_block)
		set_thin_holder(rt, lock, header->lock_thread, header->lock_depth);
	return true;
}

static bool
read_headers(const struct clr_runtime *rt, const struct heap *h, struct heap_locks *out,
	     struct progress *progress, struct error *err)
{
	struct addresses_scan scan;
	uint64_t address;

	progress_begin(progress, "looking for locks", "objects", h->nodes_count);
	addresses_scan_init(&scan, h->addresses, 0);
	for (node_id n = 0; addresses_scan_next(&scan, &address); n++) {
		struct content_header header;
		uint32_t word;

		if (n % LOOK_EVERY == LOOK_EVERY - 1 && !progress_add(progress, LOOK_EVERY))
			return error_cancelled(err);
		if (!memory_u32(rt->reader, address - 4, &word))
			continue;
		clr_header_read(word, &header);
		if (!add_lock(rt, &header, n, out, err))
			return false;
	}
	return true;
}

bool
clr_locks_read(const struct clr_runtime *rt, const struct heap *h, struct heap_locks *out,
	       struct progress *progress, struct error *err)
{
	struct clr_runtime own = *rt; /* with a reader of its own */
	bool is_good;

	own.reader = memory_reader_new(rt->memory, err);
	if (!own.reader)
		return false;
	is_good =
	    read_headers(&own, h, out, progress, err) && read_blocks(&own, h, out, progress, err);
	memory_reader_free(own.reader);
	return is_good;
}

/* False sets `err`: no memory, or cancelled. */
static bool
read_awaited(const struct clr_runtime *rt, const struct heap *h, const struct clr_syncs *syncs,
	     struct heap_locks *out, struct progress *progress, struct error *err)
{
	for (uint32_t i = 1; i < syncs->used; i++) {
		struct heap_lock lock = { .index = i, .monitor = NODE_NONE };
		struct clr_sync sync;

		if (i % BLOCKS_EVERY == 0 && progress_is_cancelled(progress))
			return error_cancelled(err);
		if (!clr_syncs_at(syncs, rt->reader, i, &sync) || !sync.object)
			continue;
		lock.block = sync.block;
		lock.object = heap_find(h, sync.object);
		if (lock.object == NODE_NONE || !read_block(rt, h, &lock))
			out->unknown_count++;
		else if ((lock.waiters || lock.monitor != NODE_NONE) &&
			 !APPEND(out->items, out->count, out->room, err, lock))
			return false;
	}
	return true;
}

bool
clr_locks_read_awaited(const struct clr_runtime *rt, const struct heap *h, struct heap_locks *out,
		       struct progress *progress, struct error *err)
{
	struct clr_runtime own = *rt; /* with a reader of its own */
	struct clr_syncs syncs = { 0 };
	bool is_good;

	own.reader = memory_reader_new(rt->memory, err);
	if (!own.reader)
		return false;
	is_good =
	    !clr_syncs_find(&syncs, &own) || read_awaited(&own, h, &syncs, out, progress, err);
	memory_reader_free(own.reader);
	return is_good;
}
