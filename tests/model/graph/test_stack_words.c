/* Words on stacks that may hold what something better holds as well. */
#include "model/graph/paths.h"
#include "model/graph/stack_words.h"
#include "tests/made/graphs.h"
#include "tests/drive/run_tests.h"
#include "tests/drive/screens.h"
#include "tui/session/describe.h"
#include <string.h>

/* --- against the book ----------------------------------------------------- */

enum { SMALL = 12, FAR = 1000 };

/* References from each object to `target`, FAR where there is no way. */
static void
plain_distances(const struct heap *h, node_id target, uint32_t out[SMALL])
{
	bool moved = true;

	for (node_id n = 0; n < SMALL; n++)
		out[n] = n == target ? 0 : FAR;
	while (moved) {
		moved = false;
		for (node_id n = 0; n < SMALL; n++) {
			struct refs refs = heap_refs(h, n);
			node_id to;

			while (refs_next(&refs, &to)) {
				if (out[to] + 1 >= out[n])
					continue;
				out[n] = out[to] + 1;
				moved = true;
			}
		}
	}
}

static void
expect_way(const struct heap *h, const struct stack_word *word, node_id target)
{
	assert_int_equal(word->nodes[0], h->roots[word->root].object);
	assert_int_equal(word->nodes[word->length], target);
	for (uint32_t i = 0; i < word->length; i++)
		assert_true(heap_refers_to(h, word->nodes[i], word->nodes[i + 1]));
}

/* Each word that is nearer than the root that is told, once. */
static uint32_t
check_object(const struct heap *h, const struct reach *reach, const struct reverse *rev, node_id n)
{
	const struct root *best = reach_root(reach, n);
	uint32_t distances[SMALL], wanted = 0, last = 0;
	struct error err = { 0 };
	struct stack_words w;

	plain_distances(h, n, distances);
	for (uint32_t i = 0; best && i < h->roots_count; i++) {
		uint32_t length = distances[h->roots[i].object];

		wanted += h->roots[i].kind == ROOT_STACK_WORD && root_kinds[best->kind].tier == 0 &&
			  length < FAR && (!length || length < reach->distance[n]);
	}
	assert_true(stack_words_find(&w, reach, rev, NULL, n, &err));
	assert_true(w.is_all);
	assert_int_equal(w.count, wanted);
	for (uint32_t i = 0; i < w.count; i++) {
		const struct stack_word *word = &w.words[i];

		assert_int_equal(word->length, distances[h->roots[word->root].object]);
		assert_true(word->length >= last);
		last = word->length;
		expect_way(h, word, n);
		for (uint32_t k = 0; k < i; k++)
			assert_int_not_equal(w.words[k].root, word->root);
	}
	stack_words_clear(&w);
	return wanted;
}

TEST(nearer_words_are_found)
{
	static const enum root_kind kinds[] = { ROOT_STATIC, ROOT_STACK, ROOT_STACK_WORD,
						ROOT_STACK_WORD, ROOT_FINALIZER };
	uint32_t words = 0;

	for (uint64_t seed = 1; seed <= 400; seed++) {
		struct graph *g = graph_new(SMALL, 1);
		struct error err = { 0 };
		const struct reverse *rev;
		const struct reach *reach;
		const struct heap *h;

		g->random += seed * UINT64_C(0x9e3779b97f4a7c15);
		g->random |= 1;
		for (int i = 0; i < 20; i++)
			graph_ref(g, graph_random(g, SMALL), graph_random(g, SMALL));
		for (int i = 0; i < 5; i++)
			graph_root(g, graph_random(g, SMALL), kinds[graph_random(g, 5)], "root");
		h = graph_heap(g);
		rev = reverse_compute(h, NULL, &err);
		reach = reach_compute(h, false, NULL, &err);
		assert_non_null(rev);
		assert_non_null(reach);
		for (node_id n = 0; n < SMALL; n++)
			words += check_object(h, reach, rev, n);
		reach_free(reach);
		reverse_free(rev);
		heap_free(h);
		graph_free(g);
	}
	assert_true(words > 100);
}

/* --- where they are too many ---------------------------------------------- */

/* 0 is what is held; static → far → … → 0, a word names `word`. */
enum { CHAIN = 9 };

static struct graph *
chain_graph(uint32_t more)
{
	struct graph *g = graph_new(CHAIN + 1 + more, 1);

	for (node_id n = 0; n < CHAIN; n++)
		graph_ref(g, n + 1, n);
	graph_root(g, CHAIN, ROOT_STATIC, "Far");
	return g;
}

static struct stack_words
words_of(struct graph *g, node_id n, char *said, size_t said_size)
{
	const struct heap *h = graph_heap(g);
	struct error err = { 0 };
	const struct reverse *rev = reverse_compute(h, NULL, &err);
	const struct reach *reach = reach_compute(h, false, NULL, &err);
	struct stack_words w, out;

	assert_non_null(rev);
	assert_non_null(reach);
	assert_true(stack_words_find(&w, reach, rev, NULL, n, &err));
	describe_stack_words(&w, false, said, said_size);
	out = w;
	stack_words_clear(&w);
	reach_free(reach);
	reverse_free(rev);
	heap_free(h);
	graph_free(g);
	return out;
}

TEST(many_words_are_told)
{
	struct graph *g;
	struct stack_words w;
	char said[160];

	g = chain_graph(0);
	w = words_of(g, 0, said, sizeof said);
	assert_string_equal(said, "");
	g = chain_graph(0);
	graph_root(g, 0, ROOT_STACK_WORD, "thread 1");
	w = words_of(g, 0, said, sizeof said);
	assert_string_equal(said, "1 stack slot may also keep it alive");
	g = chain_graph(0);
	graph_root(g, 3, ROOT_STACK_WORD, "thread 1");
	w = words_of(g, 0, said, sizeof said);
	assert_string_equal(said, "1 stack slot may also keep it alive, 3 references away");
	g = chain_graph(0);
	graph_root(g, 0, ROOT_STACK_WORD, "thread 1");
	graph_root(g, 1, ROOT_STACK_WORD, "thread 2");
	graph_root(g, CHAIN, ROOT_STACK_WORD, "as far as the static");
	w = words_of(g, 0, said, sizeof said);
	assert_string_equal(said, "2 stack slots may also keep it alive, 1 directly");
	g = chain_graph(0);
	for (int i = 0; i <= STACK_WORDS_MAX; i++)
		graph_root(g, 0, ROOT_STACK_WORD, "thread 1");
	w = words_of(g, 0, said, sizeof said);
	assert_false(w.is_all);
	assert_string_equal(said, "at least 20 stack slots may also keep it alive");
}

/* Many refer to it; the search for words ends, and says so. */
TEST(search_is_bounded)
{
	struct graph *g = chain_graph(STACK_WORDS_VISITS + 10);
	struct stack_words w;
	char said[160];

	for (node_id n = 0; n < STACK_WORDS_VISITS + 10; n++) {
		graph_ref(g, CHAIN + 1 + n, 0);
		graph_ref(g, CHAIN, CHAIN + 1 + n);
	}
	graph_root(g, 0, ROOT_STACK_WORD, "thread 1");
	w = words_of(g, 0, said, sizeof said);
	assert_false(w.is_all);
	assert_string_equal(said, "at least 1 stack slot may also keep it alive");
}

/* --- on the screen -------------------------------------------------------- */

/* A static is two references away, over many ways; two words hold it. */
static const struct heap *
held_heap(bool has_static)
{
	enum { WIDTH = 30 };
	struct graph *g = graph_new(2 + WIDTH, 2);
	const struct heap *h;

	g->type_names[0] = "Shop.Order";
	g->type_names[1] = "Shop.Customer";
	g->types[0] = 1;
	for (node_id n = 0; n < WIDTH; n++) {
		graph_ref(g, 2 + n, 0);
		graph_ref(g, 1, 2 + n);
	}
	if (has_static)
		graph_root(g, 1, ROOT_STATIC, "P.Cache");
	graph_root(g, 0, ROOT_STACK_WORD, "thread 7 main");
	graph_root(g, 0, ROOT_STACK_WORD, "thread 8 pool");
	h = graph_heap(g);
	graph_free(g);
	return h;
}

static const struct heap *
also_static(void)
{
	return held_heap(true);
}

static const struct heap *
words_alone(void)
{
	return held_heap(false);
}

/* clang-format off */
static const struct screen_case looks[] = {
	{ "words-inspect",       also_static, 24, 80, false, false, ":objects_Shop.Customer i" },
	{ "words-inspect-40x10", also_static, 10, 40, false, false, ":objects_Shop.Customer i" },
	{ "words-paths",         also_static, 24, 80, false, false, ":objects_Shop.Customer p G" },
	{ "words-paths-40x10",   also_static, 10, 40, false, false, ":objects_Shop.Customer p" },
	{ "words-opened",        also_static, 50, 80, false, false, ":objects_Shop.Customer p G Enter g Enter" },
	/* All better ways are listed: the words are ways like others. */
	{ "words-all",           also_static, 60, 80, false, false, ":objects_Shop.Customer p G k k Enter G" },
	/* And there is nothing better. */
	{ "words-alone",         words_alone, 24, 80, false, false, ":objects_Shop.Customer i p" },
};
/* clang-format on */

TEST(screens)
{
	expect_screens(looks, COUNT_OF(looks), app_on);
}
