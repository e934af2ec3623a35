#include "io/runtime/code_search.h"

enum {
	ENTRY_BYTES_X64 = 12,
	ENTRY_BYTES_ARM64 = 8,
};

bool
clr_code_step(struct clr_code_search *s)
{
	if (!s->steps_left)
		return clr_code_fail(s, "the runtime's lists of code are too long, or cyclic");
	s->steps_left--;
	return true;
}

bool
clr_code_fail(struct clr_code_search *s, const char *why)
{
	s->out->why = why;
	return false;
}

bool
clr_code_fail_absent(struct clr_code_search *s)
{
	return clr_code_fail(s, "what the runtime knows about the code there is not in memory");
}

void
clr_code_set_entry(struct clr_code_search *s, const struct clr_code_entry *entry)
{
	s->out->entry = entry->begin;
	s->out->entry_end = entry->end;
	s->out->unwind = entry->unwind;
	s->out->section = s->section.begin;
}

static bool
is_arm64(const struct clr_code_search *s)
{
	return memory_reader_memory(s->reader)->machine == MEMORY_ARM64;
}

uint64_t
clr_code_entry_bytes(const struct clr_code_search *s)
{
	return is_arm64(s) ? ENTRY_BYTES_ARM64 : ENTRY_BYTES_X64;
}

/* The length of a function on arm64: packed into the entry, or in the first word of its unwind
 * record. */
static bool
read_length(const struct clr_code_search *s, uint32_t unwind, uint32_t *length)
{
	uint32_t word;

	if (unwind & 3) {
		*length = 4 * (unwind >> 2 & 0x7ff);
		return true;
	}
	if (!memory_u32(s->reader, s->section.begin + unwind, &word))
		return false;
	*length = 4 * (word & 0x3ffff);
	return true;
}

bool
clr_code_entry_read(const struct clr_code_search *s, uint64_t at, struct clr_code_entry *out)
{
	uint8_t bytes[ENTRY_BYTES_X64];
	uint32_t begin, end, unwind;

	if (!memory_read(s->reader, at, bytes, clr_code_entry_bytes(s)))
		return false;
	begin = bytes_load_u32(bytes);
	end = bytes_load_u32(bytes + 4);
	unwind = end;
	if (is_arm64(s)) {
		if (!read_length(s, unwind, &end))
			return false;
		end += begin;
	} else {
		unwind = bytes_load_u32(bytes + 8);
	}
	out->begin = s->section.begin + begin;
	out->end = s->section.begin + end;
	out->unwind = s->section.begin + unwind;
	return true;
}
