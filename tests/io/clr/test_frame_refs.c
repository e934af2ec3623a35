/* Which stretches of a stack that is made up are known, and which frames are not. */
#include "io/clr/frame_refs.h"
#include "tests/drive/run_tests.h"
#include "tests/made/made_bits.h"
#include "tests/made/made_code.h"

enum { RSP = 19, RIP = 16, RBP = 4, FRAME_BYTES = 0x38, SHORT = 0x100, LONG = 0x1c4 };
#define SP      (MADE_CODE_STACK + 0x100)
#define GC_INFO UINT64_C(0x71d000000000)

/* One safe point, behind a call that ends at 0x41; rbx is live there. 160 bytes of code. */
#define RBX      "1:1 u2:1 1:0 u3:3 2:0 1:0 1:1"
#define POINT_9  "1:0 1:1 2:1 u8:160 u2:1 8:0x40 " RBX
#define POINT_10 "1:0 1:1 u8:160 u2:1 8:0x41 " RBX
/* The same place in a range, from 0x10 to 0x90, where nothing is live. */
#define RANGE_9 "1:1 10:0x40 4:1 u8:160 u3:0 u3:0 u2:0 u1:1 u6:16 u6:127 1:1 u2:1 1:0 u3:3 2:0 u3:0"

static const struct row {
	const char *name;
	int version;
	const char *gc_info;
	bool is_leaf; /* else it has called LONG, whose references are unknown */
	unsigned known;
} rows[] = {
	{ "9: stopped behind a call", 9, POINT_9, true, 0 },
	{ "9: in a call", 9, POINT_9, false, 1 },
	{ "9: stopped in a range", 9, RANGE_9, true, 1 },
	{ "10: stopped behind a call", 10, POINT_10, true, 1 },
	{ "10: in a call", 10, POINT_10, false, 1 },
};

static void
put(struct made_code *code, uint64_t at, uint64_t value)
{
	made_memory_u64(code->memory, at, value);
}

static void
put_gc_info(struct made_code *code, const char *bits)
{
	uint8_t bytes[64] = { 0 };

	made_bits(bits, bytes, sizeof(bytes));
	made_memory_put(code->memory, GC_INFO, bytes, sizeof(bytes));
	put(code, made_code_field(code, MADE_HEADER, CLR_CODE_HEADER_GC_INFO), GC_INFO);
}

/* Two frames: SHORT and its caller LONG, or the other way round. */
static struct memory_thread
put_stack(struct made_code *code, bool is_leaf)
{
	uint64_t in_short = MADE_JITTED + SHORT + 0x41, in_long = MADE_JITTED + LONG + 0x80;
	struct memory_thread os = { .registers_count = RSP + 1 };

	put(code, SP + 0x28, MADE_CODE_STACK + 0x900);
	put(code, SP + 0x30, is_leaf ? in_long : in_short);
	put(code, SP + FRAME_BYTES + 0x30, 0x1234);
	os.registers[RIP] = is_leaf ? in_short : in_long;
	os.registers[RSP] = SP;
	os.registers[RBP] = MADE_CODE_STACK + 0x800;
	return os;
}

TEST_ROWS(knows_stretches, rows)
{
	const struct row *row = *state;
	struct made_code *code = made_code_new(row->version);
	struct memory_thread os = put_stack(code, row->is_leaf);
	uint64_t start = row->is_leaf ? SP : SP + FRAME_BYTES;
	struct error err = { 0 };
	struct gc_info *info = gc_info_new(&err);
	struct clr_frame_refs refs;

	assert_ok(info, &err);
	put_gc_info(code, row->gc_info);
	code->runtime.memory = made_memory_open(code->memory);
	code->runtime.reader = memory_reader_new(code->runtime.memory, &err);
	assert_ok(code->runtime.reader, &err);
	assert_ok(clr_frame_refs_read(&refs, &code->runtime, &code->thread, &os, info, &err), &err);
	assert_string_equal(refs.why, "");
	assert_int_equal(refs.frames, 2);
	assert_int_equal(refs.unknown_frames, 2 - row->known);
	assert_int_equal(refs.stretches_count, row->known);
	for (size_t i = 0; i < refs.stretches_count; i++) {
		assert_int_equal(refs.stretches[i].start, start);
		assert_int_equal(refs.stretches[i].end, start + FRAME_BYTES);
	}
	clr_frame_refs_clear(&refs);
	memory_reader_free(code->runtime.reader);
	code->runtime.reader = NULL;
	gc_info_free(info);
	made_code_free(code);
}
