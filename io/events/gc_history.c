#include "io/events/gc_history.h"
#include "io/events/gc_events.h"

/* Once a field is missing, so are all that follow. */
static bool
has_more(struct bytes *b, size_t size)
{
	if (bytes_left(b) >= size)
		return true;
	b->at = b->len;
	return false;
}

static uint64_t
maybe_u64(struct bytes *b)
{
	return has_more(b, 8) ? bytes_u64(b, "a size") : GC_UNKNOWN;
}

static uint32_t
maybe_u32(struct bytes *b)
{
	return has_more(b, 4) ? bytes_u32(b, "a number") : GC_UNKNOWN32;
}

static uint64_t
maybe_pointer(struct bytes *b, unsigned pointer_bytes)
{
	uint32_t number;

	if (pointer_bytes != 4)
		return maybe_u64(b);
	number = maybe_u32(b);
	return number == GC_UNKNOWN32 ? GC_UNKNOWN : number;
}

static void
maybe_skip(struct bytes *b, size_t size)
{
	if (has_more(b, size))
		bytes_skip(b, size, "a field");
}

uint32_t
gc_first_number(const struct nettrace_event *event)
{
	struct error ignored;
	struct bytes b = gc_payload(event, &ignored);

	return maybe_u32(&b);
}

void
gc_history_start(struct gc_record *r, const struct nettrace_event *event)
{
	enum { SIZE_WITH_TYPE = 16 };
	struct error ignored;
	struct bytes b = gc_payload(event, &ignored);

	r->number = maybe_u32(&b);
	if (event->payload_len < SIZE_WITH_TYPE) {
		r->reason = maybe_u32(&b);
		return;
	}
	r->generation = maybe_u32(&b);
	r->reason = maybe_u32(&b);
	r->kind = maybe_u32(&b);
	maybe_skip(&b, 2);
	r->client_sequence = maybe_u64(&b);
}

void
gc_history_stats(struct gc_record *r, const struct nettrace_event *event)
{
	struct error ignored;
	struct bytes b = gc_payload(event, &ignored);

	for (int g = 0; g < GC_GENERATION_PINNED; g++) {
		r->size_after[g] = maybe_u64(&b);
		r->promoted[g] = maybe_u64(&b);
	}
	r->finalized_bytes = maybe_u64(&b);
	r->finalized = maybe_u64(&b);
	r->pinned = maybe_u32(&b);
	r->sync_blocks = maybe_u32(&b);
	r->handles = maybe_u32(&b);
	maybe_skip(&b, 2);
	r->size_after[GC_GENERATION_PINNED] = maybe_u64(&b);
	r->promoted[GC_GENERATION_PINNED] = maybe_u64(&b);
}

static void
read_phases(struct gc_record *r, struct bytes *b)
{
	uint32_t count = maybe_u32(b);

	if (count == GC_UNKNOWN32)
		return;
	for (uint32_t i = 0; i < count && i < GC_PHASES; i++) {
		uint32_t us = maybe_u32(b);

		if (us != GC_UNKNOWN32)
			r->phases_ns[i] = (uint64_t)us * 1000;
	}
}

void
gc_history_global(struct gc_record *r, const struct nettrace_event *event)
{
	struct error ignored;
	struct bytes b = gc_payload(event, &ignored);

	r->gen0_budget = maybe_u64(&b);
	r->reported_heaps_count = maybe_u32(&b);
	maybe_skip(&b, 4); /* the generation, as at the start */
	r->gen0_reductions = maybe_u32(&b);
	maybe_skip(&b, 4); /* the reason, likewise */
	r->mechanisms = maybe_u32(&b);
	maybe_skip(&b, 2);
	r->pause_mode = maybe_u32(&b);
	r->memory_load = maybe_u32(&b);
	r->reasons[0] = maybe_u32(&b);
	r->reasons[1] = maybe_u32(&b);
	read_phases(r, &b);
}

bool
gc_history_is_concurrent(const struct nettrace_event *event)
{
	struct gc_record r;

	gc_record_init(&r);
	gc_history_global(&r, event);
	return r.mechanisms != GC_UNKNOWN32 && (r.mechanisms & GC_CONCURRENT);
}

static void
read_generations(struct gc_heap *heap, struct bytes *b, unsigned pointer_bytes)
{
	uint32_t count = maybe_u32(b);

	for (uint32_t g = 0; g < count && g < GC_GENERATIONS; g++) {
		if (bytes_left(b) < (size_t)GC_SIZES * pointer_bytes)
			return;
		heap->generations_count = g + 1;
		for (int i = 0; i < GC_SIZES; i++)
			heap->generations[g].sizes[i] = maybe_pointer(b, pointer_bytes);
	}
}

/* Reads the fields in the order of the event, but the number of the heap. */
static void
read_heap(struct gc_heap *heap, struct bytes *b, unsigned pointer_bytes)
{
	heap->free_list_allocated = maybe_pointer(b, pointer_bytes);
	heap->free_list_rejected = maybe_pointer(b, pointer_bytes);
	heap->end_of_segment_allocated = maybe_pointer(b, pointer_bytes);
	heap->condemned_allocated = maybe_pointer(b, pointer_bytes);
	heap->pinned_allocated = maybe_pointer(b, pointer_bytes);
	heap->pinned_allocated_advance = maybe_pointer(b, pointer_bytes);
	heap->free_list_efficiency = maybe_u32(b);
	heap->reasons[0] = maybe_u32(b);
	heap->reasons[1] = maybe_u32(b);
	heap->compact = maybe_u32(b);
	heap->expand = maybe_u32(b);
	maybe_skip(b, 4);
	heap->extra_gen0_commit = maybe_pointer(b, pointer_bytes);
	read_generations(heap, b, pointer_bytes);
}

bool
gc_history_heap(struct gc_record *r, const struct nettrace_event *event, unsigned pointer_bytes,
		struct error *err)
{
	enum { VERSION_OF_CORE = 3, NUMBERS_BEFORE_HEAP = 5 };
	unsigned size = pointer_bytes == 4 ? 4 : 8;
	struct error ignored;
	struct bytes b = gc_payload(event, &ignored);
	size_t heap_at = 2 + 6 * (size_t)size + 4 * NUMBERS_BEFORE_HEAP;
	struct gc_heap *heap;
	uint32_t number;

	/* The .NET Framework's event of this id is different. */
	if (event->version < VERSION_OF_CORE || bytes_left(&b) < heap_at + 4)
		return true;
	bytes_seek(&b, heap_at, "the number of a heap");
	number = bytes_u32(&b, "the number of a heap");
	bytes_seek(&b, 2, "the sizes of a heap");
	if (number >= GC_HEAPS_MAX)
		return true;
	heap = gc_record_heap(r, number, err);
	if (heap)
		read_heap(heap, &b, size);
	return heap || err->kind == ERROR_NONE;
}

bool
gc_history_mark(struct gc_record *r, const struct nettrace_event *event, struct error *err)
{
	struct error ignored;
	struct bytes b = gc_payload(event, &ignored);
	uint32_t number = maybe_u32(&b), whose;
	struct gc_heap *heap;
	uint64_t bytes;

	maybe_skip(&b, 2);
	whose = maybe_u32(&b);
	bytes = maybe_u64(&b);
	if (bytes == GC_UNKNOWN || number >= GC_HEAPS_MAX || whose >= GC_MARKS)
		return true;
	heap = gc_record_heap(r, number, err);
	if (heap)
		gc_add(&heap->marked[whose], bytes);
	return heap || err->kind == ERROR_NONE;
}

static bool
is_name(struct bytes *b, const char *name)
{
	do
		if (!has_more(b, 2) || bytes_u16(b, "a name") != (unsigned char)*name)
			return false;
	while (*name++);
	return true;
}

bool
gc_committed_read(struct gc_committed *committed, const struct nettrace_event *event)
{
	enum { PARTS = 4 };
	struct error ignored;
	struct bytes b = gc_payload(event, &ignored);

	*committed = (struct gc_committed){ GC_UNKNOWN, GC_UNKNOWN };
	if (!is_name(&b, "CommittedUsage"))
		return false;
	maybe_skip(&b, 4 + 2);
	for (int i = 0; i < PARTS; i++)
		gc_add(&committed->bytes, maybe_u64(&b));
	committed->bookkeeping = maybe_u64(&b);
	return true;
}

bool
gc_join_read(struct gc_join *join, const struct nettrace_event *event)
{
	struct error ignored;
	struct bytes b = gc_payload(event, &ignored);

	join->heap = maybe_u32(&b);
	join->is_end = maybe_u32(&b);
	join->kind = maybe_u32(&b);
	return join->kind != GC_UNKNOWN32;
}
