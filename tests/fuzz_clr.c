/*
 * A made-up runtime, damaged: a heap that passes heap_check(), or an error with
 * a message, and memory within a bound. The input is a byte that says which
 * runtime, then changes, 12 bytes each:
 *
 *   u8 what (see enum change)   u8 where (see places)   u16 offset
 *   u64 value; of a pointer u8 place and u16 offset
 */
#include "tests/made_roots.h"
#include "tests/made_types.h"
#include "io/clr_graph.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { CHANGE_BYTES = 12, CHANGES_MAX = 64 };
#define HEAP_BYTES_MAX (UINT64_C(16) << 20)

enum change {
	CHANGE_U8,
	CHANGE_U16,
	CHANGE_U32,
	CHANGE_U64,
	CHANGE_POINTER,
	CHANGE_LOSE,
	CHANGES_COUNT
};

static const uint64_t places[] = {
	MADE_LIBRARY,
	MADE_LIBRARY + 0x400,
	MADE_TABLE,
	MADE_VARIABLE,
	MADE_GC,
	MADE_CELL,
	MADE_OFFSETS,
	MADE_STORE,
	MADE_THREAD,
	MADE_METHODS,
	MADE_METHOD_TABLE(MADE_PAIR),
	MADE_METHOD_TABLE(MADE_ARRAY),
	MADE_METHOD_TABLE(MADE_SHARED) - 32,
	MADE_MODULE_RECORD,
	MADE_IMAGE,
	MADE_IMAGE + 0x2000,
	MADE_DICTIONARY,
	MADE_ALLOCATOR,
	MADE_FAR_TABLE - 32,
	MADE_HEAP + 0x1000,
	MADE_SEGMENT,
	MADE_SEGMENT + 0x100,
	MADE_SEGMENT + 0x200,
	MADE_RANGE,
	MADE_RANGE + 0x400000,
	MADE_RANGE + 0x800000,
	MADE_RANGE + 0xc00000,
	MADE_ROOTS,
	MADE_ROOTS + 0x1000,
	MADE_ROOTS + 0x2000,
	MADE_ROOTS + 0x3000,
	MADE_HANDLE_SEGMENT,
	MADE_HANDLE_SEGMENT + 0x1000,
	MADE_STACK,
};
enum { PLACES_COUNT = sizeof(places) / sizeof(places[0]) };

static uint64_t
place(uint8_t number, uint16_t offset)
{
	return places[number % PLACES_COUNT] + offset % 0x1000;
}

static uint16_t
load_u16(const uint8_t *at)
{
	return (uint16_t)(at[0] | at[1] << 8);
}

static void
change(struct made_memory *m, const uint8_t *at)
{
	uint64_t address = place(at[1], load_u16(at + 2));
	uint64_t value = bytes_load_u64(at + 4);

	switch ((enum change)(at[0] % CHANGES_COUNT)) {
	case CHANGE_U8:
		made_memory_u8(m, address, (uint8_t)value);
		break;
	case CHANGE_U16:
		made_memory_u16(m, address, (uint16_t)value);
		break;
	case CHANGE_U32:
		made_memory_u32(m, address, (uint32_t)value);
		break;
	case CHANGE_U64:
		made_memory_u64(m, address, value);
		break;
	case CHANGE_POINTER:
		made_memory_u64(m, address & ~UINT64_C(7),
				place(at[4], load_u16(at + 5)));
		break;
	case CHANGE_LOSE:
	case CHANGES_COUNT:
		made_memory_lose(m, address, 1 + value % 0x1000);
		break;
	}
}

static void
fail(const char *what, const struct error *err)
{
	fprintf(stderr, "%s: %s\n", what, err->message);
	abort();
}

static void
check_load(struct made_runtime *rt, enum load_what what, bool is_forced)
{
	const struct clr_graph_options options = { .what = what,
						   .is_forced = is_forced };
	const struct heap *h;
	struct error err;

	error_clear(&err);
	h = clr_graph_load(made_memory_open(rt->memory), "fuzz", &options,
			   &err);
	if (!h) {
		if (err.kind == ERROR_NONE || !err.message[0])
			fail("refused without a word", &err);
		return;
	}
	if (err.kind != ERROR_NONE)
		fail("a heap and an error", &err);
	if (heap_bytes(h) > HEAP_BYTES_MAX)
		fail("too much memory", &err);
	if (what == LOAD_ALL && !heap_check(h, &err))
		fail("not sound", &err);
	heap_free(h);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t kind = size ? data[0] : 0;
	const struct made_setup setup = { 8 + kind % 3, kind >> 2 & 1,
					  kind >> 3 & 1 };
	struct made_runtime *rt = made_runtime_new(&setup);

	made_types_put(rt, kind >> 4 & 1);
	made_roots_put(rt);
	made_far_put(rt, made_runtime_range(rt, 0, GEN_2)->start);
	made_pair_refs(rt, 1, made_pair_at(rt, 2), made_pair_at(rt, 3));
	made_memory_set_views(rt->memory, kind >> 5 & 1);
	for (size_t i = 1;
	     i + CHANGE_BYTES <= size && i < CHANGES_MAX * CHANGE_BYTES;
	     i += CHANGE_BYTES)
		change(rt->memory, data + i);
	check_load(rt, LOAD_ALL, kind >> 6 & 1);
	check_load(rt, LOAD_TYPES, true);
	made_runtime_free(rt);
	return 0;
}
