/*
 * Any bytes as a core: a sentence, or memory whose mappings are in order; a runtime in it is found
 * or refused, and its ranges are walked to their ends.
 */
#include "tests/drive/fuzz.h"
#include "io/memory/core.h"
#include "io/runtime/walk.h"

enum { RANGES_MAX = 32, CALLS_MAX = 100000 };

static void
look_at_mappings(const struct memory *m)
{
	uint8_t bytes[64], again[64];

	for (size_t i = 0; i < m->mappings_count; i++) {
		const struct memory_mapping *mapping = &m->mappings[i];
		const uint8_t *view = memory_view(m, mapping->start, sizeof(bytes));
		size_t len = memory_copy(m, mapping->start, bytes, sizeof(bytes));

		if (mapping->start >= mapping->end || (i && mapping[-1].end > mapping->start))
			fuzz_fail("mappings in disorder", NULL);
		if (memory_mapping_at(m, mapping->start) != mapping)
			fuzz_fail("a mapping is not found", NULL);
		if (view && (len != sizeof(bytes) || memcmp(view, bytes, sizeof(bytes)) != 0))
			fuzz_fail("a view and a copy differ", NULL);
		(void)memory_copy(m, mapping->end - 32, again, sizeof(again));
	}
}

static void
walk_range(struct clr_walk *w, const struct clr_range *range)
{
	const struct clr_walk_sums *s = clr_walk_sums(w);
	struct clr_object objects[32];
	uint64_t at = range->start;
	size_t count;
	int calls = 0;

	clr_walk_start(w, range);
	while (clr_walk_next(w, objects, 32, &count)) {
		for (size_t i = 0; i < count; i++) {
			if (objects[i].address < at || objects[i].size < 24 ||
			    objects[i].size > range->end - objects[i].address)
				fuzz_fail("an object in the wrong place", NULL);
			at = objects[i].address + objects[i].size;
		}
		if (++calls == CALLS_MAX)
			return; /* long, not endless */
	}
	if (s->objects_bytes + s->free_bytes + s->contexts_bytes + s->holes_bytes !=
	    range->end - range->start)
		fuzz_fail("sums do not close", NULL);
}

static void
walk_heaps(const struct clr_heaps *h)
{
	struct clr_tables *tables;
	struct clr_walk *w;
	struct error err = { 0 };

	tables = clr_tables_new(h, &err);
	w = tables ? clr_walk_new(h, tables, &err) : NULL;
	if (!w)
		fuzz_fail(err.message, NULL);
	for (size_t i = 0; i < h->ranges_count && i < RANGES_MAX; i++)
		walk_range(w, &h->ranges[i]);
	(void)clr_heaps_free(h);
	clr_walk_free(w);
	clr_tables_free(tables);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct clr_runtime *rt;
	struct clr_heaps *h = NULL;
	struct memory *m;
	struct error err = { 0 };

	/* No files: what a core is made of must not depend on the machine. */
	m = core_open_bytes(data, size, "core", "/dev/null", &err);
	if ((m == NULL) != (err.kind != ERROR_NONE))
		fuzz_fail("neither memory nor an error, or both", NULL);
	if (!m)
		return 0;
	look_at_mappings(m);
	rt = clr_runtime_open(m, &err);
	if (rt)
		h = clr_heaps_open(rt, &err);
	if (h)
		walk_heaps(h);
	clr_heaps_close(h);
	clr_runtime_close(rt);
	memory_close(m);
	return 0;
}
