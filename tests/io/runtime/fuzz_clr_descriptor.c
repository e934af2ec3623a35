/* Any text as what a runtime tells of itself: no offset is out of bounds. */
#include "tests/drive/fuzz.h"
#include "io/runtime/descriptor.h"
#include <stdlib.h>

enum { HEAD_BYTES = 40, BASE = 0x10000, TEXT_MAX_BYTES = 64 << 10 };

struct bytes_at {
	uint8_t bytes[HEAD_BYTES + TEXT_MAX_BYTES];
	size_t len;
};

static size_t
read_bytes(const void *source, uint64_t address, void *to, size_t len)
{
	const struct bytes_at *b = source;

	if (address < BASE || address - BASE > b->len)
		return 0;
	if (len > b->len - (address - BASE))
		len = (size_t)(b->len - (address - BASE));
	memcpy(to, b->bytes + (address - BASE), len);
	return len;
}

static void
put(struct bytes_at *b, size_t at, uint64_t value, size_t len)
{
	for (size_t i = 0; i < len; i++)
		b->bytes[at + i] = (uint8_t)(value >> 8 * i);
}

static void
ask(const struct clr_descriptor *d, struct memory_reader *r)
{
	struct clr_layout layout;
	const char *missing;
	uint64_t value;

	clr_layout_init_empty(&layout, 11);
	clr_descriptor_describe(d, &layout);
	for (size_t i = 0; i < CLR_FIELDS_COUNT; i++) {
		if (clr_has(&layout, (enum clr_field)i) && layout.offset[i] > 1 << 20)
			abort();
	}
	(void)clr_layout_is_enough(&layout, &missing);
	(void)!clr_descriptor_global(d, r, "ThreadStore", &value);
	(void)!clr_descriptor_global(d, r, "StringMethodTable", &value);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct memory_ops ops = { .read = read_bytes };
	static struct bytes_at b;
	struct memory m = { .ops = &ops, .source = &b, .name = "the test" };
	struct clr_descriptor d;
	struct memory_reader *r;
	struct error err;
	bool is_damaged;

	if (size > TEXT_MAX_BYTES)
		return 0;
	memset(b.bytes, 0, HEAD_BYTES);
	memcpy(b.bytes, "DNCCDAC", 8);
	put(&b, 12, size, 4);
	put(&b, 16, BASE + HEAD_BYTES, 8);
	put(&b, 24, 4, 4);
	put(&b, 32, BASE, 8);
	if (size)
		memcpy(b.bytes + HEAD_BYTES, data, size);
	b.len = HEAD_BYTES + size;
	error_clear(&err);
	r = memory_reader_new(&m, &err);
	if (!r)
		abort();
	if (clr_descriptor_open(&d, r, BASE, &is_damaged))
		ask(&d, r);
	clr_descriptor_close(&d);
	memory_reader_free(r);
	return 0;
}
