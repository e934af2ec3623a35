/* Cores: what was in memory is there, what was not is absent. */
#include "tests/drive/files.h"
#include "tests/drive/run_tests.h"
#include "tests/drive/targets.h"
#include "tests/made/made_core.h"
#include "tests/made/made_runtime.h"
#include "io/runtime/walk.h"
#include "io/memory/core.h"
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct made_setup plain = { 10, false, false };

/* clang-format off */
static const struct made_core hows[] = {
	{ 1, false, 0 }, { 4096, false, 0 }, { 4096, true, 0 },
	{ 4096, false, MADE_LIBRARY },
};
/* clang-format on */

static void
compare_bytes(const struct memory *core, const struct memory *made, uint64_t address, size_t len)
{
	uint8_t ours[256], theirs[256];
	size_t there = memory_copy(made, address, theirs, len);

	assert_int_equal(memory_copy(core, address, ours, len), there);
	assert_memory_equal(ours, theirs, there);
}

static void
compare_mappings(const struct memory *core, const struct memory *made)
{
	const struct memory_mapping *library = memory_mapping_at(core, MADE_LIBRARY);

	for (size_t i = 1; i < core->mappings_count; i++)
		assert_true(core->mappings[i - 1].end <= core->mappings[i].start);
	assert_string_equal(library->name, MADE_PATH);
	assert_true(library->flags & MEMORY_FILE);
	assert_int_equal(library->end, MADE_LIBRARY + 0x15000);
	assert_int_equal(core->threads_count, made->threads_count);
	for (size_t i = 0; i < made->threads_count; i++) {
		assert_int_equal(core->threads[i].tid, made->threads[i].tid);
		assert_int_equal(core->threads[i].sp, made->threads[i].sp);
		assert_int_equal(core->threads[i].pc, made->threads[i].pc);
		assert_string_equal(core->threads[i].name, i ? "" : "sixteen letters!");
	}
}

TEST(test_contents)
{
	for (size_t i = 0; i < COUNT_OF(hows); i++) {
		struct made_runtime *rt = made_runtime_new(&plain);
		const struct memory *made = made_memory_open(rt->memory);
		struct blob b = { 0 };
		struct error err = { 0 };
		struct memory *core;

		made_core_put(&b, rt->memory, &hows[i]);
		core = core_open_bytes(b.data, b.len, "core", "/nowhere", &err);
		assert_ok(core, &err);
		compare_mappings(core, made);
		for (uint64_t at = MADE_LIBRARY - 128; at < MADE_LIBRARY + 0x16000; at += 200)
			compare_bytes(core, made, at, 256);
		compare_bytes(core, made, MADE_RANGE + 0xfc0, 256);
		compare_bytes(core, made, UINT64_MAX - 100, 256);
		assert_int_equal(core->runtime_hint, hows[i].runtime_hint);
		assert_int_equal(core_facts(core)->is_createdump, hows[i].runtime_hint != 0);
		assert_int_equal(core_facts(core)->cut_bytes, 0);
		memory_close(core);
		blob_free(&b);
		made_runtime_free(rt);
	}
}

TEST(test_arm64)
{
	struct made_memory *mm = made_memory_new(MEMORY_ARM64);
	struct blob b = { 0 };
	struct error err = { 0 };
	struct memory *core;

	made_memory_u64(mm, 0x1000, 1);
	made_memory_thread(mm, 7, 0x1008, 0x2000);
	made_core_put(&b, mm, &hows[1]);
	core = core_open_bytes(b.data, b.len, "core", NULL, &err);
	assert_non_null(core);
	assert_int_equal(core->machine, MEMORY_ARM64);
	assert_int_equal(core->threads[0].registers_count, 34);
	assert_int_equal(core->threads[0].sp, 0x1008);
	assert_int_equal(core->threads[0].pc, 0x2000);
	memory_close(core);
	blob_free(&b);
	made_memory_free(mm);
}

/* --- damage --------------------------------------------------------------- */

struct damage_row {
	const char *name;
	size_t at;
	uint64_t value;
	size_t len; /* of the value; 0: the file ends at `at` */
	const char *sentence;
};

/* clang-format off */
static const struct damage_row damage_rows[] = {
	{ "empty",           0,  0, 0, "the ELF header" },
	{ "half a header",   40, 0, 0, "the place of the sections" },
	{ "no ELF file",     0,  0, 4, "this is not an ELF file" },
	{ "32 bits",         4,  1, 1, "a 64-bit little-endian ELF file was expected" },
	{ "big endian",      5,  2, 1, "a 64-bit little-endian ELF file was expected" },
	{ "a program",       16, ET_EXEC, 2, "this ELF file is not a core" },
	{ "another machine", 18, EM_RISCV, 2, "this is of a program for RISC-V; memory is read of x86-64 and arm64 only; of a process there: dotnet-gcdump" },
	{ "unheard of",      18, 4660, 2, "the core is of machine 4660; only x86-64 (62)" },
	{ "other records",   54, 32, 2, "segment records have 32 bytes, not 56" },
	{ "many segments",   56, 60000, 2, "60000 segments are announced, but there is room for only" },
	{ "place of them",   32, UINT64_MAX, 8, "the segments" },
	{ "no section",      56, PN_XNUM, 2, "the number of segments should be in the first section" },
	{ "cut in segments", 300, 0, 0, "segments are announced" },
};
/* clang-format on */

TEST(test_damage)
{
	for (size_t i = 0; i < COUNT_OF(damage_rows); i++) {
		const struct damage_row *row = &damage_rows[i];
		struct made_runtime *rt = made_runtime_new(&plain);
		struct blob b = { 0 };
		struct error err = { 0 };
		struct memory *core;

		made_core_put(&b, rt->memory, &hows[1]);
		if (row->len)
			blob_patch(&b, row->at, &row->value, row->len);
		else
			b.len = row->at;
		core = core_open_bytes(b.data, b.len, "core", NULL, &err);
		if (core || !strstr(err.message, row->sentence))
			fail_msg("%s: %s", row->name, core ? "no error" : err.message);
		blob_free(&b);
		made_runtime_free(rt);
	}
}

/* What a cut file still has is read; the rest is counted. */
TEST(test_cut)
{
	struct made_runtime *rt = made_runtime_new(&plain);
	struct blob b = { 0 };
	size_t len;
	bool was_open = false;

	made_core_put(&b, rt->memory, &hows[1]);
	len = b.len;
	for (b.len = 0; b.len <= len; b.len += 997) {
		uint8_t *copy = malloc(b.len + 1);
		struct error err = { 0 };
		struct memory *core;

		assert_non_null(copy);
		memcpy(copy, b.data, b.len);
		core = core_open_bytes(copy, b.len, "core", NULL, &err);
		assert_true((core == NULL) == (err.kind != ERROR_NONE));
		assert_false(!core && was_open);
		was_open = core != NULL;
		if (core) {
			assert_true(core_facts(core)->cut_bytes > 0);
			assert_int_equal(core->cut_bytes, core_facts(core)->cut_bytes);
		}
		memory_close(core);
		free(copy);
	}
	assert_true(was_open);
	b.len = len;
	blob_free(&b);
	made_runtime_free(rt);
}

TEST(test_what_to_do_about_cuts)
{
	struct made_runtime *made = made_runtime_new(&plain);
	struct blob b = { 0 };
	struct error err = { 0 };
	struct memory *core;

	made_core_put(&b, made->memory, &hows[1]);
	core = core_open_bytes(b.data, b.len / 8, "core", NULL, &err);
	assert_non_null(core);
	assert_null(clr_runtime_open(core, &err));
	assert_non_null(strstr(err.message, "core is cut short: "));
	assert_non_null(strstr(err.message, "; try: dotnet-dump collect -p PID"));
	memory_close(core);
	blob_free(&b);
	made_runtime_free(made);
}

/* Segments over each other, at the end of all addresses, out of order. */
TEST(test_odd_segments)
{
	/* The first piece is the second record; address at 16 of it. */
	enum { FIRST = 64 + 56, SECOND = FIRST + 56, ADDRESS = 16 };
	static const uint64_t places[] = { 0,
					   1,
					   UINT64_MAX,
					   UINT64_MAX - 4095,
					   MADE_LIBRARY,
					   MADE_LIBRARY + 0x800,
					   MADE_LIBRARY - 0x800 };
	struct made_runtime *rt = made_runtime_new(&plain);

	for (size_t i = 0; i < COUNT_OF(places) * COUNT_OF(places); i++) {
		struct blob b = { 0 };
		struct error err = { 0 };
		struct memory *core;
		uint64_t last = 0;

		made_core_put(&b, rt->memory, &hows[1]);
		blob_patch(&b, FIRST + ADDRESS, &places[i % COUNT_OF(places)], 8);
		blob_patch(&b, SECOND + ADDRESS, &places[i / COUNT_OF(places)], 8);
		core = core_open_bytes(b.data, b.len, "core", NULL, &err);
		assert_non_null(core);
		for (size_t k = 0; k < core->mappings_count; k++) {
			const struct memory_mapping *mapping = &core->mappings[k];

			assert_true(mapping->start >= last);
			assert_true(mapping->end > mapping->start);
			last = mapping->end;
		}
		memory_close(core);
		blob_free(&b);
	}
	made_runtime_free(rt);
}

/* A second segment over all of the file: notes, or memory, told again. */
TEST(test_shared_bytes)
{
	enum { SECOND = 64 + 56, OFFSET = 8, FILE_SIZE = 32, MEMORY_SIZE = 40 };
	static const uint32_t types[] = { PT_NOTE, PT_LOAD };
	static const uint64_t begin = 0;
	struct made_runtime *rt = made_runtime_new(&plain);

	for (size_t i = 0; i < COUNT_OF(types); i++) {
		struct blob b = { 0 };
		struct error err = { 0 };
		uint64_t len;

		made_core_put(&b, rt->memory, &hows[1]);
		len = b.len;
		blob_patch(&b, SECOND, &types[i], 4);
		blob_patch(&b, SECOND + OFFSET, &begin, 8);
		blob_patch(&b, SECOND + FILE_SIZE, &len, 8);
		blob_patch(&b, SECOND + MEMORY_SIZE, &len, 8);
		assert_null(core_open_bytes(b.data, b.len, "core", NULL, &err));
		assert_int_equal(err.kind, ERROR_INPUT);
		assert_non_null(strstr(err.message, "more bytes than the file"));
		blob_free(&b);
	}
	made_runtime_free(rt);
}

/* --- a runtime in a core -------------------------------------------------- */

TEST(test_walk)
{
	struct made_runtime *rt = made_runtime_new(&plain);
	struct blob b = { 0 };
	struct error err = { 0 };
	struct memory *core;
	struct clr_runtime *runtime;
	struct clr_heaps *heaps;

	made_core_put(&b, rt->memory, &hows[1]);
	core = core_open_bytes(b.data, b.len, "core", "/nowhere", &err);
	runtime = clr_runtime_open(core, &err);
	assert_ok(runtime, &err);
	heaps = clr_heaps_open(runtime, &err);
	assert_non_null(heaps);
	assert_int_equal(runtime->version[0], 10);
	assert_int_equal(runtime->version_from, CLR_VERSION_TABLE);
	assert_int_equal(heaps->ranges_count, rt->ranges_count);
	clr_heaps_close(heaps);
	clr_runtime_close(runtime);
	memory_close(core);
	blob_free(&b);
	made_runtime_free(rt);
}

/* --- files that stand in -------------------------------------------------- */

enum { MODULE_BYTES = 0x5000, CODE_AT = 0x1000, DATA_AT = 0x3000 };

/* A library with code and data, and a number that says which build it is. */
static void
put_module(struct blob *b, uint8_t build)
{
	static const struct {
		uint32_t type, flags;
		uint64_t offset, len;
	} segments[] = {
		{ PT_LOAD, PF_R | PF_X, 0, DATA_AT },
		{ PT_LOAD, PF_R | PF_W, DATA_AT, 0x1000 },
		{ PT_NOTE, PF_R, 0x400, 20 },
	};
	static const uint8_t ident[16] = { 0x7f, 'E', 'L', 'F', 2, 1, 1 };
	uint64_t segments_at = 64;
	uint16_t size = 56, count = COUNT_OF(segments);

	while (b->len < MODULE_BYTES)
		blob_u8(b, (uint8_t)(b->len >> 4));
	blob_patch(b, 0, ident, sizeof(ident));
	blob_patch(b, 32, &segments_at, 8);
	blob_patch(b, 54, &size, 2);
	blob_patch(b, 56, &count, 2);
	for (size_t i = 0; i < COUNT_OF(segments); i++) {
		size_t at = 64 + 56 * i;

		blob_patch(b, at, &segments[i].type, 4);
		blob_patch(b, at + 4, &segments[i].flags, 4);
		blob_patch(b, at + 8, &segments[i].offset, 8);
		blob_patch(b, at + 16, &segments[i].offset, 8);
		blob_patch(b, at + 32, &segments[i].len, 8);
		blob_patch(b, at + 40, &segments[i].len, 8);
	}
	blob_patch(b, 0x400, "\4\0\0\0\4\0\0\0\3\0\0\0GNU\0", 16);
	blob_patch(b, 0x410, "idn", 3);
	blob_patch(b, 0x413, &build, 1);
}

struct file_row {
	const char *name;
	uint8_t build; /* of the file; 0: there is none. The core has 1. */
	bool has_head; /* the core has the beginning of the file */
	enum core_file_state state;
};

/* clang-format off */
static const struct file_row file_rows[] = {
	{ "the same",       1, true,  CORE_FILE_SAME },
	{ "another build",  2, true,  CORE_FILE_OTHER },
	{ "who knows",      2, false, CORE_FILE_UNVERIFIED },
	{ "none",           0, true,  CORE_FILE_MISSING },
};
/* clang-format on */

static void
check_file(const struct file_row *row)
{
	const uint64_t base = UINT64_C(0x7f1200000000);
	struct made_memory *mm = made_memory_new(MEMORY_X64);
	struct blob in_core = { 0 }, on_disk = { 0 }, b = { 0 };
	bool is_used = row->state == CORE_FILE_SAME || row->state == CORE_FILE_UNVERIFIED;
	enum core_file_state file_state = CORE_FILE_UNUSED;
	uint8_t bytes[32];
	struct error err = { 0 };
	struct memory *core;

	put_module(&in_core, 1);
	put_module(&on_disk, row->build);
	if (row->build)
		file_write(in_folder("lib.so"), on_disk.data, on_disk.len);
	made_memory_put(mm, base + (row->has_head ? 0 : CODE_AT), in_core.data, 0x800);
	made_memory_map(mm, base, base + DATA_AT, 0, MEMORY_FILE, "/lib.so");
	made_memory_map(mm, base + DATA_AT, base + 0x6000, DATA_AT, MEMORY_FILE, "/lib.so");
	made_core_put(&b, mm, &hows[1]);
	core = core_open_bytes(b.data, b.len, "core", folder_path(), &err);
	assert_non_null(core);
	assert_non_null(core_file(core, 0, &file_state));
	assert_int_equal(file_state, CORE_FILE_UNUSED);
	if (memory_copy(core, base + CODE_AT + 0xff0, bytes, 32) != (is_used ? 32 : 0))
		fail_msg("%s", row->name);
	if (is_used)
		assert_memory_equal(bytes, on_disk.data + CODE_AT + 0xff0, 32);
	/* What a process may have written is absent, whatever the file has;
	 * and behind the end of the file there is nothing. */
	assert_int_equal(memory_copy(core, base + DATA_AT - 8, bytes, 32), is_used ? 8 : 0);
	assert_int_equal(memory_copy(core, base + 0x4ff8, bytes, 32), is_used ? 8 : 0);
	assert_int_equal(memory_copy(core, base + 0x5000, bytes, 32), 0);
	assert_string_equal(core_file(core, 0, &file_state), "/lib.so");
	assert_int_equal(file_state, row->state);
	assert_null(core_file(core, 1, &file_state));
	memory_close(core);
	blob_free(&b);
	blob_free(&in_core);
	blob_free(&on_disk);
	made_memory_free(mm);
}

/* Pages of zeros are counted as present, but not as written. */
TEST(counts_written_pages)
{
	enum { BLOCK = 64 << 10, BLOCKS = 64, PAGE = 4 << 10 };
	/* The first block that is looked at is the second. */
	const uint64_t start = (UINT64_C(1) << 32) + BLOCK;
	const uint64_t end = start + BLOCKS * BLOCK;
	struct made_memory *mm = made_memory_new(MEMORY_X64);
	struct blob b = { 0 };
	struct error err = { 0 };
	struct memory *core;

	made_memory_zeros(mm, start, BLOCKS * BLOCK);
	made_memory_u8(mm, start + 5 * BLOCK + PAGE - 1, 1);
	for (uint64_t at = start + 32 * BLOCK; at < end; at += PAGE)
		made_memory_u8(mm, at, 1);
	made_core_put(&b, mm, &hows[1]);
	core = core_open_bytes(b.data, b.len, "core", NULL, &err);
	assert_ok(core, &err);
	assert_int_equal(core_present_bytes(core, start, end), BLOCKS * BLOCK);
	assert_int_equal(core_written_bytes(core, start, end, 1), 32 * BLOCK + PAGE);
	assert_int_equal(core_written_bytes(core, start, end, 4), 4 * (8 * BLOCK + PAGE));
	/* At least 16 blocks are looked at. */
	assert_int_equal(core_written_bytes(core, start, end, 1000), 4 * (8 * BLOCK + PAGE));
	assert_int_equal(core_written_bytes(core, start, start + 5 * BLOCK, 9), 0);
	assert_int_equal(core_written_bytes(core, end - 10, end + BLOCK, 1), 0);
	memory_close(core);
	blob_free(&b);
	made_memory_free(mm);
}

TEST_IN_FOLDER(test_files)
{
	for (size_t i = 0; i < COUNT_OF(file_rows); i++) {
		check_file(&file_rows[i]);
		unlink(in_folder("lib.so"));
	}
}

/* --- images whose first page is not in the core --------------------------- */

/* The writable section of an image: its place in the file. */
static void
find_data(const char *image, size_t *start, size_t *len)
{
	enum { FLAGS_AT = 36, SECTION_BYTES = 40, SIZE_AT = 16, START_AT = 20 };
	const uint8_t *bytes = (const uint8_t *)image, *head = bytes + bytes_load_u32(bytes + 60);
	const uint8_t *section = head + 24 + (head[20] | head[21] << 8);

	for (unsigned i = 0; i < head[6]; i++, section += SECTION_BYTES) {
		if (!(bytes_load_u32(section + FLAGS_AT) & 0x80000000))
			continue;
		*len = bytes_load_u32(section + SIZE_AT);
		*start = bytes_load_u32(section + START_AT);
		return;
	}
	fail_msg("no writable section");
}

static char *
read_library(const char *version, size_t *len)
{
	char path[300];

	snprintf(path, sizeof(path), "%.200s/leaky-%s/System.Private.CoreLib.dll", targets_folder(),
		 version);
	return file_read(path, len);
}

/* A process of the first version, of which only what it could write is in the core, beside the file
 * of the second one. */
static void
check_image(const char *in_core, const char *on_disk, enum core_file_state wanted)
{
	const uint64_t base = UINT64_C(0x7f1200000000);
	struct made_memory *mm = made_memory_new(MEMORY_X64);
	size_t len, disk_len, data_at = 0, data_len = 0;
	char *image = read_library(in_core, &len), *file = read_library(on_disk, &disk_len);
	enum core_file_state file_state = CORE_FILE_UNUSED;
	struct blob b = { 0 };
	struct error err = { 0 };
	struct memory *core;
	uint8_t byte;

	find_data(image, &data_at, &data_len);
	data_len &= ~(size_t)4095;
	data_at &= ~(size_t)4095;
	/* Every seventh word was written to. */
	for (size_t at = data_at; at + 8 <= data_at + data_len; at += 7 * 512)
		memset(image + at, 0x5a, 8);
	file_write(in_folder("lib.dll"), file, disk_len);
	made_memory_put(mm, base + data_at, image + data_at, data_len);
	made_memory_map(mm, base, base + data_at, 0, MEMORY_FILE, "/lib.dll");
	made_memory_map(mm, base + data_at, base + len, data_at, MEMORY_FILE, "/lib.dll");
	made_core_put(&b, mm, &hows[1]);
	core = core_open_bytes(b.data, b.len, "core", folder_path(), &err);
	assert_non_null(core);
	assert_int_equal(memory_copy(core, base, &byte, 1), wanted == CORE_FILE_SAME);
	assert_string_equal(core_file(core, 0, &file_state), "/lib.dll");
	assert_int_equal(file_state, wanted);
	memory_close(core);
	unlink(in_folder("lib.dll"));
	blob_free(&b);
	free(image);
	free(file);
	made_memory_free(mm);
}

TEST_IN_FOLDER(test_images)
{
	if (!target_exists("8.0") || !target_exists("10.0") || !target_exists("11.0"))
		skip();
	check_image("8.0", "8.0", CORE_FILE_SAME);
	check_image("10.0", "10.0", CORE_FILE_SAME);
	check_image("11.0", "11.0", CORE_FILE_SAME);
	check_image("10.0", "11.0", CORE_FILE_OTHER);
	check_image("10.0", "8.0", CORE_FILE_OTHER);
	check_image("11.0", "10.0", CORE_FILE_OTHER);
}
