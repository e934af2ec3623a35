#include "tests/drive/clr_heaps.h"
#include "io/clr/graph.h"
#include "tests/drive/run_tests.h"
#include "tests/made/made_beside.h"
#include "tests/made/made_roots.h"
#include "tests/made/made_types.h"

static void
stay_open(void *source)
{
	(void)source;
}

struct clr_heap *
clr_heap_begin(const struct made_setup *setup)
{
	struct clr_heap *k = calloc(1, sizeof *k);

	assert_non_null(k);
	k->runtime = made_runtime_new(setup);
	made_types_put(k->runtime, true);
	made_roots_put(k->runtime);
	made_beside_put(k->runtime);
	return k;
}

void
clr_heap_load(struct clr_heap *k)
{
	struct clr_graph_options options = { .what = LOAD_ALL, .kept = &k->memory };
	struct error err = { 0 };

	k->memory = *made_memory_open(k->runtime->memory);
	k->ops = *k->memory.ops;
	k->ops.close = stay_open;
	k->memory.ops = &k->ops;
	k->heap = clr_graph_load(&k->memory, "made up", &options, &err);
	assert_ok(k->heap, &err);
}

void
clr_heap_end(struct clr_heap *k)
{
	heap_free(k->heap);
	made_runtime_free(k->runtime);
	free(k);
}
