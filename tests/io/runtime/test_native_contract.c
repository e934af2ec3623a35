/* The contract descriptor of a Native AOT runtime, in memory that is made up.
 */
#include "io/runtime/native.h"
#include "io/runtime/native_contract.h"
#include "tests/made/made_memory.h"
#include "tests/drive/run_tests.h"
#include <string.h>

/* Addresses. */
enum {
	PROGRAM = 0x100000,
	PROGRAM_BYTES = 0x100000,
	DESCRIPTOR = 0x110000,
	TEXT = 0x120000,
	POINTERS = 0x130000,
	FREE = 0x150a68, /* the variable */
	VARIABLES = 0x150900,
	STORE_VARIABLE = 0x152bd8,
	STORE = 0x210000,
	THREADS = 0x220000,
	THREAD_BYTES = 0x1000,
	FREE_TABLE = 0x160000,
	HEAPS = 0x170000,
};

/* As in .NET 11, with the collector's in the same descriptor. */
static const char text[] =
    "{\"types\":{\"Thread\":{\"OSId\":176,\"State\":64,\"LinkNext\":96,\"AllocContext\":0},"
    "\"ThreadStore\":{\"FirstThreadLink\":8},\"EEAllocContext\":{\"GCAllocationContext\":8},"
    "\"GCAllocContext\":{\"Pointer\":0,\"Limit\":8},"
    "\"MethodTable\":{\"Flags\":0,\"BaseSize\":4,\"RelatedType\":8,\"NumInterfaces\":18},"
    "\"Generation\":{\"AllocationContext\":0,\"StartSegment\":56},"
    "\"HeapSegment\":{\"Allocated\":0,\"Committed\":8,\"Reserved\":16,"
    "\"Mem\":32,\"Flags\":40,\"Next\":48}},\"globals\":{\"ThreadStore\":[[1],\"pointer\"],"
    "\"FreeObjectMethodTable\":[[2],\"pointer\"],"
    "\"RuntimeProductVersionString\":[\"11.0.0\",\"string\"]}}";

struct setup {
	const char *missing; /* this name reads otherwise */
	uint64_t variables;  /* where the collector's are; 0: VARIABLES */
	uint64_t version;    /* of the variables; 0: 2.9 */
	bool is_server;
};

struct made {
	struct made_memory *memory;
	struct clr_runtime rt;
	struct elf_image image;
	struct error err;
};

static void
put_descriptor(struct made *m, const char *missing)
{
	static const uint64_t pointers[] = { 0, STORE_VARIABLE, FREE };
	char made[sizeof(text)];
	char *at;

	memcpy(made, text, sizeof(text));
	at = missing ? strstr(made, missing) : NULL;
	if (at)
		*at = 'x';
	made_memory_put(m->memory, DESCRIPTOR, "DNCCDAC", 8);
	made_memory_u32(m->memory, DESCRIPTOR + 8, 1);
	made_memory_u32(m->memory, DESCRIPTOR + 12, sizeof(text) - 1);
	made_memory_u64(m->memory, DESCRIPTOR + 16, TEXT);
	made_memory_u64(m->memory, DESCRIPTOR + 24, 3);
	made_memory_u64(m->memory, DESCRIPTOR + 32, POINTERS);
	made_memory_put(m->memory, TEXT, made, sizeof(text) - 1);
	made_memory_put(m->memory, POINTERS, pointers, sizeof(pointers));
}

static void
put_variables(struct made *m, const struct setup *s)
{
	uint64_t at = s->variables ? s->variables : VARIABLES;

	made_memory_zeros(m->memory, VARIABLES - 0x1000, 0x4000);
	made_memory_u64(m->memory, at, s->version ? s->version : 0x902);
	made_memory_u64(m->memory, at + 8, 256);
	made_memory_u64(m->memory, at + 16, 5);
	if (s->is_server)
		made_memory_u64(m->memory, at + 176, HEAPS);
	else
		made_memory_u64(m->memory, at + 48, HEAPS);
	made_memory_u64(m->memory, FREE, FREE_TABLE);
	made_memory_u64(m->memory, STORE_VARIABLE, STORE);
}

static void
put_threads(struct made *m)
{
	made_memory_u64(m->memory, STORE + 8, THREADS);
	for (uint64_t i = 0; i < 2; i++) {
		uint64_t at = THREADS + i * THREAD_BYTES;

		made_memory_u64(m->memory, at + 8, 0x5000 + i);
		made_memory_u64(m->memory, at + 16, 0x6000 + i);
		made_memory_u64(m->memory, at + 96, i ? 0 : at + THREAD_BYTES);
		made_memory_u64(m->memory, at + 176, 4711 + i);
	}
}

static bool
open_made(struct made *m, const struct setup *s)
{
	struct clr_descriptor d;
	bool is_damaged, is_open;

	*m = (struct made){ .memory = made_memory_new(MEMORY_X64) };
	put_descriptor(m, s->missing);
	put_variables(m, s);
	put_threads(m);
	m->image = (struct elf_image){ .base = PROGRAM, .end = PROGRAM + PROGRAM_BYTES };
	m->rt.memory = made_memory_open(m->memory);
	m->rt.path = "/app/shop";
	arena_init(&m->rt.arena, 0);
	m->rt.doubts.arena = &m->rt.arena;
	m->rt.reader = memory_reader_new(m->rt.memory, &m->err);
	assert_non_null(m->rt.reader);
	assert_true(clr_descriptor_open(&d, m->rt.reader, DESCRIPTOR, &is_damaged));
	is_open = clr_native_contract_version(&m->rt, &d, &m->err);
	if (is_open) {
		clr_layout_init_native(&m->rt.layout, 11);
		clr_descriptor_describe(&d, &m->rt.layout);
		is_open = clr_native_contract_open(&m->rt, &m->image, &d, &m->err);
	}
	clr_descriptor_close(&d);
	return is_open;
}

static void
close_made(struct made *m)
{
	clr_native_close(&m->rt);
	memory_reader_free(m->rt.reader);
	arena_clear(&m->rt.arena);
	made_memory_free(m->memory);
}

static const struct setup good[] = {
	{ 0 },
	{ .is_server = true },
	{ .variables = FREE + 0x200 },
	{ .variables = FREE - 0xff8 },
};

TEST(reads_the_descriptor)
{
	for (size_t i = 0; i < COUNT_OF(good); i++) {
		struct made m;

		assert_ok(open_made(&m, &good[i]), &m.err);
		assert_int_equal(m.rt.version[0], 11);
		assert_int_equal(m.rt.gc_vars, good[i].variables ? good[i].variables : VARIABLES);
		assert_int_equal(m.rt.generation_bytes, 256);
		assert_int_equal(m.rt.free_table, FREE_TABLE);
		assert_int_equal(m.rt.layout.offset[CLR_SEGMENT_MEM], 32);
		/* A native runtime has no use for it. */
		assert_int_equal(m.rt.layout.offset[CLR_MT_NUM_INTERFACES], CLR_ABSENT);
		assert_int_equal(m.rt.threads_count, 2);
		assert_int_equal(m.rt.threads[1].os_id, 4712);
		assert_int_equal(m.rt.threads[1].alloc_pointer, 0x5001);
		assert_int_equal(m.rt.threads[1].alloc_limit, 0x6001);
		assert_int_equal(m.rt.doubts.count, 0);
		close_made(&m);
	}
}

static const struct {
	struct setup setup;
	const char *error;
} refused[] = {
	{ { .missing = "RuntimeProductV" }, "lacks RuntimeProductVersion" },
	{ { .missing = "11.0.0" }, "lacks RuntimeProductVersionString" },
	{ { .missing = "OSId" }, "lacks Thread.OSId" },
	{ { .missing = "Flags\":0" }, "lacks MethodTable.MTFlags" },
	{ { .missing = "Mem" }, "lacks HeapSegment.Mem" },
	{ { .missing = "FreeObjectM" }, "lacks FreeObjectMethodTable" },
	{ { .variables = FREE + 0x1008 }, "the collector's variables are not" },
	{ { .version = 0x909 }, "the collector's variables are not" },
	{ { .version = 0x10902 }, "the collector's variables are not" },
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

/* The threads are a doubt, not an error. */
TEST(doubts_a_missing_list_of_threads)
{
	static const struct setup setup = { .missing = "ThreadStore\":[" };
	struct made m;

	assert_ok(open_made(&m, &setup), &m.err);
	assert_int_equal(m.rt.threads_count, 0);
	assert_int_equal(m.rt.doubts.count, 1);
	close_made(&m);
}
