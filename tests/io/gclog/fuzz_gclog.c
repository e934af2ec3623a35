/*
 * Any bytes as a GC log: a heap that passes heap_check() and can be written
 * and read again, or an error with a message.
 */
#include "tests/drive/fuzz.h"
#include "io/formats/sources.h"
#include "io/gclog/gclog.h"
#include "io/gclog/write.h"
#include <stdlib.h>
#include <unistd.h>

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
		fuzz_fail("cannot be written", &err);
	error_clear(&err);
	heap_free(sources_load(
	    &(struct load_how){ .path = path, .what = LOAD_ALL, .is_forced = true }, &err));
	unlink(path);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static unsigned written;
	const struct heap *h;
	struct error err = { 0 };

	source_gclog.accepts(data, size < 64 ? size : 64);
	h = gclog_read(data, size,
		       &(struct load_how){ .path = "fuzz", .what = LOAD_ALL, .is_forced = true },
		       &err);
	if (!fuzz_has_heap(h, &err, UINT64_MAX))
		return 0;
	fuzz_check_heap(h);
	/* Files cost more than all else: not every time. */
	if (size < 4096 && ++written % 16 == 1)
		check_write(h);
	heap_free(h);
	return 0;
}
