#include "tests/drive/heaps.h"
#include "io/formats/sources.h"
#include "tests/drive/run_tests.h"
#include <string.h>

const char *const real_dumps[REAL_DUMPS] = { LEAKY_8, LEAKY_9, LEAKY_10, LEAKY_LATER,
					     LEAKY_SERVER };

const struct heap *
heap_at(const char *path, enum load_what what, struct error *err)
{
	return sources_load(&(struct load_how){ .path = path, .what = what }, err);
}

const struct heap *
heap_of_file(const char *path)
{
	struct error err = { 0 };
	const struct heap *h = heap_at(path, LOAD_ALL, &err);

	if (!h || !heap_check(h, &err))
		fail_msg("%s: %s", path, err.message);
	return h;
}

const struct heap *
heap_of_graph(struct graph *g)
{
	const struct heap *h = graph_heap(g);

	graph_free(g);
	return h;
}

type_id
type_named(const struct heap *h, const char *name)
{
	for (type_id t = 0; t < h->types_count; t++)
		if (!strcmp(h->types[t].name, name))
			return t;
	fail_msg("no type %s", name);
	return TYPE_NONE;
}

uint8_t *
copy_exactly(const void *data, size_t len)
{
	uint8_t *copy = malloc(len ? len : 1);

	assert_non_null(copy);
	if (len)
		memcpy(copy, data, len);
	return copy;
}

void
expect_heap_or_words(const struct heap *h, bool is_whole, const struct error *err)
{
	struct error check = { 0 };

	if (h && is_whole && !heap_check(h, &check))
		fail_msg("%s", check.message);
	if (!h && (err->kind == ERROR_NONE || !err->message[0]))
		fail_msg("refused without a word");
	if (h && err->kind != ERROR_NONE)
		fail_msg("a heap and an error: %s", err->message);
}
