/* What a trace lacks, by the events that it has. */
#include "io/events/recorded_events.h"
#include "tests/drive/run_tests.h"
#include <string.h>

#define NO_SAMPLES                                                                                 \
	"the trace has no allocation samples: it was recorded without the "                        \
	"keyword GC (0x1) at level 5, or from .NET 10 on AllocationSampling "                      \
	"(0x80000000000) at level 4"
#define NO_COLLECTIONS                                                                             \
	"the trace has no collections: it was recorded without the keyword "                       \
	"GC (0x1) at level 4, or none ended meanwhile"

/* 1a, 1i: a collection that an allocation or a request caused; t: a tick of a budget; r: a random
   sample; s: a stop of the program. */
static const struct {
	const char *name, *events;
	enum recorded_kind kind;
	bool is_lacking;
	const char *text;
} cases[] = {
	{ "nothing", "", RECORDED_ALLOCATIONS, true,
	  NO_SAMPLES ", or less than about 100 KB was allocated" },
	{ "nothing of collections", "", RECORDED_COLLECTIONS, true, NO_COLLECTIONS },
	{ "induced collections", "1i 1i", RECORDED_ALLOCATIONS, true,
	  NO_SAMPLES ", or less than about 100 KB was allocated; it has 2 collections (-g)" },
	{ "caused ones", "1a 1a", RECORDED_ALLOCATIONS, true,
	  NO_SAMPLES "; it has 2 collections (-g)" },
	{ "ticks of the keyword", "t", RECORDED_COLLECTIONS, false,
	  NO_COLLECTIONS "; it has 1 allocation sample (-b allocations)" },
	{ "stops of the keyword", "s", RECORDED_COLLECTIONS, false, NO_COLLECTIONS },
	{ "random samples", "r", RECORDED_COLLECTIONS, true,
	  NO_COLLECTIONS "; it has 1 allocation sample (-b allocations)" },
	{ "a sample", "r", RECORDED_ALLOCATIONS, false, NULL },
	{ "no walk", "1a r", RECORDED_WALKS, true,
	  "the trace has no heap walk: it was recorded without the GCHeapSnapshot keywords "
	  "(0x1980001); it has 1 collection (-g) and 1 allocation sample (-b allocations)" },
};

static void
take(struct recorded *r, uint32_t id, uint32_t reason)
{
	const uint32_t words[4] = { 1, 0, reason, 0 };
	const struct nettrace_event e = { .provider = NETTRACE_RUNTIME,
					  .id = id,
					  .version = 2,
					  .payload = (const uint8_t *)words,
					  .payload_len = sizeof(words) };

	recorded_take(r, &e);
}

static void
take_all(struct recorded *r, const char *events)
{
	for (const char *c = events; *c; c++)
		if (*c == '1')
			take(r, 1, c[1] == 'i');
		else if (*c == 't')
			take(r, 10, 0);
		else if (*c == 's')
			take(r, 9, 0);
		else if (*c == 'r')
			take(r, 303, 0);
}

TEST(a_trace_says_what_it_lacks)
{
	char text[RECORDED_TEXT_BYTES];

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct recorded r = { .is_trace = true };

		take_all(&r, cases[i].events);
		if (recorded_lacks(&r, cases[i].kind) != cases[i].is_lacking)
			fail_msg("%s", cases[i].name);
		recorded_lack_text(&r, cases[i].kind, "", text);
		if (cases[i].text)
			assert_string_equal(text, cases[i].text);
	}
}

/* A process was asked for the events: nothing has happened. */
TEST(a_process_lacks_nothing)
{
	const struct recorded r = { 0 };

	assert_false(recorded_lacks(&r, RECORDED_COLLECTIONS));
	assert_false(recorded_lacks(&r, RECORDED_ALLOCATIONS));
}
