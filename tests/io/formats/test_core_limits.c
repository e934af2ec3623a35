/*
 * What --mem does not allow is never told as if it were not there: of a core of a real process each
 * answer is the same as without a limit, or none. What
 * was refused once is there when more is allowed.
 */
#include "tests/drive/run_tests.h"
#include "tests/drive/shell.h"
#include "tests/drive/cores.h"
#include "model/base/arena.h"
#include "model/heap/memory.h"
#include "tests/drive/heaps.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OUTPUT_BYTES = 1 << 20, EXIT_REFUSED = 6, STEPS_MAX = 4 };

static const struct core *
find_core(const char *name)
{
	for (unsigned i = 0; i < core_setups_count; i++)
		if (!strcmp(core_setups[i].name, name))
			return core_of(&core_setups[i]);
	return NULL;
}

/* What heaptop prints; its exit status. */
static int
run(const char *options, const char *view, const char *path, char *out)
{
	return shell_prints(out, OUTPUT_BYTES, "%s %s -b '%s' %s 2>&1", program_path(), options,
			    view, path);
}

static const char *const views[] = { "async", "findings", "find 42", "statics -n 9" };

TEST(test_answers)
{
	const struct core *c = find_core(".NET 10.0");
	char *whole = malloc(OUTPUT_BYTES), *some = malloc(OUTPUT_BYTES);
	unsigned refused = 0, answered = 0;

	for (size_t i = 0; c && i < COUNT_OF(views); i++) {
		int code = run("", views[i], c->path, whole);

		for (int mib = 1; mib <= 32; mib += mib < 20 ? 2 : 6) {
			char option[32];
			int other;

			snprintf(option, sizeof(option), "--mem %dM", mib);
			other = run(option, views[i], c->path, some);
			refused += other == EXIT_REFUSED;
			answered += other != EXIT_REFUSED;
			if (other == EXIT_REFUSED && strstr(some, "; --mem "))
				continue;
			if (other != code || strcmp(whole, some) != 0)
				fail_msg("%s with %d MiB, exit %d: %.300s", views[i], mib, other,
					 some);
		}
	}
	assert_true(!c || (refused && answered));
	free(whole);
	free(some);
}

/* Whoever does as he is told has it soon. */
TEST(test_advice)
{
	const struct core *c = find_core(".NET 10.0");
	char *out = malloc(OUTPUT_BYTES), option[32] = "--mem 1M";
	int steps = 0;

	while (c && run(option, "async", c->path, out) == EXIT_REFUSED) {
		const char *advice = strstr(out, "--mem ");

		assert_non_null(advice);
		snprintf(option, sizeof(option), "--mem %ldM",
			 strtol(advice + strlen("--mem "), NULL, 10));
		assert_true(++steps <= STEPS_MAX);
	}
	assert_true(!c || steps);
	free(out);
}

static const struct heap *
load(const struct core *c)
{
	struct error err = { 0 };
	const struct heap *h;

	h = heap_at(c->path, LOAD_ALL, &err);
	assert_ok(h, &err);
	return h;
}

/* How many objects have such a field; those that were refused. */
static uint32_t
count_fields(const struct heap *h, uint32_t *refused)
{
	const struct heap_memory *m = h->memory;
	uint32_t found = 0;

	*refused = 0;
	for (node_id n = 0; n < h->nodes_count; n++) {
		struct content_field f;
		struct error err = { 0 };

		found += m->contents->field(m->source, n, "_items", &f, &err) ||
			 m->contents->field(m->source, n, "m_stateFlags", &f, &err);
		*refused += err.is_limit;
	}
	return found;
}

TEST(test_not_kept)
{
	const struct core *c = find_core(".NET 10.0");
	const struct heap *fresh = c ? load(c) : NULL, *h = c ? load(c) : NULL;
	uint32_t wanted, refused, found;

	if (!c)
		return;
	wanted = count_fields(fresh, &refused);
	assert_true(wanted && !refused);
	memory_limit(memory_held() - MEMORY_RESERVE_BYTES);
	found = count_fields(h, &refused);
	memory_limit(0);
	assert_true(found < wanted && refused >= wanted - found);
	assert_int_equal(count_fields(h, &refused), wanted);
	assert_int_equal(refused, 0);
	/* What names of all types take is known: not 64 KiB each. */
	assert_true(memory_held() < UINT64_C(32) << 20);
	heap_free(fresh);
	heap_free(h);
}
