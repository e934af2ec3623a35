#include "tests/drive/written.h"
#include "tests/drive/run_tests.h"
#include "io/gcdump/gcdump.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A file of the test's own; NULL if nothing was written. */
static bool
write_file(const struct heap *h, heap_write *write, struct blob *b, struct error *err)
{
	char folder[] = "/tmp/test_written.XXXXXX", path[64];
	struct output *to;
	bool is_good;

	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/x", folder);
	to = output_open(path, false, err);
	assert_non_null(to);
	is_good = write(to, h, NULL, err);
	if (!is_good)
		output_abandon(to);
	else
		is_good = output_close(to, err);
	if (is_good && b) {
		blob_free(b);
		assert_true(blob_read_file(b, path));
	}
	if (is_good)
		assert_int_equal(unlink(path), 0);
	assert_int_equal(rmdir(folder), 0);
	return is_good;
}

void
written(const struct heap *h, heap_write *write, struct blob *b)
{
	struct error err = { 0 };

	assert_ok(write_file(h, write, b, &err), &err);
}

bool
is_written(const struct heap *h, heap_write *write, struct error *err)
{
	return write_file(h, write, NULL, err);
}

const struct heap *
read_gcdump(const uint8_t *data, size_t len)
{
	struct error err = { 0 };
	const struct heap *h =
	    gcdump_read(data, len, NULL, &(struct load_how){ .path = "x", .what = LOAD_ALL }, &err);

	assert_ok(h && heap_check(h, &err), &err);
	return h;
}
