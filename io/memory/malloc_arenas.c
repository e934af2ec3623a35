#include "io/memory/malloc_arenas.h"
#include "model/base/arena.h"
#include <string.h>

enum {
	ARENAS_MAX = 4096,
	STEPS_MAX = 1 << 20,
	STATE_AT_MAX = 128, /* offset of an arena in its first heap */
	BINS = 126,
	BIN_UNSORTED = 1,
	BIN_LARGE = 121, /* the first with chunks of 64 KiB */
	CHUNK_MIN = 32,
};
#define HEAP_BYTES  (UINT64_C(64) << 20)
#define CHUNK_FLAGS UINT64_C(7)

/* Offsets in malloc_state. */
enum { AT_TOP = 96, AT_BINS = 112, AT_NEXT = 2160, AT_SYSTEM = 2184 };
/* In heap_info, which begins each heap. */
enum { AT_ARENA = 0, AT_PREV = 8, AT_SIZE = 16 };
/* In a chunk. */
enum { AT_CHUNK_SIZE = 8, AT_FORWARD = 16 };

static bool
is_in_heap(uint64_t arena)
{
	uint64_t at = arena % HEAP_BYTES;

	return at >= 32 && at <= STATE_AT_MAX;
}

static bool
is_writable(const struct memory *m, uint64_t address)
{
	const struct memory_mapping *map = memory_mapping_at(m, address);

	return map && map->flags & MEMORY_WRITE;
}

/* Looks for arenas, with a limit for damaged memory. */
struct looking {
	struct memory_reader *reader;
	uint32_t steps; /* that may still be taken */
	struct error *err;
};

/* Adds up the heaps of an arena, from the one with its top chunk back. */
static bool
heaps_are_whole(struct looking *l, const struct malloc_arena *a)
{
	uint64_t heap = a->top & ~(HEAP_BYTES - 1), sum = 0;

	while (l->steps && l->steps--) {
		uint64_t arena, prev, size;

		if (!memory_u64(l->reader, heap + AT_ARENA, &arena) ||
		    !memory_u64(l->reader, heap + AT_PREV, &prev) ||
		    !memory_u64(l->reader, heap + AT_SIZE, &size) || arena != a->address ||
		    size > HEAP_BYTES)
			return false;
		sum += size;
		if (!prev)
			return heap == (a->address & ~(HEAP_BYTES - 1)) && sum == a->system_bytes;
		heap = prev;
	}
	return false;
}

static bool
read_arena(struct memory_reader *r, uint64_t address, struct malloc_arena *a)
{
	uint64_t size;

	*a = (struct malloc_arena){ .address = address };
	if (!memory_u64(r, address + AT_TOP, &a->top) ||
	    !memory_u64(r, address + AT_SYSTEM, &a->system_bytes) ||
	    !memory_u64(r, a->top + AT_CHUNK_SIZE, &size))
		return false;
	a->top_bytes = size & ~CHUNK_FLAGS;
	return a->top_bytes <= a->system_bytes;
}

static bool
add_arena(struct looking *l, struct malloc_arenas *out, uint64_t at)
{
	const struct memory *m = memory_reader_memory(l->reader);
	struct malloc_arena a;

	return is_writable(m, at) && read_arena(l->reader, at, &a) &&
	       (!is_in_heap(at) || heaps_are_whole(l, &a)) &&
	       APPEND(out->items, out->count, out->room, l->err, a);
}

/* Follows the circle of arenas. Returns false if it proves to be none. Where the main arena is
   absent, as in some cores, `is_closed` is false, and arenas may be missing. */
static bool
follow_circle(struct looking *l, struct malloc_arenas *out, uint64_t first, bool *is_closed)
{
	const struct memory *m = memory_reader_memory(l->reader);
	uint64_t at = first, main = 0, byte;

	*is_closed = false;
	out->count = 0;
	while (out->count < ARENAS_MAX && l->steps && l->steps--) {
		if (!is_in_heap(at) && m->is_dump && memory_mapping_at(m, at) &&
		    (!is_writable(m, at) || !memory_u64(l->reader, at, &byte)))
			return out->count > 0;
		if (!is_in_heap(at) && main)
			return false;
		main = is_in_heap(at) ? main : at;
		if (!add_arena(l, out, at) || !memory_u64(l->reader, at + AT_NEXT, &at))
			return false;
		*is_closed = at == first;
		if (*is_closed)
			return main != 0;
	}
	return false;
}

/* Returns the next place from `at` on where a heap can begin: a multiple of 64 MiB in writable
   memory without a file. 0: there is none. */
static uint64_t
next_heap(const struct memory *m, uint64_t at)
{
	const struct memory_mapping *map;

	while ((map = memory_mapping_next(m, at))) {
		uint64_t start = at > map->start ? at : map->start;
		uint64_t rest = start % HEAP_BYTES;

		if (rest)
			start += HEAP_BYTES - rest;
		if (start < map->end && start >= map->start && map->flags & MEMORY_WRITE &&
		    !(map->flags & MEMORY_FILE))
			return start;
		at = map->end;
	}
	return 0;
}

/* Follows the circle from one arena. The longest way to an absent main arena has all others. */
static bool
look_from(struct looking *l, struct malloc_arenas *out, uint64_t arena, bool *is_closed)
{
	struct malloc_arenas found = { 0 };
	bool is_better = follow_circle(l, &found, arena, is_closed) && found.count > out->count;

	if (is_better) {
		struct malloc_arenas swap = *out;

		*out = found;
		found = swap;
	}
	memory_free(found.items);
	return l->err->kind == ERROR_NONE;
}

bool
malloc_arenas_find(struct malloc_arenas *out, struct memory_reader *r, struct error *err)
{
	const struct memory *m = memory_reader_memory(r);
	struct looking l = { r, STEPS_MAX, err };
	uint64_t heap = 0, arena;
	bool is_closed = false;

	*out = (struct malloc_arenas){ 0 };
	while (!is_closed && l.steps && l.steps-- && (heap = next_heap(m, heap))) {
		if (memory_u64(r, heap + AT_ARENA, &arena) && is_in_heap(arena) &&
		    arena - heap <= STATE_AT_MAX && !look_from(&l, out, arena, &is_closed))
			return false;
		heap += HEAP_BYTES;
	}
	return true;
}

/* --- free chunks ---------------------------------------------------------- */

struct visiting {
	struct memory_reader *reader;
	malloc_visit *visit;
	void *context;
	uint32_t left;
};

/* Visits the chunks of one list, which begins and ends at its header. */
static bool
visit_bin(struct visiting *v, const struct malloc_arena *a, uint64_t header, uint64_t chunk)
{
	uint64_t size;

	while (chunk != header) {
		if (!v->left-- || !memory_u64(v->reader, chunk + AT_CHUNK_SIZE, &size))
			return false;
		size &= ~CHUNK_FLAGS;
		if (size < CHUNK_MIN || size > a->system_bytes ||
		    !v->visit(v->context, chunk, size) ||
		    !memory_u64(v->reader, chunk + AT_FORWARD, &chunk))
			return false;
	}
	return true;
}

bool
malloc_visit_free(const struct malloc_arenas *arenas, struct memory_reader *r, bool large,
		  uint32_t most, malloc_visit *visit, void *context)
{
	struct visiting v = { r, visit, context, most };

	for (size_t i = 0; i < arenas->count; i++) {
		const struct malloc_arena *a = &arenas->items[i];

		for (unsigned bin = BIN_UNSORTED; bin <= BINS; bin++) {
			uint64_t at = a->address + AT_BINS + (bin - 1) * UINT64_C(16), first;

			if (large && bin > BIN_UNSORTED && bin < BIN_LARGE)
				continue;
			if (!memory_u64(r, at, &first) || !visit_bin(&v, a, at - 16, first))
				return false;
		}
	}
	return true;
}

const char *
malloc_other(const struct memory *m)
{
	static const struct {
		const char *file, *name;
	} others[] = {
		{ "libjemalloc", "jemalloc" },
		{ "libtcmalloc", "tcmalloc" },
		{ "libmimalloc", "mimalloc" },
		{ "/ld-musl-", "musl" },
	};

	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		for (size_t k = 0; k < m->mappings_count; k++)
			if (strstr(m->mappings[k].name, others[i].file))
				return others[i].name;
	return NULL;
}
