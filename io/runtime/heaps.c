#include "io/runtime/heaps.h"
#include "model/base/sorted.h"
#include <inttypes.h>
#include <stdlib.h>

enum {
	HEAPS_MAX = 1024,
	RANGES_MAX = 1 << 20,
	SEGMENTS_MAX = 4 << 20, /* also counts refused segments */
	GENERATIONS_COUNT = 5,
	CONTEXTS_MAX = 128 << 10,
};

/* Offsets in GcDacVars. */
enum {
	AT_GENERATIONS = 48,
	AT_STATE = 72,
	AT_EPHEMERAL = 80,
	AT_ALLOC_ALLOCATED = 120,
	AT_FINALIZE_QUEUE = 144,
	AT_HEAPS_COUNT = 176,
	AT_HEAPS = 184,
	AT_INVALID_COUNT = 192,
	AT_HEAP_OFFSETS = 240,
	AT_GENERATION_OFFSETS = 248,
	AT_FREE_TO_DECOMMIT = 264,
	AT_FREE_HUGE = 272,
	AT_FREE_REGIONS = 280,
	AT_ADAPTATION = 320,
	ADAPTATION_SINCE_MINOR = 4,
};
/* Indexes of the offsets in a heap. */
enum {
	OFFSET_ALLOC_ALLOCATED = 0,
	OFFSET_EPHEMERAL = 1,
	OFFSET_FINALIZE_QUEUE = 2,
	OFFSET_GENERATIONS = 18,
	OFFSET_FREE_REGIONS = 21,
};
enum { GENERATION_START = 64 };
#define SEGMENT_READ_ONLY UINT64_C(1)
#define SEGMENT_SWEPT     UINT64_C(16)

/* The state of clr_heaps_open(). */
struct reading {
	struct clr_heaps *h;
	struct memory_reader *r;
	uint64_t vars;
	struct clr_range *ranges;
	struct clr_context *contexts;
	size_t ranges_room, contexts_room;
	size_t segments_count;
	struct error *err;
};

/* --- variables ----------------------------------------------------------- */

static bool
field(const struct reading *rd, uint64_t at, uint64_t *value)
{
	return memory_u64(rd->r, rd->vars + at, value);
}

/* Reads the variable whose address is at `at`. */
static bool
variable(const struct reading *rd, uint64_t at, uint64_t *value)
{
	*value = 0;
	return field(rd, at, value) && *value && memory_u64(rd->r, *value, value);
}

static bool
variable_u32(const struct reading *rd, uint64_t at, uint32_t *value)
{
	uint64_t address;

	*value = 0;
	return field(rd, at, &address) && address && memory_u32(rd->r, address, value);
}

static bool
read_state(struct reading *rd)
{
	struct clr_heaps *h = rd->h;
	uint64_t offsets;
	uint32_t start, adaptation;

	h->adaptation = -1;
	if (!memory_u8(rd->r, rd->vars, &h->major) || !memory_u8(rd->r, rd->vars + 1, &h->minor) ||
	    !variable_u32(rd, AT_STATE, &h->state) ||
	    !variable_u32(rd, AT_INVALID_COUNT, &h->invalid_count) ||
	    !field(rd, AT_GENERATION_OFFSETS, &offsets) || !memory_u32(rd->r, offsets + 8, &start))
		return memory_missing(h->runtime->memory, rd->vars, "a variable of the collector",
				      rd->err);
	if (start != UINT32_MAX && start != GENERATION_START)
		return error_set(rd->err, ERROR_INPUT,
				 "the start of a generation is at offset %u; 64 (segments) or -1 "
				 "(regions) was expected",
				 start);
	h->has_regions = start == UINT32_MAX;
	if (h->minor >= ADAPTATION_SINCE_MINOR && variable_u32(rd, AT_ADAPTATION, &adaptation))
		h->adaptation = (int32_t)adaptation;
	return true;
}

/* --- heaps --------------------------------------------------------------- */

static bool
read_workstation(struct reading *rd)
{
	struct clr_heap *heap = arena_new(&rd->h->arena, struct clr_heap, rd->err);

	if (!heap)
		return false;
	rd->h->heaps = heap;
	rd->h->heaps_count = 1;
	return (field(rd, AT_GENERATIONS, &heap->generations) &&
		variable(rd, AT_ALLOC_ALLOCATED, &heap->alloc_allocated) &&
		variable(rd, AT_EPHEMERAL, &heap->ephemeral) &&
		variable(rd, AT_FINALIZE_QUEUE, &heap->finalize_queue)) ||
	       memory_missing(rd->h->runtime->memory, rd->vars, "a variable of the collector",
			      rd->err);
}

static bool
read_server_heap(const struct reading *rd, const uint32_t *offsets, struct clr_heap *heap)
{
	heap->generations = heap->address + offsets[OFFSET_GENERATIONS];
	return memory_u64(rd->r, heap->address + offsets[OFFSET_ALLOC_ALLOCATED],
			  &heap->alloc_allocated) &&
	       memory_u64(rd->r, heap->address + offsets[OFFSET_EPHEMERAL], &heap->ephemeral) &&
	       memory_u64(rd->r, heap->address + offsets[OFFSET_FINALIZE_QUEUE],
			  &heap->finalize_queue);
}

static bool
read_heap_offsets(const struct reading *rd, uint32_t *offsets)
{
	uint64_t at;

	if (!field(rd, AT_HEAP_OFFSETS, &at) || !at)
		return false;
	for (uint64_t i = 0; i <= OFFSET_FREE_REGIONS; i++) {
		if (!memory_u32(rd->r, at + 4 * i, &offsets[i]))
			return false;
	}
	return true;
}

/* A dump of type Triage may lack the list of heaps: it has none of their ranges, either. */
static bool
lacks_heaps(struct reading *rd, uint64_t list)
{
	uint64_t first;

	if (!rd->h->runtime->memory->is_dump || memory_u64(rd->r, list, &first))
		return false;
	rd->h->absent_count++;
	return true;
}

static bool
read_server(struct reading *rd, uint32_t count)
{
	const struct memory *m = rd->h->runtime->memory;
	uint32_t offsets[OFFSET_FREE_REGIONS + 1];
	struct clr_heap *heaps;
	uint64_t list;

	if (!count || count > HEAPS_MAX)
		return error_set(rd->err, ERROR_INPUT,
				 "the collector has %u heaps; 1 to %d were expected", count,
				 HEAPS_MAX);
	heaps = arena_array(&rd->h->arena, struct clr_heap, count, rd->err);
	if (!heaps)
		return false;
	if (!read_heap_offsets(rd, offsets) || !variable(rd, AT_HEAPS, &list))
		return memory_missing(m, rd->vars, "the list of heaps", rd->err);
	if (lacks_heaps(rd, list))
		return true;
	for (uint32_t i = 0; i < count; i++) {
		if (!memory_u64(rd->r, list + 8 * (uint64_t)i, &heaps[i].address) ||
		    !read_server_heap(rd, offsets, &heaps[i]))
			return memory_missing(m, heaps[i].address, "a heap", rd->err);
	}
	rd->h->heaps = heaps;
	rd->h->heaps_count = count;
	return true;
}

static bool
read_heaps(struct reading *rd)
{
	uint64_t count_at, list_at;
	uint32_t count;

	if (!field(rd, AT_HEAPS_COUNT, &count_at) || !field(rd, AT_HEAPS, &list_at))
		return memory_missing(rd->h->runtime->memory, rd->vars, "the number of heaps",
				      rd->err);
	rd->h->is_server = count_at && list_at;
	if (!rd->h->is_server)
		return read_workstation(rd);
	return memory_u32(rd->r, count_at, &count)
		   ? read_server(rd, count)
		   : memory_missing(rd->h->runtime->memory, count_at, "the number of heaps",
				    rd->err);
}

/* --- contexts ------------------------------------------------------------ */

static bool
add_context(struct reading *rd, uint64_t pointer, uint64_t limit)
{
	struct clr_heaps *h = rd->h;

	if (!pointer || h->contexts_count == CONTEXTS_MAX)
		return true;
	if (limit < pointer) {
		clr_doubt(&h->doubts, "an allocation context ends before it starts (0x%" PRIx64 ")",
			  pointer);
		return true;
	}
	return APPEND(rd->contexts, h->contexts_count, rd->contexts_room, rd->err,
		      (struct clr_context){ pointer, limit });
}

static bool
read_contexts(struct reading *rd)
{
	const struct clr_runtime *rt = rd->h->runtime;

	for (size_t i = 0; i < rt->threads_count; i++) {
		if (!add_context(rd, rt->threads[i].alloc_pointer, rt->threads[i].alloc_limit))
			return false;
	}
	for (uint32_t i = 0; i < rd->h->heaps_count; i++) {
		for (uint64_t g = 0; g < GENERATIONS_COUNT; g++) {
			uint64_t at = rd->h->heaps[i].generations + g * rt->generation_bytes +
				      rt->layout.offset[CLR_GENERATION_CONTEXT];
			uint64_t pointer, limit;

			if (clr_u64(&rt->layout, rd->r, at, CLR_ALLOC_POINTER, &pointer) &&
			    clr_u64(&rt->layout, rd->r, at, CLR_ALLOC_LIMIT, &limit) &&
			    !add_context(rd, pointer, limit))
				return false;
		}
	}
	SORT_BY(rd->contexts, rd->h->contexts_count, pointer);
	return true;
}

/* --- ranges -------------------------------------------------------------- */

static bool
read_segment(const struct reading *rd, uint64_t at, struct clr_range *range, uint64_t *next)
{
	const struct clr_layout *l = &rd->h->runtime->layout;
	struct memory_reader *r = rd->r;

	*range = (struct clr_range){ .segment = at };
	return clr_u64(l, r, at, CLR_SEGMENT_ALLOCATED, &range->end) &&
	       clr_u64(l, r, at, CLR_SEGMENT_COMMITTED, &range->committed) &&
	       clr_u64(l, r, at, CLR_SEGMENT_RESERVED, &range->reserved) &&
	       clr_u64(l, r, at, CLR_SEGMENT_MEM, &range->start) &&
	       clr_u64(l, r, at, CLR_SEGMENT_FLAGS, &range->flags) &&
	       clr_u64(l, r, at, CLR_SEGMENT_NEXT, next);
}

/* Starts of gen0 and gen1 in the segment that they share. */
static void
read_ephemeral_starts(const struct reading *rd, const struct clr_heap *heap,
		      struct clr_range *range)
{
	for (uint64_t g = 0; g < 2; g++) {
		uint64_t at =
		    heap->generations + g * rd->h->runtime->generation_bytes + GENERATION_START;

		if (rd->h->has_regions || !range->is_ephemeral ||
		    !memory_u64(rd->r, at, &range->ephemeral_start[g]))
			range->ephemeral_start[g] = UINT64_MAX;
	}
}

static bool
add_range(struct reading *rd, uint32_t number, uint64_t generation, struct clr_range *range)
{
	struct clr_heaps *h = rd->h;
	const struct clr_heap *heap = &h->heaps[number];

	range->heap = number;
	range->generation =
	    (uint8_t)(range->flags & SEGMENT_READ_ONLY ? (uint64_t)GEN_FROZEN : generation);
	range->is_ephemeral = range->segment == heap->ephemeral;
	if (range->is_ephemeral)
		range->end = heap->alloc_allocated;
	read_ephemeral_starts(rd, heap, range);
	if (range->start % 8 || range->end % 8 || range->start > range->end ||
	    range->end > range->committed || range->committed > range->reserved) {
		clr_doubt(&h->doubts,
			  "the %s at 0x%" PRIx64 " is damaged: objects 0x%" PRIx64 "-0x%" PRIx64
			  ", committed to 0x%" PRIx64,
			  h->has_regions ? "region" : "segment", range->segment, range->start,
			  range->end, range->committed);
		return true;
	}
	return APPEND(rd->ranges, h->ranges_count, rd->ranges_room, rd->err, *range);
}

/* Brent's algorithm finds cycles: the kept segment moves on at powers of 2. */
static bool
read_chain(struct reading *rd, uint32_t heap, uint64_t generation)
{
	struct clr_heaps *h = rd->h;
	uint64_t at, kept = 0;
	size_t steps = 0, keep_at = 1;

	if (!clr_u64(&h->runtime->layout, rd->r,
		     h->heaps[heap].generations + generation * h->runtime->generation_bytes,
		     CLR_GENERATION_SEGMENT, &at)) {
		h->absent_count++;
		clr_doubt(&h->doubts, "a generation of heap %u is not in memory", heap);
		return true;
	}
	while (at && at != kept && h->ranges_count < RANGES_MAX &&
	       rd->segments_count++ < SEGMENTS_MAX) {
		struct clr_range range;
		uint64_t next;

		if (++steps == keep_at) {
			kept = at;
			keep_at *= 2;
		}
		if (!read_segment(rd, at, &range, &next)) {
			h->absent_count++;
			clr_doubt(&h->doubts, "the %s at 0x%" PRIx64 " is not in memory",
				  h->has_regions ? "region" : "segment", at);
			return true;
		}
		if (!add_range(rd, heap, generation, &range))
			return false;
		at = next;
	}
	if (at)
		clr_doubt(&h->doubts, "the list of %s of heap %u has no end",
			  h->has_regions ? "regions" : "segments", heap);
	return true;
}

/* Sorts the ranges and drops one that overlaps the range before it. */
static void
tidy_ranges(struct reading *rd)
{
	struct clr_heaps *h = rd->h;
	size_t count = 0;

	if (!rd->ranges || !h->ranges_count)
		return;
	SORT_BY(rd->ranges, h->ranges_count, start);
	for (size_t i = 0; i < h->ranges_count; i++) {
		struct clr_range *range = &rd->ranges[i];

		if (count && range->segment == rd->ranges[count - 1].segment)
			continue;
		if (count && range->start < rd->ranges[count - 1].end) {
			clr_doubt(&h->doubts, "two ranges of objects overlap at 0x%" PRIx64,
				  range->start);
			continue;
		}
		rd->ranges[count++] = *range;
	}
	h->ranges_count = count;
}

static bool
read_ranges(struct reading *rd)
{
	/* With segments, gen0 to gen2 share the chain of gen2. */
	uint64_t first = rd->h->has_regions ? GEN_0 : GEN_2;

	for (uint32_t i = 0; i < rd->h->heaps_count; i++) {
		for (uint64_t g = first; g < GENERATIONS_COUNT; g++) {
			if (!read_chain(rd, i, g))
				return false;
		}
	}
	tidy_ranges(rd);
	return true;
}

/* --- opening ------------------------------------------------------------- */

struct clr_heaps *
clr_heaps_open(const struct clr_runtime *rt, struct error *err)
{
	struct clr_heaps *h = memory_new(1, sizeof(*h), err);
	struct reading rd = { .h = h, .r = rt->reader, .vars = rt->gc_vars, .err = err };

	if (!h)
		return NULL;
	h->runtime = rt;
	arena_init(&h->arena, 0);
	h->doubts.arena = &h->arena;
	if (read_state(&rd) && read_heaps(&rd) && read_contexts(&rd) && read_ranges(&rd)) {
		h->ranges = rd.ranges;
		h->contexts = rd.contexts;
		return h;
	}
	memory_free(rd.ranges);
	memory_free(rd.contexts);
	clr_heaps_close(h);
	return NULL;
}

void
clr_heaps_close(struct clr_heaps *h)
{
	if (!h)
		return;
	memory_free((void *)(uintptr_t)h->ranges);
	memory_free((void *)(uintptr_t)h->contexts);
	arena_clear(&h->arena);
	memory_free(h);
}

/* --- queries ------------------------------------------------------------- */

enum generation
clr_range_generation(const struct clr_range *range, uint64_t address)
{
	if (address >= range->ephemeral_start[0])
		return GEN_0;
	if (address >= range->ephemeral_start[1])
		return GEN_1;
	return (enum generation)range->generation;
}

bool
clr_range_is_unswept(const struct clr_heaps *h, const struct clr_range *range)
{
	return h->state == CLR_STATE_SWEEPING &&
	       !(range->flags & (SEGMENT_READ_ONLY | SEGMENT_SWEPT));
}

uint64_t
clr_heaps_bytes(const struct clr_heaps *h)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < h->ranges_count; i++)
		bytes += h->ranges[i].end - h->ranges[i].start;
	return bytes;
}

const struct clr_range *
clr_heaps_range_at(const struct clr_heaps *h, uint64_t address)
{
	size_t at;

	LOWER_BOUND(at, 0, h->ranges_count, h->ranges[at].end <= address);
	if (at == h->ranges_count || h->ranges[at].start > address)
		return NULL;
	return &h->ranges[at];
}

/* A list of free regions begins with u64 count, size, committed size. */
static void
add_free(const struct reading *rd, uint64_t list, unsigned lists, struct clr_free_regions *sum)
{
	enum { LIST_BYTES = 56 };

	for (uint64_t i = 0; list && i < lists; i++) {
		uint64_t at = list + i * LIST_BYTES, count, bytes, committed;

		if (!memory_u64(rd->r, at, &count) || !memory_u64(rd->r, at + 8, &bytes) ||
		    !memory_u64(rd->r, at + 16, &committed) || count > RANGES_MAX ||
		    committed > bytes)
			continue;
		sum->count += count;
		sum->bytes += bytes;
		sum->committed += committed;
	}
}

struct clr_free_regions
clr_heaps_free(const struct clr_heaps *h)
{
	struct reading rd = { .r = h->runtime->reader, .vars = h->runtime->gc_vars };
	struct clr_free_regions sum = { 0 };
	uint32_t offsets[OFFSET_FREE_REGIONS + 1];
	uint64_t list;

	if (!h->has_regions)
		return sum;
	if (field(&rd, AT_FREE_TO_DECOMMIT, &list))
		add_free(&rd, list, 3, &sum);
	if (field(&rd, AT_FREE_HUGE, &list))
		add_free(&rd, list, 1, &sum);
	if (!h->is_server && field(&rd, AT_FREE_REGIONS, &list))
		add_free(&rd, list, 3, &sum);
	if (!h->is_server || !read_heap_offsets(&rd, offsets) ||
	    offsets[OFFSET_FREE_REGIONS] == UINT32_MAX)
		return sum;
	for (uint32_t i = 0; i < h->heaps_count; i++)
		add_free(&rd, h->heaps[i].address + offsets[OFFSET_FREE_REGIONS], 3, &sum);
	return sum;
}
