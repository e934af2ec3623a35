#include "io/runtime/refs.h"
#include "model/base/sorted.h"
#include <stdlib.h>

enum {
	WORD = 8,
	HEADER_BYTES = 8,      /* of the next object, counted in this one's size */
	RUNS_MAX = UINT16_MAX, /* the runtime makes no more */
	SERIES_BYTES = 16,
};

/* Reads the word at `below` bytes before the method table. */
static bool
read_below(struct memory_reader *r, uint64_t method_table, uint64_t below, uint64_t *value)
{
	return method_table > below && memory_u64(r, method_table - below, value);
}

static bool
refuse(const char **why, const char *text)
{
	*why = text;
	return false;
}

/* Sorts the runs; false if they overlap. */
static bool
runs_are_disjoint(struct clr_run *runs, uint32_t count)
{
	SORT_BY(runs, count, offset);
	for (uint32_t i = 1; i < count; i++)
		if (runs[i].offset < runs[i - 1].offset + (uint64_t)runs[i - 1].count * WORD)
			return false;
	return true;
}

/* Decodes series at fixed offsets. */
static bool
decode_fixed(struct clr_refs *out, struct memory_reader *r, const struct clr_shape *s,
	     struct clr_run *runs, const char **why)
{
	for (uint32_t i = 0; i < out->runs_count; i++) {
		uint64_t below = WORD + SERIES_BYTES * ((uint64_t)i + 1);
		uint64_t less, offset, bytes;

		if (!read_below(r, s->method_table, below, &less) ||
		    !read_below(r, s->method_table, below - WORD, &offset))
			return refuse(why, "a series of its references is missing");
		bytes = less + s->base_bytes; /* wraps around: `less` is negative */
		if (offset % WORD || offset < WORD || bytes % WORD || !bytes ||
		    offset > s->base_bytes - HEADER_BYTES ||
		    bytes > s->base_bytes - HEADER_BYTES - offset)
			return refuse(why, "a series of its references lies outside the object");
		runs[i] = (struct clr_run){ (uint32_t)offset, (uint32_t)(bytes / WORD) };
	}
	out->kind = CLR_REFS_FIXED;
	return runs_are_disjoint(runs, out->runs_count) ||
	       refuse(why, "two series of its references overlap");
}

/* Decodes the single series of an array of references. */
static bool
decode_array(struct clr_refs *out, struct memory_reader *r, const struct clr_shape *s,
	     const char **why)
{
	uint64_t less, offset;

	if (!read_below(r, s->method_table, WORD + SERIES_BYTES, &less) ||
	    !read_below(r, s->method_table, SERIES_BYTES, &offset))
		return refuse(why, "the series of its references is missing");
	if (out->runs_count != 1 || s->component_bytes % WORD ||
	    less != (uint64_t)0 - s->base_bytes || s->base_bytes < 2 * HEADER_BYTES ||
	    s->base_bytes % WORD || offset != s->base_bytes - HEADER_BYTES)
		return refuse(why, "the series of its references is not that of an array");
	out->kind = CLR_REFS_ARRAY;
	out->data = out->start = (uint32_t)offset;
	return true;
}

/* Decodes the runs in the elements of an array of structs. */
static bool
decode_elements(struct clr_refs *out, struct memory_reader *r, const struct clr_shape *s,
		struct clr_run *runs, const char **why)
{
	uint64_t start, at = 0;

	if (!read_below(r, s->method_table, 2 * WORD, &start))
		return refuse(why, "the place of its elements is missing");
	for (uint32_t i = 0; i < out->runs_count; i++) {
		uint64_t below = WORD * ((uint64_t)i + 3), item, count;

		if (!read_below(r, s->method_table, below, &item))
			return refuse(why, "a run of its elements is missing");
		count = item & UINT32_MAX;
		if (!count || at + count * WORD > s->component_bytes)
			return refuse(why, "a run of its elements lies outside the element");
		runs[i] = (struct clr_run){ (uint32_t)at, (uint32_t)count };
		at += count * WORD + (item >> 32);
	}
	if (s->base_bytes < 2 * HEADER_BYTES || start % WORD ||
	    start < s->base_bytes - HEADER_BYTES ||
	    start >= s->base_bytes - HEADER_BYTES + s->component_bytes || at != s->component_bytes)
		return refuse(why, "the runs of its elements do not make up an element");
	out->kind = CLR_REFS_ELEMENTS;
	out->data = s->base_bytes - HEADER_BYTES;
	out->start = (uint32_t)start;
	out->stride = s->component_bytes;
	return true;
}

bool
clr_refs_decode(struct clr_refs *out, struct memory_reader *r, const struct clr_shape *shape,
		struct arena *a, const char **why, struct error *err)
{
	struct clr_run *runs;
	uint64_t count;
	bool is_elements;

	*out = (struct clr_refs){ .kind = CLR_REFS_NONE };
	*why = NULL;
	if (!read_below(r, shape->method_table, WORD, &count))
		return refuse(why, "its GCDesc is missing");
	is_elements = count >> 63;
	if (is_elements)
		count = (uint64_t)0 - count;
	if (!count || count > RUNS_MAX ||
	    (is_elements ? count > shape->component_bytes / WORD
			 : count > shape->base_bytes / WORD))
		return refuse(why, "it has more series of references than it can hold");
	out->runs_count = (uint32_t)count;
	if (!is_elements && shape->component_bytes)
		return decode_array(out, r, shape, why);
	runs = arena_array(a, struct clr_run, count, err);
	if (!runs)
		return false;
	out->runs = runs;
	return is_elements ? decode_elements(out, r, shape, runs, why)
			   : decode_fixed(out, r, shape, runs, why);
}

void
clr_refs_begin(struct clr_refs_walk *w, const struct clr_refs *refs, uint64_t object_bytes)
{
	uint64_t end =
	    object_bytes < HEADER_BYTES ? 0 : (object_bytes - HEADER_BYTES) & ~(uint64_t)7;

	*w = (struct clr_refs_walk){ .refs = refs, .at = refs->start, .end = end };
	if (end <= refs->data)
		w->elements_left = 0;
	else if (refs->kind == CLR_REFS_ELEMENTS)
		w->elements_left = (end - refs->data) / refs->stride;
	else
		w->elements_left = refs->kind != CLR_REFS_NONE;
}

bool
clr_refs_next(struct clr_refs_walk *w, uint64_t *offset, uint64_t *count)
{
	const struct clr_refs *refs = w->refs;

	if (!w->elements_left)
		return false;
	if (refs->kind == CLR_REFS_ARRAY) {
		w->elements_left = 0;
		*offset = w->at;
		*count = (w->end - w->at) / WORD;
		return true;
	}
	*offset = w->at + refs->runs[w->run].offset;
	*count = refs->runs[w->run].count;
	if (++w->run == refs->runs_count) {
		w->run = 0;
		w->at += refs->stride;
		w->elements_left--;
	}
	return *offset + *count * WORD <= w->end;
}
