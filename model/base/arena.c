#define _DEFAULT_SOURCE /* madvise() */
#include "model/base/arena.h"
#include <malloc.h> /* malloc_usable_size() */
#include <stdalign.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
	BLOCK_BYTES = 64 * 1024,
	LARGE_BYTES = 16 * 1024,
	LARGE_PAGE_BYTES = 2 << 20,
	LARGE_PAGES_FROM = 4 << 20
};

/* Limit of one allocation: more than any machine has, and sums do not overflow.
 */
#define TAKEN_MAX (UINT64_C(1) << 55)

struct arena_block {
	struct arena_block *before;
	size_t size, used; /* bytes of data */
	alignas(max_align_t) unsigned char data[];
};

/* ---- all memory taken from the system ---- */

/* Signed: concurrent frees may make it negative for a moment. */
static _Atomic int64_t held_bytes, peak_bytes, allowed_bytes;

void
memory_limit(uint64_t bytes)
{
	atomic_store(&allowed_bytes, bytes < INT64_MAX ? (int64_t)bytes : 0);
}

uint64_t
memory_held(void)
{
	int64_t held = atomic_load(&held_bytes);

	return held > 0 ? (uint64_t)held : 0;
}

uint64_t
memory_peak(void)
{
	return (uint64_t)atomic_load(&peak_bytes);
}

void
memory_forget_peak(void)
{
	atomic_store(&peak_bytes, (int64_t)memory_held());
}

uint64_t
memory_limit_bytes(void)
{
	return (uint64_t)atomic_load(&allowed_bytes);
}

/* The limit that would allow `bytes` more and leave `spare` free. */
static uint64_t
limit_for(int64_t held, uint64_t bytes, uint64_t spare)
{
	uint64_t all = (held > 0 ? (uint64_t)held : 0) + bytes;

	return all > spare ? all - spare : 1;
}

static bool
refuse(uint64_t needed, struct error *err)
{
	memory_refused_add((struct memory_refused){ .count = 1, .needed_bytes = needed });
	return error_limit(err, needed, memory_limit_bytes());
}

/* Counts before allocating, so that no two threads get the same memory. */
static bool
reserve(uint64_t bytes, uint64_t spare, struct error *err)
{
	int64_t held = atomic_load(&held_bytes);
	uint64_t limit = memory_limit_bytes();

	if (bytes > TAKEN_MAX)
		return limit ? refuse(bytes, err) : memory_refused_by_system(err, bytes);
	do
		if (limit && limit_for(held, bytes, spare) > limit)
			return refuse(limit_for(held, bytes, spare), err);
	while (!atomic_compare_exchange_weak(&held_bytes, &held, held + (int64_t)bytes));
	return true;
}

static bool
reserve_block(uint64_t bytes, struct error *err)
{
	return reserve(bytes, bytes < MEMORY_SMALL_BYTES ? UINT64_MAX : MEMORY_RESERVE_BYTES, err);
}

bool
memory_keep(uint64_t bytes, struct error *err)
{
	return reserve(bytes, 0, err);
}

/* ---- refused requests ---- */

static _Thread_local struct memory_refused refused;

struct memory_refused
memory_refused(void)
{
	return refused;
}

void
memory_refused_set(struct memory_refused r)
{
	refused = r;
}

void
memory_refused_add(struct memory_refused more)
{
	refused.count += more.count;
	refused.by_system += more.by_system;
	if (refused.needed_bytes < more.needed_bytes)
		refused.needed_bytes = more.needed_bytes;
}

bool
memory_refused_by_system(struct error *err, uint64_t bytes)
{
	memory_refused_add((struct memory_refused){ 1, 1, bytes });
	return error_no_memory(err, bytes);
}

bool
memory_was_enough(struct memory_refused before, struct error *err)
{
	if (refused.count == before.count)
		return true;
	if (!err->is_limit && !err->is_memory)
		error_clear(err);
	if (refused.by_system != before.by_system)
		return error_no_memory(err, refused.needed_bytes);
	return error_limit(err, refused.needed_bytes, memory_limit_bytes());
}

void
memory_count(int64_t more)
{
	int64_t held = atomic_fetch_add(&held_bytes, more) + more;
	int64_t peak = atomic_load(&peak_bytes);

	while (held > peak && !atomic_compare_exchange_weak(&peak_bytes, &peak, held))
		;
}

/* The size of an allocation, which may be more than was requested. */
static int64_t
size_of(void *p)
{
	return (int64_t)malloc_usable_size(p);
}

/* ---- arenas ---- */

void
arena_init(struct arena *a, size_t limit_bytes)
{
	*a = (struct arena){ .limit_bytes = limit_bytes };
}

static void
free_blocks(struct arena *a, const struct arena_block *last)
{
	while (a->last != last) {
		struct arena_block *block = a->last;

		a->last = block->before;
		a->used_bytes -= sizeof(*block) + block->size;
		memory_free(block);
	}
}

void
arena_clear(struct arena *a)
{
	free_blocks(a, NULL);
}

struct arena_mark
arena_mark(const struct arena *a)
{
	return (struct arena_mark){ a->last, a->last ? a->last->used : 0 };
}

/* The first block if it is of the common size; reused, as one is always needed.
 */
static struct arena_block *
first_block(const struct arena *a)
{
	struct arena_block *block = a->last;

	while (block && block->before)
		block = block->before;
	return block && block->size == BLOCK_BYTES ? block : NULL;
}

void
arena_reset(struct arena *a, struct arena_mark mark)
{
	free_blocks(a, mark.block ? mark.block : first_block(a));
	if (a->last) {
		/* arena_take() must return zeroed memory. */
		memset(a->last->data + mark.block_used, 0, a->last->used - mark.block_used);
		a->last->used = mark.block_used;
	}
}

static struct arena_block *
arena_add_block(struct arena *a, size_t size, struct error *err)
{
	size_t total = sizeof(struct arena_block) + size;
	struct arena_block *block;

	if (a->limit_bytes &&
	    (a->used_bytes > a->limit_bytes || total > a->limit_bytes - a->used_bytes)) {
		error_limit(err, a->used_bytes + size, a->limit_bytes);
		return NULL;
	}
	block = memory_new(1, total, err);
	if (!block)
		return NULL;
	block->before = a->last;
	block->size = size;
	a->last = block;
	a->used_bytes += total;
	return block;
}

void *
arena_take(struct arena *a, size_t count, size_t size, struct error *err)
{
	const size_t align = alignof(max_align_t);
	struct arena_block *block = a->last;
	size_t bytes;
	void *data;

	if (__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX / 2) {
		memory_refused_by_system(err, UINT64_MAX);
		return NULL;
	}
	bytes = (bytes + align - 1) / align * align;
	if (!bytes)
		bytes = align;
	if (!block || bytes > block->size - block->used)
		block = arena_add_block(a, bytes > LARGE_BYTES ? bytes : BLOCK_BYTES, err);
	if (!block)
		return NULL;
	data = block->data + block->used;
	block->used += bytes;
	return data;
}

char *
arena_strndup(struct arena *a, const char *text, size_t len, struct error *err)
{
	char *copy = arena_take(a, len + 1, 1, err);

	if (copy && len)
		memcpy(copy, text, len);
	return copy;
}

char *
arena_printf(struct arena *a, struct error *err, const char *format, ...)
{
	va_list args;
	char *text = NULL;
	int len;

	va_start(args, format);
	len = vsnprintf(NULL, 0, format, args);
	va_end(args);
	if (len >= 0)
		text = arena_take(a, (size_t)len + 1, 1, err);
	if (!text)
		return NULL;
	va_start(args, format);
	vsnprintf(text, (size_t)len + 1, format, args);
	va_end(args);
	return text;
}

/* ---- individual allocations ---- */

/* Asks for huge pages: large arrays are about to be written, and page faults take half the time. */
static void
want_large_pages(void *p, size_t len)
{
	uintptr_t first =
	    ((uintptr_t)p + LARGE_PAGE_BYTES - 1) & ~(uintptr_t)(LARGE_PAGE_BYTES - 1);
	uintptr_t end = ((uintptr_t)p + len) & ~(uintptr_t)(LARGE_PAGE_BYTES - 1);

	if (end > first)
		(void)madvise((void *)first, end - first, MADV_HUGEPAGE);
}

void *
memory_new(size_t count, size_t size, struct error *err)
{
	size_t bytes;
	void *p;

	count += !count;
	if (__builtin_mul_overflow(count, size, &bytes)) {
		memory_refused_by_system(err, UINT64_MAX);
		return NULL;
	}
	if (!reserve_block(bytes, err))
		return NULL;
	p = calloc(count, size);
	memory_count((p ? size_of(p) : 0) - (int64_t)bytes);
	if (!p)
		memory_refused_by_system(err, bytes);
	if (p && bytes >= LARGE_PAGES_FROM)
		want_large_pages(p, bytes);
	return p;
}

void *
memory_resize(void *old, size_t count, size_t size, struct error *err)
{
	size_t before = old ? (size_t)size_of(old) : 0, bytes, more;
	void *p;

	count += !count;
	if (__builtin_mul_overflow(count, size, &bytes)) {
		memory_refused_by_system(err, UINT64_MAX);
		return NULL;
	}
	more = bytes > before ? bytes - before : 0;
	if (!reserve_block(more, err))
		return NULL;
	p = realloc(old, bytes ? bytes : 1);
	memory_count((p ? size_of(p) - (int64_t)before : 0) - (int64_t)more);
	if (!p)
		memory_refused_by_system(err, bytes);
	return p;
}

bool
memory_grow(void *array, size_t wanted, size_t *room, size_t size, struct error *err)
{
	size_t larger = *room ? *room * 2 : 16;
	void *items;

	if (larger < wanted)
		larger = wanted;
	memcpy(&items, array, sizeof(items));
	items = memory_resize(items, larger, size, err);
	if (!items)
		return false;
	memcpy(array, &items, sizeof(items));
	*room = larger;
	return true;
}

void
memory_free(void *p)
{
	if (p)
		memory_count(-size_of(p));
	free(p);
}

void
memory_release(void *p, size_t len)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t first = ((uintptr_t)p + page - 1) & ~(page - 1);
	uintptr_t end = ((uintptr_t)p + len) & ~(page - 1);

	/* Only a hint; if it fails, the memory is freed with the rest. */
	if (end > first)
		(void)madvise((void *)first, end - first, MADV_DONTNEED);
}

void
memory_set_up(void)
{
#ifdef __GLIBC__
	mallopt(M_MMAP_THRESHOLD, BLOCK_BYTES);
#endif
}
