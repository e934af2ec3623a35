/*
 * The map of the heap, of heaps made up at random: every stretch is compared with a count over all
 * objects, free blocks and roots, byte by byte of what they cover. Then what the screen shows of
 * one.
 */
#include "model/analysis/heap_map.h"
#include "model/analysis/segments.h"
#include "model/heap/memory.h"
#include "model/heap/stream.h"
#include "tests/drive/run_tests.h"
#include "tests/drive/screens.h"
#include "tui/widget/map_lines.h"
#include <string.h>

enum { RANGES = 40, OBJECTS_MAX = 4000 };
static const uint64_t base = UINT64_C(0x7f0000000000);

/* --- heaps --------------------------------------------------------------- */

static uint64_t seed;
static uint32_t
below(uint32_t end)
{
	seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (uint32_t)((seed >> 33) % end);
}

struct object {
	uint64_t address, bytes;
	bool is_live, is_pinned;
};

/* The plan of a heap, from which it is made. */
struct plan {
	struct object objects[OBJECTS_MAX];
	uint32_t objects_count;
	struct heap_free_block blocks[OBJECTS_MAX];
	uint32_t blocks_count;
	struct heap_segment segments[RANGES];
	bool has_memory;
};

/* One in fifty is large. */
static uint64_t
plan_object(struct plan *p, uint64_t at)
{
	struct object *o = &p->objects[p->objects_count++];
	uint64_t bytes = below(50) ? 24 + below(300) : below(200000);

	*o = (struct object){ at, bytes, below(3) > 0, false };
	o->is_pinned = o->is_live && !below(9);
	return at + (bytes + 7) / 8 * 8;
}

static uint64_t
plan_free(struct plan *p, uint64_t at)
{
	uint64_t bytes = 24 + 8 * (below(30) ? below(50) : below(20000));

	p->blocks[p->blocks_count++] = (struct heap_free_block){ at, bytes };
	return at + bytes;
}

static void
plan_segment(struct plan *p, struct heap_segment *s, uint64_t start)
{
	uint64_t at = start + 8 * below(9);
	uint32_t count = below(90);

	*s = (struct heap_segment){
		.start = at,
		.generation = (uint8_t)below(GEN_FROZEN),
		.heap_number = (int32_t)below(3),
	};
	s->free_count = p->blocks_count;
	s->objects_count = p->objects_count;
	while (count--)
		at = below(4) ? plan_object(p, at) : plan_free(p, at);
	s->free_count = p->blocks_count - s->free_count;
	s->objects_count = p->objects_count - s->objects_count;
	for (uint32_t i = 1; i <= s->free_count; i++)
		s->free_bytes += p->blocks[p->blocks_count - i].bytes;
	s->allocated = at;
	s->committed = at + below(10000);
	s->reserved = s->committed + 100;
}

static void
plan_heap(struct plan *p, uint64_t number, bool has_memory)
{
	uint64_t at = base;

	memset(p, 0, sizeof *p);
	seed = number;
	p->has_memory = has_memory;
	for (uint32_t i = 0; i < RANGES; i++) {
		plan_segment(p, &p->segments[i], at);
		at = p->segments[i].reserved + 8 * below(100000);
		at = (at + 7) / 8 * 8;
	}
}

static void
add_object(struct heap_stream *stream, const struct object *o)
{
	struct error err = { 0 };
	type_id type = heap_builder_type(heap_stream_builder(stream), "App.T", "x.dll", &err);

	assert_true(heap_stream_object(stream, o->address, type, o->bytes, 0, &err));
	if (o->is_live)
		assert_true(heap_stream_root(stream, o->address,
					     o->is_pinned ? ROOT_PINNED : ROOT_STACK, o->is_pinned,
					     "r", "", &err));
}

static const struct heap *
make_heap(const struct plan *p)
{
	struct error err = { 0 };
	struct heap_stream *stream = heap_stream_new(&err);
	struct heap_memory *m;
	const struct heap *h;

	assert_non_null(stream);
	for (uint32_t i = 0; i < p->objects_count; i++)
		add_object(stream, &p->objects[i]);
	for (uint32_t i = 0; i < RANGES; i++)
		assert_true(heap_stream_range(
		    stream, p->segments[i].start, p->segments[i].allocated,
		    (enum generation)p->segments[i].generation, p->segments[i].heap_number, &err));
	if (p->has_memory) {
		m = heap_builder_memory(heap_stream_builder(stream), &err);
		assert_non_null(m);
		m->free_blocks = p->blocks;
		m->free_blocks_count = p->blocks_count;
		m->segments = p->segments;
		m->segments_count = RANGES;
	}
	h = heap_stream_finish(stream, NULL, &err);
	assert_ok(h, &err);
	assert_int_equal(h->nodes_count, p->objects_count);
	return h;
}

static struct heap_map
make_map(const struct heap *h, const struct reach *reach, unsigned shift)
{
	struct error err = { 0 };
	struct heap_map map;

	assert_ok(heap_map_init(&map, h, reach, shift, NULL, &err), &err);
	return map;
}

/* --- the slow way -------------------------------------------------------- */

static uint64_t
common_bytes(uint64_t a, uint64_t a_end, uint64_t b, uint64_t b_end)
{
	uint64_t start = a > b ? a : b, end = a_end < b_end ? a_end : b_end;

	return start < end ? end - start : 0;
}

static void
count_stretch(const struct plan *p, struct map_stretch *out)
{
	for (uint32_t i = 0; i < p->objects_count; i++) {
		const struct object *o = &p->objects[i];
		uint64_t bytes =
		    common_bytes(o->address, o->address + o->bytes, out->start, out->end);
		bool begins = o->address >= out->start && o->address < out->end;

		out->live_bytes += o->is_live ? bytes : 0;
		out->dead_bytes += o->is_live ? 0 : bytes;
		out->live_count += begins && o->is_live;
		out->dead_count += begins && !o->is_live;
		out->pinned_count += begins && o->is_pinned;
		out->first += o->address < out->start;
	}
	for (uint32_t i = 0; p->has_memory && i < p->blocks_count; i++) {
		const struct heap_free_block *f = &p->blocks[i];

		out->free_bytes +=
		    common_bytes(f->address, f->address + f->bytes, out->start, out->end);
		out->free_count += f->address >= out->start && f->address < out->end;
	}
}

static void
check_stretch(const struct plan *p, const struct heap_map *map, uint32_t i)
{
	const struct map_stretch *s = &map->stretches[i];
	const struct range *r = heap_map_range(map, s);
	struct map_stretch slow = { .start = s->start, .end = s->end, .range = s->range };
	node_id first;

	count_stretch(p, &slow);
	assert_memory_equal(&slow, s, sizeof slow);
	assert_true(s->start >= r->start && s->end <= r->end);
	assert_true(s->end - s->start <= UINT64_C(1) << map->shift);
	/* The object at its start may begin before it. */
	first = heap_map_first(map, s);
	if (first != s->first)
		assert_true(p->objects[first].address < s->start &&
			    p->objects[first].address + p->objects[first].bytes > s->start);
	else if (s->first > r->first)
		assert_true(p->objects[first - 1].address + p->objects[first - 1].bytes <=
			    s->start);
}

static void
check_order(const struct heap_map *map, uint64_t bytes)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < map->count; i++) {
		const struct map_stretch *s = &map->stretches[i];
		const struct range *r = heap_map_range(map, s), *before;

		sum += s->end - s->start;
		if (!i)
			continue;
		before = heap_map_range(map, s - 1);
		assert_true(before->heap_number <= r->heap_number);
		if (before->heap_number < r->heap_number)
			continue;
		assert_true(before->generation <= r->generation);
		if (before->generation == r->generation)
			assert_true(s[-1].end <= s->start);
	}
	assert_int_equal(sum, bytes);
}

static const unsigned shifts[] = { 8, 9, 12, 14, 17, 30, 63 };

TEST(is_what_counting_finds)
{
	static struct plan p;
	struct error err = { 0 };

	for (unsigned n = 0; n < 6; n++) {
		const struct heap *h;
		const struct reach *reach;
		uint64_t bytes = 0;

		plan_heap(&p, n, n % 2 == 0);
		h = make_heap(&p);
		for (uint32_t i = 0; i < h->ranges_count; i++)
			bytes += h->ranges[i].end - h->ranges[i].start;
		reach = reach_compute(h, true, NULL, &err);
		assert_non_null(reach);
		for (size_t i = 0; i < COUNT_OF(shifts); i++) {
			struct heap_map map = make_map(h, reach, shifts[i]);

			check_order(&map, bytes);
			for (uint32_t j = 0; j < map.count; j++)
				check_stretch(&p, &map, j);
			assert_int_equal(map.count, heap_map_count(h, shifts[i]));
			heap_map_clear(&map);
		}
		reach_free(reach);
		heap_free(h);
	}
}

/* As many as allowed, and no finer. */
TEST(chooses_how_fine)
{
	static const uint64_t wanted[] = { 50, 100, 1000, 20000 };
	static struct plan p;
	const struct heap *h;

	plan_heap(&p, 3, true);
	h = make_heap(&p);
	for (size_t i = 0; i < COUNT_OF(wanted); i++) {
		unsigned shift = heap_map_shift(h, wanted[i]);

		assert_true(heap_map_count(h, shift) <= wanted[i]);
		if (shift > HEAP_MAP_SHIFT_MIN)
			assert_true(heap_map_count(h, shift - 1) > wanted[i]);
	}
	assert_int_equal(heap_map_shift(h, 3), HEAP_MAP_SHIFT_WHOLE);
	heap_free(h);
}

/*
 * One range of 4 TiB with two objects, the first of which claims to reach into the other: no more
 * stretches than allowed are made, and no byte counts twice.
 */
TEST(is_bounded)
{
	struct error err = { 0 };
	struct heap_stream *stream = heap_stream_new(&err);
	const struct object objects[] = { { base, 5000, true, false },
					  { base + 4096, 24, false, false } };
	const struct reach *reach;
	struct heap_map map;
	const struct heap *h;

	for (size_t i = 0; i < COUNT_OF(objects); i++)
		add_object(stream, &objects[i]);
	assert_true(heap_stream_range(stream, base, base + (UINT64_C(1) << 42), GEN_2, 0, &err));
	h = heap_stream_finish(stream, NULL, &err);
	reach = reach_compute(h, true, NULL, &err);
	assert_non_null(reach);
	assert_false(heap_map_init(&map, h, reach, 12, NULL, &err));
	assert_string_equal(err.message,
			    "a map of 1073741824 stretches would be too fine: at most 262144 are "
			    "drawn");
	map = make_map(h, reach, heap_map_shift(h, HEAP_MAP_MAX));
	assert_int_equal(map.count, HEAP_MAP_MAX);
	assert_int_equal(map.stretches[0].live_bytes, 4096);
	assert_int_equal(map.stretches[0].dead_bytes, 24);
	assert_int_equal(heap_map_kind(&map.stretches[0]), MAP_FREE);
	heap_map_clear(&map);
	reach_free(reach);
	heap_free(h);
}

/* clang-format off */
static const struct {
	uint64_t live, dead, free;
	enum map_kind kind;
} kinds[] = { /* of 1,000 bytes */
	{ 1000, 0, 0, MAP_LIVE },    { 750, 250, 0, MAP_LIVE },  { 749, 251, 0, MAP_MIXED },
	{ 0, 1000, 0, MAP_DEAD },    { 250, 750, 0, MAP_DEAD },  { 250, 0, 750, MAP_FREE },
	{ 250, 0, 0, MAP_FREE },     { 251, 0, 749, MAP_MIXED }, { 500, 250, 250, MAP_MIXED },
};
/* clang-format on */

TEST(says_what_most_of_it_is)
{
	for (size_t i = 0; i < COUNT_OF(kinds); i++) {
		const struct map_stretch s = { .start = 7,
					       .end = 1007,
					       .live_bytes = kinds[i].live,
					       .dead_bytes = kinds[i].dead,
					       .free_bytes = kinds[i].free };

		assert_int_equal(heap_map_kind(&s), kinds[i].kind);
	}
}

/* --- heaps and generations ----------------------------------------------- */

/* A part, counted segment by segment. */
static void
check_part(const struct plan *p, const struct heap_parts *each, const struct heap_part *part)
{
	struct segments_total slow = { 0 };
	uint32_t count = 0;

	for (uint32_t i = 0; i < RANGES; i++) {
		const struct heap_segment *s = &p->segments[i];

		if ((part->heap_number != HEAP_PART_ALL && part->heap_number != s->heap_number) ||
		    (part->generation != GEN_COUNT && part->generation != s->generation))
			continue;
		count++;
		slow.objects.live_bytes += each->items[i].total.objects.live_bytes;
		slow.objects.dead_count += each->items[i].total.objects.dead_count;
		slow.objects.pinned_count += each->items[i].total.objects.pinned_count;
		slow.free_bytes += s->free_bytes;
		slow.free_count += s->free_count;
		slow.allocated_bytes += s->allocated - s->start;
		slow.committed_bytes += s->committed - s->start;
	}
	assert_int_equal(part->segments_count, count);
	assert_int_equal(part->total.objects.live_bytes, slow.objects.live_bytes);
	assert_int_equal(part->total.objects.dead_count, slow.objects.dead_count);
	assert_int_equal(part->total.objects.pinned_count, slow.objects.pinned_count);
	assert_int_equal(part->total.free_bytes, slow.free_bytes);
	assert_int_equal(part->total.free_count, slow.free_count);
	assert_int_equal(part->total.allocated_bytes, slow.allocated_bytes);
	assert_int_equal(part->total.committed_bytes, slow.committed_bytes);
}

static void
check_balance(const struct heap_parts *parts)
{
	struct heaps_balance b;
	uint64_t all = 0;

	assert_true(heaps_balance(parts, &b));
	for (uint32_t i = 0; i + 1 < parts->count; i++) {
		const struct segment_sum *o = &parts->items[i].total.objects;
		uint64_t bytes = o->live_bytes + o->dead_bytes;

		if (parts->items[i].generation != GEN_COUNT)
			continue;
		all += bytes;
		assert_true(bytes <= b.largest_bytes);
		if (parts->items[i].heap_number == b.largest)
			assert_int_equal(bytes, b.largest_bytes);
	}
	assert_int_equal(b.average_bytes, all / 3);
}

TEST(adds_up_heaps)
{
	static struct plan p;
	struct error err = { 0 };
	struct heap_parts each;
	const struct reach *reach;
	struct heap_parts parts;
	const struct heap *h;

	plan_heap(&p, 8, true);
	h = make_heap(&p);
	reach = reach_compute(h, true, NULL, &err);
	assert_true(heap_parts_of_segments(&each, h, reach, NULL, &err));
	assert_true(heap_parts_compute(&parts, h, reach, NULL, &err));
	assert_int_equal(parts.heaps_count, 3);
	for (uint32_t i = 0; i < parts.count; i++)
		check_part(&p, &each, &parts.items[i]);
	assert_int_equal(parts.items[parts.count - 1].total.objects.live_bytes,
			 reach->reachable_bytes);
	check_balance(&parts);
	heap_parts_clear(&parts);
	heap_parts_clear(&each);
	reach_free(reach);
	heap_free(h);
}

/* --- on the screen -------------------------------------------------------- */

/* However wide: every stretch is in one line, and lines follow each other. */
TEST(every_line_is_one_generation)
{
	static struct plan p;
	struct error err = { 0 };
	const struct reach *reach;
	struct map_lines lines;
	struct heap_map map;
	const struct heap *h;

	plan_heap(&p, 2, true);
	h = make_heap(&p);
	reach = reach_compute(h, true, NULL, &err);
	map = make_map(h, reach, 12);
	assert_true(map_lines_init(&lines, &map, &err));
	for (lines.across = 1; lines.across < 100; lines.across += 7) {
		struct map_line l = map_line_of(&lines, 0);
		uint32_t at = 0;

		for (;; l = map_line_from(&lines, l, 1)) {
			assert_int_equal(l.first, at);
			assert_true(l.end > at && l.end - at <= lines.across);
			for (; at < l.end; at++)
				assert_int_equal(map_line_of(&lines, at).first, l.first);
			if (map_line_is_last(&lines, &l))
				break;
		}
		assert_int_equal(at, map.count);
		assert_int_equal(map_line_from(&lines, l, -100000).first, 0);
	}
	map_lines_clear(&lines);
	heap_map_clear(&map);
	reach_free(reach);
	heap_free(h);
}

/* clang-format off */
static const struct {
	const char *name, *steps;
	int rows, columns;
	bool is_ascii, has_memory;
} screens[] = {
	{ "heapmap-80x24",    ":heapmap",                     24, 80, false, true },
	{ "heapmap-40x10",    ":heapmap",                     10, 40, true,  true },
	{ "heapmap-200x60",   ":heapmap",                     60, 200, false, true },
	{ "heapmap-moved",    ":heapmap j j l l l k PgDn h",  24, 80, false, true },
	{ "heapmap-last",     ":heapmap G k",                 24, 80, false, true },
	{ "heapmap-finer",    ":heapmap j j l + +",           24, 80, false, true },
	{ "heapmap-coarsest", ":heapmap j - - - - - - - - - - - - -", 24, 80, false, true },
	{ "heapmap-objects",  ":heapmap j j j Enter",         12, 80, false, true },
	{ "heapmap-back",     ":heapmap j j j l Enter <",     12, 80, false, true },
	{ "heapmap-table",    ":heapmap t",                   12, 80, false, true },
	{ "heapmap-sorted",   ":heapmap :sort_dead",          12, 100, false, true },
	{ "heapmap-picture",  ":heapmap :sort_dead t",        12, 80, false, true },
	{ "heapmap-capture",  ":heapmap j",                   12, 80, false, false },
	{ "heaps-server",     ":heaps",                       30, 120, false, true },
	{ "heaps-segments",   ":heaps j Enter",               12, 100, false, true },
	{ "heaps-step",       ":heaps j Enter Esc",           12, 80, false, true },
	{ "segments-80x24",   ":segments",                    24, 80, false, true },
	{ "segments-40x10",   ":segments",                    10, 40, false, true },
	{ "segments-filter",  ":segments j Enter :where_size_>_8 Esc", 12, 80, false, true },
	{ "segments-step",    ":segments j Enter :where_size_>_8 Esc Esc", 12, 80, false, true },
	{ "heaps-refused",    ":heaps",                       8,  80, false, false },
	{ "free-blocks",      ":free_20K",                    14, 100, false, true },
	{ "free-nothing",     ":free_1G",                     8,  80, false, true },
	{ "free-mistake",     ":free_much",                   8,  80, false, true },
	{ "objects-dead",     ":objects :where_dead",         12, 120, false, true },
	{ "types-dead",       "Esc",                          8,  160, false, true },
};
/* clang-format on */

static struct app *
app_on_plan(bool has_memory)
{
	static struct plan p;

	plan_heap(&p, 8, has_memory);
	return app_on(make_heap(&p));
}

TEST(shows)
{
	for (size_t i = 0; i < COUNT_OF(screens); i++) {
		struct screen *s =
		    screen_for_test(screens[i].rows, screens[i].columns, screens[i].is_ascii);
		struct app *app = app_on_plan(screens[i].has_memory);

		expect_steps(app, s, screens[i].steps, screens[i].name);
		app_end(app);
	}
}

TEST(shows_in_colour)
{
	struct screen *s = screen_for_test(16, 70, false);
	struct app *app = app_on_plan(true);

	app_steps(app, s, ":heapmap j l");
	expect_screen(app, s, "heapmap-styles", true);
	app_end(app);
}

TEST(is_clicked)
{
	struct screen *s = screen_for_test(16, 70, false);
	struct app *app = app_on_plan(true);

	app_steps(app, s, ":heapmap");
	app_draw(app, s);
	assert_true(app_view(app)->is_picture);
	assert_true(app_click_everywhere(app, s) > 100);
	app_end(app);
}
