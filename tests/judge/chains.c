#include "tests/judge/chains.h"
#include "tests/drive/run_tests.h"
#include <stdlib.h>
#include <string.h>

static size_t
append(char *out, size_t at, const char *text)
{
	int written = snprintf(out + at, CHAIN_TEXT_BYTES - at, "%s", text);

	assert_true(written >= 0 && (size_t)written < CHAIN_TEXT_BYTES - at);
	return at + (size_t)written;
}

void
chain_write(const struct heap *h, const struct async_calls *c, const struct async_chain *chain,
	    char out[CHAIN_TEXT_BYTES])
{
	static const char *const ends[] = { "", " several", " itself", " cut" };
	struct async_walk w = async_walk_of(chain);
	const struct async_item *item;
	size_t at = 0;
	char state[16];

	out[0] = '\0';
	while ((item = async_walk_next(c, &w))) {
		const char *name = heap_type(h, item->node)->short_name;

		if (!strncmp(name, "async ", 6))
			name += 6;
		at = append(out, at, at ? " < " : "");
		at = append(out, at, name);
		if (item->has_state) {
			snprintf(state, sizeof(state), " %d", (int)item->state);
			at = append(out, at, state);
		}
	}
	append(out, at, ends[w.end]);
}

struct async_calls *
chains_find(const struct async_input *in)
{
	struct error err = { 0 };
	struct async_calls *c = async_find(in, NULL, &err);

	assert_ok(c, &err);
	return c;
}

static int
compare_texts(const void *x, const void *y)
{
	return strcmp(*(char *const *)x, *(char *const *)y);
}

void
chains_check_groups(const struct heap *h, const struct async_calls *c)
{
	char text[CHAIN_TEXT_BYTES], **texts;
	uint32_t chains = 0;

	texts = calloc(c->groups_count + 1, sizeof(*texts));
	assert_non_null(texts);
	for (uint32_t i = 0; i < c->groups_count; i++) {
		const struct async_group *g = &c->groups[i];

		assert_int_equal(g->chains_first, chains);
		assert_true(g->chains_count > 0);
		chains += g->chains_count;
		chain_write(h, c, &c->chains[g->chains_first], text);
		texts[i] = strdup(text);
		for (uint32_t k = 1; k < g->chains_count; k++) {
			chain_write(h, c, &c->chains[g->chains_first + k], text);
			assert_string_equal(text, texts[i]);
		}
	}
	assert_int_equal(chains, c->chains_count);
	qsort(texts, c->groups_count, sizeof(*texts), compare_texts);
	for (uint32_t i = 0; i < c->groups_count; i++) {
		assert_true(!i || strcmp(texts[i - 1], texts[i]) != 0);
		if (i)
			free(texts[i - 1]);
	}
	if (c->groups_count)
		free(texts[c->groups_count - 1]);
	free(texts);
}

void
chains_check_sums(const struct heap *h, const struct async_calls *c)
{
	uint8_t *seen = calloc(h->nodes_count, 1);

	assert_non_null(seen);
	for (uint32_t i = 0; i < c->groups_count; i++) {
		const struct async_group *g = &c->groups[i];
		struct error err = { 0 };
		uint64_t bytes = 0;
		node_id *nodes;

		memset(seen, 0, h->nodes_count);
		for (uint32_t k = 0; k < g->chains_count; k++) {
			struct async_walk w = async_walk_of(&c->chains[g->chains_first + k]);
			const struct async_item *item;

			while ((item = async_walk_next(c, &w)))
				seen[item->node] = 1;
		}
		nodes = async_group_nodes(c, i, NULL, &err);
		assert_non_null(nodes);
		for (uint32_t k = 0; k < g->objects_count; k++) {
			assert_int_equal(seen[nodes[k]], 1);
			assert_true(!k || nodes[k - 1] < nodes[k]);
			seen[nodes[k]] = 0;
			bytes += heap_size(h, nodes[k]);
		}
		assert_int_equal(bytes, g->bytes);
		assert_null(memchr(seen, 1, h->nodes_count));
		memory_free(nodes);
	}
	free(seen);
}
