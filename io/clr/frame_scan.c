#include "io/clr/frame_scan.h"
#include "io/clr/stacks.h"
#include "io/runtime/code.h"

enum {
	LOOK_UPS_MAX = 4096, /* of one thread */
	STACK_MAX = 1 << 20, /* bytes of a stack that are examined */
	WORDS_AT_ONCE = 512,
};

struct searching {
	const struct clr_runtime *runtime;
	uint32_t look_ups;
	bool (*found)(void *context, uint64_t ip, uint64_t sp, uint64_t record);
	void *context;
};

/* Most words are no code. */
static bool
is_code(const struct memory *m, uint64_t address)
{
	const struct memory_mapping *map = memory_mapping_at(m, address);

	return map && map->flags & MEMORY_EXECUTE;
}

/* True if the instruction before the address, of arm64, is a call. */
static bool
follows_call(const struct searching *s, uint64_t address)
{
	uint32_t word;

	return memory_u32(s->runtime->reader, address - 4, &word) &&
	       ((word & 0xfc000000) == 0x94000000 || (word & 0xfffffc1f) == 0xd63f0000);
}

/* A call that never returns may be the last instruction of a method, so the call itself is looked
 * up. */
static bool
scan_word(struct searching *s, uint64_t word, uint64_t at)
{
	struct clr_code code;

	if (!is_code(s->runtime->memory, word) || !follows_call(s, word) ||
	    s->look_ups++ >= LOOK_UPS_MAX ||
	    !clr_code_find(s->runtime, s->runtime->reader, word - 1, &code))
		return true;
	return s->found(s->context, word, at, code.record);
}

static bool
scan_range(struct searching *s, uint64_t at, uint64_t end)
{
	uint8_t words[8 * WORDS_AT_ONCE];

	at = (at + 7) & ~UINT64_C(7);
	if (end > at && end - at > STACK_MAX)
		end = at + STACK_MAX;
	while (at < end) {
		size_t wanted = end - at < sizeof words ? (size_t)(end - at) : sizeof words;
		size_t got = memory_copy(s->runtime->memory, at, words, wanted);

		for (size_t i = 0; i < got / 8; i++)
			if (!scan_word(s, bytes_load_u64(words + 8 * i), at + 8 * i))
				return false;
		if (got < wanted)
			return true;
		at += got;
	}
	return true;
}

void
clr_frame_scan(const struct clr_runtime *rt, const struct memory_thread *thread,
	       bool (*found)(void *context, uint64_t ip, uint64_t sp, uint64_t record),
	       void *context)
{
	struct searching s = { .runtime = rt, .found = found, .context = context };
	struct clr_stack_range ranges[CLR_STACK_RANGES];
	unsigned count = clr_stack_ranges(rt, thread, ranges);
	bool goes_on = true;

	for (unsigned i = 0; goes_on && i < count; i++)
		goes_on = scan_range(&s, ranges[i].start, ranges[i].end);
}
