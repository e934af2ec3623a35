/* Packed files that become files: bytes, holes, and no room for them. */
#include "tests/made/dump_writer.h"
#include "tests/made/made_core.h"
#include "tests/made/made_runtime.h"
#include "tests/drive/files.h"
#include "tests/drive/run_tests.h"
#include "io/memory/core.h"
#include "io/base/unpack_file.h"
#include "io/base/zstd.h"
#include "model/base/arena.h"
#include "tests/drive/cores.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MIXED_BYTES = (9 << 20) + 123, ZEROS_BYTES = 400 << 20 };

/* As it is, or in one frame. */
static void
write_file(const uint8_t *data, size_t len, bool is_packed)
{
	size_t room = zstd_packed_max(len);
	uint8_t *packed = malloc(room);
	struct zstd_packer *packer;
	struct error err = { 0 };

	packer = zstd_packer_new(&err);
	assert_true(packed && packer);
	if (is_packed) {
		len = zstd_pack_frame(packer, packed, room, data, len, &err);
		data = packed;
	}
	file_write(in_folder("x"), data, len);
	zstd_packer_free(packer);
	free(packed);
}

/* Pages of zeros between others, and a last one that is no whole page. */
static uint8_t *
make_mixed(void)
{
	uint8_t *data = calloc(1, MIXED_BYTES);
	uint32_t random = 7;

	assert_non_null(data);
	for (size_t i = 0; i < MIXED_BYTES; i++) {
		random = random * 1664525 + 1013904223;
		if (i / 4096 % 3 && i / 4096 % 1100 < 1000)
			data[i] = (uint8_t)(random >> 24);
	}
	return data;
}

static bool
open_unpacked(struct file *f, const char *path, struct progress *progress, struct error *err)
{
	struct input in;
	bool is_open;

	if (!input_begin(&in, path, NULL, err))
		return false;
	is_open = unpack_file_open(f, &in, progress, err);
	if (!is_open)
		file_close(f);
	input_close(&in);
	return is_open;
}

TEST(test_same_bytes)
{
	uint8_t *data = make_mixed();
	struct error err;
	struct file f;

	for (int is_packed = 0; is_packed < 2; is_packed++) {
		error_clear(&err);
		write_file(data, MIXED_BYTES, is_packed);
		assert_ok(open_unpacked(&f, in_folder("x"), NULL, &err), &err);
		assert_int_equal(f.len, MIXED_BYTES);
		assert_memory_equal(f.data, data, MIXED_BYTES);
		/* Nobody but us has it. */
		assert_true(file_is_intact(&f, &err));
		file_close(&f);
	}
	free(data);
}

/* 32,000 times its size: what memory refuses is a hole of a file. */
TEST(test_zeros)
{
	struct error err = { 0 };
	struct file f;

	assert_true(open_unpacked(&f, "tests/data/zeros.zst", NULL, &err));
	assert_int_equal(f.len, ZEROS_BYTES);
	assert_int_equal(f.data[0] | f.data[f.len / 2] | f.data[f.len - 1], 0);
	file_close(&f);
}

static void
refuse(const char *sentence, struct progress *progress, enum error_kind kind)
{
	struct error err = { 0 };
	struct file f;

	assert_false(open_unpacked(&f, in_folder("x"), progress, &err));
	assert_int_equal(err.kind, kind);
	if (!strstr(err.message, sentence))
		fail_msg("\"%s\" is not in: %s", sentence, err.message);
}

TEST(test_refused)
{
	struct progress cancelled = { 0 };
	uint8_t *data = make_mixed();
	const char *before = getenv("TMPDIR");
	char command[100], *kept = before ? strdup(before) : NULL;

	write_file(data, MIXED_BYTES, true);
	progress_cancel(&cancelled);
	refuse("", &cancelled, ERROR_CANCELLED);
	setenv("TMPDIR", "/nowhere", 1);
	snprintf(command, sizeof(command), "set TMPDIR, or run zstd -d %s", in_folder("x"));
	refuse(command, NULL, ERROR_SYSTEM);
	refuse("No such file or directory", NULL, ERROR_SYSTEM);
	if (kept)
		setenv("TMPDIR", kept, 1);
	else
		unsetenv("TMPDIR");
	memset(data, 0x55, 100);
	memcpy(data, "\x28\xb5\x2f\xfd", 4);
	write_file(data, 100, false);
	refuse("the compressed file is damaged", NULL, ERROR_INPUT);
	free(kept);
	free(data);
}

/* Its end is missing: what there is is mapped. */
TEST(test_cut)
{
	uint8_t *data = make_mixed();
	struct error err = { 0 };
	struct file f;

	write_file(data, MIXED_BYTES, true);
	assert_int_equal(truncate(in_folder("x"), 3 << 20), 0);
	assert_true(open_unpacked(&f, in_folder("x"), NULL, &err));
	assert_true(f.len > 1 << 20 && f.len < MIXED_BYTES);
	assert_memory_equal(f.data, data, f.len);
	file_close(&f);
	free(data);
}

TEST(test_core)
{
	static const struct made_setup plain = { 10, false, false };
	static const struct made_core how = { 4096, false, 0 };
	struct made_runtime *rt = made_runtime_new(&plain);
	struct blob b = { 0 };
	struct memory *core;
	struct error err = { 0 };

	made_core_put(&b, rt->memory, &how);
	write_file(b.data, b.len, true);
	core = core_at(in_folder("x"), NULL, &err);
	assert_ok(core, &err);
	assert_int_equal(core_facts(core)->bytes, b.len);
	assert_int_equal(core_facts(core)->cut_bytes, 0);
	memory_close(core);
	blob_free(&b);
	made_runtime_free(rt);
}

static int
remove_files(void **state)
{
	return unlink(in_folder("x")) || folder_remove(state);
}
TESTS_BETWEEN(folder_make, remove_files);
