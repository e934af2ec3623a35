/*
 * Any bytes as a .nettrace: a heap that passes heap_check(), or an error with
 * a message; and memory within a bound that grows with the input only. What arrives in small chunks
 * gives the same events.
 */
#include "tests/drive/fuzz.h"
#include "io/events/allocation_events.h"
#include "io/events/walk.h"
#include "model/allocations/sentences.h"

#define HEAP_BYTES_AT_LEAST (UINT64_C(4) << 20)
#define HEAP_BYTES_A_BYTE   UINT64_C(600)

struct events {
	uint64_t count, lost, bytes, sum;
};

static struct events
count_events(struct nettrace_input input)
{
	struct events events = { 0 };
	struct nettrace_event e;
	enum nettrace_item item;
	struct nettrace *t;
	struct error err = { 0 };

	t = nettrace_new(input, &err);
	if (!t)
		fuzz_fail("no decoder", &err);
	while ((item = nettrace_next(t, &e, &err)) == NETTRACE_EVENT || item == NETTRACE_LOST) {
		events.lost += e.lost_count;
		if (item == NETTRACE_LOST)
			continue;
		events.count++;
		events.bytes += e.payload_len;
		for (uint32_t i = 0; i < e.payload_len; i++)
			events.sum = events.sum * 31 + e.payload[i];
	}
	if (item == NETTRACE_FAILED && err.kind == ERROR_NONE)
		fuzz_fail("failed without a word", &err);
	if (item == NETTRACE_END && err.kind != ERROR_NONE)
		fuzz_fail("an end and an error", &err);
	nettrace_free(t);
	return events;
}

static void
check_chunks(const uint8_t *data, size_t size)
{
	struct fuzz_chunks chunks = { .data = data, .size = size };
	struct nettrace_memory memory;
	struct events whole, parts;
	struct error none;

	error_clear(&none);
	whole = count_events(nettrace_memory_input(&memory, data, size));
	parts = count_events((struct nettrace_input){ fuzz_chunks_next, &chunks });
	if (whole.count != parts.count || whole.lost != parts.lost || whole.bytes != parts.bytes ||
	    whole.sum != parts.sum)
		fuzz_fail("chunks change what is read", &none);
}

static void
check_walk(const uint8_t *data, size_t size, uint32_t which)
{
	const struct walk_options options = { .which = which };
	struct walk_report report;
	struct error err = { 0 };
	const struct heap *h;
	char text[400];

	h = walk_read(data, size, &options, &report, NULL, NULL, &err);
	if (!fuzz_has_heap(h, &err, HEAP_BYTES_AT_LEAST + size * HEAP_BYTES_A_BYTE))
		return;
	fuzz_check_heap(h);
	if (walk_is_complete(&report) != !*walk_missing(&report, text, sizeof(text)))
		fuzz_fail("complete, but something is missing", &err);
	if (h->nodes_count != report.objects_count)
		fuzz_fail("objects got lost", &err);
	heap_free(h);
}

/* Live samples are some of all samples, and growth is a number. */
static void
check_alive(const struct allocations *a, const struct allocation_rows *rows)
{
	char text[ALLOCATION_TEXT_BYTES];
	enum sentence_topic topic;
	unsigned sentences = 0;
	struct error none = { 0 };

	if (a->samples.count + a->facts.survival.lost_samples > a->facts.total.samples)
		fuzz_fail("more samples than there were", &none);
	for (size_t i = 0; i < a->samples.count; i++)
		if (a->samples.items[i].owner >= a->cells_count)
			fuzz_fail("a sample without a cell", &none);
	for (uint32_t i = 0; i < rows->count; i++) {
		struct allocation_growth g =
		    allocation_growth(&a->facts.survival.points, &rows->items[i].alive);

		if (rows->items[i].alive.sum.samples > rows->items[i].sum.samples)
			fuzz_fail("more are alive than were allocated", &none);
		if (g.is_known && !(g.low <= g.bytes && g.bytes <= g.high))
			fuzz_fail("growth outside of its interval", &none);
	}
	while (allocation_sentence(rows, sentences, &topic, text))
		sentences++;
}

/* Rows can be made of any samples. */
static void
check_allocations(const uint8_t *data, size_t size)
{
	struct nettrace_memory memory;
	struct error err = { 0 };
	struct allocations *a =
	    allocations_read(nettrace_memory_input(&memory, data, size), "", NULL, &err);
	struct allocation_rows rows = { 0 };
	uint64_t samples = 0;

	if ((a != NULL) != (err.kind == ERROR_NONE))
		fuzz_fail("a result and an error, or neither", &err);
	if (a && !allocation_rows_make(&rows, a, ALLOCATIONS_BY_SITE, NULL, NULL, &err))
		fuzz_fail("no rows", &err);
	for (uint32_t i = 0; i < rows.count; i++)
		samples += rows.items[i].sum.samples;
	if (a && samples != a->facts.total.samples)
		fuzz_fail("samples got lost", &err);
	if (a)
		check_alive(a, &rows);
	allocation_rows_clear(&rows);
	allocations_free(a);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	check_chunks(data, size);
	check_walk(data, size, 0);
	check_walk(data, size, 1);
	check_allocations(data, size);
	return 0;
}
