/*
 * Heaps of made-up runtimes: all that is in them is found, and of damage is said where it is, while
 * the rest is as it was.
 */
#include "tests/drive/run_tests.h"
#include "tests/made/made_roots.h"
#include "tests/made/made_types.h"
#include "io/clr/graph.h"
#include "io/clr/values.h"
#include "io/runtime/runtime.h"
#include "model/heap/memory.h"
#include "model/graph/reach.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static struct made_runtime *
begin(int version, bool is_server, bool has_segments)
{
	const struct made_setup setup = { version, is_server, has_segments };
	struct made_runtime *rt = made_runtime_new(&setup);

	made_types_put(rt, true);
	return rt;
}

static const struct heap *
load(struct made_runtime *rt, bool is_forced, struct error *err)
{
	const struct clr_graph_options options = { .what = LOAD_ALL, .is_forced = is_forced };

	error_clear(err);
	return clr_graph_load(made_memory_open(rt->memory), "made up", &options, err);
}

static const struct heap *
load_good(struct made_runtime *rt)
{
	struct error err;
	const struct heap *h = load(rt, false, &err);

	assert_ok(h && heap_check(h, &err), &err);
	return h;
}

static void
check_count(const struct heap *h, const char *raw, uint64_t count)
{
	for (type_id t = 0; t < h->types_count; t++)
		if (!strcmp(h->types[t].raw, raw)) {
			assert_int_equal(h->types[t].count, count);
			return;
		}
	fail_msg("there is no type %s", raw);
}

static bool
is_said(const struct heap *h, const char *text)
{
	for (uint32_t i = 0; i < h->info.warnings_count; i++)
		if (strstr(h->info.warnings[i], text))
			return true;
	return false;
}

/* --- nothing is wrong --- */

static void
check_ranges(const struct made_runtime *rt, const struct heap *h)
{
	uint64_t objects = 0, free_count = 0;

	for (unsigned i = 0; i < rt->ranges_count; i++) {
		objects += rt->ranges[i].objects_count;
		free_count += rt->ranges[i].free_count;
	}
	assert_int_equal(h->nodes_count, objects);
	assert_int_equal(h->memory->free_blocks_count, free_count);
	assert_int_equal(h->memory->segments_count, rt->ranges_count);
	for (unsigned i = 0; i < rt->ranges_count; i++) {
		const struct heap_segment *s = &h->memory->segments[i];
		const struct made_range *r = &rt->ranges[i];

		assert_int_equal(s->start, r->start);
		assert_int_equal(s->allocated, r->end);
		assert_int_equal(s->objects_count, r->objects_count);
		assert_int_equal(s->free_count, r->free_count);
		assert_int_equal(s->heap_number, r->heap);
		assert_int_equal(heap_generation(h, heap_find(h, r->start)), r->generation);
	}
}

/* The object refers to these two, or to one if `second` is 0. */
static void
check_refs(const struct heap *h, uint64_t object, uint64_t first, uint64_t second)
{
	node_id n = heap_find(h, object), target = NODE_NONE;
	struct refs refs;

	assert_int_not_equal(n, NODE_NONE);
	refs = heap_refs(h, n);
	assert_true(refs_next(&refs, &target));
	assert_int_equal(heap_address(h, target), first);
	if (second) {
		assert_true(refs_next(&refs, &target));
		assert_int_equal(heap_address(h, target), second);
	}
	assert_false(refs_next(&refs, &target));
}

TEST(test_good)
{
	for (int i = 0; i < 3 * 2 * 2 * 2; i++) {
		struct made_runtime *rt = begin(8 + i / 8, i / 4 % 2, i / 2 % 2);
		const struct heap *h;

		made_memory_set_views(rt->memory, i % 2);
		made_pair_refs(rt, 1, made_pair_at(rt, 2), made_pair_at(rt, 3));
		h = load_good(rt);
		assert_false(losses_any(&h->info.losses));
		assert_int_equal(h->info.warnings_count, 0);
		assert_int_equal(h->types_count, 5);
		check_ranges(rt, h);
		check_refs(h, made_pair_at(rt, 1), made_pair_at(rt, 2), made_pair_at(rt, 3));
		/* One in five, and the one behind a thread's room. */
		check_count(h, "A.Session", h->nodes_count / 5);
		check_count(h, "A.Base", h->nodes_count / 5 + 1);
		heap_free(h);
		made_runtime_free(rt);
	}
}

/* What an object of a type that can be unloaded keeps without a field. */
TEST(test_keeper)
{
	for (int version = 8; version <= 11; version++) {
		struct made_runtime *rt = begin(version, false, false);
		uint64_t at = made_runtime_range(rt, 0, GEN_2)->start;
		const struct heap *h;

		made_far_put(rt, at);
		h = load_good(rt);
		check_refs(h, at, made_pair_at(rt, 0), 0);
		heap_free(h);
		made_runtime_free(rt);
	}
}

/* --- references --- */

static const struct {
	const char *name;
	uint64_t target;
} bad_refs[] = {
	{ "inside an object", 8 },
	{ "out of step", 4 },
	{ "nowhere", UINT64_C(0x123456789000) - MADE_RANGE },
	{ "the highest address", UINT64_MAX - MADE_RANGE },
};

TEST(test_bad_refs)
{
	for (size_t i = 0; i < COUNT_OF(bad_refs); i++) {
		struct made_runtime *rt = begin(10, false, false);
		uint64_t target = bad_refs[i].target;
		const struct heap *h;
		char text[200];

		print_message("%s\n", bad_refs[i].name);
		target += i < 2 ? made_pair_at(rt, 0) : MADE_RANGE;
		made_pair_refs(rt, 1, target, made_pair_at(rt, 2));
		made_pair_refs(rt, 0, 0, target);
		h = load_good(rt);
		assert_int_equal(h->info.losses.damaged_refs, 2);
		assert_true(is_said(h, "2 references lead to no object and"));
		snprintf(text, sizeof text,
			 "object %" PRIx64 " (A.Session) refers to %" PRIx64
			 ", where no object starts",
			 made_pair_at(rt, 1), target);
		assert_true(is_said(h, text));
		check_refs(h, made_pair_at(rt, 1), made_pair_at(rt, 2), 0);
		heap_free(h);
		made_runtime_free(rt);
	}
}

enum { STATE = 72, FLAGS = 40, SWEPT = 16 };

static void
set_swept(struct made_runtime *rt)
{
	for (unsigned i = 0; i < rt->ranges_count; i++)
		if (rt->ranges[i].generation != GEN_FROZEN)
			made_memory_u64(rt->memory, rt->ranges[i].segment + FLAGS, SWEPT);
}

static bool
is_live(const struct heap *h, uint64_t address)
{
	node_id n = heap_find(h, address);
	struct error err = { 0 };
	const struct reach *reach = reach_compute(h, true, NULL, &err);
	bool is_reached;

	assert_non_null(reach);
	assert_int_not_equal(n, NODE_NONE);
	is_reached = reach->distance[n] != DISTANCE_UNREACHABLE;
	reach_free(reach);
	return is_reached;
}

static const struct {
	const char *name, *said, *not_said;
	bool is_swept;
	unsigned dead_count, live_count; /* objects with a reference to nowhere */
	uint64_t damaged;
} stale_refs[] = {
	{ "one of the dead",
	  "1 reference of dead objects, which a background collection was sweeping, leads to no "
	  "object and is left out",
	  "where no object starts", false, 1, 0, 0 },
	{ "two of the dead",
	  "2 references of dead objects, which a background collection was sweeping, lead to no "
	  "object and are left out",
	  "where no object starts", false, 2, 0, 0 },
	{ "of dead ones that were swept already", "1 reference leads to no object and is left out",
	  "dead", true, 1, 0, 1 },
	{ "one of a live one", "1 reference leads to no object and is left out", "dead", false, 0,
	  1, 1 },
	{ "of both: the dead", "2 references of dead objects", "3 references", false, 2, 2, 2 },
	{ "of both: the live", "2 references lead to no object", "4 references", false, 2, 2, 2 },
};

static const uint64_t nowhere = MADE_RANGE + 4;

/* Those of dead objects are no loss, unless they were swept already. */
static void
check_stale(size_t row, bool has_views)
{
	struct made_runtime *rt = begin(10, false, false);
	const struct heap *h;

	print_message("%s%s\n", stale_refs[row].name, has_views ? ", in view" : "");
	made_roots_put(rt);
	made_memory_set_views(rt->memory, has_views);
	for (unsigned i = 0; i < stale_refs[row].dead_count; i++)
		made_pair_refs(rt, i, nowhere, 0);
	/* Handles hold them. */
	for (unsigned i = 0; i < stale_refs[row].live_count; i++)
		made_memory_u64(rt->memory, made_pair(rt, 0, i + 1) + 8, nowhere);
	made_memory_u64(rt->memory, MADE_CELL + STATE, 1);
	if (stale_refs[row].is_swept)
		set_swept(rt);
	h = load_good(rt);
	for (unsigned i = 0; i < stale_refs[row].dead_count; i++)
		assert_false(is_live(h, made_pair_at(rt, i)));
	for (unsigned i = 0; i < stale_refs[row].live_count; i++)
		assert_true(is_live(h, made_pair(rt, 0, i + 1)));
	assert_int_equal(h->info.losses.damaged_refs, stale_refs[row].damaged);
	assert_int_equal(losses_are_incomplete(&h->info.losses), stale_refs[row].damaged != 0);
	assert_true(is_said(h, stale_refs[row].said));
	assert_false(is_said(h, stale_refs[row].not_said));
	heap_free(h);
	made_runtime_free(rt);
}

TEST(test_stale_refs)
{
	for (size_t i = 0; i < COUNT_OF(stale_refs); i++) {
		check_stale(i, false);
		check_stale(i, true);
	}
}

/* --- an array that is read twice --- */

/* More than one block of what is copied, so that it is read again. */
enum { LARGE_COUNT = 1 << 18, LARGE_HEAD = 16 };

/* Puts it at the end of the large objects; all its elements are `target`. */
static uint64_t
put_large(struct made_runtime *rt, uint64_t target)
{
	const struct made_range *r = made_runtime_range(rt, 0, GEN_LOH);
	uint64_t *targets = malloc(LARGE_COUNT * sizeof(*targets)), end;

	assert_non_null(targets);
	for (uint32_t i = 0; i < LARGE_COUNT; i++)
		targets[i] = target;
	end = made_object(rt, r->end, MADE_ARRAY, LARGE_COUNT);
	made_memory_put(rt->memory, r->end + LARGE_HEAD, targets, LARGE_COUNT * sizeof(*targets));
	made_memory_zeros(rt->memory, end, 0x1000);
	made_memory_u64(rt->memory, r->segment, end);
	made_memory_u64(rt->memory, r->segment + 8, end + 0x1000);
	free(targets);
	return r->end;
}

/* Each time the array's elements are read from the first on, there are more
 * of them, or fewer: at one time all, at the other only the first. */
struct changing {
	struct memory memory;
	const struct memory *below;
	uint64_t elements;
	unsigned times, few_at; /* the time with one only; 0: never */
};

static size_t
changing_read(const void *source, uint64_t address, void *to, size_t len)
{
	struct changing *c = (struct changing *)(uintptr_t)source;
	uint64_t at = c->elements + 8, end = c->elements + 8 * LARGE_COUNT;
	size_t got = memory_copy(c->below, address, to, len);

	if (address == c->elements)
		c->times++;
	if (c->times != c->few_at || address >= end || address + got <= at)
		return got;
	at = at > address ? at : address;
	end = end < address + got ? end : address + got;
	memset((uint8_t *)to + (at - address), 0, (size_t)(end - at));
	return got;
}

static void
check_large(unsigned few_at, bool has_views)
{
	static const struct memory_ops ops = { .read = changing_read };
	const struct clr_graph_options options = { .what = LOAD_ALL };
	struct made_runtime *rt = begin(10, false, false);
	uint64_t at = put_large(rt, made_pair_at(rt, 2));
	struct changing c = { .below = made_memory_open(rt->memory),
			      .elements = at + LARGE_HEAD,
			      .few_at = few_at };
	const struct heap *h;
	struct error err = { 0 };

	made_memory_set_views(rt->memory, has_views);
	c.memory = *c.below;
	c.memory.ops = &ops;
	c.memory.source = &c;
	h = clr_graph_load(has_views ? c.below : &c.memory, "made up", &options, &err);
	if (few_at) {
		assert_null(h);
		assert_string_equal(err.message, "the memory changed while it was being read");
	} else {
		assert_non_null(h);
		assert_true(heap_check(h, &err));
		assert_int_equal(heap_refs(h, heap_find(h, at)).left, LARGE_COUNT);
		assert_true(has_views || c.times == 2);
		heap_free(h);
	}
	made_runtime_free(rt);
}

TEST(test_large)
{
	check_large(0, true);
	check_large(0, false);
	check_large(1, false);
	check_large(2, false);
}

/* --- holes --- */

TEST(test_holes)
{
	for (int is_absent = 0; is_absent < 2; is_absent++) {
		struct made_runtime *rt = begin(9, false, false);
		uint64_t at = made_pair_at(rt, 4);
		const struct heap *h;

		if (is_absent)
			made_memory_lose(rt->memory, at, 8);
		else
			made_memory_u64(rt->memory, at, MADE_LIBRARY);
		h = load_good(rt);
		assert_int_equal(heap_find(h, at), NODE_NONE);
		assert_int_not_equal(heap_find(h, made_pair_at(rt, 3)), NODE_NONE);
		/* What is absent, is so by pages. */
		assert_int_equal(heap_find(h, made_pair_at(rt, 5)) == NODE_NONE, is_absent);
		assert_int_equal(h->info.losses.damaged_nodes, 1);
		assert_true(h->info.losses.missing_bytes >= 40);
		assert_int_equal(h->memory->holes_count, 1);
		assert_int_equal(h->memory->holes[0].start, at);
		assert_true(is_said(h, "1 hole in the heap"));
		assert_true(is_said(h, "last good object"));
		heap_free(h);
		made_runtime_free(rt);
	}
}

/* Something of an object is absent: what is there counts. */
TEST(test_partial)
{
	struct made_runtime *rt = begin(10, false, false);
	uint64_t at = made_pair_at(rt, 6);
	const struct heap *h;

	made_pair_refs(rt, 6, made_pair_at(rt, 2), made_pair_at(rt, 3));
	made_memory_lose(rt->memory, at + 16, 8);
	h = load_good(rt);
	check_refs(h, at, made_pair_at(rt, 2), 0);
	assert_int_equal(h->info.losses.partial_nodes, 1);
	heap_free(h);
	made_runtime_free(rt);
}

/* --- what the runtime's file is called --- */

struct path_row {
	const char *path;
	bool is_found, is_single_file;
};

static const struct path_row path_rows[] = {
	{ MADE_PATH, true, false },
	{ "/app/program", true, true },
	{ "/app/libcoreclr.so.2", true, true },
	{ "/app/module.dll", false, false },
	/* Replaced by an upgrade while the process runs. */
	{ MADE_PATH " (deleted)", true, false },
	{ "/app/program (deleted)", true, true },
	{ "/app/module.dll (deleted)", false, false },
};

TEST(test_paths)
{
	for (size_t i = 0; i < COUNT_OF(path_rows); i++) {
		const struct path_row *row = &path_rows[i];
		struct made_runtime *made = begin(10, false, false);
		struct memory memory = *made_memory_open(made->memory);
		struct memory_mapping mapping = *memory_mapping_at(&memory, MADE_LIBRARY);
		struct clr_runtime *rt;
		struct error err = { 0 };

		mapping.name = row->path;
		memory.mappings = &mapping;
		memory.mappings_count = 1;
		rt = clr_runtime_open(&memory, &err);
		if ((rt != NULL) != row->is_found)
			fail_msg("%s: %s", row->path, rt ? "found" : err.message);
		if (rt && rt->is_single_file != row->is_single_file)
			fail_msg("%s: the wrong flavour", row->path);
		clr_runtime_close(rt);
		made_runtime_free(made);
	}
}

/* --- how much room a value has --- */

/* Its class has a field that nobody knows, up to its end. */
static void
put_raw_field(struct made_runtime *rt)
{
	enum { ROW = 1, OFFSET = 8, STRUCTURE = 0x11, KIND_SHIFT = 27 };
	uint64_t table = MADE_METHOD_TABLE(MADE_PAIR), fields, class;

	class = table + 0x60;
	fields = MADE_METHODS + 0x60000;
	made_type_token(rt, table, MADE_CACHE);
	made_memory_zeros(rt->memory, fields, 0x100);
	made_memory_u64(rt->memory, class + rt->layout.offset[CLR_CLASS_FIELDS], fields);
	made_memory_u64(rt->memory, fields, table);
	made_memory_u32(rt->memory, fields + 8, ROW);
	made_memory_u32(rt->memory, fields + 12, OFFSET | (uint32_t)STRUCTURE << KIND_SHIFT);
}

/* The last field ends where the next object's header begins. */
TEST(test_last_field)
{
	struct made_runtime *rt = begin(10, false, false);
	const struct memory *m = made_memory_open(rt->memory);
	const struct clr_graph_options options = { .what = LOAD_ALL,
						   .kept = (struct memory *)(uintptr_t)m };
	const struct heap *h;
	struct content row;
	struct error err = { 0 };
	struct arena a;
	uint64_t total;
	size_t count;

	arena_init(&a, 0);
	put_raw_field(rt);
	h = clr_graph_load(m, "made up", &options, &err);
	assert_non_null(h);
	assert_true(h->memory->contents->rows(h->memory->source, heap_find(h, made_pair_at(rt, 0)),
					      0, 1, &row, &count, &total, &a, &err));
	assert_int_equal(count, 1);
	assert_int_equal(row.kind, CONTENT_RAW);
	assert_int_equal(row.address + row.bytes, made_pair_at(rt, 0) + 40 - 8);
	arena_clear(&a);
	heap_free(h);
	made_runtime_free(rt);
}

/* An element and a value in a box have plans of their own. */
TEST(test_room)
{
	static const uint32_t rooms[] = { 4, 16, 4 };
	struct made_runtime *rt = begin(10, false, false);
	struct clr_names names = { 0 };
	struct clr_runtime *runtime;
	struct clr_values *v;
	struct error err = { 0 };

	runtime = clr_runtime_open(made_memory_open(rt->memory), &err);
	assert_non_null(runtime);
	names.layout = &runtime->layout;
	names.reader = runtime->reader;
	names.modules = clr_modules_new(names.layout, names.reader, &err);
	v = clr_values_new(runtime, &names, &err);
	assert_non_null(v);
	for (size_t i = 0; i < COUNT_OF(rooms); i++) {
		const struct clr_plan *plan =
		    clr_values_of_element(v, MADE_METHOD_TABLE(MADE_PAIR), rooms[i], &err);

		assert_non_null(plan);
		assert_int_equal(plan->parts[0].bytes, rooms[i] < 8 ? rooms[i] : 8);
	}
	clr_values_free(v);
	clr_modules_free(names.modules);
	clr_runtime_close(runtime);
	made_runtime_free(rt);
}

/* --- nothing can be told --- */

/* Leaves no stack in memory. */
static void
lose_stacks(struct made_runtime *rt)
{
	for (int i = 0; i < MADE_THREADS_COUNT; i++)
		made_memory_thread(rt->memory, MADE_TID + i, 0, 0);
}

TEST(test_refusals)
{
	struct made_runtime *rt = begin(10, false, false);
	const struct heap *h;
	struct error err;

	made_memory_u32(rt->memory, MADE_CELL + 192, 1);
	assert_null(load(rt, false, &err));
	assert_non_null(strstr(err.message, "moving objects"));
	h = load(rt, true, &err);
	assert_non_null(h);
	heap_free(h);
	made_memory_u32(rt->memory, MADE_CELL + 192, 0);
	made_memory_lose(rt->memory, MADE_RANGE, 0x10000000);
	lose_stacks(rt);
	assert_null(load(rt, false, &err));
	assert_non_null(strstr(err.message, "createdump --withheap PID"));
	made_runtime_free(rt);
}

/* Which stretches the heap has is not there, either. */
TEST(test_mini_without_records)
{
	struct made_runtime *rt = begin(10, false, false);
	struct error err;

	made_memory_lose(rt->memory, MADE_SEGMENT, 0x10000);
	lose_stacks(rt);
	assert_null(load(rt, false, &err));
	assert_int_equal(err.kind, ERROR_INPUT);
	assert_non_null(strstr(err.message, "and has no stacks"));
	made_runtime_free(rt);
}

/* Threads are an answer, if there is a stack of any. */
TEST(test_mini_with_stacks)
{
	static const enum load_what wants[] = { LOAD_TYPES, LOAD_ALL };

	for (int i = 0; i < 2; i++) {
		struct made_runtime *rt = begin(10, false, false);
		struct clr_graph_options options = { .what = wants[i] };
		const struct heap *h;
		struct error err = { 0 };

		made_memory_lose(rt->memory, MADE_RANGE, 0x10000000);
		h = clr_graph_load(made_memory_open(rt->memory), "made", &options, &err);
		assert_ok(h && heap_check(h, &err), &err);
		assert_true(heap_lacks_objects(h));
		assert_non_null(strstr(h->memory->lacks_objects, "Mini and Triage"));
		assert_false(h->has_objects);
		assert_int_equal(h->types_count, 0);
		assert_int_equal(h->memory->threads_count, MADE_THREADS_COUNT);
		heap_free(h);
		made_runtime_free(rt);
	}
}

/* A server's list of heaps is not there, either. */
TEST(test_mini_of_server)
{
	struct made_runtime *rt = begin(10, true, false);
	const struct heap *h;
	struct error err;

	made_memory_u64(rt->memory, MADE_CELL + 184, UINT64_C(0x123456000));
	h = load(rt, false, &err);
	assert_ok(h && heap_check(h, &err), &err);
	assert_true(heap_lacks_objects(h));
	assert_int_equal(h->memory->threads_count, MADE_THREADS_COUNT);
	heap_free(h);
	lose_stacks(rt);
	assert_null(load(rt, false, &err));
	assert_non_null(strstr(err.message, "and has no stacks"));
	made_runtime_free(rt);
}

/* A few objects are no answer, whatever is asked for. */
TEST(test_mini)
{
	static const enum load_what wants[] = { LOAD_TYPES, LOAD_ALL };

	for (int i = 0; i < 2; i++) {
		struct made_runtime *rt = begin(10, false, false);
		struct clr_graph_options options = { .what = wants[i] };
		const struct heap *h;
		struct error err = { 0 };

		made_memory_lose(rt->memory, rt->ranges[0].end, 0x10000000);
		lose_stacks(rt);
		assert_null(clr_graph_load(made_memory_open(rt->memory), "made", &options, &err));
		assert_int_equal(err.kind, ERROR_INPUT);
		assert_non_null(
		    strstr(err.message, "lacks most or all of the heap, and has no stacks"));
		error_clear(&err);
		options.is_forced = true;
		h = clr_graph_load(made_memory_open(rt->memory), "made", &options, &err);
		assert_ok(h, &err);
		heap_free(h);
		made_runtime_free(rt);
	}
}
