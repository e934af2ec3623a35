/* The lines above a table where ways are long and lines are few. */
#include "tests/made/graphs.h"
#include "tests/drive/heaps.h"
#include "tests/drive/run_tests.h"
#include "tests/drive/screens.h"
#include <stdlib.h>
#include <string.h>

enum { CHAIN = 6, REFERRERS = 30 };

/* A static holds it over objects whose names are long; many others do, too. */
static const struct heap *
deep_heap(void)
{
	static const char *const names[CHAIN] = {
		"System.Collections.Generic.Dictionary`2[System.String,"
		"System.Collections.Generic.List`1[System.Collections.Generic."
		"KeyValuePair`2[Shop.Order,System.Tuple`2[System.Int32,System.String]]]]",
		"System.Collections.Generic.List`1[System.Collections.Generic."
		"KeyValuePair`2[Shop.Order,System.Tuple`2[System.Int32,System.String]]]",
		"System.Collections.Generic.KeyValuePair`2[Shop.Order,"
		"System.Tuple`2[System.Int32,System.String]][]",
		"System.Tuple`2[Shop.Order,System.Tuple`2[System.Int32,System.String]]",
		"Shop.Order",
		"Shop.Customer",
	};
	struct graph *g = graph_new(CHAIN + REFERRERS, CHAIN);
	const struct heap *h;

	for (node_id n = 0; n < CHAIN; n++) {
		g->type_names[n] = names[n];
		g->types[n] = n;
		if (n)
			graph_ref(g, n - 1, n);
	}
	for (node_id n = CHAIN; n < CHAIN + REFERRERS; n++) {
		g->types[n] = CHAIN - 2;
		graph_ref(g, 3, n);
		graph_ref(g, n, CHAIN - 1);
	}
	graph_root(g, 0, ROOT_STATIC, "P.Cache");
	h = graph_heap(g);
	graph_free(g);
	return h;
}

/* clang-format off */
static const struct screen_case looks[] = {
	{ "heading-inspect",     deep_heap, 24, 80, false, false, ":objects_^Shop.Customer i" },
	{ "heading-paths",       deep_heap, 24, 80, false, false, ":objects_^Shop.Customer p" },
	{ "heading-paths-40x10", deep_heap, 10, 40, false, false, ":objects_^Shop.Customer p" },
	/* Rows have no use for all the lines. */
	{ "heading-roomy",       deep_heap, 60, 80, false, false, ":objects_^Shop.Customer p G" },
};
/* clang-format on */

TEST(test_screens)
{
	expect_screens(looks, COUNT_OF(looks), app_on);
}

/*
 * However wide the screen: the last line above the table is the end of what it tells, and does not
 * look cut.
 */
TEST(test_complete_sentences)
{
	static const char cut[] = "…";
	char wanted[8];

	for (int columns = 24; columns < 130; columns++) {
		struct app *app = app_on(heap_of_graph(graph_list(9)));
		struct screen *s = screen_for_test(10, columns, false);
		const struct view *v;
		char *text, *line;
		size_t len;

		app_steps(app, s, ":paths_10000");
		v = app_view(app);
		text = app_screen_text(app, s);
		assert_true(v->heading_lines > 0);
		line = text;
		for (int i = 1; i < v->area.row + v->heading_lines; i++)
			line = strchr(line, '\n') + 1;
		len = strcspn(line, "\n");
		assert_true(len > strlen(cut));
		snprintf(wanted, sizeof wanted, "%.3s", line + len - 3);
		if (!strcmp(wanted, cut))
			fail_msg("%d columns: %.*s", columns, (int)len, line);
		free(text);
		app_end(app);
	}
}
