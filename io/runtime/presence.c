#include "io/runtime/presence.h"
#include <inttypes.h>
#include <string.h>

#define SHARED "/memfd:doublemapper"

enum {
	PAGE = 4096,
	SAMPLES = 4096,
	ENOUGH = 4, /* one page in this many must be present */
};

/* Pages sampled, one per step of each range, and those present. */
struct sample {
	uint64_t seen, present;
};

static void
sample_range(struct sample *s, const struct memory *m, const struct clr_range *range, uint64_t step)
{
	for (uint64_t at = range->start; at < range->end;) {
		uint8_t byte;

		s->seen++;
		s->present += memory_copy(m, at, &byte, 1) == 1;
		if (range->end - at <= step)
			return;
		at += step;
	}
}

const char clr_presence_no_heap[] =
    "this dump has no heap, only threads and their stacks (:threads, :stacks, :pstacks), like all "
    "of type Mini and Triage; for objects: createdump --withheap PID, or DOTNET_DbgMiniDumpType=2 "
    "before a crash";

/* Returns true if the innermost part of any stack is in the dump. */
static bool
has_stacks(const struct memory *m)
{
	uint8_t byte;

	for (size_t i = 0; i < m->threads_count; i++)
		if (memory_copy(m, m->threads[i].sp, &byte, 1) == 1)
			return true;
	return false;
}

static bool
do_without(const struct memory *m, bool *lacks_heap, struct error *err)
{
	if (m->cut_bytes)
		return error_set(err, ERROR_INPUT,
				 "%s is cut short: %" PRIu64
				 " bytes of memory are missing, among them most of the heap; copy "
				 "the file again",
				 m->name, m->cut_bytes);
	if (!has_stacks(m))
		return error_set(err, ERROR_INPUT,
				 "%s lacks most or all of the heap, and has no stacks; make a dump "
				 "of type Heap: createdump --withheap PID, or "
				 "DOTNET_DbgMiniDumpType=2 before a crash",
				 m->name);
	if (!lacks_heap)
		return error_set(err, ERROR_INPUT, "%s", clr_presence_no_heap);
	*lacks_heap = true;
	return true;
}

/* True if the type of the first object lies in shared memory and is absent. */
static bool
lacks_type(struct memory_reader *r, const struct clr_range *range)
{
	const struct memory *m = memory_reader_memory(r);
	const struct memory_mapping *mapping;
	uint64_t type, word;

	if (!memory_u64(r, range->start, &type))
		return false;
	type &= ~CLR_OBJECT_MARKS;
	mapping = memory_mapping_at(m, type);
	return mapping && !strncmp(mapping->name, SHARED, strlen(SHARED)) &&
	       !memory_u64(r, type, &word);
}

/*
 * The runtime keeps its types in memory that it has mapped twice, which is shared. The kernel
 * leaves that out if bit 1 of coredump_filter is clear.
 */
static bool
check_types(const struct clr_heaps *heaps, struct error *err)
{
	const struct memory *m = heaps->runtime->memory;
	size_t seen = 0, lacking = 0;

	for (size_t i = 0; i < heaps->ranges_count; i++) {
		const struct clr_range *range = &heaps->ranges[i];

		if (range->start >= range->end)
			continue;
		seen++;
		lacking += lacks_type(heaps->runtime->reader, range);
	}
	return !seen || lacking < seen ||
	       error_set(err, ERROR_INPUT,
			 "%s lacks the shared memory in which .NET has its types: the "
			 "coredump_filter of the process left it out; before the next crash: echo "
			 "0x33 >/proc/PID/coredump_filter",
			 m->name);
}

bool
clr_presence_check(const struct clr_heaps *heaps, bool *lacks_heap, struct error *err)
{
	const struct memory *m = heaps->runtime->memory;
	uint64_t step = clr_heaps_bytes(heaps) / SAMPLES;
	struct sample s = { 0, 0 };

	if (!m->is_dump)
		return true;
	/* Ranges without a record have no known size to sample. */
	if (heaps->absent_count && heaps->absent_count >= heaps->ranges_count)
		return do_without(m, lacks_heap, err);
	step = step < PAGE ? PAGE : step;
	for (size_t i = 0; i < heaps->ranges_count; i++)
		sample_range(&s, m, &heaps->ranges[i], step);
	return s.present >= (s.seen + ENOUGH - 1) / ENOUGH ? check_types(heaps, err)
							   : do_without(m, lacks_heap, err);
}
