/*
 * Why objects are alive, in a runtime that is made up: as it should be, and with every word of it
 * wrong. The static variables of real programs, beside what ClrMD says of the same core;
 * tests/judge/judge.h has the rest.
 */
#include "io/clr/roots.h"
#include "io/clr/stacks.h"
#include "io/runtime/finalizers.h"
#include "io/runtime/walk.h"
#include "io/memory/core.h"
#include "model/heap/names.h"
#include "model/heap/builder.h"
#include "tests/drive/cores.h"
#include "tests/made/made_roots.h"
#include "tests/drive/run_tests.h"
#include <string.h>

/* --- made up --- */

static const struct made_setup setups[] = {
	{ 8, false, false }, { 9, false, false },  { 10, false, false },
	{ 10, true, false }, { 8, true, false },   { 9, false, true },
	{ 10, false, true }, { 11, false, false }, { 11, true, false },
};
enum { SETUPS = COUNT_OF(setups) };

/* All objects that are there become those of a heap. */
static void
survey(const struct clr_heaps *heaps, struct heap_builder *b)
{
	struct clr_object objects[16];
	struct addresses *m = heap_builder_addresses(b);
	struct clr_tables *tables;
	struct clr_walk *walk;
	struct error err = { 0 };
	size_t count;

	tables = clr_tables_new(heaps, &err);
	walk = clr_walk_new(heaps, tables, &err);
	assert_non_null(walk);
	for (size_t i = 0; i < heaps->ranges_count; i++) {
		clr_walk_start(walk, &heaps->ranges[i]);
		while (clr_walk_next(walk, objects, 16, &count))
			for (size_t j = 0; j < count; j++)
				if (!objects[j].is_free)
					assert_true(addresses_note(m, objects[j].address, &err));
	}
	assert_true(addresses_plan(m, &err));
	assert_true(addresses_are_placed(m));
	assert_true(addresses_seal(m, &err));
	clr_walk_free(walk);
	clr_tables_free(tables);
}

struct made {
	struct clr_runtime *runtime;
	struct clr_heaps *heaps;
	struct clr_names names;
	struct heap_builder *builder;
	struct clr_roots *roots;
	struct heap_memory memory;
	struct error err;
};

static bool
open_made(struct made *m, struct made_runtime *rt)
{
	memset(m, 0, sizeof(*m));
	m->runtime = clr_runtime_open(made_memory_open(rt->memory), &m->err);
	if (m->runtime)
		m->heaps = clr_heaps_open(m->runtime, &m->err);
	if (!m->heaps) {
		assert_true(m->err.message[0]);
		return false;
	}
	m->names.layout = &m->runtime->layout;
	m->names.reader = m->runtime->reader;
	m->names.modules = clr_modules_new(m->names.layout, m->names.reader, &m->err);
	m->builder = heap_builder_new(&m->err);
	assert_non_null(m->builder);
	return true;
}

/* False: it does not even open, and says why. */
static bool
read_made(struct made *m, struct made_runtime *rt)
{
	if (!open_made(m, rt))
		return false;
	m->roots = clr_roots_read(m->heaps, &m->names, m->builder, NULL, &m->err);
	assert_non_null(m->roots);
	survey(m->heaps, m->builder);
	assert_true(clr_roots_add(m->roots, &m->memory, false, &m->err));
	return true;
}

static void
clear_made(struct made *m)
{
	clr_roots_free(m->roots);
	heap_builder_free(m->builder);
	clr_modules_free(m->names.modules);
	clr_heaps_close(m->heaps);
	if (m->runtime)
		clr_runtime_close(m->runtime);
}

static unsigned
count_roots(const struct made *m, enum root_kind kind)
{
	unsigned count = 0;

	for (uint32_t i = 0; i < m->builder->roots_count; i++)
		count += m->builder->roots[i].kind == kind;
	return count;
}

/* The root of a pair of that kind, or NULL. */
static const struct root *
find_root(const struct made *m, const struct made_runtime *rt, unsigned number, enum root_kind kind)
{
	node_id n = addresses_find(heap_builder_addresses(m->builder), made_pair(rt, 0, number));

	assert_true(n != NODE_NONE);
	for (uint32_t i = 0; i < m->builder->roots_count; i++)
		if (m->builder->roots[i].object == n && m->builder->roots[i].kind == kind)
			return &m->builder->roots[i];
	return NULL;
}

static void
check_setup(const struct made_setup *setup)
{
	struct made_runtime *rt = made_runtime_new(setup);
	unsigned tables = 0, heaps = setup->is_server ? 2 : 1;
	const struct clr_link *links;
	const struct root *stack;
	struct made m;
	size_t count;

	made_roots_put(rt);
	assert_true(read_made(&m, rt));
	tables = made_processors(rt);
	assert_int_equal(m.memory.handles_count, tables * (made_handle_kinds(rt) - 1));
	assert_int_equal(count_roots(&m, ROOT_PINNED), tables);
	/* strong, and variable ones */
	assert_int_equal(count_roots(&m, ROOT_STRONG), 2 * tables);
	assert_int_equal(count_roots(&m, ROOT_OTHER), setup->version >= 10 ? tables : 0);
	assert_int_equal(m.builder->weak_count, 4 * tables);
	links = clr_roots_links(m.roots, &count);
	assert_int_equal(count, 1);
	assert_int_equal(links[0].from, made_pair(rt, 0, HANDLE_DEPENDENT));
	assert_int_equal(links[0].to, made_pair(rt, 0, 9));
	assert_int_equal(count_roots(&m, ROOT_FINALIZER), MADE_READY * heaps);
	assert_int_equal(m.memory.finalizables_count, (MADE_READY + MADE_REGISTERED) * heaps);
	assert_int_equal(count_roots(&m, ROOT_STATIC), MADE_STATICS);
	assert_non_null(find_root(&m, rt, 2, ROOT_STATIC));
	assert_non_null(find_root(&m, rt, 3, ROOT_STATIC));
	assert_int_equal(!!find_root(&m, rt, 6, ROOT_THREAD_STATIC), setup->version > 8);
	assert_int_equal(count_roots(&m, ROOT_STACK_WORD), 2);
	stack = find_root(&m, rt, 7, ROOT_STACK_WORD);
	assert_string_equal(stack->label, "conservative");
	assert_string_equal(stack->name, "OS thread 2000");
	stack = find_root(&m, rt, 8, ROOT_STACK_WORD);
	assert_string_equal(stack->label, "conservative, interior pointer");
	assert_int_equal(count_roots(&m, ROOT_FROZEN), 50);
	assert_int_equal(m.memory.threads_count, MADE_THREADS_COUNT + 1);
	clear_made(&m);
	made_runtime_free(rt);
}

TEST(finds_what_is_made)
{
	for (int i = 0; i < SETUPS; i++)
		check_setup(&setups[i]);
}

/* --- threads that a signal has moved to another stack --- */

#define ORDINARY  UINT64_C(0x7f2000000000)
#define ALTERNATE UINT64_C(0x7f2100000000)
#define THIRD     UINT64_C(0x7f2200000000)
enum {
	OFF_STACK_BYTES = 0x4000,
	ALTERNATE_SP = 0x1000,
	FRAME = 0x2000, /* ucontext_t */
	FRAME_STACK = FRAME + 16,
	FRAME_SP = FRAME + 160,
	FRAME_REGISTER = FRAME + 88,
	INTERRUPTED = 0x2800,
};

/* Where the thread was, and how much of that is to be found. */
struct off_stack {
	const char *name;
	uint64_t sp; /* below the end of a stack that is full */
	bool has_third, has_frame, has_register;
	uint64_t lost; /* a page of the ordinary stack; 0: none */
	bool is_missing, finds_dead, finds_deep;
};
/* clang-format off */
static const struct off_stack off_stacks[] = {
	{ "a fault",            ORDINARY + INTERRUPTED, false, true,  true,  0,                 false, false, true },
	{ "an overflow",        ORDINARY - 0x40,        false, true,  true,  0,                 false, true,  true },
	{ "on a third stack",   ORDINARY + INTERRUPTED, true,  true,  true,  0,                 false, false, true },
	{ "no frame",           ORDINARY + INTERRUPTED, false, false, false, 0,                 false, true,  true },
	{ "the used part lost", ORDINARY + INTERRUPTED, false, true,  true,  ORDINARY + 0x3000, true,  false, false },
	{ "the rest lost",      ORDINARY + INTERRUPTED, false, true,  true,  ORDINARY + 0x1000, false, false, true },
	{ "no frame, lost",     ORDINARY + INTERRUPTED, false, false, false, ORDINARY,          true,  true,  true },
};
/* clang-format on */

static void
put_off_stack(struct made_runtime *rt, const struct off_stack *o)
{
	struct made_memory *m = rt->memory;
	const uint32_t *offset = rt->layout.offset;
	unsigned flags = MEMORY_READ | MEMORY_WRITE;
	uint64_t top = ORDINARY + OFF_STACK_BYTES;

	for (uint64_t at = ORDINARY; at <= THIRD; at += ALTERNATE - ORDINARY) {
		made_memory_zeros(m, at, OFF_STACK_BYTES);
		made_memory_map(m, at, at + OFF_STACK_BYTES, 0, flags, "");
	}
	made_memory_u64(m, MADE_THREAD + offset[CLR_THREAD_STACK_BASE], top);
	made_memory_u64(m, MADE_THREAD + offset[CLR_THREAD_STACK_LIMIT], ORDINARY);
	made_memory_thread(m, MADE_TID, (o->has_third ? THIRD : ALTERNATE) + ALTERNATE_SP,
			   MADE_LIBRARY);
	if (o->has_frame) {
		made_memory_u64(m, ALTERNATE + FRAME_STACK, ALTERNATE);
		made_memory_u64(m, ALTERNATE + FRAME_STACK + 16, OFF_STACK_BYTES);
		made_memory_u64(m, ALTERNATE + FRAME_SP, o->sp);
		made_memory_u64(m, ALTERNATE + FRAME_REGISTER, made_pair(rt, 0, 1));
		made_memory_u64(m, THIRD + ALTERNATE_SP + 8, ALTERNATE + FRAME);
	}
	made_memory_u64(m, ORDINARY + 0x2000, made_pair(rt, 0, 2)); /* dead */
	made_memory_u64(m, ORDINARY + 0x3ff0, made_pair(rt, 0, 3));
	if (o->lost)
		made_memory_lose(m, o->lost, 0x1000);
}

/* Who copies stacks has all that is searched. */
static void
check_ranges(const struct made *m, unsigned count, uint64_t start, uint64_t end)
{
	struct clr_stack_range ranges[CLR_STACK_RANGES];
	const struct memory *memory = m->runtime->memory;
	const struct memory_thread *thread = memory->threads;

	while (thread->tid != MADE_TID)
		thread++;
	assert_int_equal(clr_stack_ranges(m->runtime, thread, ranges), count);
	assert_true(ranges[count - 1].start <= start);
	assert_int_equal(ranges[count - 1].end, end);
	assert_true(ranges[0].start <= thread->sp - 128);
}

static bool
warns_of_stacks(const struct made *m)
{
	for (uint32_t i = 0; i < heap_builder_info(m->builder)->warnings_count; i++)
		if (strstr(m->builder->warnings[i], "of the stacks"))
			return true;
	return false;
}

static void
check_off_stack(const struct made_setup *setup, const struct off_stack *o)
{
	struct made_runtime *rt = made_runtime_new(setup);
	struct made m;

	made_roots_put(rt);
	put_off_stack(rt, o);
	assert_true(read_made(&m, rt));
	if (!heap_builder_info(m.builder)->losses.root_gaps == o->is_missing)
		fail_msg(".NET %d, %s: the gap", setup->version, o->name);
	if (!!find_root(&m, rt, 1, ROOT_STACK_WORD) != o->has_register ||
	    !!find_root(&m, rt, 2, ROOT_STACK_WORD) != o->finds_dead ||
	    !!find_root(&m, rt, 3, ROOT_STACK_WORD) != o->finds_deep ||
	    warns_of_stacks(&m) != o->is_missing)
		fail_msg(".NET %d, %s", setup->version, o->name);
	check_ranges(&m, 2, ORDINARY, ORDINARY + OFF_STACK_BYTES);
	clear_made(&m);
	made_runtime_free(rt);
}

TEST(searches_both_stacks)
{
	for (int i = 0; i < SETUPS; i++)
		for (size_t j = 0; j < COUNT_OF(off_stacks); j++)
			check_off_stack(&setups[i], &off_stacks[j]);
}

/* Its oldest frames are as good as any. */
TEST(searches_deep_stacks)
{
	const uint64_t bytes = 20 << 20;

	for (int i = 0; i < SETUPS; i++) {
		struct made_runtime *rt = made_runtime_new(&setups[i]);
		const uint32_t *offset = rt->layout.offset;
		struct made m;

		made_roots_put(rt);
		made_memory_zeros(rt->memory, ORDINARY, bytes);
		made_memory_map(rt->memory, ORDINARY, ORDINARY + bytes, 0,
				MEMORY_READ | MEMORY_WRITE, "");
		made_memory_u64(rt->memory, MADE_THREAD + offset[CLR_THREAD_STACK_BASE],
				ORDINARY + bytes);
		made_memory_u64(rt->memory, MADE_THREAD + offset[CLR_THREAD_STACK_LIMIT], ORDINARY);
		made_memory_thread(rt->memory, MADE_TID, ORDINARY + 0x1000, MADE_LIBRARY);
		made_memory_u64(rt->memory, ORDINARY + bytes - 16, made_pair(rt, 0, 1));
		assert_true(read_made(&m, rt));
		assert_non_null(find_root(&m, rt, 1, ROOT_STACK_WORD));
		assert_false(warns_of_stacks(&m));
		check_ranges(&m, 1, ORDINARY + 0x1000 - 128, ORDINARY + bytes);
		clear_made(&m);
		made_runtime_free(rt);
	}
}

/* --- lists without end --- */

enum {
	LISTS_COUNT = 4096,
	ZEROS_COUNT = 1 << 16,
	LEAD = 0x100,   /* from one made thing to the next */
	ROOM_MAX = 256, /* entries, where a few dozen are right */
};
#define MADE_LISTS (MADE_ROOTS + 0x1000000)

/* As many maps as one likes, all with the same buckets. */
static void
read_many_maps(struct made *m, struct made_runtime *rt)
{
	struct clr_handles handles;

	made_memory_zeros(rt->memory, MADE_LISTS, 16 * LISTS_COUNT);
	for (uint64_t i = 0; i < LISTS_COUNT; i++) {
		uint64_t at = MADE_LISTS + 16 * i;

		made_memory_u64(rt->memory, at, MADE_MAP + 0x100);
		if (i + 1 < LISTS_COUNT)
			made_memory_u64(rt->memory, at + 8, at + 16);
	}
	made_memory_u64(rt->memory, MADE_MAP + 8, MADE_LISTS);
	assert_true(clr_handles_read(&handles, m->runtime->reader, MADE_MAP, false, NULL, &m->err));
	assert_int_equal(handles.count, made_handle_kinds(rt) - 1);
	assert_int_equal(handles.missing_count, LISTS_COUNT);
	assert_true(handles.room <= ROOM_MAX);
	clr_handles_clear(&handles);
}

static void
load_made(struct made *m, struct clr_loaded *loaded)
{
	assert_true(clr_loaded_read(loaded, m->runtime, NULL, &m->err));
}

/* A module that is many of them. */
static void
read_many_modules(struct made *m, struct made_runtime *rt)
{
	uint64_t list = MADE_DOMAIN + rt->layout.offset[CLR_APP_DOMAIN_ASSEMBLIES];
	struct clr_loaded loaded;

	made_memory_zeros(rt->memory, MADE_LISTS, 8 * LISTS_COUNT + 16);
	made_memory_u32(rt->memory, MADE_LISTS + 8, LISTS_COUNT);
	for (uint64_t i = 0; i < LISTS_COUNT; i++)
		made_memory_u64(rt->memory, MADE_LISTS + 16 + 8 * i, MADE_ASSEMBLIES);
	made_memory_u32(rt->memory, list, LISTS_COUNT + 5);
	made_memory_u64(rt->memory, list + 8, MADE_LISTS);
	load_made(m, &loaded);
	assert_int_equal(loaded.modules_count, 1);
	assert_int_equal(loaded.count, 2);
	assert_int_equal(loaded.missing_count, LISTS_COUNT);
	assert_true(loaded.room <= ROOM_MAX);
	clr_loaded_clear(&loaded);
}

/* Maps of nothing: each has the same zeros. */
static void
read_many_zeros(struct made *m, struct made_runtime *rt)
{
	uint64_t zeros = MADE_LISTS + (uint64_t)LEAD * LISTS_COUNT, at;
	struct clr_loaded loaded;

	made_memory_zeros(rt->memory, MADE_LISTS, LEAD * LISTS_COUNT + 8 * ZEROS_COUNT);
	at = MADE_METHODS + 0x10000 + rt->layout.offset[CLR_MODULE_TYPE_DEFS];
	made_memory_u64(rt->memory, at, MADE_LISTS);
	for (uint64_t i = 0; i + 1 < LISTS_COUNT; i++) {
		at = MADE_LISTS + LEAD * i;
		made_memory_u64(rt->memory, at, at + LEAD);
		made_memory_u64(rt->memory, at + 8, zeros);
		made_memory_u32(rt->memory, at + 16, ZEROS_COUNT);
	}
	load_made(m, &loaded);
	assert_int_equal(loaded.missing_count, 1);
	assert_int_equal(loaded.count, 1); /* as far as that map goes */
	clr_loaded_clear(&loaded);
}

/* Types that all have the variables of one. */
static void
read_many_types(struct made *m, struct made_runtime *rt)
{
	const uint32_t *offset = rt->layout.offset;
	uint64_t at = MADE_METHODS + 0x10000 + offset[CLR_MODULE_TYPE_DEFS];
	uint64_t entries = MADE_LISTS + (uint64_t)LEAD * LISTS_COUNT;
	struct clr_thread_names threads = { 0 };
	struct clr_statics statics;
	struct clr_loaded loaded;

	made_memory_zeros(rt->memory, MADE_LISTS, (LEAD + 8) * LISTS_COUNT);
	for (uint64_t i = 0; i < LISTS_COUNT; i++) {
		uint64_t table = MADE_LISTS + LEAD * i;

		made_memory_u64(rt->memory, table + offset[CLR_MT_MODULE], MADE_METHODS + 0x10000);
		made_memory_u64(rt->memory, table + offset[CLR_MT_CLASS_OR_CANON], MADE_CLASS | 1);
		made_memory_u64(rt->memory, entries + 8 * i, table);
	}
	made_memory_u64(rt->memory, entries, MADE_CLASS);
	made_memory_u64(rt->memory, at + 8, entries);
	made_memory_u32(rt->memory, at + 16, LISTS_COUNT);
	load_made(m, &loaded);
	assert_int_equal(loaded.count, LISTS_COUNT + 1);
	assert_true(clr_statics_read(&statics, m->heaps, &m->names, &loaded, &threads,
				     heap_builder_arena(m->builder), NULL, &m->err));
	assert_int_equal(statics.count, MADE_STATICS);
	assert_int_equal(statics.missing_count, LISTS_COUNT - 1);
	assert_true(statics.room <= ROOM_MAX);
	clr_statics_clear(&statics);
	clr_loaded_clear(&loaded);
}

TEST(bounds_lists)
{
	static void (*const rows[])(struct made *, struct made_runtime *) = {
		read_many_maps,
		read_many_modules,
		read_many_zeros,
		read_many_types,
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct made_runtime *rt = made_runtime_new(&setups[0]);
		struct made m;

		made_roots_put(rt);
		assert_true(open_made(&m, rt));
		rows[i](&m, rt);
		clear_made(&m);
		made_runtime_free(rt);
	}
}

TEST(obeys_cancel)
{
	struct made_runtime *rt = made_runtime_new(&setups[0]);
	struct progress progress = { 0 };
	struct clr_handles handles;
	struct clr_loaded loaded;
	struct made m;

	made_roots_put(rt);
	assert_true(open_made(&m, rt));
	progress_cancel(&progress);
	assert_false(
	    clr_handles_read(&handles, m.runtime->reader, MADE_MAP, false, &progress, &m.err));
	assert_int_equal(m.err.kind, ERROR_CANCELLED);
	error_clear(&m.err);
	assert_false(clr_loaded_read(&loaded, m.runtime, &progress, &m.err));
	assert_int_equal(m.err.kind, ERROR_CANCELLED);
	error_clear(&m.err);
	assert_null(clr_roots_read(m.heaps, &m.names, m.builder, &progress, &m.err));
	assert_int_equal(m.err.kind, ERROR_CANCELLED);
	clear_made(&m);
	made_runtime_free(rt);
}

/* --- finalizer queues --- */

/* The parts follow each other: a queue whose second ends before the first is left out and
   counted. */
TEST(refuses_parts_out_of_order)
{
	for (int i = 0; i < SETUPS; i++) {
		struct made_runtime *rt = made_runtime_new(&setups[i]);
		const size_t each = MADE_READY + MADE_REGISTERED;
		struct clr_finalizers f;
		size_t all;
		struct made m;

		made_roots_put(rt);
		assert_true(read_made(&m, rt));
		assert_true(clr_finalizers_read(&f, m.heaps, &m.err));
		assert_int_equal(f.missing_count, 0);
		all = f.count;
		clr_finalizers_clear(&f);
		made_memory_u64(rt->memory, MADE_QUEUE, MADE_QUEUE + 0x80 + 8);
		assert_true(clr_finalizers_read(&f, m.heaps, &m.err));
		assert_int_equal(f.missing_count, 1);
		assert_int_equal(f.count, all - each);
		clr_finalizers_clear(&f);
		clear_made(&m);
		made_runtime_free(rt);
	}
}

/* --- parts that are absent --- */

static bool
is_warned_about_statics(const struct made *m)
{
	const struct heap_info *info = heap_builder_info(m->builder);

	for (uint32_t i = 0; i < info->warnings_count; i++)
		if (strstr(m->builder->warnings[i], "of the types with static variables"))
			return true;
	return false;
}

/* `at` absent: 0 is nothing. */
static bool
is_said_if_absent(const struct made_setup *setup, uint64_t at)
{
	struct made_runtime *rt = made_runtime_new(setup);
	struct made m;
	bool is_said;

	made_roots_put(rt);
	if (at)
		made_memory_lose(rt->memory, at, 0x20);
	assert_true(read_made(&m, rt));
	is_said = is_warned_about_statics(&m);
	clear_made(&m);
	made_runtime_free(rt);
	return is_said;
}

TEST(tells_of_absent_types)
{
	const uint64_t module = MADE_METHODS + 0x10000;

	for (int i = 0; i < SETUPS; i++) {
		struct made_runtime *rt = made_runtime_new(&setups[i]);
		uint32_t params = rt->layout.offset[CLR_MODULE_TYPE_PARAMS];

		made_runtime_free(rt);
		assert_false(is_said_if_absent(&setups[i], 0));
		assert_true(is_said_if_absent(&setups[i], MADE_ASSEMBLIES));
		assert_true(is_said_if_absent(&setups[i], MADE_TYPES));
		assert_true(is_said_if_absent(&setups[i], MADE_TYPES + 0x280));
		assert_true(is_said_if_absent(&setups[i], module + params));
	}
}

/* --- made wrong --- */

static const uint64_t wrong_words[] = {
	0,
	1,
	24,
	0x10000,
	UINT64_MAX,
	UINT64_C(0x7fffffffffff),
	MADE_MAP,
	MADE_HANDLE_TABLE,
	MADE_HANDLE_SEGMENT,
	MADE_QUEUE,
	MADE_ASSEMBLIES,
	MADE_TYPES,
	MADE_CLASS,
	MADE_THREAD_DATA,
	MADE_STACK,
	MADE_METHODS + 0x10000,
	MADE_METHOD_TABLE(MADE_PAIR),
};

/* Whatever stands there, it ends, and what is found is in the heap. */
static void
survive(struct made_runtime *rt)
{
	struct made m;

	if (read_made(&m, rt)) {
		assert_true(m.memory.handles_count <= 4096);
		assert_true(m.memory.finalizables_count <= 4096);
		assert_true(m.builder->roots_count <= 16384);
	}
	clear_made(&m);
}

static void
smash(struct made_runtime *rt, uint64_t start, uint64_t bytes)
{
	struct memory_reader *reader;
	struct error err = { 0 };

	for (uint64_t at = start; at < start + bytes; at += 8) {
		uint64_t was;

		reader = memory_reader_new(made_memory_open(rt->memory), &err);
		if (!memory_u64(reader, at, &was))
			was = 0;
		memory_reader_free(reader);
		for (size_t i = 0; was && i < sizeof(wrong_words) / 8; i++) {
			made_memory_u64(rt->memory, at, wrong_words[i]);
			survive(rt);
			made_memory_u64(rt->memory, at, was);
		}
	}
}

TEST(survives_wrong_words)
{
	for (int i = 2; i < SETUPS; i += 2) {
		struct made_runtime *rt = made_runtime_new(&setups[i]);

		made_roots_put(rt);
		smash(rt, MADE_ROOTS, MADE_ROOTS_BYTES);
		smash(rt, MADE_HANDLE_SEGMENT + 1560, 0x200);
		smash(rt, MADE_STACK + 0x800, 0x20);
		made_runtime_free(rt);
	}
}

TEST(survives_absent_pages)
{
	for (int i = 0; i < SETUPS; i++)
		for (uint64_t at = 0; at < MADE_ROOTS_BYTES + 0x20000; at += 0x100) {
			struct made_runtime *rt;

			if (at >= MADE_ROOTS_BYTES && at < 0x10000)
				continue;
			rt = made_runtime_new(&setups[i]);
			made_roots_put(rt);
			made_memory_lose(rt->memory, MADE_ROOTS + at, 0x100);
			survive(rt);
			made_runtime_free(rt);
		}
}
