#define _GNU_SOURCE /* fopencookie() */
/* Parsing /proc/PID/smaps, and the use of each mapping. */
#include "capture/process/smaps.h"
#include "tests/drive/run_tests.h"
#include "tests/made/made_process.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define KB(n) ((uint64_t)(n)*1024)

/* A row is a mapping: its head without inode and device, and its Rss. */
#define MAP(range, access, kilobytes, name)                                                        \
	range " " access " 00000000 00:00 0 " name "\nSize: 999999 kB\n"                           \
	      "Rss:         " #kilobytes " kB\nPss: 1 kB\nSwap: 0 kB\n"                            \
	      "VmFlags: rd wr\n"

/* clang-format off */
static const struct use {
	const char *name, *text;
	enum resident_kind kind;
	uint64_t bytes, count;
} uses[] = {
	{ "heap", MAP("1000-3000", "rw-p", 8, "[heap]"), RESIDENT_MALLOC, KB(8), 1 },
	{ "stack", MAP("1000-3000", "rw-p", 8, "[stack]"), RESIDENT_STACKS, KB(8), 0 },
	{ "a thread's stack above its guard",
	  MAP("7f0000000000-7f0000001000", "---p", 0, "") MAP("7f0000001000-7f0000181000", "rw-p", 16, ""), RESIDENT_STACKS, KB(16), 0 },
	{ "memory above a large reserve is no stack",
	  MAP("7f0000000000-7f0000800000", "---p", 0, "") MAP("7f0000800000-7f0000981000", "rw-p", 16, ""), RESIDENT_OTHER, KB(16), 1 },
	{ "an arena", MAP("7f0004000000-7f0004021000", "rw-p", 100, "") MAP("7f0004021000-7f0008000000", "---p", 0, ""), RESIDENT_MALLOC, KB(100), 1 },
	{ "a full arena", MAP("7f0004000000-7f0008000000", "rw-p", 65536, ""), RESIDENT_MALLOC, KB(65536), 1 },
	{ "two arenas that were joined",
	  MAP("7f0004000000-7f0008021000", "rw-p", 70000, "") MAP("7f0008021000-7f000c000000", "---p", 0, ""), RESIDENT_MALLOC, KB(70000), 2 },
	{ "an arena joined with memory below it",
	  MAP("7f0000000000-7f0004020000", "rw-p", 65664, "") MAP("7f0004020000-7f0008000000", "---p", 0, ""), RESIDENT_MALLOC, KB(65664), 2 },
	{ "aligned, but not reserved to the end", MAP("7f0004000000-7f0004021000", "rw-p", 100, ""), RESIDENT_OTHER, KB(100), 1 },
	{ "reserved, but not to the end",
	  MAP("7f0004000000-7f0004021000", "rw-p", 100, "") MAP("7f0004021000-7f0004100000", "---p", 0, ""), RESIDENT_OTHER, KB(100), 1 },
	{ "named by glibc", MAP("7f0004000000-7f0004021000", "rw-p", 100, "[anon: glibc: malloc]"), RESIDENT_MALLOC, KB(100), 1 },
	{ "a library", MAP("7f0000000000-7f0000001000", "r--p", 4, "/lib/libc.so.6") MAP("7f0000001000-7f0000002000", "r-xp", 4, "/lib/libc.so.6"), RESIDENT_IMAGES, KB(8), 1 },
	{ "an assembly", MAP("7f0000000000-7f0000001000", "r--s", 4, "/app/My App.dll"), RESIDENT_IMAGES, KB(4), 1 },
	{ "the program itself", MAP("400000-401000", "r--p", 4, "/app/shop") MAP("401000-402000", "r-xp", 4, "/app/shop"), RESIDENT_IMAGES, KB(8), 1 },
	{ "a replaced library", MAP("7f0000000000-7f0000001000", "r--p", 4, "/lib/x.so (deleted)"), RESIDENT_IMAGES, KB(4), 1 },
	{ "a data file", MAP("7f0000000000-7f0000001000", "rw-s", 4, "/var/data.bin"), RESIDENT_FILES, KB(4), 1 },
	{ "double mapping", MAP("7f0000000000-7f0000001000", "rw-s", 4, "/memfd:doublemapper (deleted)"), RESIDENT_CODE, KB(4), 1 },
	{ "code", MAP("7f0000000000-7f0000001000", "rwxp", 4, ""), RESIDENT_CODE, KB(4), 1 },
	{ "vdso", MAP("7f0000000000-7f0000001000", "r-xp", 4, "[vdso]"), RESIDENT_IMAGES, KB(4), 1 },
	{ "anonymous", MAP("7f0000000000-7f0000100000", "rw-p", 512, ""), RESIDENT_OTHER, KB(512), 1 },
	{ "an impossible number", MAP("1000-3000", "rw-p", 99999999999999999999999, "[heap]"), RESIDENT_MALLOC, 0, 1 },
	{ "backwards", MAP("3000-1000", "rw-p", 8, "[heap]"), RESIDENT_MALLOC, 0, 0 },
	{ "no range", "Rss: 8 kB\nnonsense\n\n-1 rw-p\nRss: 8 kB\n", RESIDENT_OTHER, 0, 0 },
};
/* clang-format on */

static void
sum(struct smaps *s, struct mapping_clues *clues, const char *text, struct resident *out)
{
	struct error err = { 0 };

	*s = (struct smaps){ 0 };
	arena_init(&s->names, 0);
	assert_true(smaps_parse(s, text, strlen(text), &err));
	assert_true(mapping_use_sum(out, &s->list, clues, &err));
}

TEST_ROWS(test_use, uses)
{
	const struct use *u = *state;
	struct mapping_clues none = { 0 };
	struct resident r;
	struct smaps s;

	sum(&s, &none, u->text, &r);
	assert_int_equal(r.parts[u->kind].bytes, u->bytes);
	assert_int_equal(r.parts[u->kind].count, u->count);
	assert_int_equal(r.bytes, u->bytes);
	smaps_clear(&s);
}

/* clang-format off */
static const char regions[] =
	MAP("100000-200000", "rw-p", 1, "")  /* below: not the collector's */
	MAP("200000-300000", "rw-p", 2, "")  /* a region */
	MAP("300000-400000", "---p", 0, "")
	MAP("400000-500000", "rw-p", 4, "")  /* free, between regions */
	MAP("500000-600000", "rw-p", 8, "")  /* a region */
	MAP("600000-700000", "rw-p", 16, "") /* above */
	MAP("800000-900000", "rw-p", 32, "");
/* clang-format on */

static void
clue(struct mapping_clues *to, uint64_t start, uint64_t end, enum resident_kind kind, uint8_t flags)
{
	struct error err = { 0 };

	assert_true(
	    mapping_clues_add(to, (struct mapping_clue){ start, end, (uint8_t)kind, flags }, &err));
}

TEST(test_regions_join)
{
	struct mapping_clues clues = { 0 };
	struct resident r;
	struct smaps s;

	clue(&clues, 0x580000, 0x590000, RESIDENT_MANAGED, CLUE_JOINS);
	clue(&clues, 0x200010, 0x200020, RESIDENT_MANAGED, CLUE_JOINS);
	sum(&s, &clues, regions, &r);
	assert_int_equal(r.parts[RESIDENT_MANAGED].bytes, KB(2 + 4 + 8));
	assert_int_equal(r.parts[RESIDENT_MANAGED].count, 2);
	assert_int_equal(r.parts[RESIDENT_OTHER].bytes, KB(1 + 16 + 32));
	mapping_clues_clear(&clues);
	smaps_clear(&s);
}

/* A gap ends the collector's memory. */
TEST(test_regions_apart)
{
	struct mapping_clues clues = { 0 };
	struct resident r;
	struct smaps s;

	clue(&clues, 0x500000, 0x590000, RESIDENT_MANAGED, CLUE_JOINS);
	clue(&clues, 0x800000, 0x800010, RESIDENT_MANAGED, CLUE_JOINS);
	sum(&s, &clues, regions, &r);
	assert_int_equal(r.parts[RESIDENT_MANAGED].bytes, KB(8 + 32));
	mapping_clues_clear(&clues);
	smaps_clear(&s);
}

/* The kernel joins the collector's memory with what is mapped beside it. */
TEST(test_joined_with_other)
{
	struct mapping_clues clues = { 0 };
	struct resident r;
	struct smaps s;

	clue(&clues, 0x2c0000, 0x600000, RESIDENT_MANAGED, CLUE_RESERVED);
	clue(&clues, 0x2c0000, 0x2d0000, RESIDENT_MANAGED, 0);
	sum(&s, &clues, MAP("200000-300000", "rw-p", 1024, "") MAP("300000-600000", "---p", 0, ""),
	    &r);
	assert_int_equal(r.parts[RESIDENT_MANAGED].bytes, KB(256));
	assert_int_equal(r.parts[RESIDENT_OTHER].bytes, KB(768));
	assert_int_equal(r.parts[RESIDENT_OTHER].count, 1);
	mapping_clues_clear(&clues);
	smaps_clear(&s);
}

/* A block of malloc() that the kernel has joined with the card table. */
TEST(test_joined_with_cards)
{
	struct mapping_clues clues = { 0 };
	struct resident r;
	struct smaps s;

	clue(&clues, 0x2c0040, 0x5ffff0, RESIDENT_COLLECTOR, CLUE_RESERVED);
	sum(&s, &clues,
	    MAP("200000-300000", "rw-p", 1024, "") MAP("300000-5c0000", "---p", 0, "")
		MAP("5c0000-640000", "rw-p", 512, ""),
	    &r);
	assert_int_equal(r.parts[RESIDENT_COLLECTOR].bytes, KB(256 + 256));
	assert_int_equal(r.parts[RESIDENT_COLLECTOR].count, 2);
	assert_int_equal(r.parts[RESIDENT_OTHER].bytes, KB(768 + 256));
	assert_int_equal(r.parts[RESIDENT_OTHER].count, 2);
	mapping_clues_clear(&clues);
	smaps_clear(&s);
}

/* The lowest kind wins, and a reserved range is not counted. */
TEST(test_clues)
{
	struct mapping_clues clues = { 0 };
	struct resident r;
	struct smaps s;

	clue(&clues, 0x200000, 0x600000, RESIDENT_MANAGED, CLUE_RESERVED);
	clue(&clues, 0x250000, 0x250001, RESIDENT_MANAGED, 0);
	clue(&clues, 0x480000, 0x480001, RESIDENT_CODE, 0);
	clue(&clues, 0x600000, 0x600001, RESIDENT_COLLECTOR, 0);
	clue(&clues, 0x8fffff, 0x900000, RESIDENT_STACKS, 0);
	sum(&s, &clues, regions, &r);
	assert_int_equal(r.parts[RESIDENT_MANAGED].bytes, KB(2 + 4 + 8));
	assert_int_equal(r.parts[RESIDENT_MANAGED].count, 1);
	assert_int_equal(r.parts[RESIDENT_COLLECTOR].bytes, KB(16));
	assert_int_equal(r.parts[RESIDENT_CODE].bytes, 0);
	assert_int_equal(r.parts[RESIDENT_STACKS].bytes, KB(32));
	assert_int_equal(r.parts[RESIDENT_OTHER].bytes, KB(1));
	mapping_clues_clear(&clues);
	smaps_clear(&s);
}

/* The kernel joins a stack with an arena right above it. */
TEST(test_stack_and_arena)
{
	struct mapping_clues clues = { 0 };
	struct resident r;
	struct smaps s;

	clue(&clues, 0x7f0003fff000, 0x7f0003fff001, RESIDENT_STACKS, 0);
	sum(&s, &clues,
	    MAP("7f0003f00000-7f0004100000", "rw-p", 2048, "")
		MAP("7f0004100000-7f0008000000", "---p", 0, ""),
	    &r);
	assert_int_equal(r.parts[RESIDENT_STACKS].bytes, KB(1024));
	assert_int_equal(r.parts[RESIDENT_MALLOC].bytes, KB(1024));
	mapping_clues_clear(&clues);
	smaps_clear(&s);
}

/* A core may name a file "", which is no name of anonymous memory. */
TEST(test_file_without_name)
{
	enum { ANY = MEMORY_READ | MEMORY_WRITE };
	struct used_mapping items[] = {
		{ { .start = 0x1000, .end = 0x2000, .name = "", .flags = ANY | MEMORY_FILE },
		  KB(4) },
		{ { .start = 0x2000, .end = 0x9000, .name = "", .flags = ANY }, KB(28) },
	};
	struct mapping_list list = { .items = items, .count = 2 };
	struct mapping_clues none = { 0 };
	struct error err = { 0 };
	struct resident r;

	assert_true(mapping_use_sum(&r, &list, &none, &err));
	assert_int_equal(r.parts[RESIDENT_FILES].bytes, KB(4));
	assert_int_equal(r.parts[RESIDENT_OTHER].bytes, KB(28));
}

/* A process's own file agrees with the sum that the kernel makes. */
TEST(test_own)
{
	struct mapping_clues none = { 0 };
	struct error err = { 0 };
	struct resident r;
	struct smaps s;

	assert_true(smaps_read(&s, "/proc", "/sys/fs/cgroup", getpid(), &err));
	assert_true(mapping_use_sum(&r, &s.list, &none, &err));
	assert_int_equal(r.detail, RESIDENT_MAPPINGS);
	assert_true(r.bytes > KB(512) && r.bytes < UINT64_C(1) << 30);
	assert_true(r.parts[RESIDENT_IMAGES].count >= 2);
	assert_int_equal(r.parts[RESIDENT_STACKS].count, 1);
	smaps_clear(&s);
}

TEST(test_ended)
{
	struct error err = { 0 };
	struct smaps s;

	assert_true(smaps_read(&s, "/nowhere", "/nowhere", 1, &err));
	assert_int_equal(s.list.known.detail, RESIDENT_UNKNOWN);
	smaps_clear(&s);
}

/* The mappings of another user's process cannot be read, only sums. */
TEST(test_sums)
{
	static const struct made_process m = { 0 };
	struct mapping_clues none = { 0 };
	struct error err = { 0 };
	struct resident r;
	struct smaps s;

	made_process_begin(&m);
	assert_true(smaps_read(&s, made_proc(), made_root(), MADE_PID, &err));
	made_process_end();
	assert_true(mapping_use_sum(&r, &s.list, &none, &err));
	assert_int_equal(r.detail, RESIDENT_SUMS);
	assert_int_equal(r.bytes, KB(8000));
	assert_int_equal(r.parts[RESIDENT_OTHER].bytes, KB(5000));
	assert_int_equal(r.parts[RESIDENT_FILES].bytes, KB(3000));
	smaps_clear(&s);
}

/* Hands out a mapping, then fails. */
static ssize_t
read_failing(void *cookie, char *out, size_t size)
{
	static const char text[] = MAP("1000-3000", "rw-p", 8, "[heap]");
	bool *has_failed = cookie;

	if (*has_failed || size < sizeof(text)) {
		errno = EIO;
		return -1;
	}
	*has_failed = true;
	memcpy(out, text, sizeof(text) - 1);
	return sizeof(text) - 1;
}

/* A part of the mappings would be shown as all of them. */
TEST(test_failed_read)
{
	bool has_failed = false;
	FILE *file = fopencookie(&has_failed, "r", (cookie_io_functions_t){ .read = read_failing });
	struct error err = { 0 };
	struct smaps s = { 0 };

	assert_non_null(file);
	arena_init(&s.names, 0);
	assert_true(smaps_parse_file(&s, file, &err));
	fclose(file);
	assert_true(has_failed);
	assert_int_equal(s.list.count, 0);
	smaps_clear(&s);
}

/* The parts of a file that the kernel hands out piece by piece. */
TEST(test_long_file)
{
	enum { MAPPINGS = 3000 };
	static const struct made_process m = { 0 };
	static char text[MAPPINGS * 160];
	struct error err = { 0 };
	struct smaps s;
	size_t len = 0;

	for (unsigned i = 1; i <= MAPPINGS; i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len,
					"%x000-%x000 rw-p 00000000 00:00 0 \n"
					"Size: 4 kB\nRss: 4 kB\nSwap: 1 kB\n",
					2 * i, 2 * i + 1);
	made_process_begin(&m);
	made_process_file("smaps", text);
	assert_true(smaps_read(&s, made_proc(), made_root(), MADE_PID, &err));
	made_process_end();
	assert_int_equal(s.list.count, MAPPINGS);
	assert_int_equal(s.list.known.swapped_bytes, KB(MAPPINGS));
	for (unsigned i = 0; i < MAPPINGS; i++)
		assert_int_equal(s.list.items[i].bytes, KB(4));
	smaps_clear(&s);
}
