/*
 * Cores that .NET wrote of a crash: what the crashed thread's stack holds is
 * found, although the thread runs on another stack by then.
 */
#include "io/core_heap.h"
#include "tests/crashed.h"
// clang-format off
#include "tests/run_tests.h"
// clang-format on
#include <string.h>
#include <unistd.h>

static const char *const versions[] = { "8.0", "9.0", "10.0" };
enum { VERSIONS = sizeof(versions) / sizeof(versions[0]) };

static bool
has_stack_root(const struct heap *h, node_id n)
{
	for (uint32_t i = 0; i < h->roots_count; i++)
		if (h->roots[i].object == n &&
		    h->roots[i].kind == ROOT_STACK_WORD)
			return true;
	return false;
}

/* Only threads of the program know these; one of them is the crashed one. */
static void
check_locals(const char *version, const struct heap *h)
{
	unsigned count = 0;

	for (node_id n = 0; n < h->nodes_count; n++) {
		const char *name = h->types[heap_type_of(h, n)].name;

		if (strcmp(name, "Leaky.OnStack") != 0)
			continue;
		count++;
		if (!has_stack_root(h, n))
			fail_msg(".NET %s: a local has no root", version);
	}
	assert_true(count >= 1);
	assert_int_equal(h->info.warnings_count, 0);
}

static void
finds_locals(void **state)
{
	(void)state;
	for (unsigned i = 0; i < VERSIONS; i++) {
		const struct heap *h;
		struct error err = { 0 };
		char path[300];

		if (!crashed_core(versions[i], CRASHED_HEAP, path,
				  sizeof(path)))
			continue;
		h = source_core.load(path, LOAD_ALL, NULL, NULL, &err);
		unlink(path);
		if (!h)
			fail_msg(".NET %s: %s", versions[i], err.message);
		check_locals(versions[i], h);
		heap_free(h);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_locals),
	};

	return run_tests(tests);
}
