#include "io/runtime/code.h"
#include "io/runtime/code_jitted.h"
#include "io/runtime/code_ready.h"

enum {
	LEVELS = 5,
	LEVEL_BITS = 8,
	TOP_SHIFT = 49,
	STUBS_FLAG = 4,      /* in the flags of a section */
	STEPS_MAX = 1 << 14, /* longest known: some hundred */
};

/* Finds the list of fragments for the address; 0: there is none. */
static bool
find_fragments(const struct clr_code_search *s, uint64_t map, uint64_t *first)
{
	*first = map;
	if (s->address >> (TOP_SHIFT + LEVEL_BITS))
		*first = 0;
	for (int shift = TOP_SHIFT, i = 0; *first && i < LEVELS; i++) {
		uint64_t index = s->address >> shift & ((1 << LEVEL_BITS) - 1);

		if (!memory_u64(s->reader, *first + 8 * index, first))
			return false;
		*first &= ~UINT64_C(1);
		shift -= LEVEL_BITS;
	}
	return true;
}

static bool
read_section(struct clr_code_search *s, uint64_t at)
{
	const struct clr_layout *l = s->layout;
	struct clr_code_section *section = &s->section;
	uint64_t deleted;

	if (!clr_u64(l, s->reader, at, CLR_SECTION_BEGIN, &section->begin) ||
	    !clr_u64(l, s->reader, at, CLR_SECTION_END, &section->end) ||
	    !clr_u32(l, s->reader, at, CLR_SECTION_FLAGS, &section->flags) ||
	    !clr_u64(l, s->reader, at, CLR_SECTION_MODULE, &section->module) ||
	    !clr_u64(l, s->reader, at, CLR_SECTION_HEAP, &section->heap) ||
	    !clr_u64(l, s->reader, at, CLR_SECTION_DELETED, &deleted))
		return clr_code_fail_absent(s);
	if (s->address < section->begin || s->address >= section->end)
		return clr_code_fail(s, "the runtime's map of code is damaged");
	if (deleted)
		return clr_code_fail(s, "the code there is being unloaded");
	return true;
}

/* False without a reason: the address is in no section. */
static bool
find_section(struct clr_code_search *s, uint64_t map)
{
	const struct clr_layout *l = s->layout;
	uint64_t at, begin, end, next, section;

	if (!find_fragments(s, map, &at))
		return clr_code_fail_absent(s);
	for (; at; at = next & ~UINT64_C(1)) {
		if (!clr_code_step(s))
			return false;
		if (!clr_u64(l, s->reader, at, CLR_FRAGMENT_BEGIN, &begin) ||
		    !clr_u64(l, s->reader, at, CLR_FRAGMENT_END, &end) ||
		    !clr_u64(l, s->reader, at, CLR_FRAGMENT_SECTION, &section) ||
		    !clr_u64(l, s->reader, at, CLR_FRAGMENT_NEXT, &next))
			return clr_code_fail_absent(s);
		if (s->address >= begin && s->address < end)
			return read_section(s, section);
	}
	return false;
}

/* False without a reason: no method has that address. */
static bool
find_method(struct clr_code_search *s)
{
	const struct clr_code_section *section = &s->section;

	if (section->heap) {
		s->out->kind = CLR_CODE_JITTED;
		return clr_code_find_jitted(s);
	}
	if (section->module) {
		s->out->kind = CLR_CODE_PRECOMPILED;
		s->out->image = section->begin;
		return clr_code_find_ready(s);
	}
	if (!(section->flags & STUBS_FLAG))
		return false;
	s->out->kind = CLR_CODE_STUB;
	return clr_code_fail(s, "the runtime generated the code there");
}

bool
clr_code_find(const struct clr_runtime *rt, struct memory_reader *r, uint64_t address,
	      struct clr_code *out)
{
	static const char nothing[] = "no managed code is there";
	struct clr_code_search s = {
		.layout = &rt->layout,
		.reader = r,
		.address = address,
		.steps_left = STEPS_MAX,
		.out = out,
	};

	*out = (struct clr_code){ .why = nothing };
	if (!rt->code_map)
		return clr_code_fail(&s, "where the runtime keeps its code is unknown");
	if (find_section(&s, rt->code_map) && find_method(&s)) {
		out->why = NULL;
		return true;
	}
	out->record = 0;
	out->gc_info = 0;
	if (out->why == nothing)
		out->kind = CLR_CODE_NONE;
	return false;
}
