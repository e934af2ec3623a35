/* Expressions of call frame information, by their bytes. */
#include "io/memory/frame_expression.h"
#include "tests/made/made_frames.h"
#include "tests/drive/run_tests.h"

#define BYTES(text) (text), sizeof(text) - 1
#define FAILS       UINT64_C(0xfa115fa115)
#define PUSHED      UINT64_C(0x77)
#define SP          (MADE_FRAMES_STACK + MADE_SP)

static const struct expression {
	const char *name, *program;
	size_t len;
	uint64_t result;
} expressions[] = {
	/* clang-format off */
	{ "pushed",          BYTES(""),                             PUSHED },
	{ "small",           BYTES("\x4f"),                         31 },
	{ "u8",              BYTES("\x08\xff"),                     255 },
	{ "i8",              BYTES("\x09\xff"),                     UINT64_MAX },
	{ "u16",             BYTES("\x0a\xff\x80"),                 0x80ff },
	{ "i16",             BYTES("\x0b\xff\x80"),                 0xffffffffffff80ff },
	{ "u32",             BYTES("\x0c\x01\x02\x03\x84"),         0x84030201 },
	{ "i32",             BYTES("\x0d\x01\x02\x03\x84"),         0xffffffff84030201 },
	{ "u64",             BYTES("\x0e\1\2\3\4\5\6\7\x08"),       0x0807060504030201 },
	{ "i64",             BYTES("\x0f\1\2\3\4\5\6\7\x88"),       0x8807060504030201 },
	{ "address",         BYTES("\x03\1\2\3\4\5\6\7\x08"),       0x0807060504030201 },
	{ "unsigned",        BYTES("\x10\x80\x7f"),                 0x3f80 },
	{ "signed",          BYTES("\x11\x80\x7f"),                 (uint64_t)-128 },
	{ "signed, long",    BYTES("\x11\x80\x80\x80\x80\x80\x80\x80\x80\x80\x7f"),
							    UINT64_C(1) << 63 },
	{ "no end",          BYTES("\x10\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\1"), FAILS },
	{ "register",        BYTES("\x72\x7f"),                     0x100 - 1 },
	{ "stack pointer",   BYTES("\x77\x10"),                     SP + 16 },
	{ "address of code", BYTES("\x80\x00"),                     MADE_FRAMES_CODE },
	{ "vector",          BYTES("\x81\x00"),                     FAILS },
	{ "load",            BYTES("\x77\x08\x06"),  UINT64_C(0x600000000000) + MADE_SP + 8 },
	{ "load of nothing", BYTES("\x06"),                         FAILS },
	{ "duplicate",       BYTES("\x12\x22"),                     2 * PUSHED },
	{ "drop",            BYTES("\x31\x13"),                     PUSHED },
	{ "over",            BYTES("\x31\x14"),                     PUSHED },
	{ "pick",            BYTES("\x31\x32\x15\x02"),             PUSHED },
	{ "pick, too deep",  BYTES("\x15\x01"),                     FAILS },
	{ "swap",            BYTES("\x35\x33\x16\x1c"),             (uint64_t)-2 },
	{ "rotate",          BYTES("\x39\x32\x31\x17"),             2 },
	{ "rotate, next",    BYTES("\x39\x32\x31\x17\x13"),         9 },
	{ "rotate, last",    BYTES("\x39\x32\x31\x17\x13\x13"),     1 },
	{ "absolute",        BYTES("\x09\xf0\x19"),                 16 },
	{ "absolute of 5",   BYTES("\x35\x19"),                     5 },
	{ "negate",          BYTES("\x35\x1f"),                     (uint64_t)-5 },
	{ "not",             BYTES("\x35\x20"),                     ~UINT64_C(5) },
	{ "and",             BYTES("\x3c\x36\x1a"),                 4 },
	{ "or",              BYTES("\x3c\x36\x21"),                 14 },
	{ "xor",             BYTES("\x3c\x36\x27"),                 10 },
	{ "multiply",        BYTES("\x3c\x36\x1e"),                 72 },
	{ "plus",            BYTES("\x3c\x23\x80\x01"),             12 + 128 },
	{ "shift left",      BYTES("\x33\x34\x24"),                 48 },
	{ "shift left, far", BYTES("\x33\x08\x40\x24"),             0 },
	{ "shift right",     BYTES("\x09\x80\x08\x3c\x25"),         15 },
	{ "shift right, far", BYTES("\x09\x80\x08\x40\x25"),        0 },
	{ "shift signed",    BYTES("\x09\x80\x33\x26"),             (uint64_t)-16 },
	{ "shift signed by 0", BYTES("\x09\x80\x30\x26"),           (uint64_t)-128 },
	{ "shift signed, far", BYTES("\x09\x80\x08\x48\x26"),       UINT64_MAX },
	{ "equal",           BYTES("\x33\x33\x29"),                 1 },
	{ "not less",        BYTES("\x33\x34\x2a"),                 0 },
	{ "greater",         BYTES("\x33\x09\xff\x2b"),             1 },
	{ "not greater",     BYTES("\x33\x33\x2c"),                 1 },
	{ "less",            BYTES("\x33\x09\xff\x2d"),             0 },
	{ "unequal",         BYTES("\x33\x34\x2e"),                 1 },
	{ "jump",            BYTES("\x2f\1\0\x35"),                 PUSHED },
	{ "jump if",         BYTES("\x31\x28\1\0\x35"),             PUSHED },
	{ "no jump",         BYTES("\x30\x28\1\0\x35"),             5 },
	{ "jump back",       BYTES("\x2f\xfd\xff"),                 FAILS },
	{ "jump too far",    BYTES("\x2f\2\0\x35"),                 FAILS },
	{ "nothing",         BYTES("\x96"),                         PUSHED },
	{ "unknown",         BYTES("\x9c"),                         FAILS },
	{ "cut",             BYTES("\x0a\xff"),                     FAILS },
	{ "empty",           BYTES("\x13"),                         FAILS },
	{ "too few",         BYTES("\x22"),                         FAILS },
	{ "too many",        BYTES("0000000000000000000000000000000000"), FAILS },
	/* An entry of a procedure linkage table, before and behind its push. */
	{ "linkage",         BYTES("\x77\x08\x80\x00\x3f\x1a\x3b\x2a\x33\x24\x22"), SP + 8 },
	{ "linkage, pushed", BYTES("\x77\x08\x80\x0b\x3f\x1a\x3b\x2a\x33\x24\x22"), SP + 16 },
	/* clang-format on */
};

TEST_ROWS(runs, expressions)
{
	const struct expression *e = *state;
	struct made_memory *mm = made_frames_new(&(struct made_frames){ 0 });
	struct error err = { 0 };
	struct memory_reader *r = memory_reader_new(made_memory_open(mm), &err);
	uint64_t pushed = PUSHED, result;
	struct x64_state registers;

	assert_non_null(r);
	made_frames_state(&registers, MADE_FRAMES_CODE);
	if (frame_expression_run((const uint8_t *)e->program, e->len, &registers, r, &pushed,
				 &result))
		assert_int_equal(result, e->result);
	else
		assert_true(e->result == FAILS);
	memory_reader_free(r);
	made_memory_free(mm);
}

TEST(numbers_registers)
{
	static const struct {
		uint64_t number;
		unsigned wanted;
	} rows[] = {
		{ 0, X64_RAX },
		{ 1, X64_RDX },
		{ 2, X64_RCX },
		{ 3, X64_RBX },
		{ 4, X64_RSI },
		{ 5, X64_RDI },
		{ 6, X64_RBP },
		{ 7, X64_RSP },
		{ 8, X64_R8 },
		{ 15, X64_R15 },
		{ 16, FRAME_IP },
		{ 17, FRAME_COLUMNS },
		{ UINT64_MAX, FRAME_COLUMNS },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++)
		assert_int_equal(frame_register(rows[i].number), rows[i].wanted);
}
