/* Unpacking: many frames, cut frames, damaged ones, and bombs. */
#include "tests/made/dump_writer.h"
#include "tests/drive/run_tests.h"
#include "io/base/zstd.h"
#include "model/base/arena.h"
#include <string.h>

static bool
unpack(const struct blob *b, struct unpacked *out, struct error *err)
{
	error_clear(err);
	return zstd_unpack(out, b->data, b->len, 0, NULL, err);
}

/* clang-format off */
static const uint8_t frame_skippable[] = { 0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 'a', 'b', 'c' };
static const uint8_t frame_hello[] = { 0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x58, 0x31, 0x00, 0x00, 0x68, 0x65, 0x6c, 0x6c, 0x6f, 0x20 };
static const uint8_t frame_empty[] = { 0x28, 0xb5, 0x2f, 0xfd, 0x20, 0x00, 0x01, 0x00, 0x00 };
/* with a checksum */
static const uint8_t frame_world[] = { 0x28, 0xb5, 0x2f, 0xfd, 0x04, 0x58, 0x29, 0x00, 0x00, 0x77, 0x6f, 0x72, 0x6c, 0x64, 0xef, 0x51, 0xee, 0x66 };
/* clang-format on */

TEST(test_frames)
{
	struct blob b = { 0 };
	struct unpacked out;
	struct error err;

	blob_put(&b, frame_skippable, sizeof(frame_skippable));
	blob_put(&b, frame_hello, sizeof(frame_hello));
	blob_put(&b, frame_empty, sizeof(frame_empty));
	blob_put(&b, frame_world, sizeof(frame_world));
	assert_true(zstd_accepts(b.data, b.len));
	assert_true(unpack(&b, &out, &err));
	assert_int_equal(out.len, 11);
	assert_memory_equal(out.data, "hello world", 11);
	assert_false(out.is_cut);
	memory_free(out.data);
	blob_free(&b);
}

TEST(test_what_is_not_packed)
{
	assert_false(zstd_accepts((const uint8_t *)"\x28\xb5\x2f", 3));
	assert_false(zstd_accepts((const uint8_t *)"\x28\xb5\x2f\xfc", 4));
	assert_false(zstd_accepts((const uint8_t *)"\x14\0\0\0!Fast", 9));
	assert_true(zstd_accepts((const uint8_t *)"\x28\xb5\x2f\xfd", 4));
}

static void
check_cut(const struct blob *b, size_t len, const struct unpacked *whole)
{
	struct blob cut = { b->data, len, len };
	struct unpacked out;
	struct error err;

	if (!unpack(&cut, &out, &err)) {
		/* So short that nothing comes out. */
		assert_true(len < 60000);
		assert_int_equal(err.kind, ERROR_INPUT);
		assert_non_null(
		    strstr(err.message, "the compressed file contains nothing: it was cut short"));
		return;
	}
	assert_true(out.is_cut);
	assert_true(out.len <= whole->len);
	assert_memory_equal(out.data, whole->data, out.len);
	memory_free(out.data);
}

TEST(test_cut)
{
	struct unpacked whole;
	struct blob b = { 0 };
	struct error err;

	assert_true(blob_read_file(&b, "tests/data/leaky-8.gcdump.zst"));
	assert_true(unpack(&b, &whole, &err));
	assert_int_equal(whole.len, 592814);
	for (size_t len = 0; len < b.len; len += len < 100 ? 1 : 9973)
		check_cut(&b, len, &whole);
	memory_free(whole.data);
	blob_free(&b);
}

struct damage {
	const char *title;
	size_t at; /* in the packed dump; SIZE_MAX: after its end */
};

/* clang-format off */
static const struct damage damages[] = {
	{ "rubbish after the last frame", SIZE_MAX },
	{ "a reserved bit",               4 },
	{ "in the middle",                60000 },
};
/* clang-format on */

TEST(test_damage)
{
	for (size_t i = 0; i < COUNT_OF(damages); i++) {
		struct blob b = { 0 };
		struct unpacked out;
		struct error err;

		assert_true(blob_read_file(&b, "tests/data/leaky-8.gcdump.zst"));
		if (damages[i].at == SIZE_MAX)
			blob_put(&b, "rubbish", 7);
		else
			blob_patch(&b, damages[i].at, "\xff\xff\xff\xff", 4);
		if (unpack(&b, &out, &err))
			fail_msg("%s", damages[i].title);
		assert_int_equal(err.kind, ERROR_INPUT);
		assert_non_null(strstr(err.message, "the compressed file is damaged: zstd says"));
		assert_null(out.data);
		blob_free(&b);
	}
}

/* 12 KiB that would become 400 MiB. */
TEST(test_bomb)
{
	struct blob b = { 0 };
	struct unpacked out;
	struct error err;

	assert_true(blob_read_file(&b, "tests/data/zeros.zst"));
	assert_true(b.len < 20000);
	assert_false(unpack(&b, &out, &err));
	assert_int_equal(err.kind, ERROR_INPUT);
	assert_non_null(strstr(err.message, "the compressed file unpacks to more than"));
	/* It was stopped there, not at the end. */
	assert_true(err.offset < b.len / 8);
	assert_null(out.data);
	blob_free(&b);
}

TEST(test_only_the_beginning)
{
	struct blob b = { 0 };
	struct unpacked out;
	struct error err = { 0 };

	assert_true(blob_read_file(&b, "tests/data/zeros.zst"));
	assert_true(zstd_unpack(&out, b.data, b.len, 64, NULL, &err));
	assert_true(out.len >= 64 && out.len < 1 << 20);
	assert_false(out.is_cut);
	memory_free(out.data);
	blob_free(&b);
}

TEST(test_cancel)
{
	struct progress progress = { 0 };
	struct unpacked out;
	struct error err = { 0 };

	progress_cancel(&progress);
	assert_false(zstd_unpack(&out, frame_hello, sizeof(frame_hello), 0, &progress, &err));
	assert_int_equal(err.kind, ERROR_CANCELLED);
}
