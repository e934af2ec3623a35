#include "io/clr/frames.h"
#include "io/clr/stacks.h"
#include "io/runtime/code.h"
#include "io/runtime/methods.h"
#include "model/heap/name_method.h"

enum {
	CALL_MAX = 7,        /* bytes of a call instruction, x64 */
	LOOK_UPS_MAX = 4096, /* of one thread */
	STACK_MAX = 1 << 20, /* bytes of a stack that are examined */
	WORDS_AT_ONCE = 512,
};

struct searching {
	const struct clr_runtime *runtime;
	const struct memory *memory;
	struct memory_reader *reader;
	const struct clr_names *names;
	struct content_frame *out;
	uint32_t max, count, look_ups;
	struct arena *arena;
	struct error *err;
};

/* Most words are no code. */
static bool
is_code(const struct memory *m, uint64_t address)
{
	const struct memory_mapping *map = memory_mapping_at(m, address);

	return map && map->flags & MEMORY_EXECUTE;
}

/* True if the instruction before the address is a call. */
static bool
follows_call(const struct searching *s, uint64_t address)
{
	uint8_t bytes[CALL_MAX];
	uint32_t word;

	if (s->memory->machine == MEMORY_ARM64)
		return memory_u32(s->reader, address - 4, &word) &&
		       ((word & 0xfc000000) == 0x94000000 || (word & 0xfffffc1f) == 0xd63f0000);
	if (!memory_read(s->reader, address - CALL_MAX, bytes, CALL_MAX))
		return false;
	if (bytes[CALL_MAX - 5] == 0xe8)
		return true;
	for (int i = 0; i + 1 < CALL_MAX; i++)
		if (bytes[i] == 0xff && (bytes[i + 1] >> 3 & 7) == 2)
			return true;
	return false;
}

static bool
add_method(struct searching *s, const struct clr_method *method)
{
	const struct clr_module *module =
	    clr_modules_find(s->names->modules, clr_name_module(s->names, method->table), s->err);
	struct content_frame *frame = &s->out[s->count];
	unsigned flags;

	if (!module)
		return false;
	frame->module = module->path;
	frame->type = clr_name_of(s->names, method->table, s->arena, &flags, s->err);
	if (!frame->type)
		return false;
	frame->text = name_method(frame->type, method->name, s->arena, s->err);
	s->count++;
	return frame->text != NULL;
}

/* A call that never returns may be the last instruction of a method, so the call itself is looked
 * up. Dynamic methods are left out. */
static bool
scan_word(struct searching *s, uint64_t word)
{
	struct clr_method method;
	struct clr_code code;

	if (!is_code(s->memory, word) || !follows_call(s, word) || s->look_ups++ >= LOOK_UPS_MAX ||
	    !clr_code_find(s->runtime, s->reader, word - 1, &code))
		return true;
	if (!clr_method_of_record(s->names, code.record, &method, s->err))
		return s->err->kind == ERROR_NONE;
	return add_method(s, &method);
}

static bool
scan_range(struct searching *s, uint64_t at, uint64_t end)
{
	uint8_t words[8 * WORDS_AT_ONCE];

	at = (at + 7) & ~UINT64_C(7);
	if (end > at && end - at > STACK_MAX)
		end = at + STACK_MAX;
	while (at < end && s->count < s->max) {
		size_t wanted = end - at < sizeof words ? (size_t)(end - at) : sizeof words;
		size_t got = memory_copy(s->memory, at, words, wanted);

		for (size_t i = 0; i < got / 8 && s->count < s->max; i++)
			if (!scan_word(s, bytes_load_u64(words + 8 * i)))
				return false;
		if (got < wanted)
			return true;
		at += got;
	}
	return true;
}

bool
clr_frames_read(const struct clr_runtime *rt, const struct clr_names *n, uint64_t os_id,
		struct content_frame *out, uint32_t max, uint32_t *count, struct arena *a,
		struct error *err)
{
	const struct memory *m = rt->memory;
	struct searching s = { .runtime = rt,
			       .memory = m,
			       .reader = rt->reader,
			       .names = n,
			       .out = out,
			       .max = max,
			       .arena = a,
			       .err = err };
	bool is_good = true;

	for (size_t i = 0; is_good && i < m->threads_count; i++) {
		struct clr_stack_range ranges[CLR_STACK_RANGES];
		unsigned ranges_count;

		if ((uint64_t)m->threads[i].tid != os_id)
			continue;
		ranges_count = clr_stack_ranges(rt, &m->threads[i], ranges);
		for (unsigned k = 0; is_good && k < ranges_count; k++)
			is_good = scan_range(&s, ranges[k].start, ranges[k].end);
	}
	*count = s.count;
	return is_good;
}
