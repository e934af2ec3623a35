/*
 * Any bytes as a .gcdump, packed or not: a heap that passes heap_check() and can be analysed, or an
 * error with a message; and memory within a bound that grows with the input only. What is written
 * of the heap can be read, and is the same heap.
 */
#define _GNU_SOURCE /* memfd_create() */
#include "tests/drive/fuzz.h"
#include "io/base/zstd.h"
#include "io/gcdump/file.h"
#include "io/gcdump/gcdump.h"
#include "io/gcdump/write.h"
#include "model/base/arena.h"
#include "model/graph/reach.h"
#include "model/graph/reverse.h"
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define HEAP_BYTES_AT_LEAST (UINT64_C(4) << 20)
#define HEAP_BYTES_A_BYTE   UINT64_C(600)

static void
check_analyses(const struct heap *h, struct error *err)
{
	const struct reverse *reverse = reverse_compute(h, NULL, err);
	const struct reach *reach = reach_compute(h, true, NULL, err);

	if (!reverse || !reach)
		fuzz_fail("no analysis", err);
	if (reach->reachable_count > h->nodes_count)
		fuzz_fail("more reachable than there are", err);
	reverse_free(reverse);
	reach_free(reach);
}

typedef bool heap_write(struct output *to, const struct heap *h, struct progress *progress,
			struct error *err);

/* To the standard output, which is a file in memory meanwhile. */
static uint8_t *
write_heap(const struct heap *h, heap_write *write, size_t *len)
{
	int file = memfd_create("fuzz", 0), before = dup(STDOUT_FILENO);
	struct output *to;
	struct error err = { 0 };
	uint8_t *data;

	fflush(stdout);
	if (file < 0 || before < 0 || dup2(file, STDOUT_FILENO) < 0)
		fuzz_fail("no file", &err);
	to = output_open("-", false, &err);
	if (!to || !write(to, h, NULL, &err))
		fuzz_fail("not written", &err);
	*len = (size_t)output_len(to);
	if (!output_close(to, &err))
		fuzz_fail("not written to its end", &err);
	dup2(before, STDOUT_FILENO);
	close(before);
	data = malloc(*len + 1);
	if (!data || pread(file, data, *len, 0) != (ssize_t)*len)
		fuzz_fail("not as long as it should be", &err);
	close(file);
	return data;
}

static void
check_written(const struct heap *h)
{
	const struct heap *again;
	struct error err = { 0 };
	uint8_t *out;
	size_t len;

	out = write_heap(h, gcdump_write, &len);
	again = gcdump_read(out, len, NULL, &(struct load_how){ .path = "again", .what = LOAD_ALL },
			    &err);
	if (!again)
		fuzz_fail("not read again", &err);
	if (again->nodes_count != h->nodes_count || again->refs_count != h->refs_count ||
	    again->roots_count != h->roots_count || again->bytes_count != h->bytes_count ||
	    again->info.gcdump->damage)
		fuzz_fail("another heap", &err);
	heap_free(again);
	free(out);
}

static void
check_read(const uint8_t *data, size_t size, enum load_what what)
{
	struct error err = { 0 };
	const struct heap *h;

	h = gcdump_read(data, size, NULL, &(struct load_how){ .path = "fuzz", .what = what }, &err);
	if (!fuzz_has_heap(h, &err, HEAP_BYTES_AT_LEAST + size * HEAP_BYTES_A_BYTE))
		return;
	if (what == LOAD_ALL) {
		fuzz_check_heap(h);
		check_analyses(h, &err);
		check_written(h);
	}
	heap_free(h);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct unpacked unpacked = { 0 };
	struct error err = { 0 };

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
