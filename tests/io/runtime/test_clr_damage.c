/*
 * A real heap with damage in it: pages lost and words smashed, anywhere. It opens with what is
 * left, or is refused with a sentence.
 *
 * HEAPTOP_DAMAGES is the number of rounds of each kind; `make torture TORTURE=cores` makes more.
 */
#include "tests/drive/run_tests.h"
#include "tests/made/broken_memory.h"
#include "tests/drive/cores.h"
#include "io/runtime/walk.h"
#include "io/memory/core.h"
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 100, DAMAGES = 8 };

/* Addresses worth hitting. */
struct places {
	const struct memory *memory;
	const struct clr_runtime *runtime;
	const struct clr_heaps *heaps;
};

/* In the runtime's own structures, or in what they are about. */
static uint64_t
some_address(struct broken_memory *bm, const struct places *p, bool in_structures)
{
	const struct clr_heap *heap =
	    &p->heaps->heaps[broken_memory_random(bm, p->heaps->heaps_count)];
	const struct clr_range *range =
	    &p->heaps->ranges[broken_memory_random(bm, p->heaps->ranges_count)];
	const struct memory_mapping *mapping =
	    &p->memory->mappings[broken_memory_random(bm, p->memory->mappings_count)];

	switch (in_structures ? broken_memory_random(bm, 5) : 5 + broken_memory_random(bm, 3)) {
	case 0:
		return p->runtime->gc_vars + 8 * broken_memory_random(bm, 41);
	case 1:
		return heap->generations + 8 * broken_memory_random(bm, 160);
	case 2:
		return range->segment + 8 * broken_memory_random(bm, 8);
	case 3:
		return p->runtime->dac_table + 8 * broken_memory_random(bm, 64);
	case 4:
		return p->runtime->threads_count
			   ? p->runtime->threads[0].address + 8 * broken_memory_random(bm, 64)
			   : p->runtime->thread_store;
	case 5:
		return mapping->start +
		       broken_memory_random(bm, mapping->end - mapping->start) / 8 * 8;
	default:
		return range->start +
		       broken_memory_random(bm, range->end - range->start + 1) / 8 * 8;
	}
}

static uint64_t
some_value(struct broken_memory *bm, const struct places *p)
{
	switch (broken_memory_random(bm, 5)) {
	case 0:
		return 0;
	case 1:
		return UINT64_MAX - broken_memory_random(bm, 16);
	case 2:
		return broken_memory_random(bm, 100000);
	case 3:
		return broken_memory_random(bm, UINT64_MAX);
	default:
		return some_address(bm, p, broken_memory_random(bm, 2));
	}
}

static void
walk_all(const struct clr_heaps *h)
{
	struct clr_object objects[64];
	struct clr_tables *tables;
	struct clr_walk *w;
	struct error err = { 0 };
	size_t count;

	tables = clr_tables_new(h, &err);
	w = clr_walk_new(h, tables, &err);
	assert_non_null(w);
	for (size_t i = 0; i < h->ranges_count; i++) {
		const struct clr_range *r = &h->ranges[i];
		const struct clr_walk_sums *s = clr_walk_sums(w);

		clr_walk_start(w, r);
		while (clr_walk_next(w, objects, 64, &count))
			;
		assert_int_equal(s->objects_bytes + s->free_bytes + s->contexts_bytes +
				     s->holes_bytes,
				 r->end - r->start);
	}
	clr_walk_free(w);
	clr_tables_free(tables);
}

/* True: it could be opened. */
static bool
look(const struct memory *m)
{
	struct clr_heaps *h = NULL;
	struct clr_runtime *rt;
	struct error err = { 0 };
	bool is_open;

	rt = clr_runtime_open(m, &err);
	if (rt)
		h = clr_heaps_open(rt, &err);
	is_open = h != NULL;
	assert_true(is_open == (err.kind == ERROR_NONE));
	assert_true(is_open || err.message[0]);
	if (h)
		walk_all(h);
	clr_heaps_close(h);
	clr_runtime_close(rt);
	return is_open;
}

static void
damage_rounds(const struct places *p, bool is_smashed)
{
	const char *wanted = getenv("HEAPTOP_DAMAGES");
	unsigned rounds = wanted ? (unsigned)atoi(wanted) : ROUNDS, opened = 0;

	for (unsigned i = 0; i < rounds; i++) {
		struct broken_memory *bm = broken_memory_new(p->memory, i + 1);

		for (int k = 0; k < DAMAGES; k++) {
			/* A page of those is one that much depends on. */
			bool in_structures = is_smashed ? k % 2 == 0 : k == 0 && i % 4 == 0;
			uint64_t address = some_address(bm, p, in_structures);

			if (is_smashed)
				broken_memory_smash(bm, address, some_value(bm, p));
			else
				broken_memory_lose_page(bm, address);
		}
		opened += look(broken_memory_open(bm));
		broken_memory_free(bm);
	}
	printf("%u of %u with %s could be opened\n", opened, rounds,
	       is_smashed ? "words smashed" : "pages lost");
	assert_true(opened >= rounds / 2);
}

TEST_CORES(test_damage, core_is_one_of_each)
{
	const struct core *c = core_of(*state);
	struct places p = { 0 };
	struct memory *m;
	struct clr_runtime *rt;
	struct clr_heaps *h;
	struct error err;

	if (!c)
		skip();
	error_clear(&err);
	m = core_at(c->path, NULL, &err);
	assert_non_null(m);
	rt = clr_runtime_open(m, &err);
	assert_non_null(rt);
	h = clr_heaps_open(rt, &err);
	assert_non_null(h);
	p = (struct places){ m, rt, h };
	damage_rounds(&p, false);
	damage_rounds(&p, true);
	clr_heaps_close(h);
	clr_runtime_close(rt);
	memory_close(m);
}
