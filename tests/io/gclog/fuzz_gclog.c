/*
 * Any bytes as a GC log: a heap that passes heap_check() and can be written
 * and read again, or an error with a message.
 */
#include "io/gclog/gclog.h"
#include "io/gclog/write.h"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
fail(const char *what, const struct error *err)
{
	fprintf(stderr, "%s: %s\n", what, err->message);
	abort();
}

/* What is written is forgotten: the writer is to survive any heap. */
static void
check_write(const struct heap *h)
{
	char path[] = "/tmp/fuzz_gclog.XXXXXX";
	int fd = mkstemp(path);
	struct output *to;
	struct error err;

	if (fd < 0)
		return;
	close(fd);
	error_clear(&err);
	to = output_open(path, true, &err);
	if (!to || !gclog_write(to, h, NULL, &err) || !output_close(to, &err))
		fail("cannot be written", &err);
	error_clear(&err);
	heap_free(source_gclog.load_forced(path, LOAD_ALL, NULL, NULL, &err));
	unlink(path);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static unsigned written;
	const struct heap *h;
	struct error err = { 0 };

	source_gclog.accepts(data, size < 64 ? size : 64);
	h = gclog_read(data, size, "fuzz", true, NULL, &err);
	if (!h) {
		if (err.kind == ERROR_NONE || !err.message[0])
			fail("refused without a word", &err);
		return 0;
	}
	if (err.kind != ERROR_NONE)
		fail("a heap and an error", &err);
	if (!heap_check(h, &err))
		fail("not sound", &err);
	/* Files cost more than all else: not every time. */
	if (size < 4096 && ++written % 16 == 1)
		check_write(h);
	heap_free(h);
	return 0;
}
