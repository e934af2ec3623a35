/* A runtime made up: found, walked, and damaged in every place. */
#include "tests/drive/run_tests.h"
#include "tests/made/made_runtime.h"
#include "io/runtime/presence.h"
#include "io/runtime/walk.h"
#include <inttypes.h>
#include <string.h>

/* clang-format off */
static const struct made_setup setups[] = {
	{ 8,  false, false }, { 8,  true, false }, { 8,  false, true },
	{ 9,  false, false }, { 9,  true, false }, { 9,  false, true },
	{ 10, false, false }, { 10, true, false }, { 10, false, true },
	{ 10, true,  true },
	{ 11, false, false }, { 11, true, false }, { 11, false, true },
};
/* clang-format on */

struct opened {
	struct clr_runtime *runtime;
	struct clr_heaps *heaps;
	struct clr_tables *tables;
	struct clr_walk *walk;
	struct error err;
};

/* Whatever fails leaves its sentence in `err`. */
static bool
open_all(struct opened *o, struct made_runtime *rt)
{
	memset(o, 0, sizeof(*o));
	o->runtime = clr_runtime_open(made_memory_open(rt->memory), &o->err);
	if (o->runtime)
		o->heaps = clr_heaps_open(o->runtime, &o->err);
	if (!o->heaps)
		return false;
	o->tables = clr_tables_new(o->heaps, &o->err);
	o->walk = clr_walk_new(o->heaps, o->tables, &o->err);
	assert_non_null(o->walk);
	return true;
}

static void
close_all(struct opened *o)
{
	clr_walk_free(o->walk);
	clr_tables_free(o->tables);
	clr_heaps_close(o->heaps);
	clr_runtime_close(o->runtime);
}

/* Objects by generation; each must lie behind the one before. */
static const struct clr_walk_sums *
walk_range(struct opened *o, const struct clr_range *range, unsigned counts[GEN_COUNT])
{
	struct clr_object objects[7];
	const struct clr_walk_sums *s = clr_walk_sums(o->walk);
	uint64_t at = range->start;
	size_t count;

	clr_walk_start(o->walk, range);
	while (clr_walk_next(o->walk, objects, COUNT_OF(objects), &count)) {
		for (size_t i = 0; i < count; i++) {
			assert_true(objects[i].address >= at);
			at = objects[i].address + objects[i].size;
			counts[objects[i].generation] += !objects[i].is_free;
			assert_int_equal(bytes_load_u64(objects[i].bytes) & ~CLR_OBJECT_MARKS,
					 objects[i].table);
		}
	}
	assert_true(at <= range->end);
	assert_int_equal(s->objects_bytes + s->free_bytes + s->contexts_bytes + s->holes_bytes,
			 range->end - range->start);
	return s;
}

static void
check_range(struct opened *o, const struct made_range *made, unsigned counts[GEN_COUNT])
{
	const struct clr_range *r = clr_heaps_range_at(o->heaps, made->start);
	const struct clr_walk_sums *s;

	assert_non_null(r);
	assert_int_equal(r->start, made->start);
	assert_int_equal(r->end, made->end);
	assert_int_equal(r->generation, made->generation);
	assert_int_equal(r->heap, made->heap);
	s = walk_range(o, r, counts);
	assert_int_equal(s->holes_count, 0);
	assert_int_equal(s->objects_count, made->objects_count);
	assert_int_equal(s->free_count, made->free_count);
}

static void
check_setup(struct made_runtime *rt)
{
	struct opened o;
	unsigned counts[GEN_COUNT] = { 0 };

	if (!open_all(&o, rt))
		fail_msg("%s", o.err.message);
	assert_int_equal(o.runtime->version[0], rt->setup.version);
	assert_int_equal(o.runtime->doubts.count, 0);
	assert_int_equal(o.heaps->doubts.count, 0);
	assert_int_equal(o.runtime->threads_count, MADE_THREADS_COUNT);
	assert_int_equal(o.heaps->is_server, rt->setup.is_server);
	assert_int_equal(o.heaps->has_regions, !rt->setup.has_segments);
	assert_int_equal(o.heaps->adaptation, rt->setup.version >= 10 ? 1 : -1);
	assert_int_equal(o.heaps->contexts_count, 1);
	assert_int_equal(o.heaps->contexts[0].pointer, rt->context_pointer);
	assert_int_equal(o.heaps->ranges_count, rt->ranges_count);
	for (unsigned i = 0; i < rt->ranges_count; i++)
		check_range(&o, &rt->ranges[i], counts);
	assert_int_equal(counts[GEN_FROZEN], 50);
	if (rt->setup.has_segments && !rt->setup.is_server) {
		assert_int_equal(counts[GEN_2], 5);
		assert_int_equal(counts[GEN_1], 5);
		assert_int_equal(counts[GEN_0], 41);
	}
	close_all(&o);
}

TEST(test_setups)
{
	for (size_t i = 0; i < COUNT_OF(setups); i++) {
		struct made_runtime *rt = made_runtime_new(&setups[i]);

		check_setup(rt);
		made_memory_set_views(rt->memory, false);
		check_setup(rt);
		made_runtime_free(rt);
	}
}

/* --- objects that make no sense ------------------------------------------- */

/* --- types of suspended calls --- */

/* The class of MADE_PAIR becomes that of MADE_SHARED, and the parents of both are given. */
static unsigned
count_holes(uint64_t parent, uint64_t other_parent)
{
	const struct made_setup setup = { .version = 11 };
	struct made_runtime *rt = made_runtime_new(&setup);
	const uint32_t *offset = rt->layout.offset;
	uint64_t pair = MADE_METHOD_TABLE(MADE_PAIR);
	uint64_t shared = MADE_METHOD_TABLE(MADE_SHARED), class = shared + 0x60;
	unsigned counts[GEN_COUNT] = { 0 }, holes = 0;
	struct opened o;

	made_memory_u64(rt->memory, class + offset[CLR_CLASS_MT], shared);
	made_memory_u64(rt->memory, shared + offset[CLR_MT_CLASS_OR_CANON], class);
	made_memory_u64(rt->memory, pair + offset[CLR_MT_CLASS_OR_CANON], class);
	made_memory_u64(rt->memory, pair + offset[CLR_MT_PARENT], parent);
	made_memory_u64(rt->memory, shared + offset[CLR_MT_PARENT], other_parent);
	assert_true(open_all(&o, rt));
	for (unsigned i = 0; i < rt->ranges_count; i++)
		holes += (unsigned)walk_range(&o, clr_heaps_range_at(o.heaps, rt->ranges[i].start),
					      counts)
			     ->holes_count;
	close_all(&o);
	made_runtime_free(rt);
	return holes;
}

TEST(test_shared_class)
{
	uint64_t base = MADE_METHOD_TABLE(MADE_OBJECT);

	assert_int_equal(count_holes(base, base), 0);
	assert_true(count_holes(base, MADE_METHOD_TABLE(MADE_STRING)) > 0);
	assert_true(count_holes(0, 0) > 0);
}

static const struct made_setup plain = { 10, false, false };

/* Object number `i` of a range and where the next one is. */
static uint64_t
object_at(struct made_runtime *rt, const struct made_range *r, unsigned i)
{
	struct opened o;
	struct clr_object objects[64];
	size_t count;
	uint64_t at;

	assert_true(open_all(&o, rt));
	clr_walk_start(o.walk, clr_heaps_range_at(o.heaps, r->start));
	assert_true(clr_walk_next(o.walk, objects, 64, &count));
	assert_true(i < count);
	at = objects[i].address;
	close_all(&o);
	return at;
}

struct damage_row {
	const char *name;
	unsigned generation, object; /* whose first word … */
	uint64_t word;               /* … becomes this */
	enum clr_hole_reason reason;
	unsigned holes, lost; /* lost: objects that are not found any more */
};

/* clang-format off */
static const struct damage_row damage_rows[] = {
	{ "no table",         GEN_2, 7,  0,                  CLR_HOLE_NO_TABLE,  1, 1 },
	{ "first",            GEN_2, 0,  0,                  CLR_HOLE_NO_TABLE,  1, 1 },
	{ "absent table",     GEN_1, 7,  0x5000,             CLR_HOLE_BAD_TABLE, 1, 1 },
	{ "odd table",        GEN_1, 7,  UINT64_MAX,         CLR_HOLE_BAD_TABLE, 1, 1 },
	{ "into the heap",    GEN_1, 7,  MADE_RANGE + 0x28,  CLR_HOLE_BAD_TABLE, 1, 1 },
	{ "of large objects", GEN_LOH, 20, 0x10,             CLR_HOLE_BAD_TABLE, 1, 1 },
	{ "marked",           GEN_2, 7,  MADE_METHOD_TABLE(MADE_PAIR) | 1, 0,    0, 0 },
	/* A pair where an object was: eight others do not follow. */
	{ "longer",           GEN_2, 16, MADE_METHOD_TABLE(MADE_PAIR), CLR_HOLE_NO_TABLE, 1, 1 },
	{ "past the end",   GEN_2, 50, MADE_METHOD_TABLE(MADE_PAIR), CLR_HOLE_NO_TABLE, 1, 1 },
};
/* clang-format on */

static void
check_damage(const struct damage_row *row, bool has_views)
{
	struct made_runtime *rt = made_runtime_new(&plain);
	const struct made_range *r = made_runtime_range(rt, 0, row->generation);
	uint64_t at = object_at(rt, r, row->object);
	unsigned counts[GEN_COUNT] = { 0 };
	const struct clr_walk_sums *s;
	const struct clr_hole *holes;
	struct opened o;
	size_t count;

	made_memory_set_views(rt->memory, has_views);
	made_memory_u64(rt->memory, at, row->word);
	assert_true(open_all(&o, rt));
	s = walk_range(&o, clr_heaps_range_at(o.heaps, at), counts);
	holes = clr_walk_holes(o.walk, &count);
	if (s->holes_count != row->holes || count != row->holes ||
	    (count && holes[0].reason != row->reason) ||
	    s->objects_count + row->lost != r->objects_count)
		fail_msg("%s: %" PRIu64 " holes (%s), %" PRIu64 " of %u found", row->name,
			 s->holes_count, count ? clr_hole_text(holes[0].reason) : "",
			 s->objects_count, r->objects_count);
	if (count && row->reason != CLR_HOLE_NO_TABLE)
		assert_int_equal(holes[0].start, at);
	close_all(&o);
	made_runtime_free(rt);
}

TEST(test_damage)
{
	for (size_t i = 0; i < COUNT_OF(damage_rows); i++) {
		check_damage(&damage_rows[i], true);
		check_damage(&damage_rows[i], false);
	}
}

TEST(test_too_large)
{
	struct made_runtime *rt = made_runtime_new(&plain);
	const struct made_range *r = made_runtime_range(rt, 0, GEN_LOH);
	uint64_t at = object_at(rt, r, 1); /* a string */
	unsigned counts[GEN_COUNT] = { 0 };
	const struct clr_hole *holes;
	struct opened o;
	size_t count;

	made_memory_u32(rt->memory, at + 8, UINT32_MAX);
	assert_true(open_all(&o, rt));
	walk_range(&o, clr_heaps_range_at(o.heaps, at), counts);
	holes = clr_walk_holes(o.walk, &count);
	assert_int_equal(count, 1);
	assert_int_equal(holes[0].reason, CLR_HOLE_TOO_LARGE);
	assert_int_equal(holes[0].start, at);
	assert_int_equal(holes[0].end, at + 24);
	assert_int_equal(holes[0].last_good, r->start);
	assert_int_equal(counts[GEN_LOH], r->objects_count - 1);
	close_all(&o);
	made_runtime_free(rt);
}

/*
 * Of an array whose length was overwritten, the elements lead to what has all that a method table
 * must have, but lies in the heap: none of them is an object.
 */
TEST(test_elements_are_no_objects)
{
	enum { ELEMENTS = 4000, PAIRS = 20 };
	struct made_runtime *rt = made_runtime_new(&plain);
	const struct made_range *r = made_runtime_range(rt, 0, GEN_LOH);
	uint64_t array, alike, behind, end;
	unsigned counts[GEN_COUNT] = { 0 };
	const struct clr_hole *holes;
	struct opened o;
	size_t count;

	made_memory_zeros(rt->memory, r->start, 0x400000);
	alike = r->start + 64;
	array = made_object(rt, r->start, MADE_ARRAY, 64);
	behind = made_object(rt, array, MADE_ARRAY, ELEMENTS);
	made_memory_u32(rt->memory, alike + (uint64_t)rt->layout.offset[CLR_MT_BASE_SIZE],
			CLR_OBJECT_MIN);
	made_memory_u64(rt->memory, alike + (uint64_t)rt->layout.offset[CLR_MT_MODULE], MADE_HEAP);
	made_memory_u64(rt->memory, alike + (uint64_t)rt->layout.offset[CLR_MT_CLASS_OR_CANON],
			0x123450);
	for (uint64_t i = 0; i < ELEMENTS; i++)
		made_memory_u64(rt->memory, array + 16 + 8 * i, alike);
	end = behind;
	for (int i = 0; i < PAIRS; i++)
		end = made_object(rt, end, MADE_PAIR, 0);
	for (int i = 0; i < 3; i++)
		made_memory_u64(rt->memory, r->segment + 8 * (uint64_t)i, end);
	made_memory_u32(rt->memory, array + 8, INT32_MAX);
	assert_true(open_all(&o, rt));
	walk_range(&o, clr_heaps_range_at(o.heaps, r->start), counts);
	holes = clr_walk_holes(o.walk, &count);
	assert_int_equal(count, 1);
	assert_int_equal(holes[0].start, array);
	assert_int_equal(holes[0].end, behind);
	assert_int_equal(counts[GEN_LOH], 1 + PAIRS);
	close_all(&o);
	made_runtime_free(rt);
}

/* A thread that took room and was stopped before it wrote the table. */
TEST(test_unfinished)
{
	struct made_runtime *rt = made_runtime_new(&plain);
	const struct made_range *r = made_runtime_range(rt, 0, GEN_0);
	unsigned counts[GEN_COUNT] = { 0 };
	const struct clr_hole *holes;
	uint64_t last = rt->context_pointer - 40;
	struct opened o;
	size_t count;

	for (uint64_t at = last; at < rt->context_pointer; at += 8)
		made_memory_u64(rt->memory, at, 0);
	assert_true(open_all(&o, rt));
	walk_range(&o, clr_heaps_range_at(o.heaps, r->start), counts);
	holes = clr_walk_holes(o.walk, &count);
	assert_int_equal(count, 1);
	assert_int_equal(holes[0].reason, CLR_HOLE_UNFINISHED);
	assert_int_equal(holes[0].start, last);
	assert_int_equal(holes[0].end, rt->context_pointer);
	assert_int_equal(counts[GEN_0], r->objects_count - 1);
	close_all(&o);
	made_runtime_free(rt);
}

/* The page of a large array is no loss; the beginnings of objects are. */
TEST(test_absent)
{
	struct made_runtime *rt = made_runtime_new(&plain);
	const struct made_range *r = made_runtime_range(rt, 0, GEN_LOH);
	uint64_t end = r->start, second;
	unsigned counts[GEN_COUNT] = { 0 };
	const struct clr_walk_sums *s;
	const struct clr_hole *holes;
	struct opened o;
	size_t count;

	made_memory_zeros(rt->memory, r->start, 0x400000);
	end = made_object(rt, end, MADE_ARRAY, 400000);
	second = end;
	for (int i = 0; i < 2000; i++)
		end = made_object(rt, end, MADE_PAIR, 0);
	made_memory_u64(rt->memory, r->segment, end);
	made_memory_u64(rt->memory, r->segment + 8, end);
	made_memory_u64(rt->memory, r->segment + 16, end);
	made_memory_lose(rt->memory, r->start + 0x100000, 0x10000);
	made_memory_lose(rt->memory, (second / 4096 + 2) * 4096, 2 * 4096);
	assert_true(open_all(&o, rt));
	s = walk_range(&o, clr_heaps_range_at(o.heaps, r->start), counts);
	holes = clr_walk_holes(o.walk, &count);
	assert_int_equal(count, 1);
	assert_int_equal(holes[0].reason, CLR_HOLE_ABSENT);
	assert_true(s->holes_bytes >= 8192 && s->holes_bytes < 8192 + 80);
	assert_true(s->objects_count > 1785 && s->objects_count < 1801);
	close_all(&o);
	made_runtime_free(rt);
}

/* --- everything else that may be wrong ------------------------------------ */

struct wrong_row {
	const char *name;
	void (*make)(struct made_runtime *rt);
	const char *sentence; /* part of the error, or of a doubt */
	bool is_error;
};

static void
lose_library(struct made_runtime *rt)
{
	made_memory_lose(rt->memory, MADE_LIBRARY, 0x1000);
}
static void
lose_exports(struct made_runtime *rt)
{
	made_memory_lose(rt->memory, MADE_LIBRARY + 0x700, 0x100);
}
static void
lose_table(struct made_runtime *rt)
{
	made_memory_lose(rt->memory, MADE_TABLE, 0x1000);
}
static void
lose_variables(struct made_runtime *rt)
{
	made_memory_lose(rt->memory, MADE_GC, 0x1000);
}
static void
lose_offsets(struct made_runtime *rt)
{
	made_memory_lose(rt->memory, MADE_OFFSETS, 0x1000);
}
static void
two_collectors(struct made_runtime *rt)
{
	uint8_t copy[328] = { 2, [8] = 255, [16] = 5 };

	made_memory_put(rt->memory, MADE_STORE + 0x800, copy, sizeof(copy));
	made_memory_u64(rt->memory, MADE_TABLE + 8 * 7, MADE_STORE + 0x7f8);
	made_memory_u64(rt->memory, MADE_STORE + 0x7f8, MADE_STORE + 0x800);
}
static void
unknown_version(struct made_runtime *rt)
{
	/* The size of the table, in its symbol. */
	made_memory_u64(rt->memory, MADE_LIBRARY + 0x600 + 24 + 16, 777);
}
static void
future_version(struct made_runtime *rt)
{
	made_runtime_say(rt, "12.0.326.1");
}
static void
version_7(struct made_runtime *rt)
{
	made_runtime_say(rt, "7.0.2024.1");
}
static void
version_3(struct made_runtime *rt)
{
	made_runtime_say(rt, "4.700.22.5");
}
static void
odd_start(struct made_runtime *rt)
{
	made_memory_u32(rt->memory, MADE_OFFSETS + 0x108, 72);
}
static void
circle_of_threads(struct made_runtime *rt)
{
	uint32_t next = rt->layout.offset[CLR_THREAD_NEXT];

	made_memory_u64(rt->memory, MADE_THREAD + 0x2000 + next, MADE_THREAD + next);
}
static void
too_few_threads(struct made_runtime *rt)
{
	made_memory_u64(rt->memory, MADE_THREAD + rt->layout.offset[CLR_THREAD_NEXT], 0);
}
static void
unknown_thread(struct made_runtime *rt)
{
	made_memory_u64(rt->memory, MADE_THREAD + rt->layout.offset[CLR_THREAD_OS_ID], 17);
}
static void
many_threads(struct made_runtime *rt)
{
	made_memory_u32(rt->memory, MADE_STORE + rt->layout.offset[CLR_THREAD_STORE_COUNT],
			UINT32_MAX);
}
static void
lose_thread(struct made_runtime *rt)
{
	made_memory_lose(rt->memory, MADE_THREAD + 0x1000, 0x1000);
}
static void
circle_of_regions(struct made_runtime *rt)
{
	const struct made_range *r = made_runtime_range(rt, 0, GEN_LOH);

	made_memory_u64(rt->memory, r->segment + 48, r->segment);
}
static void
lose_region(struct made_runtime *rt)
{
	const struct made_range *r = made_runtime_range(rt, 0, GEN_FROZEN);

	made_memory_u64(rt->memory, r->segment + 48, 0x4000);
}
static void
backward_region(struct made_runtime *rt)
{
	const struct made_range *r = made_runtime_range(rt, 0, GEN_2);

	made_memory_u64(rt->memory, r->segment, r->start - 8);
}
static void
crooked_region(struct made_runtime *rt)
{
	const struct made_range *r = made_runtime_range(rt, 0, GEN_2);

	made_memory_u64(rt->memory, r->segment + 32, r->start + 4);
}
static void
overlapping_regions(struct made_runtime *rt)
{
	const struct made_range *r = made_runtime_range(rt, 0, GEN_2);
	const struct made_range *other = made_runtime_range(rt, 0, GEN_1);

	made_memory_u64(rt->memory, r->segment + 32, other->start + 16);
	made_memory_u64(rt->memory, r->segment, other->end);
	made_memory_u64(rt->memory, r->segment + 8, other->end);
	made_memory_u64(rt->memory, r->segment + 16, other->end);
}
static void
backward_context(struct made_runtime *rt)
{
	made_memory_u64(rt->memory, MADE_THREAD + 0x800 + 16, rt->context_pointer - 8);
}
static void
no_free_table(struct made_runtime *rt)
{
	made_memory_u64(rt->memory, MADE_VARIABLE + 16, 0);
}
static void
no_memory_of_heap(struct made_runtime *rt)
{
	made_memory_lose(rt->memory, MADE_HEAP, 0x2000);
}

/* clang-format off */
static const struct wrong_row wrong_rows[] = {
	{ "no library",      lose_library,        "there is no .NET runtime in the test; to list .NET processes: heaptop -l", true },
	{ "no exports",      lose_exports,        "the exports of libcoreclr.so are neither in the test nor in a file here; if DIR has its files (of a container: /proc/PID/root): heaptop --sysroot DIR FILE", true },
	{ "no table",        lose_table,          "cut short, or of an unknown version; for a process, its events: heaptop PID; for a core: dotnet-dump analyze FILE", true },
	{ "no variables",    lose_variables,      "leads to nothing that looks like", true },
	{ "no offsets",      lose_offsets,        "a variable of the collector at 0x7f0000012000 is not in the test", true },
	{ "two collectors",  two_collectors,      "2 slots of g_dacTable look like the collector's variables (7 and 19 among them)", true },
	{ "unknown",         unknown_version,     "its g_dacTable of 777 bytes is not that of .NET 8, 9, 10 and 11; for a process, its events: heaptop PID; for a core: dotnet-dump analyze FILE", true },
	{ "from the future", future_version,      ".NET 12 cannot be read from memory, only 8, 9, 10 and 11; for a process, its events: heaptop PID; for a core: dotnet-dump analyze FILE", true },
	{ "before that",     version_7,           "memory is read from .NET 8 on, and this is .NET 7; a process is read by its events: heaptop PID; a core by: dotnet-dump analyze FILE", true },
	{ "long before",     version_3,           "and this is .NET Core 3; a process is read by its events", true },
	{ "odd start",       odd_start,           "the start of a generation is at offset 72", true },
	{ "circle",          circle_of_threads,   "counts 3 threads, but its list has more than 3", false },
	{ "too few",         too_few_threads,     "counts 3 threads, but its list has 1", false },
	{ "unknown thread",  unknown_thread,      "has the kernel id 17", false },
	{ "many threads",    many_threads,        "the number of threads is unknown", false },
	{ "absent thread",   lose_thread,         "thread at 0x7e0000002000 is not in memory", false },
	{ "round and round", circle_of_regions,   "the list of regions of heap 0 has no end", false },
	{ "absent region",   lose_region,         "the region at 0x4000 is not in memory", false },
	{ "backward",        backward_region,     "is damaged: objects", false },
	{ "crooked",         crooked_region,      "is damaged: objects", false },
	{ "overlapping",     overlapping_regions, "two ranges of objects overlap", false },
	{ "context",         backward_context,    "ends before it starts", false },
	{ "free space",      no_free_table,       "the method table of free objects was not found", false },
	{ "generations",     no_memory_of_heap,   "a generation of heap 0 is not in memory", false },
};
/* clang-format on */

static bool
is_among(const char *const *doubts, size_t count, const char *sentence)
{
	for (size_t i = 0; i < count; i++) {
		if (strstr(doubts[i], sentence))
			return true;
	}
	return false;
}

static void
check_wrong(const struct wrong_row *row)
{
	struct made_runtime *rt = made_runtime_new(&plain);
	unsigned counts[GEN_COUNT] = { 0 };
	struct opened o;

	row->make(rt);
	if (open_all(&o, rt) == row->is_error)
		fail_msg("%s: %s", row->name, row->is_error ? "no error" : o.err.message);
	if (row->is_error && !strstr(o.err.message, row->sentence))
		fail_msg("%s: %s", row->name, o.err.message);
	if (!row->is_error &&
	    !is_among(o.runtime->doubts.texts, o.runtime->doubts.count, row->sentence) &&
	    !is_among(o.heaps->doubts.texts, o.heaps->doubts.count, row->sentence))
		fail_msg("%s: no doubt", row->name);
	/* What is left can still be walked. */
	for (size_t i = 0; o.heaps && i < o.heaps->ranges_count; i++)
		walk_range(&o, &o.heaps->ranges[i], counts);
	close_all(&o);
	made_runtime_free(rt);
}

TEST(test_wrong)
{
	for (size_t i = 0; i < COUNT_OF(wrong_rows); i++)
		check_wrong(&wrong_rows[i]);
}

/* --- method tables -------------------------------------------------------- */

TEST(test_tables)
{
	struct made_runtime *rt = made_runtime_new(&plain);
	const struct clr_table *t;
	struct opened o;

	assert_true(open_all(&o, rt));
	t = clr_tables_get(o.tables, MADE_METHOD_TABLE(MADE_ARRAY));
	assert_int_equal(t->component_size, 8);
	assert_int_equal(clr_object_size(t, 3), 48);
	t = clr_tables_get(o.tables, MADE_METHOD_TABLE(MADE_STRING));
	assert_int_equal(clr_object_size(t, 1), 24);
	assert_int_equal(clr_object_size(t, 2), 32);
	assert_true(clr_tables_get(o.tables, MADE_METHOD_TABLE(MADE_FREE))->is_free);
	assert_non_null(clr_tables_get(o.tables, MADE_METHOD_TABLE(MADE_SHARED)));
	/* Neither are these, the second time as the first. */
	for (int i = 0; i < 2; i++) {
		assert_null(clr_tables_get(o.tables, 0));
		assert_null(clr_tables_get(o.tables, 0x1000));
		assert_null(clr_tables_get(o.tables, MADE_METHOD_TABLE(MADE_PAIR) + 4));
		assert_null(clr_tables_get(o.tables, MADE_METHOD_TABLE(MADE_PAIR) + 0x60));
	}
	assert_null(clr_tables_known(o.tables, MADE_METHOD_TABLE(MADE_OBJECT)));
	/* Many that are none do not push out those that are. */
	for (uint64_t i = 0; i < 200000; i++)
		assert_null(clr_tables_get(o.tables, 0x100000 + 8 * i));
	assert_non_null(clr_tables_known(o.tables, MADE_METHOD_TABLE(MADE_SHARED)));
	assert_non_null(clr_tables_get(o.tables, MADE_METHOD_TABLE(MADE_OBJECT)));
	close_all(&o);
	made_runtime_free(rt);
}

/* The runtime has its types in shared memory, which a filter may leave out. */
TEST(test_types_left_out)
{
	for (int is_left_out = 0; is_left_out < 2; is_left_out++) {
		struct made_runtime *rt = made_runtime_new(&setups[6]);
		struct opened o;

		made_memory_map(rt->memory, MADE_METHODS, MADE_METHODS + 0x1000, 0,
				MEMORY_READ | MEMORY_FILE, "/memfd:doublemapper (deleted)");
		assert_true(open_all(&o, rt));
		if (is_left_out)
			made_memory_lose(rt->memory, MADE_METHODS, 0x1000);
		assert_int_equal(clr_presence_check(o.heaps, NULL, &o.err), !is_left_out);
		if (is_left_out)
			assert_non_null(strstr(o.err.message, "echo 0x33 >/proc/PID/core"));
		close_all(&o);
		made_runtime_free(rt);
	}
}
