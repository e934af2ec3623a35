/* Unpacking: many frames, cut frames, damaged ones, and bombs. */
#include "tests/dump_writer.h"
#include "tests/run_tests.h"
#include "io/zstd.h"
#include "model/arena.h"
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

static void
pack(struct blob *out, const void *data, size_t len)
{
	size_t room = ZSTD_compressBound(len), packed;
	uint8_t *bytes = malloc(room);

	assert_non_null(bytes);
	packed = ZSTD_compress(bytes, room, data, len, 1);
	assert_false(ZSTD_isError(packed));
	blob_put(out, bytes, packed);
	free(bytes);
}

static bool
unpack(const struct blob *b, struct unpacked *out, struct error *err)
{
	error_clear(err);
	return zstd_unpack(out, b->data, b->len, 0, NULL, err);
}

static void
test_frames(void **state)
{
	static const uint8_t skippable[] = { 0x50, 0x2a, 0x4d, 0x18, 3,  0,
					     0,    0,    'a',  'b',  'c' };
	struct blob b = { 0 };
	struct unpacked out;
	struct error err;

	(void)state;
	blob_put(&b, skippable, sizeof(skippable));
	pack(&b, "hello ", 6);
	pack(&b, "", 0);
	pack(&b, "world", 5);
	assert_true(zstd_accepts(b.data, b.len));
	assert_true(unpack(&b, &out, &err));
	assert_int_equal(out.len, 11);
	assert_memory_equal(out.data, "hello world", 11);
	assert_false(out.is_cut);
	memory_free(out.data);
	blob_free(&b);
}

static void
test_what_is_not_packed(void **state)
{
	(void)state;
	assert_false(zstd_accepts((const uint8_t *)"\x28\xb5\x2f", 3));
	assert_false(zstd_accepts((const uint8_t *)"\x28\xb5\x2f\xfc", 4));
	assert_false(zstd_accepts((const uint8_t *)"\x14\0\0\0!Fast", 9));
	assert_true(zstd_accepts((const uint8_t *)"\x28\xb5\x2f\xfd", 4));
}

/* Random, so that it does not shrink and every cut leaves something. */
static struct blob
random_bytes(size_t len)
{
	struct blob b = { 0 };
	uint32_t random = 12345;

	for (size_t i = 0; i < len; i++) {
		random = random * 1103515245 + 12345;
		blob_u8(&b, (uint8_t)(random >> 16));
	}
	return b;
}

static void
test_cut(void **state)
{
	struct blob plain = random_bytes(300000), b = { 0 };
	size_t whole;

	(void)state;
	pack(&b, plain.data, plain.len);
	whole = b.len;
	for (b.len = 0; b.len < whole; b.len += b.len < 100 ? 1 : 9973) {
		struct unpacked out;
		struct error err;

		if (!unpack(&b, &out, &err)) {
			/* So short that nothing comes out. */
			assert_true(b.len < 200);
			assert_int_equal(err.kind, ERROR_INPUT);
			assert_non_null(strstr(err.message,
					       "nothing is inside the "
					       "compressed file: it was cut "
					       "short"));
			continue;
		}
		assert_true(out.is_cut);
		assert_true(out.len < plain.len);
		assert_memory_equal(out.data, plain.data, out.len);
		memory_free(out.data);
	}
	blob_free(&plain);
	blob_free(&b);
}

static void
test_damage(void **state)
{
	struct blob plain = random_bytes(1000), b = { 0 };
	struct unpacked out;
	struct error err;

	(void)state;
	pack(&b, plain.data, plain.len);
	blob_put(&b, "rubbish", 7);
	assert_false(unpack(&b, &out, &err));
	assert_int_equal(err.kind, ERROR_INPUT);
	assert_non_null(strstr(err.message, "the compressed file is damaged: "
					    "zstd says"));
	assert_null(out.data);
	blob_free(&plain);
	blob_free(&b);
}

/* A few kilobytes that would become 4 GiB are refused at a bound. */
static void
test_bomb(void **state)
{
	enum { ZEROS = 8 << 20, FRAMES = 512 };
	struct blob frame = { 0 }, bomb = { 0 };
	void *zeros = calloc(ZEROS, 1);
	struct unpacked out;
	struct error err;

	(void)state;
	assert_non_null(zeros);
	pack(&frame, zeros, ZEROS);
	for (int i = 0; i < FRAMES; i++)
		blob_put(&bomb, frame.data, frame.len);
	assert_true(bomb.len < 1 << 20);
	assert_false(unpack(&bomb, &out, &err));
	assert_int_equal(err.kind, ERROR_INPUT);
	assert_non_null(
	    strstr(err.message, "the compressed file unpacks to more than"));
	/* It was stopped there, not at the end. */
	assert_true(err.offset <
		    frame.len * ((ZSTD_FREE_BYTES +
				  ZSTD_RATIO_MAX * (uint64_t)bomb.len) /
				     ZEROS +
				 2));
	assert_null(out.data);
	free(zeros);
	blob_free(&frame);
	blob_free(&bomb);
}

static void
test_only_the_beginning(void **state)
{
	enum { ZEROS = 64 << 20 };
	struct blob b = { 0 };
	void *zeros = calloc(ZEROS, 1);
	struct unpacked out;
	struct error err;

	(void)state;
	assert_non_null(zeros);
	pack(&b, zeros, ZEROS);
	error_clear(&err);
	assert_true(zstd_unpack(&out, b.data, b.len, 64, NULL, &err));
	assert_true(out.len >= 64 && out.len < 1 << 20);
	assert_false(out.is_cut);
	memory_free(out.data);
	free(zeros);
	blob_free(&b);
}

static void
test_cancel(void **state)
{
	struct progress progress = { 0 };
	struct blob b = { 0 };
	struct unpacked out;
	struct error err;

	(void)state;
	error_clear(&err);
	progress_cancel(&progress);
	pack(&b, "hello", 5);
	assert_false(zstd_unpack(&out, b.data, b.len, 0, &progress, &err));
	assert_int_equal(err.kind, ERROR_CANCELLED);
	blob_free(&b);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_frames),
		cmocka_unit_test(test_what_is_not_packed),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_damage),
		cmocka_unit_test(test_bomb),
		cmocka_unit_test(test_only_the_beginning),
		cmocka_unit_test(test_cancel),
	};

	return run_tests(tests);
}
