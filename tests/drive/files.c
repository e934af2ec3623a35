#include "tests/drive/files.h"
#include "tests/drive/run_tests.h"
#include <string.h>
#include <unistd.h>

static char folder[32];

int
folder_make(void **state)
{
	(void)state;
	strcpy(folder, "/tmp/heaptop-test-XXXXXX");
	return mkdtemp(folder) ? 0 : -1;
}

int
folder_remove(void **state)
{
	(void)state;
	return rmdir(folder);
}

const char *
folder_path(void)
{
	return folder;
}

const char *
in_folder(const char *name)
{
	static char paths[4][256];
	static unsigned last;
	char *path = paths[last++ % COUNT_OF(paths)];

	snprintf(path, sizeof(paths[0]), "%s/%s", folder, name);
	return path;
}

void
file_write(const char *path, const void *bytes, size_t len)
{
	FILE *file = fopen(path, "wb");

	assert_non_null(file);
	if (len)
		assert_int_equal(fwrite(bytes, 1, len, file), len);
	assert_int_equal(fclose(file), 0);
}

char *
file_read(const char *path, size_t *len)
{
	FILE *file = fopen(path, "rb");
	size_t size = 0;
	char *bytes = NULL;
	FILE *to = open_memstream(&bytes, &size);

	if (!file || !to)
		fail_msg("%s cannot be read", path);
	for (int c; (c = getc(file)) != EOF;)
		putc(c, to);
	fclose(file);
	assert_int_equal(fclose(to), 0);
	if (len)
		*len = size;
	return bytes;
}
