/*
 * Heaps of real cores with some words changed and some pages lost where types, objects and
 * references are: sound, or a sentence. The walk alone is damaged in test_clr_damage.c.
 *
 * HEAPTOP_DAMAGES is the number of rounds of each kind; `make torture TORTURE=cores` makes more.
 */
#include "tests/drive/run_tests.h"
#include "tests/made/broken_memory.h"
#include "tests/drive/cores.h"
#include "io/clr/graph.h"
#include "io/memory/core.h"
#include "model/heap/memory.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 100, DAMAGES_MAX = 8, WORD = 8 };
#define HEAP_BYTES_MAX (UINT64_C(64) << 20) /* a sound one has half a MB */

/* --- what is damaged --- */

/* What damage is made of. */
struct damage {
	struct broken_memory *broken;
	const struct memory *sound;
	const struct heap *heap;
	struct memory_reader *reader; /* of the sound one */
};

static uint64_t
some(const struct damage *d, uint64_t limit)
{
	return broken_memory_random(d->broken, limit);
}

static uint64_t
some_object(const struct damage *d)
{
	return heap_address(d->heap, (node_id)some(d, d->heap->nodes_count));
}

static uint64_t
word_at(const struct damage *d, uint64_t address)
{
	uint64_t word;

	(void)!memory_u64(d->reader, address, &word);
	return word;
}

/* A word that matters to types and references, or any. */
static uint64_t
some_place(const struct damage *d)
{
	uint64_t object = some_object(d), table = word_at(d, object);
	const struct memory_mapping *mapping =
	    &d->sound->mappings[some(d, d->sound->mappings_count)];
	const struct heap_memory *m = d->heap->memory;

	switch (some(d, 5)) {
	case 0:
		return object + WORD * some(d, 4);
	case 1:
		return table - 64 + WORD * some(d, 24);
	case 2:
		return word_at(d, table + 24) + WORD * some(d, 120);
	case 3:
		return m->segments[some(d, m->segments_count)].start - 64 + WORD * some(d, 16);
	default:
		return mapping->start + some(d, mapping->end - mapping->start);
	}
}

static uint64_t
some_value(const struct damage *d, uint64_t place)
{
	switch (some(d, 6)) {
	case 0:
		return some(d, UINT64_MAX);
	case 1:
		return some(d, 64);
	case 2:
		return UINT64_MAX;
	case 3:
		return some_object(d) + WORD * some(d, 3);
	case 4:
		return word_at(d, some_object(d)) + WORD * some(d, 8);
	default:
		return word_at(d, place) ^ UINT64_C(1) << some(d, 64);
	}
}

static void
do_damage(const struct damage *d, bool is_loss)
{
	for (uint64_t i = 1 + some(d, DAMAGES_MAX); i > 0; i--) {
		uint64_t place = some_place(d) / WORD * WORD;

		if (is_loss)
			broken_memory_lose_page(d->broken, place);
		else
			broken_memory_smash(d->broken, place, some_value(d, place));
	}
}

/* --- what becomes of it --- */

static void
stay_open(void *source)
{
	(void)source;
}

/* Whatever is found: it ends, and there is a place to each of the findings. Of a heap without
   objects it says so. */
static void
check_verify(const struct heap *h)
{
	const struct heap_memory *m = h->memory;
	struct faults f = { 0 };
	struct error err = { 0 };

	if (heap_lacks_objects(h)) {
		assert_false(m->contents->verify(m->source, NODE_NONE, &f, NULL, &err));
		assert_string_equal(err.message, m->lacks_objects);
		return;
	}
	assert_ok(m->contents->verify(m->source, NODE_NONE, &f, NULL, &err), &err);
	assert_int_equal(f.objects_count, h->nodes_count);
	faults_clear(&f);
}

static void
check_damaged(const struct core *c, const struct memory *m, unsigned seed)
{
	/* The heap keeps and closes it, but it is the test's. */
	struct memory kept = *m;
	struct memory_ops ops = *m->ops;
	const struct clr_graph_options options = { .what = LOAD_ALL,
						   .is_forced = seed % 2,
						   .kept = &kept };
	const struct heap *h;
	struct error err = { 0 };

	ops.close = stay_open;
	kept.ops = &ops;
	h = clr_graph_load(&kept, "damaged", &options, &err);
	if (!h) {
		if (err.kind == ERROR_NONE || !err.message[0])
			fail_msg("%s, %u: no word", c->setup->name, seed);
		return;
	}
	if (heap_bytes(h) > HEAP_BYTES_MAX)
		fail_msg("%s, %u: %" PRIu64 " bytes", c->setup->name, seed, heap_bytes(h));
	if (!heap_check(h, &err))
		fail_msg("%s, %u: %s", c->setup->name, seed, err.message);
	check_verify(h);
	heap_free(h);
}

TEST_CORES(test_core, core_is_one_of_each)
{
	const struct clr_graph_options options = { .what = LOAD_ALL };
	const char *wanted = getenv("HEAPTOP_DAMAGES");
	unsigned rounds = wanted ? (unsigned)atoi(wanted) : ROUNDS;
	const struct core *c = core_of(*state);
	struct damage d = { 0 };
	struct memory *m;
	struct error err;

	if (!c)
		skip();
	error_clear(&err);
	m = core_at(c->path, NULL, &err);
	d.sound = m;
	d.heap = m ? clr_graph_load(m, c->path, &options, &err) : NULL;
	d.reader = d.heap ? memory_reader_new(m, &err) : NULL;
	if (!d.reader) {
		fail_msg("%s", err.message);
		return;
	}
	for (unsigned seed = 1; seed <= 2 * rounds; seed++) {
		d.broken = broken_memory_new(m, seed);
		do_damage(&d, seed > rounds);
		check_damaged(c, broken_memory_open(d.broken), seed);
		broken_memory_free(d.broken);
	}
	memory_reader_free(d.reader);
	heap_free(d.heap);
	memory_close(m);
}
