/*
 * Any bytes as a Native AOT program with the description of its runtime: opened or refused in a
 * sentence, in bounded time. The first 8 bytes are the address of the description.
 */
#include "tests/drive/fuzz.h"
#include "io/runtime/native.h"
#include <string.h>

enum { BASE = 0x10000, ADDRESS_BYTES = 8, INPUT_MAX = 64 << 10 };

struct input {
	const uint8_t *data;
	size_t size;
};

static size_t
read_bytes(const void *source, uint64_t address, void *to, size_t len)
{
	const struct input *in = source;

	if (address < BASE || address - BASE > in->size)
		return 0;
	if (len > in->size - (address - BASE))
		len = in->size - (size_t)(address - BASE);
	if (len)
		memcpy(to, in->data + (address - BASE), len);
	return len;
}

static void
check(struct clr_runtime *rt)
{
	for (size_t i = 0; i < CLR_FIELDS_COUNT; i++)
		if (rt->layout.is_described[i] && rt->layout.offset[i] == CLR_ABSENT)
			fuzz_fail("a described field without a place", NULL);
	if (rt->version[0] < 8 || rt->version[0] > 10)
		fuzz_fail("an unknown version", NULL);
	if (rt->generation_bytes < 65 || rt->generation_bytes > 4095)
		fuzz_fail("generations of an impossible size", NULL);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct memory_ops ops = { .read = read_bytes };
	struct input in = { data, size };
	const struct memory m = { .ops = &ops, .source = &in, .name = "the test", .sysroot = "" };
	const struct elf_image image = { .base = BASE, .end = BASE + size };
	struct clr_runtime rt = { .memory = &m, .path = "" };
	struct error err = { 0 };
	bool is_good;

	if (size < ADDRESS_BYTES || size > INPUT_MAX)
		return 0;
	arena_init(&rt.arena, 0);
	rt.doubts.arena = &rt.arena;
	rt.reader = memory_reader_new(&m, &err);
	if (!rt.reader)
		fuzz_fail("no reader", &err);
	is_good = clr_native_open(&rt, &image, bytes_load_u64(data), &err);
	if (is_good != (err.kind == ERROR_NONE))
		fuzz_fail("neither a runtime nor an error, or both", NULL);
	if (is_good)
		check(&rt);
	clr_native_close(&rt);
	memory_reader_free(rt.reader);
	arena_clear(&rt.arena);
	return 0;
}
