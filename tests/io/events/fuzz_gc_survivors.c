/*
 * Any bytes as a stream of collections with samples, for which the start of every event's payload
 * is taken: samples are counted exactly once, live ones are in order, and chunks of the input
 * change nothing.
 */
#include "io/events/gc_events.h"
#include "io/events/gc_survivors.h"
#include "tests/drive/fuzz.h"
#include <string.h>

struct seen {
	uint64_t gone, sum;
};

static void
note_gone(void *context, const struct survived_sample *sample)
{
	struct seen *seen = context;

	if (sample->state != SURVIVED_DEAD && sample->state != SURVIVED_LOST)
		fuzz_fail("gone without a reason", NULL);
	seen->gone++;
	seen->sum = seen->sum * 31 + sample->address + sample->state;
}

static bool
add_sample(struct gc_survivors *g, const struct nettrace_event *e, struct error *err)
{
	struct survived_sample sample = { 0 };
	struct error ignored;
	struct bytes b = gc_payload(e, &ignored);

	bytes_skip(&b, 8, "a start");
	sample.address = bytes_u64(&b, "an address");
	sample.size = bytes_u16(&b, "a size");
	return gc_survivors_add(g, e, &sample, err);
}

static void
check_samples(const struct survived *s, struct seen *seen)
{
	const struct survived_totals *totals = survived_totals(s);
	size_t count;
	const struct survived_sample *samples = survived_samples(s, &count);

	if (totals->added != count + seen->gone || seen->gone != totals->dead + totals->lost)
		fuzz_fail("samples counted wrongly", NULL);
	for (size_t i = 0; i < count; i++)
		seen->sum = seen->sum * 31 + samples[i].address + samples[i].state;
}

static struct seen
read_stream(struct nettrace_input input)
{
	struct error err = { 0 };
	struct seen seen = { 0 };
	struct survived *s =
	    survived_new((struct survived_sink){ .gone = note_gone, .context = &seen }, &err);
	struct gc_survivors *g = s ? gc_survivors_new(s, &err) : NULL;
	struct nettrace *t = g ? nettrace_new(input, &err) : NULL;
	struct nettrace_event e;
	enum nettrace_item item;

	if (!t)
		fuzz_fail("no memory", &err);
	while ((item = nettrace_next(t, &e, &err)) == NETTRACE_EVENT || item == NETTRACE_LOST) {
		if (!gc_survivors_take(g, t, item, &e, &err) ||
		    (item == NETTRACE_EVENT && !add_sample(g, &e, &err)))
			fuzz_fail("refused", &err);
	}
	if (!gc_survivors_settle(g, &err) && err.kind == ERROR_NONE)
		fuzz_fail("refused without a message", NULL);
	check_samples(s, &seen);
	nettrace_free(t);
	gc_survivors_free(g);
	survived_free(s);
	return seen;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_chunks chunks = { .data = data, .size = size };
	struct nettrace_memory memory;
	struct seen whole = read_stream(nettrace_memory_input(&memory, data, size));
	struct seen parts = read_stream((struct nettrace_input){ fuzz_chunks_next, &chunks });

	if (whole.gone != parts.gone || whole.sum != parts.sum)
		fuzz_fail("chunks change what is read", NULL);
	return 0;
}
