/* Several runtimes in one process, and files without names, in memory that is made up. */
#include "io/runtime/runtime.h"
#include "io/runtime/search.h"
#include "tests/made/made_runtime.h"
#include "tests/drive/run_tests.h"
#include <string.h>

#define SECOND      (MADE_LIBRARY + 0x100000)
#define SECOND_PATH "/other/libcoreclr.so"

static const struct made_setup plain = { 10, false, false };

/* A copy of the library's beginning, whose table is nowhere. */
static void
put_library(struct made_memory *m, uint64_t at, const char *path)
{
	const uint64_t places[] = { 0x600, 0, 0x700 }; /* names are relative */
	struct memory_reader *r;
	uint8_t bytes[0x1000];
	struct error err = { 0 };

	r = memory_reader_new(made_memory_open(m), &err);
	assert_non_null(r);
	assert_true(memory_read(r, MADE_LIBRARY, bytes, sizeof(bytes)));
	memory_reader_free(r);
	made_memory_put(m, at, bytes, sizeof(bytes));
	for (unsigned i = 0; i < 3; i++)
		if (places[i])
			made_memory_u64(m, at + 0x400 + 16 * i + 8, at + places[i]);
	made_memory_map(m, at, at + 0x1000, 0, MEMORY_READ | MEMORY_FILE, path);
}

static struct clr_runtime *
open_wanted(struct made_runtime *rt, uint32_t wanted, struct error *err)
{
	struct memory m = *made_memory_open(rt->memory);
	static struct memory kept; /* the runtime borrows it */

	error_clear(err);
	kept = m;
	kept.runtime_wanted = wanted;
	return clr_runtime_open(&kept, err);
}

TEST(chooses)
{
	static const struct {
		uint32_t wanted;
		const char *doubt, *error;
	} rows[] = {
		{ 0,
		  "there are 2 runtimes, this is the first; choose with "
		  "--runtime N: 1: " MADE_PATH ", 2: " SECOND_PATH,
		  NULL },
		{ 1, NULL, NULL },
		{ 2, NULL, "leads to nothing that looks like the collector's" },
		{ 3, NULL, "only 1: " MADE_PATH ", 2: " SECOND_PATH },
	};
	struct made_runtime *rt = made_runtime_new(&plain);

	made_runtime_say(rt, "10.0.1226.1");
	put_library(rt->memory, SECOND, SECOND_PATH);
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct error err;
		struct clr_runtime *found = open_wanted(rt, rows[i].wanted, &err);

		if (rows[i].error) {
			assert_null(found);
			assert_non_null(strstr(err.message, rows[i].error));
			continue;
		}
		assert_non_null(found);
		assert_int_equal(found->base, MADE_LIBRARY);
		assert_int_equal(found->runtimes_count, 2);
		assert_int_equal(found->doubts.count, rows[i].doubt != NULL);
		if (rows[i].doubt)
			assert_string_equal(found->doubts.texts[0], rows[i].doubt);
		clr_runtime_close(found);
	}
	made_runtime_free(rt);
}

/* The same beginning behind the first is data; apart from it, or of another file, it is a
 * runtime. */
TEST(knows_data)
{
	enum { BYTES = 0x1000 };
	static const struct {
		uint64_t at;
		const char *path;
		uint32_t count;
	} rows[] = {
		{ SECOND + BYTES, SECOND_PATH, 2 },
		{ SECOND + 2 * BYTES, SECOND_PATH, 3 },
		{ SECOND + BYTES, "/third/libcoreclr.so", 3 },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct made_runtime *rt = made_runtime_new(&plain);
		struct clr_runtime *found;
		struct error err;

		put_library(rt->memory, SECOND, SECOND_PATH);
		put_library(rt->memory, rows[i].at, rows[i].path);
		found = open_wanted(rt, 1, &err);
		assert_non_null(found);
		assert_int_equal(found->runtimes_count, rows[i].count);
		clr_runtime_close(found);
		made_runtime_free(rt);
	}
}

/* As in cores of an emulator: nothing says which files were mapped. */
TEST(finds_without_names)
{
	struct made_runtime *rt = made_runtime_new(&plain);
	struct memory m = *made_memory_open(rt->memory);
	struct memory_mapping mappings[64];
	struct clr_runtime *found;
	struct error err;

	assert_true(m.mappings_count <= 64);
	for (size_t i = 0; i < m.mappings_count; i++) {
		mappings[i] = m.mappings[i];
		mappings[i].name = "";
		mappings[i].flags &= ~(unsigned)MEMORY_FILE;
	}
	m.mappings = mappings;
	error_clear(&err);
	found = clr_runtime_open(&m, &err);
	assert_ok(found, &err);
	assert_string_equal(found->path, "");
	assert_int_equal(found->base, MADE_LIBRARY);
	assert_false(found->is_single_file);
	assert_int_equal(found->threads_count, MADE_THREADS_COUNT);
	clr_runtime_close(found);
	made_runtime_free(rt);
}

/* What nobody has measured on this machine is said to be a guess. */
TEST(tells_of_guesses)
{
	static const struct made_setup older = { 9, false, false };
	struct made_runtime *rt = made_runtime_new(&older);
	struct memory m = *made_memory_open(rt->memory);
	struct clr_runtime *found;
	struct error err = { 0 };

	m.machine = MEMORY_ARM64;
	found = clr_runtime_open(&m, &err);
	assert_ok(found, &err);
	assert_true(found->doubts.count > 0);
	assert_string_equal(found->doubts.texts[0],
			    "the layout of .NET 9 is known for x64 only; here it is a guess");
	clr_runtime_close(found);
	made_runtime_free(rt);
}

/* As in the descriptors of the runtimes for arm64. */
TEST(test_places_on_arm64)
{
	static const struct {
		enum clr_field field;
		uint32_t in_10, in_11;
	} rows[] = {
		{ CLR_THREAD_NEXT, 152, 152 },       { CLR_THREAD_OS_ID, 336, 272 },
		{ CLR_THREAD_GC_HANDLE, 344, 280 },  { CLR_THREAD_LAST_THROWN, 376, 312 },
		{ CLR_THREAD_LOCAL_DATA, 608, 544 }, { CLR_MT_PARENT, 16, 16 },
	};
	struct clr_layout ten, eleven;
	struct error err = { 0 };

	assert_ok(clr_layout_init(&ten, 10, MEMORY_ARM64, &err), &err);
	assert_ok(clr_layout_init(&eleven, 11, MEMORY_ARM64, &err), &err);
	assert_false(eleven.is_guess);
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		assert_int_equal(ten.offset[rows[i].field], rows[i].in_10);
		assert_int_equal(eleven.offset[rows[i].field], rows[i].in_11);
	}
}
