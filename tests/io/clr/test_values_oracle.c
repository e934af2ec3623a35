/*
 * Fields, elements and strings of every object in cores of real processes, and
 * static variables,
 * beside what ClrMD says of them.
 */
#include "tests/drive/run_tests.h"
#include "tests/drive/cores.h"
#include "tests/judge/judge_delegates.h"
#include "tests/judge/judge_statics.h"
#include "tests/judge/judge_strings.h"
#include "tests/judge/judge_values.h"
#include "io/formats/core_heap.h"
#include <string.h>

static const char *const sections[] = { "fields",  "elements",
					"strings", "delegates",
					"statics", "threadstatics",
					NULL };

/* The place of objects makes no difference: one with several heaps is enough.
 */
static bool
is_judged(const void *setup)
{
	const struct core_setup *s = setup;

	return s->writer != CORE_GDB && !s->has_segments &&
	       (!s->is_server || !strcmp(s->version, "10.0"));
}

TEST_CORES(test_core, is_judged)
{
	const struct core_setup *setup = *state;
	const struct core *c;
	const struct heap *h;
	struct oracle *o;
	struct error err;

	if (!oracle_exists())
		skip();
	c = core_of(setup);
	if (!c)
		skip();
	error_clear(&err);
	h = source_core.load(c->path, LOAD_ALL, NULL, NULL, &err);
	if (!h)
		fail_msg("%s: %s", setup->name, err.message);
	o = oracle_ask(c->path, setup->version, sections);
	judge_values(setup->name, o, h, NULL);
	judge_strings(setup->name, o, h);
	judge_delegates(setup->name, o, h);
	judge_statics(setup->name, o, h);
	oracle_free(o);
	heap_free(h);
}
