#include "io/runtime/code_jitted.h"

enum {
	WORD_BYTES = 256,  /* of code for one word of the map */
	BUCKET_BYTES = 32, /* for 4 bits of it */
	BUCKETS = WORD_BYTES / BUCKET_BYTES,
	START_BYTES = 4, /* starts are multiples of this */
	STARTS = BUCKET_BYTES / START_BYTES,
	FIRST_POINTER = 9, /* lowest 4 bits of a word that points */
	LAST_POINTER = 12,
	STUB_KIND_MAX = 15, /* in place of the address of a header */
	ENTRIES_MAX = 4096,
};

/* Finds the last start in a word of the map, up to a bucket and, in that, up to the value
 * `limit`. */
static bool
find_in_word(uint32_t word, unsigned bucket, unsigned limit, uint64_t *offset)
{
	for (unsigned i = bucket + 1; i-- > 0; limit = STARTS) {
		unsigned value = word >> 4 * (BUCKETS - 1 - i) & 15;

		if (!value || value > limit)
			continue;
		*offset = BUCKET_BYTES * (uint64_t)i + START_BYTES * (value - 1);
		return true;
	}
	return false;
}

static bool
is_pointer(uint32_t word)
{
	return (word & 15) >= FIRST_POINTER && (word & 15) <= LAST_POINTER;
}

static uint64_t
pointer_offset(uint32_t word)
{
	return (word & ~15u) + START_BYTES * ((word & 15) - FIRST_POINTER);
}

/* Finds the last start at or before the address, as an offset from the base.
 */
static bool
find_offset(struct clr_code_search *s, uint64_t map, uint64_t wanted, uint64_t *offset)
{
	unsigned bucket = (unsigned)(wanted % WORD_BYTES / BUCKET_BYTES);
	unsigned limit = (unsigned)(wanted % BUCKET_BYTES / START_BYTES + 1);

	for (uint64_t i = wanted / WORD_BYTES + 1; i-- > 0;) {
		uint32_t word;

		if (!clr_code_step(s))
			return false;
		if (!memory_u32(s->reader, map + 4 * i, &word))
			return clr_code_fail_absent(s);
		if (is_pointer(word)) {
			*offset = pointer_offset(word);
			return true;
		}
		if (find_in_word(word, bucket, limit, offset)) {
			*offset += WORD_BYTES * i;
			return true;
		}
		bucket = BUCKETS - 1;
		limit = STARTS;
	}
	return false;
}

static bool
find_start(struct clr_code_search *s, uint64_t *start)
{
	const struct clr_layout *l = s->layout;
	uint64_t base, map, offset = 0;

	if (!clr_u64(l, s->reader, s->section.heap, CLR_CODE_HEAP_BASE, &base) ||
	    !clr_u64(l, s->reader, s->section.heap, CLR_CODE_HEAP_MAP, &map))
		return clr_code_fail_absent(s);
	if (s->address < base || !find_offset(s, map, s->address - base, &offset))
		return false;
	*start = base + offset;
	if (*start > s->address || *start < s->section.begin)
		return clr_code_fail(s, "the map of the code is damaged");
	return true;
}

/* Checks that one of the method's entries contains the address. */
static bool
check_entries(struct clr_code_search *s, uint64_t header, uint64_t start)
{
	const uint64_t bytes = clr_code_entry_bytes(s);
	uint64_t at = header + s->layout->offset[CLR_CODE_HEADER_ENTRIES];
	struct clr_code_entry entry;
	uint32_t count;

	if (!clr_u32(s->layout, s->reader, header, CLR_CODE_HEADER_COUNT, &count))
		return clr_code_fail_absent(s);
	if (!count || count > ENTRIES_MAX)
		return clr_code_fail(s, "the header of the code is damaged");
	for (uint32_t i = 0; i < count; i++, at += bytes) {
		if (!clr_code_step(s))
			return false;
		if (!clr_code_entry_read(s, at, &entry))
			return clr_code_fail_absent(s);
		if (!i && entry.begin != start)
			return clr_code_fail(s, "the header of the code is damaged");
		if (s->address >= entry.begin && s->address < entry.end) {
			clr_code_set_entry(s, &entry);
			return true;
		}
	}
	return false;
}

bool
clr_code_find_jitted(struct clr_code_search *s)
{
	uint64_t start = 0, header;

	if (!find_start(s, &start))
		return false;
	if (!memory_u64(s->reader, start - 8, &header))
		return clr_code_fail_absent(s);
	if (header <= STUB_KIND_MAX) {
		s->out->kind = CLR_CODE_STUB;
		return clr_code_fail(s, "the runtime generated the code there");
	}
	if (!check_entries(s, header, start))
		return false;
	s->out->start = start;
	s->out->offset = s->address - start;
	if (!clr_u64(s->layout, s->reader, header, CLR_CODE_HEADER_GC_INFO, &s->out->gc_info))
		return clr_code_fail_absent(s);
	return clr_u64(s->layout, s->reader, header, CLR_CODE_HEADER_METHOD, &s->out->record)
		   ? true
		   : clr_code_fail_absent(s);
}
