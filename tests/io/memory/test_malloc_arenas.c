/* Arenas of glibc's malloc() in made-up memory: the circle, the proof, and free chunks. */
#include "io/memory/malloc_arenas.h"
#include "model/base/arena.h"
#include "tests/drive/run_tests.h"
#include "tests/made/made_memory.h"

#define MAIN  UINT64_C(0x10000c60)
#define HEAP  UINT64_C(0x7f0000000000)
#define ARENA (HEAP + 48)
#define BIG   (HEAP + 0x3000)
#define SMALL (HEAP + 0x2000)
#define TOP   (HEAP + 0x40000)

enum { HEAP_SIZE = 0x50000, MAIN_SIZE = 0x21000, BIG_SIZE = 0x20000, SMALL_SIZE = 0x60 };

/* The headers of the lists for chunks of 96 bytes and of 128 KiB. */
#define BIN(arena, i) ((arena) + 112 + ((i)-1) * UINT64_C(16) - 16)

static void
put_arena(struct made_memory *mm, uint64_t at, uint64_t top, uint64_t next, uint64_t system)
{
	made_memory_zeros(mm, at, 2200);
	made_memory_u64(mm, at + 96, top);
	for (unsigned i = 1; i <= 126; i++)
		made_memory_u64(mm, at + 112 + (i - 1) * 16, BIN(at, i));
	made_memory_u64(mm, at + 2160, next);
	made_memory_u64(mm, at + 2184, system);
}

static void
put_chunk(struct made_memory *mm, uint64_t at, uint64_t size, uint64_t next)
{
	made_memory_zeros(mm, at, 32);
	made_memory_u64(mm, at + 8, size | 1);
	made_memory_u64(mm, at + 16, next);
}

static struct made_memory *
make(void)
{
	struct made_memory *mm = made_memory_new(MEMORY_X64);

	made_memory_map(mm, MAIN & ~0xfffUL, 0x10002000, 0,
			MEMORY_READ | MEMORY_WRITE | MEMORY_FILE, "libc.so.6");
	made_memory_map(mm, 0x20000000, 0x20000000 + MAIN_SIZE, 0, MEMORY_READ | MEMORY_WRITE,
			"[heap]");
	made_memory_map(mm, HEAP, HEAP + HEAP_SIZE, 0, MEMORY_READ | MEMORY_WRITE, "");
	put_arena(mm, MAIN, 0x20020000, ARENA, MAIN_SIZE);
	put_chunk(mm, 0x20020000, 0x1000, 0);
	made_memory_zeros(mm, HEAP, 48);
	made_memory_u64(mm, HEAP, ARENA);
	made_memory_u64(mm, HEAP + 16, HEAP_SIZE);
	put_arena(mm, ARENA, TOP, MAIN, HEAP_SIZE);
	put_chunk(mm, TOP, 0x10000, 0);
	put_chunk(mm, SMALL, SMALL_SIZE, BIN(ARENA, 6));
	made_memory_u64(mm, ARENA + 112 + 5 * 16, SMALL);
	put_chunk(mm, BIG, BIG_SIZE, BIN(ARENA, 123));
	made_memory_u64(mm, ARENA + 112 + 122 * 16, BIG);
	return mm;
}

static bool
add(void *sum, uint64_t chunk, uint64_t bytes)
{
	(void)chunk;
	*(uint64_t *)sum += bytes;
	return true;
}

struct looked {
	size_t count;
	uint64_t system, top, free, large;
	bool is_whole;
};

static struct looked
look(struct made_memory *mm)
{
	struct error err = { 0 };
	struct memory_reader *r = memory_reader_new(made_memory_open(mm), &err);
	struct malloc_arenas arenas;
	struct looked out = { 0 };

	assert_non_null(r);
	assert_true(malloc_arenas_find(&arenas, r, &err));
	out.count = arenas.count;
	for (size_t i = 0; i < arenas.count; i++) {
		out.system += arenas.items[i].system_bytes;
		out.top += arenas.items[i].top_bytes;
	}
	out.is_whole = malloc_visit_free(&arenas, r, false, 100, add, &out.free);
	assert_true(malloc_visit_free(&arenas, r, true, 100, add, &out.large) || !out.is_whole);
	memory_free(arenas.items);
	memory_reader_free(r);
	made_memory_free(mm);
	return out;
}

TEST(test_circle)
{
	struct looked l = look(make());

	assert_int_equal(l.count, 2);
	assert_int_equal(l.system, HEAP_SIZE + MAIN_SIZE);
	assert_int_equal(l.top, 0x11000);
	assert_true(l.is_whole);
	assert_int_equal(l.free, BIG_SIZE + SMALL_SIZE);
	assert_int_equal(l.large, BIG_SIZE);
}

/* Each breaks one part of the proof. */
static const struct broken {
	const char *name;
	uint64_t at, value;
} rows[] = {
	{ "the circle does not close", MAIN + 2160, MAIN },
	{ "it leads nowhere", ARENA + 2160, 0x1234 },
	{ "another sum of heaps", ARENA + 2184, HEAP_SIZE + 0x1000 },
	{ "a heap of another arena", HEAP, ARENA + 16 },
	{ "a top that is larger than the arena", TOP + 8, HEAP_SIZE * 2 },
};

TEST_ROWS(test_broken, rows)
{
	const struct broken *row = *state;
	struct made_memory *mm = make();

	made_memory_u64(mm, row->at, row->value);
	assert_int_equal(look(mm).count, 0);
}

/* A list that comes back to itself ends after as many chunks as are allowed. */
TEST(test_endless_list)
{
	struct made_memory *mm = make();
	struct looked l;

	made_memory_u64(mm, BIG + 16, BIG);
	l = look(mm);
	assert_int_equal(l.count, 2);
	assert_false(l.is_whole);
}
