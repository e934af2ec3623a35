/* Lists of made-up heaps, in which it is known what must be counted. */
#include "tests/drive/heaps.h"
#include "tests/drive/lists.h"
#include "tests/made/graphs.h"
#include "tests/made/text_heap.h"
#include <string.h>

static void
expect_heading(const struct view *v, unsigned line, const char *begins)
{
	struct value text;

	assert_true(view_heading(v, line, &text));
	if (strncmp(text.text, begins, strlen(begins)) != 0)
		fail_msg("expected %s, found %s", begins, text.text);
}

/* a1 refers to b1 twice. Each object has 24 bytes. */
TEST(repeated_references_count_an_object_once)
{
	struct text_heap m;
	struct app *app = app_on(text_heap(&m, "a1:b1,b1,c1 b1 c1 !static:S=a1"));
	const struct view *v = list_open(app, "references 1000");

	assert_int_equal(v->rows_count, 3);
	expect_heading(v, 0, "3 references to 2 objects, 48 B, ");
	v = list_open(app, "referrers 1020");
	assert_int_equal(v->rows_count, 1);
	expect_heading(v, 0, "1 object, 24 B, ");
	app_end(app);
}

/* One timer refers to an A, two refer to a B each. */
TEST(timers_of_the_most_common_kind_come_first)
{
	struct graph *g = graph_new(6, 3);
	struct app *app;
	const struct view *v;

	g->type_names[0] = FRAMEWORK_TYPE "TimerQueueTimer";
	g->type_names[1] = "Shop.A";
	g->type_names[2] = "Shop.B";
	for (node_id n = 0; n < 3; n++) {
		graph_root(g, n, ROOT_STATIC, "timers");
		graph_ref(g, n, n + 3);
		g->types[n + 3] = n ? 2 : 1;
	}
	app = app_on(heap_of_graph(g));
	v = list_open(app, "timers");
	expect_heading(v, 0, "3 timers; ");
	expect_heading(v, 1, "2 × a static method, for Shop.B");
	expect_heading(v, 2, "1 × a static method, for Shop.A");
	app_end(app);
}
