/*
 * Any bytes as a .gcdump, packed or not: a heap that passes heap_check() and
 * can be analysed, or an error with a message; and memory within a bound that
 * grows with the input only.
 */
#include "io/gcdump.h"
#include "io/zstd.h"
#include "model/arena.h"
#include "model/reach.h"
#include "model/reverse.h"
#include <stdio.h>
#include <stdlib.h>

#define HEAP_BYTES_AT_LEAST (UINT64_C(4) << 20)
#define HEAP_BYTES_A_BYTE   UINT64_C(600)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
fail(const char *what, const struct error *err)
{
	fprintf(stderr, "%s: %s\n", what, err->message);
	abort();
}

static void
check_analyses(const struct heap *h, struct error *err)
{
	const struct reverse *reverse = reverse_compute(h, NULL, err);
	const struct reach *reach = reach_compute(h, true, NULL, err);

	if (!reverse || !reach)
		fail("no analysis", err);
	if (reach->reachable_count > h->nodes_count)
		fail("more reachable than there are", err);
	reverse_free(reverse);
	reach_free(reach);
}

static void
check_read(const uint8_t *data, size_t size, enum load_what what)
{
	struct error err;
	const struct heap *h;

	error_clear(&err);
	h = gcdump_read(data, size, "fuzz", what, NULL, NULL, &err);
	if (!h) {
		if (err.kind == ERROR_NONE || !err.message[0])
			fail("refused without a word", &err);
		return;
	}
	if (err.kind != ERROR_NONE)
		fail("a heap and an error", &err);
	if (heap_bytes(h) > HEAP_BYTES_AT_LEAST + size * HEAP_BYTES_A_BYTE)
		fail("too much memory", &err);
	if (what == LOAD_ALL) {
		if (!heap_check(h, &err))
			fail("not sound", &err);
		check_analyses(h, &err);
	}
	heap_free(h);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct unpacked unpacked = { 0 };
	struct error err;

	error_clear(&err);
	if (zstd_accepts(data, size)) {
		if (!zstd_unpack(&unpacked, data, size, 0, NULL, &err))
			return 0;
		data = unpacked.data;
		size = unpacked.len;
	}
	check_read(data, size, LOAD_TYPES);
	check_read(data, size, LOAD_ALL);
	memory_free(unpacked.data);
	return 0;
}
