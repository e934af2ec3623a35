/* Native frames by call frame information: made up, damaged, and of real processes. */
#include "io/memory/call_frames.h"
#include "tests/drive/cores.h"
#include "tests/drive/run_tests.h"
#include "tests/made/made_frames.h"
#include <string.h>

#define BYTES(text) (text), sizeof(text) - 1
#define STACK(at)   (MADE_FRAMES_STACK + (at))
#define WORD(at)    (UINT64_C(0x600000000000) + (at))
#define NO_CALLER   0

enum { SP = MADE_SP, BP = MADE_BP, NO_REGISTER = X64_REGISTERS };

/* One step. */
static bool
step(struct made_memory *mm, struct x64_state *state, bool is_exact, bool *is_signal)
{
	const struct memory *m = made_memory_open(mm);
	struct error err = { 0 };
	struct memory_reader *r = memory_reader_new(m, &err);
	struct call_frames frames;
	bool is_good;

	assert_non_null(r);
	call_frames_begin(&frames, m, r);
	is_good = call_frames_step(&frames, state, is_exact, is_signal);
	memory_reader_free(r);
	return is_good;
}

static const struct program {
	const char *name, *program;
	size_t len;
	unsigned at;     /* in the function */
	uint64_t sp, ip; /* of the caller; NO_CALLER: the step fails */
	unsigned number; /* of a register */
	uint64_t value, place;
} programs[] = {
	/* clang-format off */
	{ "none", BYTES(""), 0, STACK(SP + 8), WORD(SP), X64_RBX, 0x300, 0 },
	{ "before push", BYTES("\x41\x0e\x10\x86\x02"), 0,
	  STACK(SP + 8), WORD(SP), X64_RBP, STACK(BP), 0 },
	{ "behind push", BYTES("\x41\x0e\x10\x86\x02"), 1,
	  STACK(SP + 16), WORD(SP + 8), X64_RBP, WORD(SP), STACK(SP) },
	{ "frame register", BYTES("\x41\x0e\x10\x86\x02\x43\x0d\x06"), 4,
	  STACK(BP + 16), WORD(BP + 8), X64_RBP, WORD(BP), STACK(BP) },
	{ "advance, u8", BYTES("\x02\x80\x0e\x10"), 0x80, STACK(SP + 16), WORD(SP + 8),
	  NO_REGISTER, 0, 0 },
	{ "advance, u16", BYTES("\x03\x80\x00\x0e\x10"), 0x7f, STACK(SP + 8), WORD(SP),
	  NO_REGISTER, 0, 0 },
	{ "advance, u32", BYTES("\x04\x80\x00\x00\x00\x0e\x10"), 0x80, STACK(SP + 16),
	  WORD(SP + 8), NO_REGISTER, 0, 0 },
	{ "remembered", BYTES("\x0a\x0e\x20\x41\x0b"), 0, STACK(SP + 32), WORD(SP + 24),
	  NO_REGISTER, 0, 0 },
	{ "restored", BYTES("\x0a\x0e\x20\x41\x0b"), 1, STACK(SP + 8), WORD(SP),
	  NO_REGISTER, 0, 0 },
	{ "one restored", BYTES("\x86\x02\xc6"), 0, STACK(SP + 8), WORD(SP),
	  X64_RBP, STACK(BP), 0 },
	{ "one restored, long", BYTES("\x86\x02\x06\x06"), 0, STACK(SP + 8), WORD(SP),
	  X64_RBP, STACK(BP), 0 },
	{ "address", BYTES("\x0c\x06\x18"), 0, STACK(BP + 24), WORD(BP + 16),
	  NO_REGISTER, 0, 0 },
	{ "address, signed", BYTES("\x12\x06\x7d"), 0, STACK(BP + 24), WORD(BP + 16),
	  NO_REGISTER, 0, 0 },
	{ "offset, signed", BYTES("\x13\x7d"), 0, STACK(SP + 24), WORD(SP + 16),
	  NO_REGISTER, 0, 0 },
	{ "register, long", BYTES("\x05\x0c\x03"), 0, STACK(SP + 8), WORD(SP),
	  X64_R12, WORD(SP - 16), STACK(SP - 16) },
	{ "register, signed", BYTES("\x11\x0c\x7d"), 0, STACK(SP + 8), WORD(SP),
	  X64_R12, WORD(SP + 32), STACK(SP + 32) },
	{ "register, negative", BYTES("\x2f\x0c\x03"), 0, STACK(SP + 8), WORD(SP),
	  X64_R12, WORD(SP + 32), STACK(SP + 32) },
	{ "value", BYTES("\x14\x03\x02"), 0, STACK(SP + 8), WORD(SP),
	  X64_RBX, STACK(SP - 8), 0 },
	{ "value, signed", BYTES("\x15\x03\x7e"), 0, STACK(SP + 8), WORD(SP),
	  X64_RBX, STACK(SP + 24), 0 },
	{ "in a register", BYTES("\x09\x10\x02"), 0, STACK(SP + 8), 0x100,
	  NO_REGISTER, 0, 0 },
	{ "in a vector", BYTES("\x09\x03\x11"), 0, 0, NO_CALLER, NO_REGISTER, 0, 0 },
	{ "same", BYTES("\x83\x02\x08\x03"), 0, STACK(SP + 8), WORD(SP), X64_RBX, 0x300, 0 },
	{ "at expression", BYTES("\x10\x07\x03\x76\x90\x01"), 0, WORD(BP + 0x90), WORD(SP),
	  NO_REGISTER, 0, 0 },
	{ "from the frame", BYTES("\x10\x03\x02\x23\x10"), 0, STACK(SP + 8), WORD(SP),
	  X64_RBX, WORD(SP + 24), STACK(SP + 24) },
	{ "value of expression", BYTES("\x16\x03\x03\x23\x80\x01"), 0, STACK(SP + 8), WORD(SP),
	  X64_RBX, STACK(SP + 8 + 0x80), 0 },
	{ "linkage", BYTES("\x0f\x0b\x77\x08\x80\x00\x3f\x1a\x3b\x2a\x33\x24\x22"), 11,
	  STACK(SP + 16), WORD(SP + 8), NO_REGISTER, 0, 0 },
	{ "vectors", BYTES("\x91\x02\x05\x91\x01\x02"), 0, STACK(SP + 8), WORD(SP),
	  NO_REGISTER, 0, 0 },
	{ "arguments", BYTES("\x2e\x20"), 0, STACK(SP + 8), WORD(SP), NO_REGISTER, 0, 0 },
	{ "last byte", BYTES("\x0e\x10"), MADE_FUNCTION_BYTES - 1, STACK(SP + 16), WORD(SP + 8),
	  NO_REGISTER, 0, 0 },
	{ "behind it", BYTES(""), MADE_FUNCTION_BYTES, 0, NO_CALLER, NO_REGISTER, 0, 0 },
	{ "second function", BYTES("\x0e\x10"), MADE_SECOND_FUNCTION, STACK(SP + 8), WORD(SP),
	  NO_REGISTER, 0, 0 },
	{ "no instruction", BYTES("\x3e"), 0, 0, NO_CALLER, NO_REGISTER, 0, 0 },
	{ "set location", BYTES("\x01\0\0\0\0\0\0\0\0"), 0, 0, NO_CALLER, NO_REGISTER, 0, 0 },
	{ "damage behind", BYTES("\x41\x3e"), 0, STACK(SP + 8), WORD(SP), NO_REGISTER, 0, 0 },
	{ "nothing remembered", BYTES("\x0b"), 0, 0, NO_CALLER, NO_REGISTER, 0, 0 },
	{ "much remembered", BYTES("\n\n\n\n\n\n\n\n\n"), 0, 0, NO_CALLER, NO_REGISTER, 0, 0 },
	{ "cut", BYTES("\x0c\x06"), 0, 0, NO_CALLER, NO_REGISTER, 0, 0 },
	{ "expression cut", BYTES("\x0f\x05\x77"), 0, 0, NO_CALLER, NO_REGISTER, 0, 0 },
	{ "expression fails", BYTES("\x0f\x01\x06"), 0, 0, NO_CALLER, NO_REGISTER, 0, 0 },
	{ "offset of expression", BYTES("\x0f\x02\x77\x00\x0e\x08"), 0, 0, NO_CALLER,
	  NO_REGISTER, 0, 0 },
	{ "absent stack", BYTES("\x0c\x00\x08"), 0, 0, NO_CALLER, NO_REGISTER, 0, 0 },
	{ "absent register", BYTES("\x83\x80\x80\x04"), 0, 0, NO_CALLER, NO_REGISTER, 0, 0 },
	{ "address in a vector", BYTES("\x0c\x11\x08"), 0, 0, NO_CALLER, NO_REGISTER, 0, 0 },
	{ "return unknown", BYTES("\x08\x10"), 0, 0, NO_CALLER, NO_REGISTER, 0, 0 },
	/* clang-format on */
};

TEST_ROWS(runs, programs)
{
	const struct program *p = *state;
	struct made_memory *mm =
	    made_frames_new(&(struct made_frames){ .program = p->program, .len = p->len });
	struct x64_state caller, before;
	bool is_signal = true;

	made_frames_state(&caller, MADE_FRAMES_CODE + p->at);
	before = caller;
	if (p->ip == NO_CALLER) {
		assert_false(step(mm, &caller, true, NULL));
		assert_memory_equal(&caller, &before, sizeof(caller));
	} else {
		assert_true(step(mm, &caller, true, &is_signal));
		assert_false(is_signal);
		assert_int_equal(caller.ip, p->ip);
		assert_int_equal(caller.value[X64_RSP], p->sp);
		if (p->number != NO_REGISTER) {
			assert_int_equal(caller.value[p->number], p->value);
			assert_int_equal(caller.place[p->number], p->place);
		}
	}
	made_memory_free(mm);
}

/* A call may be the last instruction, so the byte before the return address counts. */
TEST(looks_up_the_call)
{
	struct made_memory *mm =
	    made_frames_new(&(struct made_frames){ .program = BYTES("\x41\x0e\x10") });
	struct x64_state caller;

	made_frames_state(&caller, MADE_FRAMES_CODE + 1);
	assert_true(step(mm, &caller, false, NULL));
	assert_int_equal(caller.value[X64_RSP], STACK(SP + 8));
	made_frames_state(&caller, MADE_FRAMES_CODE + MADE_FUNCTION_BYTES);
	assert_true(step(mm, &caller, false, NULL));
	assert_int_equal(caller.value[X64_RSP], STACK(SP + 16));
	made_memory_free(mm);
}

TEST(ends_at_the_first_frame)
{
	struct made_memory *mm =
	    made_frames_new(&(struct made_frames){ .program = BYTES("\x07\x10") });
	struct x64_state caller;

	made_frames_state(&caller, MADE_FRAMES_CODE);
	assert_true(step(mm, &caller, true, NULL));
	assert_int_equal(caller.ip, 0);
	assert_false(step(mm, &caller, false, NULL));
	made_memory_free(mm);
}

static const struct form {
	const char *name;
	struct made_frames frames;
	bool is_good, is_signal;
} forms[] = {
	/* clang-format off */
	{ "plain",           { .augmentation = "zR" },                     true,  false },
	{ "personality",     { .augmentation = "zPLR" },                   true,  false },
	{ "no data",         { .augmentation = "zPR" },                    true,  false },
	{ "signal",          { .augmentation = "zRS" },                    true,  true },
	{ "empty",           { .augmentation = "" },                       true,  false },
	{ "only a length",   { .augmentation = "z" },                      true,  false },
	{ "unknown letter",  { .augmentation = "zRQ" },                    true,  false },
	{ "no length",       { .augmentation = "eh" },                     false, false },
	{ "long",            { .augmentation = "zLLLLLLLLL" },             false, false },
	{ "version 3",       { .version = 3 },                             true,  false },
	{ "version 4",       { .version = 4 },                             false, false },
	{ "other column",    { .column = 17 },                             false, false },
	{ "8 bytes",         { .encoding = 0x1c },                         true,  false },
	{ "8 bytes, direct", { .encoding = 0x04 },                         true,  false },
	{ "unsigned",        { .encoding = 0x13 },                         true,  false },
	{ "indirect",        { .encoding = 0x9b },                         false, false },
	{ "of 2 bytes",      { .encoding = 0x1a },                         false, false },
	/* clang-format on */
};

TEST_ROWS(knows_forms, forms)
{
	const struct form *f = *state;
	struct made_memory *mm = made_frames_new(&f->frames);
	struct x64_state caller;
	bool is_signal = false;

	made_frames_state(&caller, MADE_FRAMES_CODE + MADE_SECOND_FUNCTION);
	assert_true(step(mm, &caller, true, &is_signal) == f->is_good);
	assert_true(is_signal == f->is_signal);
	if (f->is_good)
		assert_int_equal(caller.ip, WORD(SP));
	made_memory_free(mm);
}

static const struct damage {
	const char *name;
	uint64_t at;
	uint32_t value;
} damages[] = {
	/* clang-format off */
	{ "no ELF file",         MADE_FRAMES,              0 },
	{ "no segments",         MADE_FRAMES + 56,         0 },
	{ "no table",            MADE_FRAMES + 64 + 56,    0 },
	{ "table outside",       MADE_FRAMES + 64 + 72,    0x7fffffff },
	{ "table too long",      MADE_FRAMES + 64 + 96,    0x7fffffff },
	{ "table too short",     MADE_FRAMES + 64 + 96,    11 },
	{ "other form",          MADE_FRAMES_TABLE,        0x3b1b1b01 },
	{ "too many rows",       MADE_FRAMES_TABLE + 8,    3 },
	{ "no rows",             MADE_FRAMES_TABLE + 8,    0 },
	{ "functions behind",    MADE_FRAMES_TABLE + 12,   0x2000 },
	{ "entry outside",       MADE_FRAMES_TABLE + 16,   0x7fffffff },
	{ "entry before",        MADE_FRAMES_TABLE + 16,   0x80000000 },
	{ "entry ends the list", MADE_FRAMES_ENTRY,        0 },
	{ "entry of 64 bits",    MADE_FRAMES_ENTRY,        UINT32_MAX },
	{ "entry too long",      MADE_FRAMES_ENTRY,        8193 },
	{ "entry cut",           MADE_FRAMES_ENTRY,        8 },
	{ "entry is a CIE",      MADE_FRAMES_ENTRY + 4,    0 },
	{ "CIE outside",         MADE_FRAMES_ENTRY + 4,    0x7fffffff },
	{ "CIE is an entry",     MADE_FRAMES_ENTRY + 4,    4 },
	{ "other function",      MADE_FRAMES_ENTRY + 8,    0x1000 },
	{ "function is empty",   MADE_FRAMES_ENTRY + 12,   0 },
	{ "data too long",       MADE_FRAMES_ENTRY + 16,   0xff },
	{ "CIE ends the list",   MADE_FRAMES_COMMON,       0 },
	{ "CIE cut",             MADE_FRAMES_COMMON,       9 },
	{ "CIE without rules",   MADE_FRAMES_COMMON,       14 },
	/* clang-format on */
};

TEST_ROWS(refuses, damages)
{
	const struct damage *d = *state;
	struct made_memory *mm = made_frames_new(&(struct made_frames){ 0 });
	struct x64_state caller;

	made_frames_state(&caller, MADE_FRAMES_CODE);
	assert_true(step(mm, &caller, true, NULL));
	made_memory_u32(mm, d->at, d->value);
	made_frames_state(&caller, MADE_FRAMES_CODE);
	assert_false(step(mm, &caller, true, NULL));
	made_memory_free(mm);
}

TEST(needs_a_mapping)
{
	static const uint64_t addresses[] = { 0, 1, MADE_FRAMES - 1, UINT64_MAX };
	struct made_memory *mm = made_frames_new(&(struct made_frames){ 0 });
	struct x64_state caller;

	for (size_t i = 0; i < COUNT_OF(addresses); i++) {
		made_frames_state(&caller, addresses[i]);
		assert_false(step(mm, &caller, true, NULL));
		assert_false(step(mm, &caller, false, NULL));
	}
	made_memory_free(mm);
}

/* A walk runs no more bytes than real ones do, however often it is asked. */
TEST(limits_a_walk)
{
	struct made_memory *mm = made_frames_new(&(struct made_frames){ 0 });
	const struct memory *m = made_memory_open(mm);
	struct error err = { 0 };
	struct memory_reader *r = memory_reader_new(m, &err);
	struct call_frames frames;
	struct x64_state caller;
	uint32_t before;

	assert_non_null(r);
	call_frames_begin(&frames, m, r);
	before = frames.bytes_left;
	made_frames_state(&caller, MADE_FRAMES_CODE);
	assert_true(call_frames_step(&frames, &caller, true, NULL));
	assert_true(frames.bytes_left < before);
	frames.bytes_left = before - frames.bytes_left - 1;
	made_frames_state(&caller, MADE_FRAMES_CODE);
	assert_false(call_frames_step(&frames, &caller, true, NULL));
	memory_reader_free(r);
	made_memory_free(mm);
}

/* --- real ones ----------------------------------------------------------- */

struct walked {
	unsigned frames, ends, managed;
};

static bool
follows_call(struct memory_reader *r, uint64_t address)
{
	uint8_t bytes[7];

	if (!memory_read(r, address - sizeof(bytes), bytes, sizeof(bytes)))
		return false;
	if (bytes[2] == 0xe8)
		return true;
	for (unsigned i = 0; i + 1 < sizeof(bytes); i++)
		if (bytes[i] == 0xff && (bytes[i + 1] >> 3 & 7) == 2)
			return true;
	return false;
}

/* Native code that has no information is a mistake: what is left is managed code. */
static bool
is_library(const struct memory *m, uint64_t address)
{
	const struct memory_mapping *mapping = memory_mapping_at(m, address);

	return mapping && strstr(mapping->name, ".so");
}

static void
walk(const struct memory *m, struct memory_reader *r, const struct memory_thread *thread,
     struct walked *sum)
{
	struct call_frames frames;
	struct x64_state at;
	bool is_exact = true;

	assert_true(x64_state_begin(&at, m, thread));
	assert_int_equal(at.ip, thread->pc);
	assert_int_equal(at.value[X64_RSP], thread->sp);
	call_frames_begin(&frames, m, r);
	for (uint64_t sp = at.value[X64_RSP]; call_frames_step(&frames, &at, is_exact, &is_exact);
	     sp = at.value[X64_RSP]) {
		sum->frames++;
		assert_true(at.value[X64_RSP] > sp);
		if (!at.ip) {
			sum->ends++;
			return;
		}
		assert_true(is_exact || follows_call(r, at.ip));
	}
	assert_false(is_library(m, at.ip));
	sum->managed++;
}

static bool
is_wanted(const void *row)
{
	const struct core_setup *setup = row;

	return core_is_one_of_each(row) || setup->writer == CORE_GDB;
}

/* Each thread ends in managed code, or where the system began it. */
TEST_CORES(walks_real_threads, is_wanted)
{
	const struct core *core = core_of(*state);
	struct walked sum = { 0 };
	struct memory_reader *r;
	struct error err = { 0 };
	struct memory *m;

	if (!core)
		return;
	m = core_at(core->path, "", &err);
	assert_ok(m, &err);
	r = memory_reader_new(m, &err);
	assert_ok(r, &err);
	for (size_t i = 0; m->machine == MEMORY_X64 && i < m->threads_count; i++)
		walk(m, r, &m->threads[i], &sum);
	if (m->machine == MEMORY_X64) {
		assert_true(sum.ends >= 2 && sum.managed >= 2);
		assert_true(sum.frames > 2 * (sum.ends + sum.managed));
	}
	memory_reader_free(r);
	memory_close(m);
}
