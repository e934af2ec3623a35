/*
 * Compiled code that is made up, damaged: each address has a method with a start at or before it,
 * or a reason why there is none; and the stack of a thread that stands there is walked to its end,
 * or there is a reason why not. The input is a byte that chooses the version and the thread's mode,
 * then changes, 12 bytes each:
 *
 *   u8 what (see enum change)   u8 where (see places)   u16 offset
 *   u64 value; of a pointer u8 place and u16 offset
 */
#include "io/runtime/stack_walk.h"
#include "model/heap/memory.h"
#include "tests/drive/fuzz.h"
#include "tests/made/made_code.h"
#include <stdlib.h>

enum { CHANGE_BYTES = 12, CHANGES_MAX = 32 };

enum change { CHANGE_U8, CHANGE_U32, CHANGE_U64, CHANGE_POINTER, CHANGE_LOSE, CHANGES_COUNT };

static const uint64_t places[] = {
	MADE_CODE_MAP, MADE_CODE_MAP + 0x800, MADE_FRAGMENT,    MADE_SECTION,    MADE_CODE_HEAP,
	MADE_STARTS,   MADE_HEADER,           MADE_READY,       MADE_READY_INFO, MADE_COMPOSITE,
	MADE_BUCKETS,  MADE_COLD_MAP,         MADE_JITTED,      MADE_COMPILED,   MADE_FUNCTIONS,
	MADE_UNWIND,   MADE_CODE_STACK,       MADE_CODE_THREAD,
};
enum { PLACES_COUNT = sizeof(places) / sizeof(places[0]) };

static const uint64_t addresses[] = {
	MADE_JITTED,
	MADE_JITTED + 0x120,
	MADE_JITTED + 0x190,
	MADE_JITTED + 0x1000,
	MADE_JITTED + 0x1fff0,
	MADE_STUBS,
	MADE_COMPILED + 0x1010,
	MADE_COMPILED + 0x1120,
	MADE_COMPILED + 0x1150,
	MADE_COMPILED + 0x1190,
	MADE_COMPILED + 0x1310,
	MADE_COMPILED + 0x1350,
	UINT64_MAX,
};

static uint64_t
place(uint8_t number, uint64_t offset)
{
	return places[number % PLACES_COUNT] + offset % 0x1000;
}

static void
change(struct made_memory *m, const uint8_t *at)
{
	uint64_t address = place(at[1], at[2] | (uint64_t)at[3] << 8);
	uint64_t value = bytes_load_u64(at + 4);

	switch ((enum change)(at[0] % CHANGES_COUNT)) {
	case CHANGE_U8:
		made_memory_u8(m, address, (uint8_t)value);
		break;
	case CHANGE_U32:
		made_memory_u32(m, address, (uint32_t)value);
		break;
	case CHANGE_U64:
		made_memory_u64(m, address, value);
		break;
	case CHANGE_POINTER:
		made_memory_u64(m, address & ~UINT64_C(7),
				place(at[4], at[5] | (uint64_t)at[6] << 8));
		break;
	case CHANGE_LOSE:
	case CHANGES_COUNT:
		made_memory_lose(m, address, 1 + value % 0x1000);
		break;
	}
}

static void
check(struct made_code *code, struct memory_reader *r, uint64_t address)
{
	struct clr_code c;

	if (clr_code_find(&code->runtime, r, address, &c)) {
		if (c.why || c.kind < CLR_CODE_JITTED)
			fuzz_fail("a method without a kind", NULL);
	} else if (!c.why || c.record) {
		fuzz_fail("no method, and no reason", NULL);
	}
}

/* The stack pointer of managed frames rises. */
static void
check_stack(struct made_code *code, struct memory_reader *r, uint64_t address)
{
	enum { RSP = 19, RIP = 16, RBP = 4 };
	struct memory_thread os = { .registers_count = RSP + 1 };
	struct clr_stack_walk w;
	struct clr_stack_frame f;
	uint64_t last = 0;

	os.registers[RIP] = address;
	os.registers[RSP] = MADE_CODE_STACK + 0x100;
	os.registers[RBP] = MADE_CODE_STACK + 0x800;
	if (!clr_stack_walk_begin(&w, &code->runtime, r, &code->thread, &os))
		return;
	while (clr_stack_walk_next(&w, &f)) {
		if (f.kind != CLR_STACK_MANAGED)
			continue;
		if (f.state.value[X64_RSP] < last)
			fuzz_fail("the stack falls", NULL);
		last = f.state.value[X64_RSP];
	}
	if (w.is_complete == (w.why[0] != '\0'))
		fuzz_fail("complete, and a reason", NULL);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct made_code *code;
	struct memory_reader *r;
	struct error err = { 0 };

	if (!size)
		return 0;
	code = made_code_new(8 + data[0] % 3);
	for (size_t i = 0; i < CHANGES_MAX && 1 + (i + 1) * CHANGE_BYTES <= size; i++)
		change(code->memory, data + 1 + i * CHANGE_BYTES);
	code->runtime.memory = made_memory_open(code->memory);
	r = memory_reader_new(code->runtime.memory, &err);
	if (!r)
		abort();
	for (size_t i = 0; i < sizeof(addresses) / sizeof(addresses[0]); i++)
		check(code, r, addresses[i]);
	if (data[0] & 4)
		code->thread.mode = THREAD_COOPERATIVE;
	for (size_t i = 0; i < sizeof(addresses) / sizeof(addresses[0]); i++)
		check_stack(code, r, addresses[i]);
	memory_reader_free(r);
	made_code_free(code);
	return 0;
}
