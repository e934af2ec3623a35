#include "capture/memory/wanted.h"
#include "io/clr/stacks.h"
#include "io/memory/malloc_arenas.h"
#include "model/base/arena.h"
#include <stdlib.h>
#include <string.h>

/* Limits for memory outside the heap: handles, queues, loader heaps. */
enum {
	OTHER_BYTES_MAX = 8 << 20,
	MALLOC_BYTES_MAX = 256 << 20,
	ARENA_BYTES = 64 << 20,
};
#define OTHERS_BYTES_MAX (UINT64_C(512) << 20)

/* Sizes of runtime records, rounded up over all versions. */
enum {
	HEADER_BYTES = 8, /* before an object */
	RANGE_BYTES = 128,
	THREAD_BYTES = 4096,
	HEAP_BYTES = 16384,
};

static bool
want(struct wanted *w, uint64_t start, uint64_t end, struct error *err)
{
	if (start >= end)
		return true;
	if (!APPEND(w->stretches, w->count, w->room, err, (struct memory_stretch){ start, end }))
		return false;
	w->bytes += end - start;
	return true;
}

/*
 * Includes the record of each range and the header of its first object, which lies before the
 * range. If that page is absent it is left out, since an absent page hides all that follows.
 */
static bool
want_objects(struct wanted *w, const struct wanted_from *s, struct error *err)
{
	for (size_t i = 0; i < s->heaps->ranges_count; i++) {
		const struct clr_range *r = &s->heaps->ranges[i];
		uint64_t start = r->start - HEADER_BYTES;

		if (!memory_mapping_at(s->memory, start))
			start = r->start;
		if (!want(w, start, r->end, err) ||
		    !want(w, r->segment, r->segment + RANGE_BYTES, err))
			return false;
	}
	return true;
}

/* Clips the record to its mapping. */
static bool
want_record(struct wanted *w, const struct memory *m, uint64_t at, uint64_t len, struct error *err)
{
	const struct memory_mapping *map = memory_mapping_at(m, at);

	return !map || want(w, at, len < map->end - at ? at + len : map->end, err);
}

/* Threads and heaps must be consistent with the objects. */
static bool
want_records(struct wanted *w, const struct wanted_from *s, struct error *err)
{
	for (size_t i = 0; i < s->runtime->threads_count; i++)
		if (!want_record(w, s->memory, s->runtime->threads[i].address, THREAD_BYTES, err))
			return false;
	for (uint32_t i = 0; i < s->heaps->heaps_count; i++)
		if (!want_record(w, s->memory, s->heaps->heaps[i].address, HEAP_BYTES, err))
			return false;
	return true;
}

/* Adds the mapped parts of a range. */
static bool
want_mapped(struct wanted *w, const struct memory *m, uint64_t start, uint64_t end,
	    struct error *err)
{
	while (start < end) {
		const struct memory_mapping *map = memory_mapping_next(m, start);

		if (!map || map->start >= end)
			return true;
		if (!want(w, start > map->start ? start : map->start,
			  end < map->end ? end : map->end, err))
			return false;
		start = map->end;
	}
	return true;
}

/*
 * musl keeps the variables of a thread above its stack, and Linux may join the mapping of the stack
 * with one of malloc() above it. From .NET 9 on the variables include the allocation context, which
 * must be as it was at the stop. glibc keeps them in the stack.
 */
static bool
want_above_stacks(struct wanted *w, const struct wanted_from *s, struct error *err)
{
	for (size_t i = 0; i < s->runtime->threads_count; i++) {
		uint64_t base = s->runtime->threads[i].stack_base;
		const struct memory_mapping *map = memory_mapping_at(s->memory, base - 1);
		uint64_t end = base + OTHER_BYTES_MAX;

		if (base && map && !want(w, base, end < map->end ? end : map->end, err))
			return false;
	}
	return true;
}

static bool
want_stacks(struct wanted *w, const struct wanted_from *s, struct error *err)
{
	const struct memory *m = s->memory;

	for (size_t i = 0; i < m->threads_count; i++) {
		struct clr_stack_range ranges[CLR_STACK_RANGES];
		unsigned count = clr_stack_ranges(s->runtime, &m->threads[i], ranges);

		for (unsigned j = 0; j < count; j++)
			if (!want_mapped(w, m, ranges[j].start, ranges[j].end, err))
				return false;
	}
	return true;
}

static bool
is_stack(const struct memory *m, const struct memory_mapping *map)
{
	for (size_t i = 0; i < m->threads_count; i++)
		if (m->threads[i].sp - map->start < map->end - map->start)
			return true;
	return false;
}

/* Is it where glibc's malloc() serves all threads but the first? */
static bool
is_arena(const struct memory_mapping *map)
{
	return !map->name[0] && map->start % ARENA_BYTES == 0 &&
	       map->end - map->start <= ARENA_BYTES;
}

/* The runtime's handles and queues lie among other allocations of malloc(). */
static uint64_t
most_of(const struct memory_mapping *map)
{
	if (!strcmp(map->name, "[heap]"))
		return MALLOC_BYTES_MAX;
	return is_arena(map) ? ARENA_BYTES : OTHER_BYTES_MAX;
}

/* --- free memory of malloc() ---------------------------------------------- */

/* Parts of free chunks without their headers, which are left out of the copy. */
struct unused {
	struct memory_stretch *items; /* by address, disjoint */
	size_t count, room;
	struct error *err;
};

/* Free chunks in lists that are visited while the process is stopped: some milliseconds. */
enum { UNUSED_MIN = 64 << 10, CHUNKS_MAX = 10000, PAGE_BYTES = 4096, CHUNK_HEADER_BYTES = 48 };

static bool
add_unused(void *unused, uint64_t chunk, uint64_t bytes)
{
	struct unused *u = unused;
	uint64_t start =
	    (chunk + CHUNK_HEADER_BYTES + PAGE_BYTES - 1) & ~(PAGE_BYTES - UINT64_C(1));
	uint64_t end = (chunk + bytes) & ~(PAGE_BYTES - UINT64_C(1));

	if (bytes < UNUSED_MIN || end <= start)
		return true;
	return APPEND(u->items, u->count, u->room, u->err, (struct memory_stretch){ start, end });
}

static int
compare_stretches(const void *x, const void *y)
{
	const struct memory_stretch *a = x, *b = y;

	return (a->start > b->start) - (a->start < b->start);
}

/* Finds large free chunks. Damaged lists only make the copy larger. */
static bool
find_unused(struct unused *u, const struct memory *m, struct error *err)
{
	struct memory_reader *r = memory_reader_new(m, err);
	struct malloc_arenas arenas;
	bool ok;

	if (!r)
		return false;
	ok = malloc_arenas_find(&arenas, r, err);
	for (size_t i = 0; ok && i < arenas.count; i++)
		ok = add_unused(u, arenas.items[i].top, arenas.items[i].top_bytes);
	if (ok && !malloc_visit_free(&arenas, r, true, CHUNKS_MAX, add_unused, u))
		ok = err->kind == ERROR_NONE;
	memory_free(arenas.items);
	memory_reader_free(r);
	if (ok && u->count)
		qsort(u->items, u->count, sizeof *u->items, compare_stretches);
	return ok;
}

/* Adds a mapping without what is unused in it, and counts its bytes. */
static bool
want_used(struct wanted *w, const struct memory_mapping *map, const struct unused *u, size_t *at,
	  uint64_t *bytes, struct error *err)
{
	uint64_t start = map->start, before = w->bytes;

	while (*at < u->count && u->items[*at].end <= start)
		++*at;
	for (; *at < u->count && u->items[*at].end <= map->end; ++*at) {
		if (!want(w, start, u->items[*at].start, err))
			return false;
		if (u->items[*at].end > start)
			start = u->items[*at].end;
	}
	if (!want(w, start, map->end, err))
		return false;
	*bytes += w->bytes - before;
	return true;
}

/*
 * Adds what the runtime itself writes to: its variables, handles, queues, records of threads and
 * types. That is all writable memory except large mappings, which mostly are heaps of other
 * allocators.
 */
static bool
want_others(struct wanted *w, const struct memory *m, const struct unused *unused,
	    struct error *err)
{
	uint64_t bytes = 0;
	size_t at = 0;

	for (size_t i = 0; i < m->mappings_count; i++) {
		const struct memory_mapping *map = &m->mappings[i];
		uint64_t len = map->end - map->start;

		if (!(map->flags & MEMORY_WRITE) || len > most_of(map) ||
		    bytes + len > OTHERS_BYTES_MAX || is_stack(m, map))
			continue;
		if (!want_used(w, map, unused, &at, &bytes, err))
			return false;
	}
	return true;
}

bool
wanted_add_all(struct wanted *w, const struct wanted_from *s, struct error *err)
{
	struct unused unused = { .err = err };
	bool ok = want_objects(w, s, err) && want_records(w, s, err) &&
		  want_above_stacks(w, s, err) && want_stacks(w, s, err) &&
		  find_unused(&unused, s->memory, err) && want_others(w, s->memory, &unused, err);

	memory_free(unused.items);
	return ok;
}
