/* GC info that is made up: which slots are live where, and damage. */
#include "io/runtime/gc_live.h"
#include "tests/drive/run_tests.h"
#include "tests/made/made_bits.h"
#include "tests/made/made_memory.h"
#include <string.h>

enum { AT = 0x10000, BYTES_MAX = 512, TEXT_MAX = 512 };

struct read {
	struct made_memory *memory;
	struct memory_reader *reader;
	struct gc_info *info;
};

static void
release(void *object)
{
	struct read *r = object;

	gc_info_free(r->info);
	memory_reader_free(r->reader);
	made_memory_free(r->memory);
	free(r);
}

/* Puts bytes where nothing follows, and reads them. */
static struct gc_info *
read_bits(const char *bits, unsigned version)
{
	struct read *r = calloc(1, sizeof(*r));
	struct error err = { 0 };
	uint8_t bytes[BYTES_MAX];
	size_t len = made_bits(bits, bytes, sizeof(bytes));
	bool is_good;

	assert_non_null(r);
	test_owns(r, release);
	r->memory = made_memory_new(MEMORY_X64);
	made_memory_put(r->memory, AT, bytes, len);
	r->reader = memory_reader_new(made_memory_open(r->memory), &err);
	assert_ok(r->reader, &err);
	r->info = gc_info_new(&err);
	assert_ok(r->info, &err);
	is_good = gc_info_read(r->info, r->reader, AT, version);
	assert_int_equal(is_good, !r->info->why);
	return r->info;
}

/* --- live slots ---------------------------------------------------------- */

static void
describe_slot(const struct gc_slot *slot, char *to, size_t room)
{
	static const char *const registers[] = { "rax", "rcx", "rdx", "rbx", "rsp", "rbp",
						 "rsi", "rdi", "r8",  "r9",  "r10", "r11",
						 "r12", "r13", "r14", "r15" };
	static const char *const places[] = { "", "caller", "sp", "frame" };
	char at[32] = "";

	if (slot->place != GC_SLOT_REGISTER)
		snprintf(at, sizeof(at), "%+d", (int)slot->offset);
	snprintf(to, room, " %s%s%s%s",
		 slot->place == GC_SLOT_REGISTER ? registers[slot->offset] : places[slot->place],
		 at, slot->is_interior ? "&" : "", slot->is_pinned ? "!" : "");
}

/* "safe: rbx sp+16", or the reason. */
static const char *
describe(struct gc_info *info, const struct gc_moment *moment)
{
	static const char *const states[] = { "", "safe:", "range:", "elsewhere:", "abandoned:" };
	static char text[TEXT_MAX];
	enum gc_state state;

	if (info->why)
		return info->why;
	state = gc_live_find(info, moment);
	if (state == GC_UNKNOWN)
		return info->why;
	snprintf(text, sizeof(text), "%s", states[state]);
	for (uint32_t i = 0; i < info->slots_count; i++)
		if (info->slots[i].is_live)
			describe_slot(&info->slots[i], text + strlen(text),
				      sizeof(text) - strlen(text));
	return text;
}

enum who { CALLER, LEAF, INTERRUPTED };

/* 100 bytes of code, rbp is the frame register; 16 bytes of arguments. */
#define SLIM_4         "1:0 1:1 u8:100 "
#define SLIM_3         "1:0 1:1 2:1 u8:100 "
#define FAT_4          "1:1 10:0x40 u8:100 u3:0 u3:0 "
#define FAT_3          "1:1 10:0x40 4:1 u8:100 u3:0 u3:0 "
#define WITH_ARGUMENTS "1:1 10:0x40 u8:100 u3:0 u3:2 "
/* Safe points at 20 and 40, no ranges. */
#define POINTS "u2:2 7:20 7:40 "
/* Ranges 10 to 30 and 50 to 100. */
#define RANGES "u2:0 u1:2 u6:10 u6:19 u6:20 u6:49 "
/* rax, rbx, r11; no stack slots. */
#define REGISTERS "1:1 u2:3 1:0 u3:0 2:0 u2:2 u2:7 "
/* rbx, r12, the argument sp+8, sp+16, sp+40; the pinned caller+8 is untracked. */
#define SLOTS                                                                                      \
	"1:1 u2:2 1:1 u2:3 u1:1 u3:3 2:0 u2:8 "                                                    \
	"2:1 s6:1 2:0 2:1 u4:1 2:1 u4:3 2:0 s6:1 2:2 "
#define DAMAGED GC_DAMAGED

static const struct live {
	const char *name, *bits;
	unsigned version;
	uint32_t offset;
	enum who who;
	const char *wanted;
} lives[] = {
	/* clang-format off */
	{ "registers at a safe point", SLIM_4 POINTS REGISTERS "1:0 3:7 3:2", 4, 20, LEAF, "safe: rax rbx r11" },
	{ "the next one", SLIM_4 POINTS REGISTERS "1:0 3:7 3:2", 4, 40, LEAF, "safe: rbx" },
	{ "a caller has no rax", SLIM_4 POINTS REGISTERS "1:0 3:7 3:2", 4, 20, CALLER, "safe: rbx" },
	{ "up to 9, the byte before the return", SLIM_3 "u2:2 7:19 7:39 " REGISTERS "1:0 3:7 3:2", 3, 20, CALLER, "safe: rbx" },
	{ "a leaf that has just returned", SLIM_3 "u2:2 7:19 7:39 " REGISTERS "1:0 3:7 3:2", 3, 40, LEAF, "safe: rbx" },
	{ "from 10 on not", SLIM_4 "u2:2 7:19 7:39 " REGISTERS "1:0 3:7 3:2", 4, 40, LEAF, "elsewhere:" },
	{ "no safe point there", SLIM_4 POINTS REGISTERS "1:0 3:7 3:2", 5, 21, CALLER, "elsewhere:" },
	{ "places, equal vectors", SLIM_4 POINTS REGISTERS "1:1 u3:0 1:0 1:0 | 1:0 3:7", 4, 40, LEAF, "safe: rax rbx r11" },
	{ "places, two vectors", SLIM_4 POINTS REGISTERS "1:1 u3:2 3:4 3:0 | 1:0 3:5 1:0 3:2", 4, 20, LEAF, "safe: rbx" },
	{ "runs: one is skipped", SLIM_4 POINTS REGISTERS "1:1 u3:0 1:0 1:0 | 1:1 1:0 u4:1 u2:1", 4, 20, LEAF, "safe: rbx r11" },
	{ "runs: counted first", SLIM_4 POINTS REGISTERS "1:1 u3:0 1:0 1:0 | 1:1 1:1 u2:1 u4:0 u2:0", 4, 20, LEAF, "safe: rbx" },
	{ "runs: none is live", SLIM_4 POINTS REGISTERS "1:1 u3:0 1:0 1:0 | 1:1 1:0 u4:3", 4, 20, LEAF, "safe:" },
	{ "runs: too long", SLIM_4 POINTS REGISTERS "1:1 u3:0 1:0 1:0 | 1:1 1:0 u4:1 u2:2", 4, 20, LEAF, DAMAGED },
	{ "runs: the first one too long", SLIM_4 POINTS REGISTERS "1:1 u3:0 1:0 1:0 | 1:1 1:0 u4:4", 4, 20, LEAF, DAMAGED },
	{ "stack slots", SLIM_4 POINTS SLOTS "1:0 5:31 5:0", 4, 20, LEAF, "safe: rbx r12 sp+8 sp+16 sp+40 caller+8!" },
	{ "arguments are the leaf's", WITH_ARGUMENTS "u2:2 u1:0 7:20 7:40 " SLOTS "1:0 5:31 5:0", 4, 20, CALLER, "safe: rbx r12 sp+16 sp+40 caller+8!" },
	{ "untracked ones are always live", SLIM_4 POINTS SLOTS "1:0 5:31 5:0", 4, 40, CALLER, "safe: caller+8!" },
	{ "also elsewhere", SLIM_4 POINTS SLOTS "1:0 5:31 5:0", 4, 41, CALLER, "elsewhere: caller+8!" },
	{ "negative offsets", SLIM_4 "u2:0 1:0 1:1 u2:0 u1:2 2:2 s6:-40 2:1 2:2 s6:-2 2:0 ", 4, 0, CALLER, "elsewhere: frame-320& frame-16" },
	{ "no slots", SLIM_4 POINTS "1:0 1:0", 4, 20, CALLER, "safe:" },
	{ "in a range, nothing live", FAT_4 RANGES REGISTERS "u3:0", 4, 10, LEAF, "range:" },
	{ "outside the ranges", FAT_4 RANGES REGISTERS "u3:0", 4, 9, LEAF, "the GC info of the method says nothing about this place in its code" },
	{ "behind a range", FAT_4 RANGES REGISTERS "u3:0", 4, 30, CALLER, "the GC info of the method says nothing about this place in its code" },
	/* Two chunks: rax and r11 are spoken of in the first one; r11 is live up to 5 and from 60
	 * on, rax from 2 on. */
#define CHUNKS "u3:5 5:1 5:0 | 1:0 3:5 2:3 1:1 6:2 1:0 1:1 6:5 1:1 6:60 1:0"
	{ "at the start of a chunk", FAT_4 RANGES REGISTERS CHUNKS, 4, 10, LEAF, "range: r11" },
	{ "before a change", FAT_4 RANGES REGISTERS CHUNKS, 4, 11, LEAF, "range: r11" },
	{ "behind a change", FAT_4 RANGES REGISTERS CHUNKS, 4, 12, LEAF, "range: rax r11" },
	{ "behind two changes", FAT_4 RANGES REGISTERS CHUNKS, 4, 15, LEAF, "range: rax" },
	{ "in the second range", FAT_4 RANGES REGISTERS CHUNKS, 4, 89, LEAF, "range: rax" },
	{ "behind the last change", FAT_4 RANGES REGISTERS CHUNKS, 4, 90, LEAF, "range: rax r11" },
	{ "in the next chunk nothing changes", FAT_4 RANGES REGISTERS CHUNKS, 4, 99, LEAF, "range: rax r11" },
	{ "a caller in a range", FAT_4 RANGES REGISTERS CHUNKS, 4, 99, CALLER, "range:" },
	{ "from 10 on the offset itself", FAT_4 RANGES SLOTS "u3:5 5:1 5:0 | 1:0 5:1 1:1 1:1 6:5 1:0", 4, 15, CALLER, "range: rbx caller+8!" },
	{ "up to 9 the byte before", FAT_3 RANGES SLOTS "u3:5 5:1 5:0 | 1:0 5:1 1:1 1:1 6:5 1:0", 2, 15, CALLER, "range: caller+8!" },
	{ "up to 9 the leaf's own", FAT_3 RANGES SLOTS "u3:5 5:1 5:0 | 1:0 5:1 1:1 1:1 6:5 1:0", 2, 15, LEAF, "range: rbx caller+8!" },
	{ "no chunk at all", FAT_4 RANGES REGISTERS "u3:5 5:0 5:0 |", 4, 99, LEAF, "range:" },
	{ "endless changes", FAT_4 RANGES REGISTERS "u3:5 5:1 5:0 | 1:0 3:4 1:0 32:-1 32:-1 32:-1 32:-1 32:-1 32:-1 32:-1 32:-1 32:-1 32:-1 32:-1 32:-1 32:-1 32:-1 32:-1 32:-1", 4, 10, LEAF, DAMAGED },
	{ "safe points and ranges: a point", FAT_4 "u2:1 u1:1 7:20 u6:50 u6:49 " REGISTERS "1:0 3:7 u3:0", 4, 20, LEAF, "safe: rax rbx r11" },
	{ "safe points and ranges: a range", FAT_4 "u2:1 u1:1 7:20 u6:50 u6:49 " REGISTERS "1:0 3:7 u3:5 5:1 | 1:0 3:2 1:1 1:0", 4, 50, LEAF, "range: rbx" },
	{ "interrupted in a range", FAT_4 RANGES SLOTS "u3:5 5:1 5:0 | 1:0 5:1 1:1 1:1 6:5 1:0", 4, 15, INTERRUPTED, "range: rbx caller+8!" },
	{ "interrupted outside", FAT_4 RANGES SLOTS "u3:0", 4, 31, INTERRUPTED, "abandoned:" },
	{ "interrupted outside, up to 9", FAT_3 RANGES SLOTS "u3:0", 3, 31, INTERRUPTED, "abandoned:" },
	{ "interrupted at a safe point", SLIM_4 POINTS SLOTS "1:0 5:31 5:0", 4, 20, INTERRUPTED, "abandoned:" },
	{ "interrupted at a safe point, up to 9", SLIM_3 "u2:2 7:19 7:39 " SLOTS "1:0 5:31 5:0", 3, 20, INTERRUPTED, "abandoned: caller+8!" },
	{ "at the end", SLIM_4 POINTS REGISTERS "1:0 3:7 3:2", 4, 100, CALLER, "elsewhere:" },
	{ "behind the end", SLIM_4 POINTS REGISTERS "1:0 3:7 3:2", 4, 101, CALLER, "the place is behind the end of the method" },
	{ "all fields, up to 9", "1:1 10:0x37c 4:9 u8:100 u5:3 u3:2 s6:-9 s6:70 s6:4 u3:6 u4:5 s6:-40 u3:0 u2:1 u1:0 7:19 1:0 1:1 u2:0 u1:1 2:2 s6:1 2:0", 3, 20, LEAF, "safe: frame+8" },
	{ "all fields, from 10 on", "1:1 10:0x37c u8:100 u5:3 u3:2 s6:-9 s6:4 u3:6 u4:5 s6:-40 u3:0 u2:1 u1:0 7:20 1:0 1:1 u2:0 u1:1 2:2 s6:1 2:0", 5, 20, LEAF, "safe: frame+8" },
	{ "a code of one byte", "1:0 1:0 u8:1 u2:1 1:0 1:0", 4, 0, LEAF, "safe:" },
	{ "version 1", SLIM_4, 1, 0, LEAF, "the version of the method's GC info is unknown" },
	{ "version 6", SLIM_4, 6, 0, LEAF, "the version of the method's GC info is unknown" },
	/* clang-format on */
};

static void
describe_lives(void **state)
{
	const struct live *row = *state;
	const struct gc_moment moment = {
		.offset = row->offset,
		.is_leaf = row->who == LEAF,
		.is_interrupted = row->who == INTERRUPTED,
	};

	assert_string_equal(describe(read_bits(row->bits, row->version), &moment), row->wanted);
}
RUN_ROWS(describe_lives, lives);

/* --- damage -------------------------------------------------------------- */

static const struct damage {
	const char *name, *bits;
} damages[] = {
	{ "nothing", "" },
	{ "cut off", "1:0 1:1 u8:100 u2:9" },
	{ "no code", "1:0 1:1 u8:0 u2:0 1:0 1:0" },
	{ "too much code", "1:0 1:1 u8:0x10000001 u2:0 1:0 1:0" },
	{ "a length without an end", "1:0 1:1 32:-1 32:-1 u2:0 1:0 1:0" },
	{ "many arguments", "1:1 10:0x40 u8:100 u3:0 u3:0x1000001 u2:0 u1:0 1:0 1:0" },
	{ "many safe points", "1:0 1:1 u8:100 u2:0x100001 1:0 1:0" },
	{ "many ranges", FAT_4 "u2:0 u1:0x10001 1:0 1:0" },
	{ "a range behind the code", FAT_4 "u2:0 u1:1 u6:10 u6:90 1:0 1:0" },
	{ "a frame register", "1:1 10:0x40 u8:100 u3:31 u3:0 u2:0 u1:0 1:0 1:0" },
	{ "a register", SLIM_4 "u2:0 1:1 u2:1 1:0 u3:16 2:0" },
	{ "a step to a register", SLIM_4 "u2:0 1:1 u2:2 1:0 u3:15 2:0 u2:0" },
	{ "many slots", SLIM_4 "u2:0 1:1 u2:0x10001 1:0 u3:1 2:0" },
	{ "a place", SLIM_4 "u2:0 1:0 1:1 u2:1 u1:0 2:3 s6:1 2:0" },
	{ "no frame register", "1:0 1:0 u8:100 u2:0 1:0 1:1 u2:1 u1:0 2:2 s6:1 2:0" },
	{ "an offset", SLIM_4 "u2:0 1:0 1:1 u2:1 u1:0 2:1 s6:0x4000001 2:0" },
	{ "a step to an offset", SLIM_4 "u2:0 1:0 1:1 u2:2 u1:0 2:1 s6:1 2:0 2:1 u4:0x4000000" },
};

static void
refuse_damages(void **state)
{
	const struct damage *row = *state;
	struct gc_info *info = read_bits(row->bits, 4);

	assert_string_equal(info->why, DAMAGED);
	assert_int_equal(info->slots_count, 0);
}
RUN_ROWS(refuse_damages, damages);

/* Damaged memory cannot make it long: the reads of all methods together are counted. */
TEST(reads_no_more_than_that)
{
	const struct gc_moment moment = { .offset = 20, .is_leaf = true };
	struct gc_info *info = read_bits(SLIM_4 POINTS REGISTERS "1:0 3:7 3:2", 4);

	assert_string_equal(describe(info, &moment), "safe: rax rbx r11");
	info->reads_left = 2;
	assert_string_equal(describe(info, &moment), DAMAGED);
	assert_int_equal(info->reads_left, 0);
}

TEST(code_bytes_are_read_alone)
{
	struct gc_info *info = read_bits("1:0 1:1 2:1 u8:0x12345", 3);
	uint32_t bytes;

	assert_true(gc_info_code_bytes(info->reader, AT, 3, &bytes));
	assert_int_equal(bytes, 0x12345);
	assert_false(gc_info_code_bytes(info->reader, AT + 0x1000, 3, &bytes));
}
