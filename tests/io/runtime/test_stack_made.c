/* A stack made up: prologues, epilogues, Frames, and damage, each of which ends the walk with a
 * reason. */
#include "tests/drive/run_tests.h"
#include "tests/made/made_code.h"
#include "io/runtime/stack_walk.h"
#include <string.h>

enum {
	FRAMES_MAX = 8,
	RSP = 19,
	RIP = 16,
	RBP = 4,
	FRAME_BYTES = 0x38,
	SHORT = 0x100,
	LONG = 0x1c4
};
#define SP (MADE_CODE_STACK + 0x100)

struct walked {
	uint64_t ips[FRAMES_MAX]; /* of managed code */
	unsigned count, transitions, skipped;
	bool is_complete;
	char why[CLR_STACK_WHY_BYTES];
	struct x64_state last; /* of the last managed frame */
};

static void
put(struct made_code *code, uint64_t at, uint64_t value)
{
	made_memory_u64(code->memory, at, value);
}

static struct walked
walk(struct made_code *code, uint64_t ip, uint64_t sp)
{
	struct memory_thread os = { .registers_count = RSP + 1 };
	struct walked out = { 0 };
	struct clr_stack_frame f;
	struct clr_stack_walk w;
	struct error err = { 0 };
	struct memory_reader *r;

	os.registers[RIP] = ip;
	os.registers[RSP] = sp;
	os.registers[RBP] = MADE_CODE_STACK + 0x800;
	code->runtime.memory = made_memory_open(code->memory);
	r = memory_reader_new(code->runtime.memory, &err);
	assert_non_null(r);
	assert_true(clr_stack_walk_begin(&w, &code->runtime, r, &code->thread, &os));
	while (clr_stack_walk_next(&w, &f)) {
		out.transitions += f.kind == CLR_STACK_TRANSITION;
		out.skipped += f.is_skipped;
		if (f.kind != CLR_STACK_MANAGED || out.count == FRAMES_MAX)
			continue;
		out.ips[out.count++] = f.state.ip;
		out.last = f.state;
	}
	out.is_complete = w.is_complete;
	memcpy(out.why, w.why, sizeof(out.why));
	memory_reader_free(r);
	return out;
}

/* Its caller is LONG, whose caller is native code. */
static void
put_two(struct made_code *code, uint64_t sp)
{
	put(code, sp + 0x28, MADE_CODE_STACK + 0x900);
	put(code, sp + 0x30, MADE_JITTED + LONG + 0x80);
	put(code, sp + FRAME_BYTES + 0x30, 0x1234);
}

static void
assert_two(const struct walked *w, uint64_t first)
{
	assert_int_equal(w->count, 2);
	assert_int_equal(w->ips[0], first);
	assert_int_equal(w->ips[1], MADE_JITTED + LONG + 0x80);
	assert_int_equal(w->last.value[X64_RBP], MADE_CODE_STACK + 0x900);
	assert_true(w->is_complete);
}

/* Stopped in the body, before, in and after the prologue, and in the epilogue. */
TEST(test_leaf)
{
	static const uint8_t epilogue[] = { 0x48, 0x83, 0xc4, 0x28, 0x5d, 0xc3 };
	static const struct {
		unsigned offset;
		uint64_t left; /* bytes of the frame that are no longer, or not yet, there */
	} rows[] = { { 0x40, 0 }, { 4, 0 },       { 1, 0x28 },   { 0, 0x30 },
		     { 0x70, 0 }, { 0x74, 0x28 }, { 0x75, 0x30 } };

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct made_code *code = made_code_new(10);
		struct walked w;

		made_memory_put(code->memory, MADE_JITTED + SHORT + 0x70, epilogue,
				sizeof(epilogue));
		put_two(code, SP);
		w = walk(code, MADE_JITTED + SHORT + rows[i].offset, SP + rows[i].left);
		/* rbp was pushed, or is still in its register. */
		if (rows[i].left == 0x30)
			w.last.value[X64_RBP] += 0x100;
		assert_two(&w, MADE_JITTED + SHORT + rows[i].offset);
		made_code_free(code);
	}
}

/* A call that is the last instruction of a method returns to the next one's first. */
TEST(test_call_at_the_end)
{
	struct made_code *code = made_code_new(10);
	struct walked w;

	put(code, SP + 0x30, MADE_JITTED + LONG + 0x1000);
	w = walk(code, MADE_JITTED + SHORT + 0x40, SP);
	assert_int_equal(w.count, 2);
	assert_int_equal(w.ips[1], MADE_JITTED + LONG + 0x1000);
	assert_true(w.is_complete);
	made_code_free(code);
}

/* --- Frames --------------------------------------------------------------- */

/* An InlinedCallFrame, and the next Frame or UINT64_MAX. */
static void
put_inlined(struct made_code *code, uint64_t at, uint64_t next, uint64_t ip, uint64_t sp)
{
	put(code, at, code->runtime.frame_words[CLR_FRAME_INLINED]);
	put(code, made_code_field(code, at, CLR_FRAME_NEXT), next);
	put(code, made_code_field(code, at, CLR_INLINED_RETURN), ip);
	put(code, made_code_field(code, at, CLR_INLINED_SP), sp);
	put(code, made_code_field(code, at, CLR_INLINED_FP), MADE_CODE_STACK + 0x800);
}

static void
put_first(struct made_code *code, uint64_t frame)
{
	put(code, made_code_field(code, MADE_CODE_THREAD, CLR_THREAD_FRAME), frame);
}

/* Native code, called by SHORT, whose Frame is in its own frame; then one that is not active. */
TEST(test_inlined)
{
	for (int version = 8; version <= 11; version++) {
		struct made_code *code = made_code_new(version);
		struct walked w;

		if (!code->runtime.frame_words[CLR_FRAME_INLINED])
			code->runtime.frame_words[CLR_FRAME_INLINED] = 0x5500;
		put_two(code, SP);
		put_inlined(code, SP + 8 * 0x40, UINT64_MAX, 0, 0);
		put_inlined(code, SP - 0x40, SP + 8 * 0x40, MADE_JITTED + SHORT + 0x40, SP);
		put_first(code, SP - 0x40);
		w = walk(code, 0x4321, SP - 0x80);
		assert_two(&w, MADE_JITTED + SHORT + 0x40);
		assert_int_equal(w.transitions, 2);
		assert_int_equal(w.skipped, 0);
		made_code_free(code);
	}
}

TEST(test_skipped)
{
	struct made_code *code = made_code_new(11);
	struct walked w;

	put_two(code, SP);
	put(code, SP + 8, 1);
	put(code, SP + 16, UINT64_MAX);
	put_first(code, SP + 8);
	w = walk(code, MADE_JITTED + SHORT + 0x40, SP);
	assert_int_equal(w.transitions, 1);
	assert_int_equal(w.skipped, 1);
	assert_int_equal(w.count, 2);
	made_code_free(code);
}

/* --- damage --------------------------------------------------------------- */

static void
assert_stops(const struct walked *w, unsigned count, const char *why)
{
	assert_int_equal(w->count, count);
	assert_false(w->is_complete);
	if (!strstr(w->why, why))
		fail_msg("\"%s\", not \"%s\"", w->why, why);
}

TEST(test_frame_of_an_unknown_kind)
{
	struct made_code *code = made_code_new(10);
	struct walked w;

	put_inlined(code, SP + 0x200, UINT64_MAX, 0, 0);
	put(code, SP + 0x200, 99);
	put_first(code, SP + 0x200);
	w = walk(code, 0x4321, SP);
	assert_stops(&w, 0, "unknown kind");
	made_code_free(code);
}

TEST(test_chain_goes_back)
{
	struct made_code *code = made_code_new(10);
	struct walked w;

	put_inlined(code, SP + 0x200, SP + 0x200, 0, 0);
	put_first(code, SP + 0x200);
	w = walk(code, 0x4321, SP);
	assert_stops(&w, 0, "chain of Frames is damaged");
	put_first(code, 0x10);
	w = walk(code, 0x4321, SP);
	assert_stops(&w, 0, "next Frame is not in memory");
	made_code_free(code);
}

/* A Frame whose registers are those of an inner frame. */
TEST(test_stack_falls)
{
	struct made_code *code = made_code_new(10);
	struct walked w;

	put_inlined(code, SP + 0x200, UINT64_MAX, MADE_JITTED + SHORT + 0x40, SP - 0x40);
	put_first(code, SP + 0x200);
	w = walk(code, 0x4321, SP);
	assert_stops(&w, 0, "damaged");
	made_code_free(code);
}

/* The caller is beyond the end of the stack. */
TEST(test_stack_ends)
{
	struct made_code *code = made_code_new(10);
	struct walked w;

	code->thread.stack_base = SP + 0x20;
	put_two(code, SP);
	w = walk(code, MADE_JITTED + SHORT + 0x40, SP);
	assert_stops(&w, 1, "the stack is damaged");
	made_memory_lose(code->memory, SP + 0x28, 8);
	w = walk(code, MADE_JITTED + SHORT + 0x40, SP);
	assert_stops(&w, 1, "not in memory");
	made_code_free(code);
}

TEST(test_unwind_record_is_damaged)
{
	static const uint8_t records[][8] = {
		{ 2 },                               /* another version */
		{ 1, 4, 2, 0, 4, 0x4a, 1, 0x50 },    /* a machine frame */
		{ 1, 4, 1, 0, 4, 0x01, 1, 0x50 },    /* without its operand */
		{ 0x21, 4, 1, 0, 4, 0x42, 1, 0x50 }, /* chained with itself */
	};

	for (size_t i = 0; i < COUNT_OF(records); i++) {
		struct made_code *code = made_code_new(10);
		struct walked w;

		put_two(code, SP);
		made_memory_put(code->memory, MADE_JITTED + 0x40, records[i], sizeof(records[i]));
		made_memory_u32(code->memory, MADE_JITTED + 0x40 + 16, 0x40);
		w = walk(code, MADE_JITTED + SHORT + 0x40, SP);
		assert_stops(&w, 1, "unwind record");
		made_code_free(code);
	}
}

TEST(test_hijacked)
{
	struct made_code *code = made_code_new(10);
	struct walked w;

	put_two(code, SP);
	code->thread.state = 0x80;
	w = walk(code, MADE_JITTED + SHORT + 0x40, SP);
	assert_stops(&w, 2, "about to stop the thread");
	made_code_free(code);
}
