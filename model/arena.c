#define _DEFAULT_SOURCE /* madvise() */
#include "model/arena.h"
#include <stdalign.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

enum {
	BLOCK_BYTES = 64 * 1024,
	LARGE_BYTES = 16 * 1024,
	LARGE_PAGE_BYTES = 2 << 20
};

struct arena_block {
	struct arena_block *before;
	size_t size, used; /* bytes of data */
	alignas(max_align_t) unsigned char data[];
};

void
arena_init(struct arena *a, size_t limit_bytes)
{
	*a = (struct arena){ .limit_bytes = limit_bytes };
}

void
arena_clear(struct arena *a)
{
	arena_reset(a, (struct arena_mark){ 0 });
}

struct arena_mark
arena_mark(const struct arena *a)
{
	return (struct arena_mark){ a->last, a->last ? a->last->used : 0 };
}

void
arena_reset(struct arena *a, struct arena_mark mark)
{
	while (a->last != mark.block) {
		struct arena_block *block = a->last;

		a->last = block->before;
		a->used_bytes -= sizeof(*block) + block->size;
		free(block);
	}
	if (a->last) {
		/* What is taken again must be zero again. */
		memset(a->last->data + mark.block_used, 0,
		       a->last->used - mark.block_used);
		a->last->used = mark.block_used;
	}
}

static struct arena_block *
arena_add_block(struct arena *a, size_t size, struct error *err)
{
	size_t total = sizeof(struct arena_block) + size;
	struct arena_block *block;

	if (a->limit_bytes && (a->used_bytes > a->limit_bytes ||
			       total > a->limit_bytes - a->used_bytes)) {
		error_limit(err, size);
		return NULL;
	}
	block = calloc(1, total);
	if (!block) {
		error_no_memory(err, size);
		return NULL;
	}
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

	if (__builtin_mul_overflow(count, size, &bytes) ||
	    bytes > SIZE_MAX / 2) {
		error_no_memory(err, UINT64_MAX);
		return NULL;
	}
	bytes = (bytes + align - 1) / align * align;
	if (!bytes)
		bytes = align;
	if (!block || bytes > block->size - block->used)
		block = arena_add_block(
		    a, bytes > LARGE_BYTES ? bytes : BLOCK_BYTES, err);
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

void *
memory_new(size_t count, size_t size, struct error *err)
{
	void *p = calloc(count ? count : 1, size);

	if (!p)
		error_no_memory(err, (uint64_t)count * size);
	return p;
}

void *
memory_resize(void *old, size_t count, size_t size, struct error *err)
{
	size_t bytes = 0;
	void *p = NULL;

	if (!__builtin_mul_overflow(count ? count : 1, size, &bytes))
		p = realloc(old, bytes);
	if (!p)
		error_no_memory(err, (uint64_t)count * size);
	return p;
}

bool
memory_make_room(void *array, size_t count, size_t *room, size_t size,
		 struct error *err)
{
	size_t wanted = *room ? *room * 2 : 16;
	void *items;

	if (count < *room)
		return true;
	memcpy(&items, array, sizeof(items));
	items = memory_resize(items, wanted, size, err);
	if (!items)
		return false;
	memcpy(array, &items, sizeof(items));
	*room = wanted;
	return true;
}

void
memory_free(void *p)
{
	free(p);
}

void
memory_release(void *p, size_t len)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t first = ((uintptr_t)p + page - 1) & ~(page - 1);
	uintptr_t end = ((uintptr_t)p + len) & ~(page - 1);

	/* Only a hint: without it the memory goes back a little later. */
	if (end > first)
		(void)madvise((void *)first, end - first, MADV_DONTNEED);
}

void
memory_want_large_pages(void *p, size_t len)
{
	uintptr_t first = ((uintptr_t)p + LARGE_PAGE_BYTES - 1) &
			  ~(uintptr_t)(LARGE_PAGE_BYTES - 1);
	uintptr_t end =
	    ((uintptr_t)p + len) & ~(uintptr_t)(LARGE_PAGE_BYTES - 1);

	if (end > first)
		(void)madvise((void *)first, end - first, MADV_HUGEPAGE);
}

void
memory_set_up(void)
{
#ifdef __GLIBC__
	mallopt(M_MMAP_THRESHOLD, BLOCK_BYTES);
#endif
}
