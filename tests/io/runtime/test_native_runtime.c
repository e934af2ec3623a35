/* The description of a Native AOT runtime, in memory that is made up. */
#include "io/runtime/native.h"
#include "tests/made/made_memory.h"
#include "tests/drive/run_tests.h"
#include <string.h>

/* Addresses. */
enum {
	PROGRAM = 0x100000,
	PROGRAM_BYTES = 0x100000,
	HEADER = 0x110000,
	TYPES = 0x120000,
	GLOBALS = 0x130000,
	NAMES = 0x140000,
	VARIABLES = 0x150000, /* of the collector */
	RUNTIME = 0x200000,
	STORE = 0x210000,
	THREADS = 0x220000,
	THREAD_BYTES = 0x1000,
	FREE_TABLE = 0x160000,
};

struct entry {
	const char *type, *field;
	uint32_t offset;
};
/* As .NET 10 has them. */
static const struct entry entries[] = {
	{ "GcDacVars", "major_version_number", 0 },
	{ "GcDacVars", "minor_version_number", 1 },
	{ "GcDacVars", "generation_size", 8 },
	{ "GcDacVars", "total_generation_count", 16 },
	{ "GcDacVars", "generation_table", 48 },
	{ "GcDacVars", "ephemeral_heap_segment", 80 },
	{ "GcDacVars", "alloc_allocated", 120 },
	{ "GcDacVars", "finalize_queue", 144 },
	{ "GcDacVars", "n_heaps", 176 },
	{ "GcDacVars", "g_heaps", 184 },
	{ "ee_alloc_context", "m_rgbAllocContextBuffer", 8 },
	{ "gc_alloc_context", "alloc_ptr", 0 },
	{ "gc_alloc_context", "alloc_limit", 8 },
	{ "dac_generation", "allocation_context", 0 },
	{ "dac_generation", "start_segment", 56 },
	{ "dac_generation", "allocation_start", 64 },
	{ "dac_heap_segment", "allocated", 0 },
	{ "dac_heap_segment", "committed", 8 },
	{ "dac_heap_segment", "reserved", 16 },
	{ "dac_heap_segment", "mem", 32 },
	{ "dac_heap_segment", "flags", 40 },
	{ "dac_heap_segment", "next", 48 },
	{ "ThreadStore", "m_ThreadList", 8 },
	{ "RuntimeThreadLocals", "m_pNext", 96 },
	{ "RuntimeThreadLocals", "m_eeAllocContext", 16 },
	{ "RuntimeThreadLocals", "m_threadId", 184 },
	{ "MethodTable", "m_uFlags", 0 },
	{ "MethodTable", "m_uBaseSize", 4 },
	{ "MethodTable", "m_pRelatedParameterType", 8 },
	{ "RuntimeInstance", "m_pThreadStore", 24 },
};
static const struct entry globals[] = {
	{ "g_pTheRuntimeInstance", NULL, RUNTIME },
	{ "g_gcDacGlobals", NULL, VARIABLES },
	{ "g_pFreeObjectEEType", NULL, FREE_TABLE },
};

/* A description that differs from a good one by this. */
struct setup {
	uint16_t major;
	const char *cookie;
	const char *left_out; /* the field or variable of this name */
	const char *moved;    /* this field is 8 bytes further on */
	const char *threads;  /* another name of the type */
	uint64_t generations; /* how many */
	bool has_loop;        /* the list of threads has no end */
};

struct made {
	struct made_memory *memory;
	struct clr_runtime rt;
	struct elf_image image;
	struct error err;
	uint64_t names;
};

static uint64_t
put_name(struct made *m, const char *name)
{
	uint64_t at = m->names;

	made_memory_put(m->memory, at, name, strlen(name) + 1);
	m->names += strlen(name) + 1;
	return at;
}

static bool
is_name(const char *wanted, const char *name)
{
	return wanted && !strcmp(wanted, name);
}

static void
put_entries(struct made *m, const struct setup *s)
{
	uint64_t at = TYPES;

	for (size_t i = 0; i < COUNT_OF(entries); i++) {
		const struct entry *e = &entries[i];
		const char *type = e->type;

		if (is_name(s->left_out, e->field))
			continue;
		if (s->threads && !strcmp(type, "RuntimeThreadLocals"))
			type = s->threads;
		made_memory_u64(m->memory, at, put_name(m, type));
		made_memory_u64(m->memory, at + 8, put_name(m, e->field));
		made_memory_u32(m->memory, at + 16,
				e->offset + (is_name(s->moved, e->field) ? 8 : 0));
		at += 24;
	}
	made_memory_u64(m->memory, at, 0);
	at = GLOBALS;
	for (size_t i = 0; i < COUNT_OF(globals); i++) {
		if (is_name(s->left_out, globals[i].type))
			continue;
		made_memory_u64(m->memory, at, put_name(m, globals[i].type));
		made_memory_u64(m->memory, at + 8, globals[i].offset);
		at += 16;
	}
	made_memory_u64(m->memory, at, 0);
}

static void
put_threads(struct made *m, bool has_loop)
{
	enum { COUNT = 3 };

	made_memory_u64(m->memory, RUNTIME + 24, STORE);
	made_memory_u64(m->memory, STORE + 8, THREADS);
	for (uint64_t i = 0; i < COUNT; i++) {
		uint64_t at = THREADS + i * THREAD_BYTES;
		bool is_last = i + 1 == COUNT;

		made_memory_u64(m->memory, at + 96,
				!is_last   ? at + THREAD_BYTES
				: has_loop ? THREADS
					   : 0);
		made_memory_u64(m->memory, at + 184, 4711 + i);
		made_memory_u64(m->memory, at + 24, 0x5000 + i);
		made_memory_u64(m->memory, at + 32, 0x6000 + i);
	}
}

static bool
open_made(struct made *m, const struct setup *s)
{
	const char *cookie = s->cookie ? s->cookie : "DNDH";

	*m = (struct made){ .memory = made_memory_new(MEMORY_X64), .names = NAMES };
	made_memory_put(m->memory, HEADER, cookie, 4);
	made_memory_u16(m->memory, HEADER + 4, s->major ? s->major : 5);
	made_memory_u64(m->memory, HEADER + 16, TYPES);
	made_memory_u64(m->memory, HEADER + 24, GLOBALS);
	made_memory_u64(m->memory, VARIABLES + 8, 256);
	made_memory_u64(m->memory, VARIABLES + 16, s->generations ? s->generations : 5);
	put_entries(m, s);
	put_threads(m, s->has_loop);
	m->image = (struct elf_image){ .base = PROGRAM, .end = PROGRAM + PROGRAM_BYTES };
	m->rt.memory = made_memory_open(m->memory);
	m->rt.path = "/app/shop";
	arena_init(&m->rt.arena, 0);
	m->rt.doubts.arena = &m->rt.arena;
	m->rt.reader = memory_reader_new(m->rt.memory, &m->err);
	assert_non_null(m->rt.reader);
	return clr_native_open(&m->rt, &m->image, HEADER, &m->err);
}

static void
close_made(struct made *m)
{
	clr_native_close(&m->rt);
	memory_reader_free(m->rt.reader);
	arena_clear(&m->rt.arena);
	made_memory_free(m->memory);
}

TEST(reads_the_description)
{
	static const struct setup setup = { 0 };
	struct made m;

	assert_ok(open_made(&m, &setup), &m.err);
	assert_int_equal(m.rt.version[0], 10);
	assert_int_equal(m.rt.gc_vars, VARIABLES);
	assert_int_equal(m.rt.free_table, FREE_TABLE);
	assert_int_equal(m.rt.generation_bytes, 256);
	assert_int_equal(m.rt.layout.offset[CLR_SEGMENT_MEM], 32);
	assert_int_equal(m.rt.threads_count, 3);
	assert_int_equal(m.rt.threads[1].os_id, 4712);
	assert_int_equal(m.rt.threads[1].alloc_pointer, 0x5001);
	assert_int_equal(m.rt.threads[1].alloc_limit, 0x6001);
	assert_int_equal(m.rt.doubts.count, 0);
	close_made(&m);
}

static const struct {
	struct setup setup;
	const char *error;
} refused[] = {
	{ { .major = 2 }, "has version 2; 3 to 5 (.NET 8, 9 and 10)" },
	{ { .major = 6 }, "has version 6; 3 to 5 (.NET 8, 9 and 10)" },
	{ { .cookie = "DNDX" }, "is not in memory, or damaged" },
	{ { .left_out = "g_gcDacGlobals" }, "lacks g_gcDacGlobals" },
	{ { .left_out = "g_pFreeObjectEEType" }, "lacks g_pFreeObjectEEType" },
	{ { .left_out = "g_pTheRuntimeInstance" }, "lacks g_pTheRuntimeInstance" },
	{ { .left_out = "m_uFlags" }, "lacks MethodTable.m_uFlags" },
	{ { .left_out = "mem" }, "lacks dac_heap_segment.mem" },
	{ { .left_out = "n_heaps" }, "lacks GcDacVars.n_heaps" },
	{ { .left_out = "m_pNext" }, "lacks ThreadBuffer.m_pNext" },
	{ { .left_out = "m_threadId" }, "lacks RuntimeThreadLocals.m_threadId" },
	{ { .left_out = "m_ThreadList" }, "lacks ThreadStore.m_ThreadList" },
	{ { .moved = "generation_table" },
	  "has GcDacVars.generation_table at 56; 48 was expected" },
	{ { .generations = 6 }, "the collector's variables" },
};

TEST(refuses_what_it_does_not_know)
{
	for (size_t i = 0; i < COUNT_OF(refused); i++) {
		struct made m;

		assert_false(open_made(&m, &refused[i].setup));
		if (!strstr(m.err.message, refused[i].error))
			fail_msg("%s: %s", refused[i].error, m.err.message);
		close_made(&m);
	}
}

/* Up to .NET 9 threads have other names, and hold the context themselves. */
TEST(reads_older_versions)
{
	static const struct setup setup = { .major = 3, .threads = "ThreadBuffer" };
	struct made m;

	assert_ok(open_made(&m, &setup), &m.err);
	assert_int_equal(m.rt.version[0], 8);
	assert_int_equal(m.rt.threads_count, 3);
	assert_int_equal(clr_native_flags(m.rt.native, 0x50300000),
			 CLR_MT_HAS_POINTERS | CLR_MT_HAS_FINALIZER);
	close_made(&m);
}

TEST(ends_with_a_list_without_end)
{
	static const struct setup setup = { .has_loop = true };
	struct made m;

	assert_ok(open_made(&m, &setup), &m.err);
	assert_int_equal(m.rt.threads_count, 0);
	assert_int_equal(m.rt.doubts.count, 1);
	close_made(&m);
}

/* Real flags of .NET 10. */
TEST(reads_method_tables)
{
	static const struct {
		uint32_t flags, as_core;
		uint8_t kind;
	} rows[] = {
		{ 0x51100000, CLR_MT_HAS_POINTERS | CLR_MT_HAS_FINALIZER, 0x12 },
		{ 0x50000000, 0, 0x12 },                         /* System.Object */
		{ 0xd0040002, CLR_MT_HAS_COMPONENTS | 2, 0x12 }, /* string */
		{ 0xe0060004, CLR_MT_HAS_COMPONENTS | CLR_MT_ARRAY | 0x20000 | 4, 0x12 },
		{ 0xdc020004, CLR_MT_HAS_COMPONENTS | CLR_MT_ARRAY | 4, 0x12 },
		{ 0x080400e0, CLR_MT_VALUE, 2 },           /* bool */
		{ 0x20040080, CLR_MT_VALUE, 8 },           /* int */
		{ 0x3c040000, CLR_MT_VALUE, 0xd },         /* double */
		{ 0x30040000, CLR_MT_VALUE, 0x18 },        /* nint */
		{ 0x40040000, CLR_MT_VALUE, 0x11 },        /* Guid */
		{ 0x01000000, CLR_MT_HAS_POINTERS, 0x12 }, /* statics */
	};
	struct clr_native native = { .pointers_flag = 0x01000000 };

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		assert_int_equal(clr_native_flags(&native, rows[i].flags), rows[i].as_core);
		assert_int_equal(clr_native_kind(rows[i].flags), rows[i].kind);
	}
}
