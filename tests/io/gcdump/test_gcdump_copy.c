/* A .gcdump that was read and is kept as one is copied, or a sentence says why not, and the heap is
 * written. */
#include "tests/drive/files.h"
#include "tests/drive/heaps.h"
#include "tests/made/dump_writer.h"
#include "tests/made/graphs.h"
#include "tests/drive/run_tests.h"
#include "tests/judge/same_heap.h"
#include "tests/drive/written.h"
#include "io/base/input.h"
#include "io/formats/heap_writer.h"
#include "io/gcdump/gcdump.h"
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char note[HEAP_WRITER_NOTE_BYTES];

/* As `heaptop convert` and `:save` do. */
static bool
keep(struct output *to, const struct heap *h, struct progress *progress, struct error *err)
{
	note[0] = '\0';
	return heap_writer_of("x.gcdump", NULL)->write(to, h, NULL, note, progress, err);
}

/* Frees the heap. */
static void
expect_copy(const struct heap *h, const void *data, size_t len)
{
	struct blob found = { 0 };

	written(h, keep, &found);
	assert_string_equal(note, "");
	assert_int_equal(found.len, len);
	assert_memory_equal(found.data, data, len);
	blob_free(&found);
	heap_free(h);
}

/* It says why, and is no copy, but the same heap. Frees the heap. */
static void
expect_anew(const struct heap *h, const char *why)
{
	struct blob found = { 0 };
	const struct heap *again;

	written(h, keep, &found);
	if (strncmp(note, "written anew, not copied: ", 26) || !strstr(note, why))
		fail_msg("\"%s\" instead of \"%s\"", note, why);
	again = read_gcdump(found.data, found.len);
	assert_string_equal(again->info.tool, "heaptop");
	expect_same_heap(h, again, SAME_BUT_INFO);
	blob_free(&found);
	heap_free(again);
	heap_free(h);
}

/* Writes a heap into the file, as another tool would. */
static void
put_dump(struct blob *b)
{
	struct graph *g = graph_mixed(7, 3000);
	const struct heap *h = graph_heap(g);

	written(h, gcdump_write, b);
	/* The tool's name is the last string but for 15 bytes. */
	memcpy(b->data + b->len - 8 - 4 - 4 - 2 - 7, "HEAPTOP", 7);
	file_write(in_folder("x.gcdump"), b->data, b->len);
	heap_free(h);
	graph_free(g);
}

/* --- copies ------------------------------------------------------------------
 */

TEST(test_real_files)
{
	static const char *const files[] = {
		"tests/data/leaky-10.gcdump",
		"tests/data/leaky-10-later.gcdump.zst",
		"tests/data/leaky-10-server.gcdump.zst",
		"tests/data/leaky-9.gcdump.zst",
		"tests/data/leaky-8.gcdump.zst",
		"tests/data/tiny.gcdump",
		"tests/data/tiny-full.gcdump",
	};

	for (size_t i = 0; i < COUNT_OF(files); i++) {
		struct error err = { 0 };
		struct input in;

		assert_ok(input_open(&in, files[i], NULL, &err), &err);
		expect_copy(heap_of_file(files[i]), in.data, in.len);
		input_close(&in);
	}
}

/* Bytes behind the dump, which no reader looks at, are copied as well. */
TEST(test_every_byte)
{
	struct blob b = { 0 };

	dump_write(&dump_tiny, &b, NULL);
	/* Enough to be mapped, and copied piece by piece. */
	for (int32_t i = 0; i < 1 << 20; i++)
		blob_i32(&b, i);
	blob_put(&b, "more", 4);
	file_write(in_folder("x.gcdump"), b.data, b.len);
	expect_copy(heap_of_file(in_folder("x.gcdump")), b.data, b.len);
	blob_free(&b);
}

/* --- where there is none -----------------------------------------------------
 */

TEST(test_written_to)
{
	struct blob b = { 0 };
	const struct heap *h;

	put_dump(&b);
	h = heap_of_file(in_folder("x.gcdump"));
	blob_u8(&b, 0);
	file_write(in_folder("x.gcdump"), b.data, b.len);
	expect_anew(h, folder_path());
	assert_non_null(strstr(note, " has changed since it was read"));
	blob_free(&b);
}

/* As long as it was, and with the same time. */
TEST(test_another_file)
{
	struct blob b = { 0 };
	struct timespec times[2];
	const struct heap *h;
	struct stat st;

	put_dump(&b);
	h = heap_of_file(in_folder("x.gcdump"));
	assert_int_equal(stat(in_folder("x.gcdump"), &st), 0);
	times[0] = times[1] = st.st_mtim;
	file_write(in_folder("y.gcdump"), b.data, b.len);
	assert_int_equal(utimensat(AT_FDCWD, in_folder("y.gcdump"), times, 0), 0);
	assert_int_equal(rename(in_folder("y.gcdump"), in_folder("x.gcdump")), 0);
	expect_anew(h, " has changed since it was read");
	blob_free(&b);
}

/* The same file, as long as it was, written to later. */
TEST(test_same_length)
{
	struct blob b = { 0 };
	struct timespec times[2] = { { 1, 2 }, { 1, 2 } };
	const struct heap *h;

	put_dump(&b);
	h = heap_of_file(in_folder("x.gcdump"));
	assert_int_equal(utimensat(AT_FDCWD, in_folder("x.gcdump"), times, 0), 0);
	expect_anew(h, " has changed since it was read");
	blob_free(&b);
}

TEST(test_gone)
{
	struct blob b = { 0 };
	const struct heap *h;

	put_dump(&b);
	h = heap_of_file(in_folder("x.gcdump"));
	assert_int_equal(unlink(in_folder("x.gcdump")), 0);
	expect_anew(h, "No such file or directory");
	blob_free(&b);
}

TEST(test_no_file)
{
	struct error err = { 0 };
	struct blob b = { 0 };
	const struct heap *h;

	put_dump(&b);
	h = gcdump_read(b.data, b.len, NULL,
			&(struct load_how){ .path = in_folder("x.gcdump"), .what = LOAD_ALL },
			&err);
	assert_non_null(h);
	expect_anew(h, "it was not read from a file");
	blob_free(&b);
}

/* A copy would be as bad; what is written can be read by others. */
TEST(test_damage)
{
	struct blob b = { 0 };

	put_dump(&b);
	b.len -= 1000;
	file_write(in_folder("x.gcdump"), b.data, b.len);
	expect_anew(heap_of_file(in_folder("x.gcdump")), "the file was cut short");
	blob_free(&b);
}

static int
remove_files(void **state)
{
	unlink(in_folder("x.gcdump"));
	unlink(in_folder("y.gcdump"));
	return folder_remove(state);
}
TESTS_BETWEEN(folder_make, remove_files);
