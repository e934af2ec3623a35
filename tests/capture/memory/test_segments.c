/* Segments of real processes: every byte of them is told of, once. */
#include "model/analysis/resident.h"
#include "model/analysis/segments.h"
#include "tests/drive/captures.h"
#include "tests/drive/ways.h"
#include "tests/drive/run_tests.h"
#include <poll.h>

static const char *const busy[] = { "--busy", NULL };

/* clang-format off */
static const struct row {
	const char *what, *version;
	const char *const *arguments, *const *variables;
} rows[] = {
	{ "8.0",           "8.0",  NULL, NULL },
	{ "9.0",           "9.0",  NULL, NULL },
	{ "10.0",          "10.0", NULL, NULL },
	{ "10.0, server",  "10.0", NULL, with_server },
	{ "9.0, segments", "9.0",  NULL, with_segments },
	{ "10.0, busy",    "10.0", busy, NULL },
	{ "11.0",          "11.0", NULL, NULL },
	{ "11.0, server",  "11.0", NULL, with_server },
};
/* clang-format on */

static bool
has_garbage(const struct heap *h)
{
	const struct reach *reach;
	struct error err = { 0 };
	bool has;

	reach = reach_compute(h, true, NULL, &err);
	assert_non_null(reach);
	has = reach->reachable_count < h->nodes_count;
	reach_free(reach);
	return has;
}

/* Of one that makes more than it keeps, once it has made that much. */
static const struct heap *
take_with_garbage(const struct target *t)
{
	enum { PATIENCE_MS = 120000, NAP_MS = 50 };
	const struct heap *h = heap_by(BY_MEMORY, target_pid(t));

	for (int ms = 0; !has_garbage(h); ms += NAP_MS) {
		if (ms > PATIENCE_MS)
			fail_msg("it has made no garbage");
		heap_free(h);
		poll(NULL, 0, NAP_MS);
		h = heap_by(BY_MEMORY, target_pid(t));
	}
	return h;
}

static void
check_order(const struct heap_memory *m)
{
	for (uint32_t i = 0; i < m->segments_count; i++) {
		const struct heap_segment *s = &m->segments[i];

		assert_true(s->start <= s->allocated && s->allocated <= s->committed &&
			    s->committed <= s->reserved);
		if (i)
			assert_true(m->segments[i - 1].reserved <= s->start);
		assert_true(s->objects_bytes + s->free_bytes <= s->allocated - s->start);
	}
}

/* What is said of a segment, its objects say. Returns how many say several. */
static unsigned
check_generations(const struct heap *h)
{
	const struct heap_memory *m = h->memory;
	unsigned *found = test_calloc(m->segments_count, sizeof *found);
	unsigned several = 0;

	for (node_id n = 0; n < h->nodes_count; n++) {
		uint64_t address = heap_address(h, n);
		uint32_t at = heap_memory_segment(m, address);

		assert_int_equal(segments_generation_at(h, address), heap_generation(h, n));
		found[at] |= 1U << heap_generation(h, n);
	}
	for (uint32_t i = 0; i < m->segments_count; i++) {
		const struct heap_segment *s = &m->segments[i];
		unsigned said = segments_generations(h, s);

		if (!found[i])
			continue;
		if (s->is_ephemeral)
			assert_true((found[i] & ~said) == 0 && said < 8);
		else
			assert_int_equal(said, 1U << s->generation);
		several += (found[i] & (found[i] - 1)) != 0;
	}
	test_free(found);
	assert_int_equal(segments_generation_at(h, 1), GEN_UNKNOWN);
	return several;
}

/* Free space is where no object is, and adds up. */
static void
check_free(const struct heap *h)
{
	const struct heap_memory *m = h->memory;
	uint64_t bytes = 0, told = 0;

	for (uint32_t i = 0; i < m->free_blocks_count; i++) {
		const struct heap_free_block *f = &m->free_blocks[i];

		bytes += f->bytes;
		assert_true(f->bytes >= 24);
		assert_true(heap_memory_segment(m, f->address) != UINT32_MAX);
		assert_int_equal(heap_find(h, f->address), NODE_NONE);
		if (i)
			assert_true(f[-1].address + f[-1].bytes <= f->address);
	}
	for (uint32_t i = 0; i < m->segments_count; i++)
		told += m->segments[i].free_bytes;
	assert_int_equal(bytes, told);
}

/* However it is cut. */
static void
check_map(const struct heap *h, const struct reach *reach, const struct segments_total *t)
{
	static const unsigned shifts[] = { 10, 14, 20, HEAP_MAP_SHIFT_WHOLE };
	struct error err = { 0 };

	for (size_t i = 0; i < COUNT_OF(shifts); i++) {
		struct segments_total sum = { 0 };
		struct heap_map map;

		assert_true(heap_map_init(&map, h, reach, shifts[i], NULL, &err));
		for (uint32_t j = 0; j < map.count; j++) {
			sum.objects.live_bytes += map.stretches[j].live_bytes;
			sum.objects.dead_bytes += map.stretches[j].dead_bytes;
			sum.objects.dead_count += map.stretches[j].dead_count;
			sum.free_bytes += map.stretches[j].free_bytes;
			sum.free_count += map.stretches[j].free_count;
		}
		assert_int_equal(sum.objects.live_bytes, t->objects.live_bytes);
		assert_int_equal(sum.objects.dead_bytes, t->objects.dead_bytes);
		assert_int_equal(sum.objects.dead_count, t->objects.dead_count);
		assert_int_equal(sum.free_bytes, t->free_bytes);
		assert_int_equal(sum.free_count, t->free_count);
		heap_map_clear(&map);
	}
}

static void
check_sums(const struct heap *h, bool is_busy)
{
	struct heap_parts each;
	const struct reach *reach;
	const struct segments_total *t;
	struct heap_parts parts;
	struct memory_account a;
	struct resident resident;
	uint64_t count = 0;
	struct error err = { 0 };

	reach = reach_compute(h, true, NULL, &err);
	assert_non_null(reach);
	assert_true(heap_parts_of_segments(&each, h, reach, NULL, &err));
	for (uint32_t i = 0; i < h->memory->segments_count; i++) {
		const struct heap_segment *s = &h->memory->segments[i];

		assert_int_equal(each.items[i].total.objects.live_count +
				     each.items[i].total.objects.dead_count,
				 s->objects_count);
		count += s->objects_count;
	}
	assert_true(heap_parts_compute(&parts, h, reach, NULL, &err));
	t = &parts.items[parts.count - 1].total;
	assert_int_equal(count, h->nodes_count);
	assert_int_equal(t->objects.live_count, reach->reachable_count);
	assert_int_equal(t->objects.live_bytes, reach->reachable_bytes);
	/* It makes garbage all the time. */
	if (is_busy)
		assert_true(t->objects.dead_count > 0);
	assert_true(t->objects.pinned_count > 0);
	a = memory_account(reach);
	assert_int_equal(t->committed_bytes, a.committed);
	assert_int_equal(t->allocated_bytes, a.allocated);
	assert_int_equal(t->free_bytes, a.free);
	/* One meaning with the table `resident`. */
	resident = resident_of(h);
	assert_int_equal(a.native, resident_native(&resident));
	assert_int_equal(a.managed, resident.parts[RESIDENT_MANAGED].bytes);
	assert_true(a.managed > 0 && a.managed + a.native < a.resident);
	assert_int_equal(a.unused + a.allocated, a.committed);
	assert_int_equal(a.live + a.dead + a.free + a.rest, a.allocated);
	check_map(h, reach, t);
	heap_parts_clear(&parts);
	heap_parts_clear(&each);
	reach_free(reach);
}

TEST_ROWS(tells_of_every_byte, rows)
{
	const struct row *r = *state;
	const struct heap *h;
	struct target *t;

	if (is_skipped(r->version))
		return;
	t = target_start(r->version, TARGET_HERE, r->arguments, r->variables);
	h = r->arguments ? take_with_garbage(t) : heap_by(BY_MEMORY, target_pid(t));
	check_order(h->memory);
	check_free(h);
	assert_int_equal(check_generations(h) > 0, r->variables == with_segments);
	check_sums(h, r->arguments != NULL);
	assert_int_equal(heap_memory_segment(h->memory, 0), UINT32_MAX);
	assert_int_equal(heap_memory_segment(h->memory, UINT64_MAX), UINT32_MAX);
	heap_free(h);
	target_free(t);
}
