/*
 * The GC info of all methods of a real precompiled image, System.Private.CoreLib: the length of the
 * code is that of the method's functions, every safe point follows a call, and the states of all
 * safe points and ranges can be read.
 */
#include "io/pe/pe.h"
#include "io/runtime/bits.h"
#include "io/runtime/gc_live.h"
#include "tests/drive/files.h"
#include "tests/drive/run_tests.h"
#include "tests/drive/targets.h"
#include "tests/made/made_memory.h"
#include <stdlib.h>

enum {
	READY_AT = 64, /* in the CLI header: address of the READYTORUN header */
	READY_SECTIONS_AT = 12,
	FUNCTIONS = 102,
	FUNCTION_BYTES = 12,
	RANGE_STEP = 5, /* bytes of code between two looks into a range */
};

static const struct image {
	const char *version;
	unsigned gc_version;
} images[] = {
	{ "8.0", 2 },
	{ "9.0", 3 },
	{ "10.0", 4 },
	{ "11.0", 5 },
};

/* An image as it is loaded, at address 0. */
struct loaded {
	struct made_memory *memory;
	struct memory_reader *reader;
	struct gc_info *info;
	uint32_t functions, functions_count;
	unsigned version;
	uint32_t methods, safe_points, places, live;
};

static void
load_sections(struct loaded *l, struct bytes *b)
{
	struct pe pe;

	pe_read(&pe, b);
	for (uint16_t i = 0; i < pe.sections_count && bytes_ok(b); i++) {
		uint32_t address, size, at;

		bytes_seek(b, pe.sections_at + 40u * i + 12, "a section");
		address = bytes_u32(b, "a section");
		size = bytes_u32(b, "a section");
		at = bytes_u32(b, "a section");
		bytes_seek(b, at, "a section");
		made_memory_put(l->memory, address, bytes_take(b, size, "a section"), size);
	}
	assert_true(bytes_ok(b));
}

static uint32_t
word_at(struct loaded *l, uint64_t address)
{
	uint32_t word;

	assert_true(memory_u32(l->reader, address, &word));
	return word;
}

static void
find_functions(struct loaded *l, struct bytes *b)
{
	uint32_t size, cli, ready, count;
	struct pe pe;

	bytes_seek(b, 0, "the image");
	pe_read(&pe, b);
	cli = pe_directory(&pe, b, PE_DIRECTORY_CLI, &size);
	ready = word_at(l, cli + READY_AT);
	assert_int_equal(word_at(l, ready), 0x00525452);
	count = word_at(l, ready + READY_SECTIONS_AT);
	for (uint32_t i = 0; i < count; i++) {
		uint64_t at = ready + READY_SECTIONS_AT + 4 + 12 * (uint64_t)i;

		if (word_at(l, at) != FUNCTIONS)
			continue;
		l->functions = word_at(l, at + 4);
		l->functions_count = word_at(l, at + 8) / FUNCTION_BYTES;
	}
	assert_int_not_equal(l->functions_count, 0);
	/* The last one only ends the table. */
	if (word_at(l, l->functions + FUNCTION_BYTES * (l->functions_count - 1)) == UINT32_MAX)
		l->functions_count--;
}

static void
load(struct loaded *l, const char *path)
{
	struct error err = { 0 };
	struct bytes b;
	size_t len;
	char *file = file_read(path, &len);

	l->memory = made_memory_new(MEMORY_X64);
	bytes_init(&b, (const uint8_t *)file, len, &err);
	load_sections(l, &b);
	l->reader = memory_reader_new(made_memory_open(l->memory), &err);
	assert_ok(l->reader, &err);
	l->info = gc_info_new(&err);
	assert_ok(l->info, &err);
	find_functions(l, &b);
	free(file);
}

/* --- methods ------------------------------------------------------------- */

static uint32_t
function_word(struct loaded *l, uint32_t i, unsigned word)
{
	return word_at(l, l->functions + FUNCTION_BYTES * (uint64_t)i + 4 * word);
}

/* A call is e8 and four bytes, or ff /2 with two to seven bytes. */
static bool
follows_call(struct loaded *l, uint64_t address)
{
	uint8_t code[8];

	assert_true(memory_read(l->reader, address - sizeof(code), code, sizeof(code)));
	if (code[3] == 0xe8)
		return true;
	for (int i = 1; i <= 6; i++)
		if (code[i] == 0xff && (code[i + 1] & 0x38) == 0x10)
			return true;
	return false;
}

static void
look(struct loaded *l, uint32_t offset, enum gc_state wanted)
{
	const struct gc_moment moment = { .offset = offset, .is_leaf = true };
	enum gc_state state = gc_live_find(l->info, &moment);

	if (state != wanted)
		fail_msg("GC info at 0x%lx, offset 0x%x: %s", (unsigned long)l->info->address,
			 offset, l->info->why ? l->info->why : "another state");
	l->places++;
	for (uint32_t i = 0; i < l->info->slots_count; i++)
		l->live += l->info->slots[i].is_live;
}

/* Up to version 3 a safe point is the byte before the place where the call returns to. */
static void
look_at_safe_points(struct loaded *l, uint64_t start)
{
	const unsigned offset_bits = gc_info_offset_bits(l->info);
	const unsigned to_return = l->info->version < GC_RETURNS_VERSION;
	uint32_t last = 0;
	struct bits b;

	bits_init(&b, l->reader, l->info->address, &l->info->reads_left);
	bits_seek(&b, l->info->safe_points_at);
	for (uint32_t i = 0; i < l->info->safe_points_count; i++) {
		uint32_t offset = bits_read(&b, offset_bits);

		if (offset < last || !follows_call(l, start + offset + to_return))
			fail_msg("code at 0x%lx: no call before 0x%x", (unsigned long)start,
				 offset);
		last = offset + 1;
		look(l, offset, GC_SAFE_POINT);
		l->safe_points++;
	}
	assert_false(b.has_failed);
}

static void
look_at_ranges(struct loaded *l)
{
	uint32_t start = 0;
	struct bits b;

	bits_init(&b, l->reader, l->info->address, &l->info->reads_left);
	bits_seek(&b, l->info->ranges_at);
	for (uint32_t i = 0; i < l->info->ranges_count; i++) {
		uint32_t end;

		start += bits_unsigned(&b, 6);
		end = start + bits_unsigned(&b, 6) + 1;
		for (; start < end; start += start + RANGE_STEP < end ? RANGE_STEP : end - start)
			look(l, start, GC_INTERRUPTIBLE);
	}
}

static uint64_t
gc_info_of(struct loaded *l, uint32_t function)
{
	uint32_t unwind = function_word(l, function, 2);
	uint32_t codes = word_at(l, unwind) >> 16 & 0xff;

	return unwind + ((4 + 2 * (uint64_t)codes + 3) & ~UINT64_C(3)) + 4;
}

/* Looks at the method that begins with a function; returns the next method's. */
static uint32_t
look_at_method(struct loaded *l, uint32_t function)
{
	uint32_t start = function_word(l, function, 0), end = 0, i = function;

	l->info->reads_left = GC_READS_MAX;
	if (!gc_info_read(l->info, l->reader, gc_info_of(l, function), l->version))
		fail_msg("code at 0x%x: %s", start, l->info->why);
	while (i < l->functions_count && function_word(l, i, 0) < start + l->info->code_bytes)
		end = function_word(l, i++, 1);
	if (end != start + l->info->code_bytes)
		fail_msg("code at 0x%x: 0x%x bytes, its functions 0x%x", start, l->info->code_bytes,
			 end - start);
	look_at_safe_points(l, start);
	look_at_ranges(l);
	l->methods++;
	return i;
}

static void
release(void *object)
{
	struct loaded *l = object;

	gc_info_free(l->info);
	memory_reader_free(l->reader);
	made_memory_free(l->memory);
}

static void
reads_all_methods(void **state)
{
	const struct image *image = *state;
	struct loaded l = { .version = image->gc_version };
	char path[512];

	if (!target_exists(image->version))
		skip();
	snprintf(path, sizeof(path), "%.250s/leaky-%s/System.Private.CoreLib.dll", targets_folder(),
		 image->version);
	load(&l, path);
	test_owns(&l, release);
	for (uint32_t i = 0; i < l.functions_count;)
		i = look_at_method(&l, i);
	printf("%s: %u functions, %u methods, %u safe points, %u live slots at %u places\n",
	       image->version, l.functions_count, l.methods, l.safe_points, l.live, l.places);
	assert_true(l.methods > l.functions_count / 2);
	assert_true(l.safe_points > l.methods);
	assert_true(l.live > l.places / 4);
}
RUN_ROWS(reads_all_methods, images);
