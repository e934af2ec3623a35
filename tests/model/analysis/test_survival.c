/* New and old objects of two heaps, where the test knows which are which. */
#include "model/analysis/survival.h"
#include "model/heap/stream.h"
#include "tests/drive/run_tests.h"
#include <stdlib.h>
#include <string.h>

enum { OBJECTS_MAX = 8000, TYPES = 4, FIRST_ADDRESS = 0x10000 };

/* An object of a process, and where it lies in each of the heaps; 0: it is not there. */
struct made {
	unsigned type;
	uint64_t size;
	int holder; /* index of an object that refers to it; -1: none */
	uint64_t addresses[2];
};

struct process {
	struct made all[OBJECTS_MAX];
	int count;
	const struct heap *heaps[2];
	uint32_t random;
};

static struct process *
process_new(void)
{
	struct process *p = calloc(1, sizeof *p);

	assert_non_null(p);
	test_owns(p, free);
	p->random = 12345;
	return p;
}

static uint32_t
random_below(struct process *p, uint32_t limit)
{
	p->random = p->random * 1664525 + 1013904223;
	return (p->random >> 8) % limit;
}

static struct made *
add(struct process *p, unsigned type, uint64_t size)
{
	struct made *m = &p->all[p->count++];

	assert_true(p->count <= OBJECTS_MAX);
	*m = (struct made){ .type = type, .size = size, .holder = -1 };
	return m;
}

/* Places all objects one behind another from `at` on, of those in `heap` only the ones that were in
   the heap before, in the same order. */
static uint64_t
place(struct process *p, int first, int end, int heap, uint64_t at)
{
	for (int i = first; i < end; i++) {
		p->all[i].addresses[heap] = at;
		at += (p->all[i].size + 7) / 8 * 8;
	}
	return at;
}

static void
give(const struct process *p, struct heap_stream *s, int i, int heap)
{
	const struct made *m = &p->all[i];
	struct error err = { 0 };
	uint64_t refs = 0;
	bool ok;

	for (int j = 0; j < p->count; j++)
		refs += p->all[j].holder == i && p->all[j].addresses[heap];
	ok = heap_stream_object(s, m->addresses[heap], m->type, m->size, refs, &err);
	for (int j = 0; ok && refs && j < p->count; j++)
		if (p->all[j].holder == i && p->all[j].addresses[heap])
			ok = heap_stream_ref(s, p->all[j].addresses[heap], &err);
	assert_ok(ok, &err);
}

static void
make_heap(struct process *p, int heap)
{
	static const char *const names[TYPES] = { "Shop.Order", "Shop.Cart", "Shop.Item",
						  "Shop.Root" };
	struct error err = { 0 };
	struct heap_stream *s = heap_stream_new(&err);

	assert_ok(s, &err);
	for (unsigned t = 0; t < TYPES; t++)
		assert_int_equal(
		    heap_builder_type(heap_stream_builder(s), names[t], "shop.dll", &err), t);
	for (int i = 0; i < p->count; i++)
		if (p->all[i].addresses[heap])
			give(p, s, i, heap);
	p->heaps[heap] = heap_stream_finish(s, NULL, &err);
	assert_ok(p->heaps[heap], &err);
}

static struct survival
compute(struct process *p)
{
	struct error err = { 0 };
	struct type_match match;
	struct survival s;

	make_heap(p, 0);
	make_heap(p, 1);
	assert_ok(type_match_init(&match, p->heaps, 2, &err), &err);
	assert_ok(survival_compute(&s, &match, p->heaps, 0, 1, NULL, &err), &err);
	type_match_clear(&match);
	return s;
}

static void
clear(struct process *p, struct survival *s)
{
	survival_clear(s);
	heap_free(p->heaps[0]);
	heap_free(p->heaps[1]);
}

static bool
has(const struct process *p, const uint64_t *bits, int i, int heap)
{
	node_id n = heap_find(p->heaps[heap], p->all[i].addresses[heap]);

	assert_int_not_equal(n, NODE_NONE);
	return bits_has(bits, n);
}

/* Each object is what it is. */
static void
expect_truth(const struct process *p, const struct survival *s)
{
	uint64_t new_count = 0, gone_count = 0;

	assert_true(s->is_known);
	for (int i = 0; i < p->count; i++) {
		const struct made *m = &p->all[i];
		bool is_first = m->addresses[0] != 0;
		bool is_last = m->addresses[1] != 0;

		if (is_last && has(p, s->is_new, i, 1) == is_first)
			fail_msg("object %d is %s", i, is_first ? "not new" : "new");
		if (is_first && has(p, s->is_gone, i, 0) == is_last)
			fail_msg("object %d is %s", i, is_last ? "not gone" : "gone");
		new_count += is_last && !is_first;
		gone_count += is_first && !is_last;
	}
	assert_int_equal(s->all.new_count, new_count);
	assert_int_equal(s->all.gone_count, gone_count);
	assert_int_equal(s->all.survived + gone_count, p->heaps[0]->nodes_count);
	assert_int_equal(s->all.survived + new_count, p->heaps[1]->nodes_count);
}

/* Nothing dies or moves, so addresses alone tell which objects are new. */
TEST(test_only_new)
{
	struct process *p = process_new();
	struct survival s;
	uint64_t at;

	for (int i = 0; i < 500; i++)
		add(p, random_below(p, 3), 24);
	at = place(p, 0, 500, 0, FIRST_ADDRESS);
	place(p, 0, 500, 1, FIRST_ADDRESS);
	for (int i = 0; i < 80; i++)
		add(p, random_below(p, 3), 24);
	place(p, 500, 580, 1, at);
	s = compute(p);
	expect_truth(p, &s);
	assert_false(s.is_estimate);
	assert_int_equal(s.moved_count, 0);
	clear(p, &s);
}

/* Some die, and new ones take their place or other places; nothing moves. */
TEST(test_swept_heap)
{
	struct process *p = process_new();
	struct survival s;
	uint64_t at;
	int old;

	for (int i = 0; i < 3000; i++)
		add(p, random_below(p, 3), 24 + 8 * (uint64_t)(i % 1500));
	at = place(p, 0, 3000, 0, FIRST_ADDRESS);
	place(p, 0, 3000, 1, FIRST_ADDRESS);
	old = p->count;
	for (int i = 0; i < old; i++) {
		if (random_below(p, 4))
			continue;
		p->all[i].addresses[1] = 0;
		/* The hole has room for a smaller one of another type, with a size that no older
		   one has. */
		if (p->all[i].size > 32 && !random_below(p, 2))
			add(p, (p->all[i].type + 1) % 3, p->all[i].size - 4)->addresses[1] =
			    p->all[i].addresses[0];
	}
	old = p->count;
	for (int i = 0; i < 400; i++)
		add(p, random_below(p, 3), 16024 + 8 * (uint64_t)i);
	place(p, old, p->count, 1, at);
	s = compute(p);
	expect_truth(p, &s);
	assert_false(s.is_estimate);
	assert_int_equal(s.moved_count, 0);
	clear(p, &s);
}

/* The collector slides the younger objects down. Sizes tell them apart. */
TEST(test_compacted_heap)
{
	struct process *p = process_new();
	struct survival s;
	uint64_t at;
	int old;

	for (int i = 0; i < 3000; i++)
		add(p, (unsigned)i % 3, 24 + 8 * (uint64_t)i);
	place(p, 0, 3000, 0, FIRST_ADDRESS);
	at = place(p, 0, 300, 1, FIRST_ADDRESS);
	old = p->count;
	for (int i = 300; i < old; i++) {
		if (!random_below(p, 5))
			continue;
		p->all[i].addresses[1] = at;
		at += p->all[i].size;
	}
	for (int i = 0; i < 200; i++)
		add(p, (unsigned)i % 3, 40024 + 8 * (uint64_t)i);
	place(p, old, p->count, 1, at);
	s = compute(p);
	expect_truth(p, &s);
	assert_true(s.is_estimate);
	assert_true(s.moved_count > 2000);
	clear(p, &s);
}

/* Objects that look the same are told apart by what refers to them, and the oldest of those
   survive. */
TEST(test_holders)
{
	struct process *p = process_new();
	struct survival s;
	uint64_t at;

	for (int i = 0; i < 400; i++)
		add(p, 3, 24 + 8 * (uint64_t)i);
	for (int i = 0; i < 1000; i++)
		add(p, 0, 32);
	place(p, 0, 1400, 0, FIRST_ADDRESS);
	at = place(p, 0, 100, 1, FIRST_ADDRESS);
	/* The others slide; some come to lie where a like one was. */
	at = place(p, 400, 1400, 1, at);
	at = place(p, 100, 400, 1, at);
	for (int i = 0; i < 250; i++)
		add(p, 0, 32)->holder = 5;
	place(p, 1400, 1650, 1, at);
	s = compute(p);
	expect_truth(p, &s);
	clear(p, &s);
}

/* Two processes have no address in common but by chance. */
TEST(test_other_process)
{
	struct process *p = process_new();
	struct survival s;

	for (int i = 0; i < 1000; i++)
		add(p, (unsigned)i % 3, 24);
	place(p, 0, 1000, 0, FIRST_ADDRESS);
	place(p, 0, 1000, 1, FIRST_ADDRESS + 0x1000000);
	s = compute(p);
	assert_false(s.is_known);
	clear(p, &s);
}
