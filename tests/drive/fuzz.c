#include "tests/drive/fuzz.h"
#include <stdio.h>
#include <stdlib.h>

void
fuzz_fail(const char *what, const struct error *err)
{
	fprintf(stderr, "%s: %s\n", what, err ? err->message : "");
	abort();
}

bool
fuzz_has_heap(const struct heap *h, const struct error *err, uint64_t bytes_max)
{
	if (!h) {
		if (err->kind == ERROR_NONE || !err->message[0])
			fuzz_fail("refused without a word", err);
		return false;
	}
	if (err->kind != ERROR_NONE)
		fuzz_fail("a heap and an error", err);
	if (heap_bytes(h) > bytes_max)
		fuzz_fail("too much memory", err);
	return true;
}

void
fuzz_check_heap(const struct heap *h)
{
	struct error err = { 0 };

	if (!heap_check(h, &err))
		fuzz_fail("not sound", &err);
}

bool
fuzz_chunks_next(void *context, const uint8_t **data, size_t *len, struct error *err)
{
	struct fuzz_chunks *c = context;
	size_t count = 1 + c->at % sizeof(c->chunk);

	(void)err;
	if (count > c->size - c->at)
		count = c->size - c->at;
	for (size_t i = 0; i < count; i++)
		c->chunk[i] = c->data[c->at + i];
	c->at += count;
	*data = c->chunk;
	*len = count;
	return true;
}
