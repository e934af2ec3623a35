/*
 * The tree of a whole type, on real dumps and made-up heaps: it leads to a
 * root whenever there is one, each row hangs on the one it refers to.
 */
#include "model/heap/root_gaps.h"
#include "io/gcdump/gcdump.h"
#include "tests/drive/heaps.h"
#include "tests/made/graphs.h"
#include "tests/drive/jobs.h"
#include "tests/drive/files.h"
#include "tests/drive/heaps.h"
#include "tests/drive/run_tests.h"
#include "tests/drive/screens.h"
#include "tui/session/describe.h"
#include "tui/tables/merged_cuts.h"
#include "tui/app/views.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

static struct row
row_at(const struct view *v, size_t index)
{
	struct row row;

	view_row(v, index, &row);
	return row;
}

static void
open_tree(struct app *app, type_id type)
{
	struct target target = target_of_type(type);
	struct error err = { 0 };

	assert_ok(app_open(app, &view_merged, &target, &err), &err);
}

/* A row stands at most one below the one before it. */
static void
expect_depths(const struct view *v)
{
	uint32_t depth = 0;

	for (size_t i = 0; i < v->rows_count; i++) {
		struct row row = row_at(v, i);

		if (i ? row.depth == 0 || row.depth > depth + 1 : row.depth)
			fail_msg("%s: row %zu is at depth %u below %u", v->title, i, row.depth,
				 depth);
		depth = row.depth;
	}
}

static bool
has_root_row(const struct view *v)
{
	for (size_t i = 0; i < v->rows_count; i++)
		if (row_at(v, i).kind == ROW_ROOT)
			return true;
	return false;
}

/* For each type: can one of its objects be reached? */
static uint8_t *
types_reached(const struct session *s)
{
	uint8_t *reached = calloc(s->heap->types_count + 1, 1);

	assert_non_null(reached);
	for (node_id n = 0; n < s->heap->nodes_count; n++)
		if (session_root_of(s, n))
			reached[heap_type_of(s->heap, n)] = 1;
	return reached;
}

/* `*` ends at a root, from the top and from any row opened by hand. */
static void
expect_star_finds_root(struct app *app, struct screen *s)
{
	const struct view *v = app_view(app);

	app_steps(app, s, "g *");
	assert_int_equal(row_at(v, v->cursor).kind, ROW_ROOT);
	app_steps(app, s, "g - *");
	assert_int_equal(row_at(v, v->cursor).kind, ROW_ROOT);
	/* One more press where all ways lead back to a row above. */
	app_steps(app, s, "G * *");
	assert_int_equal(row_at(v, v->cursor).kind, ROW_ROOT);
	expect_depths(v);
}

static uint32_t
check_all_types(const struct heap *h)
{
	struct app *app = app_on(h);
	struct screen *s = screen_for_test(24, 80, false);
	uint8_t *reached = types_reached(app->session);
	uint32_t checked = 0;

	for (type_id t = 0; t < h->types_count; t++) {
		if (!h->types[t].count)
			continue;
		open_tree(app, t);
		expect_depths(app_view(app));
		if (has_root_row(app_view(app)) != reached[t])
			fail_msg("%s: a root is %s", h->types[t].raw,
				 reached[t] ? "not shown" : "made up");
		if (reached[t])
			expect_star_finds_root(app, s);
		app_steps(app, s, "q");
		checked += reached[t];
	}
	free(reached);
	app_end(app);
	return checked;
}

TEST(test_dumps)
{
	static const struct {
		const char *name;
		uint32_t types; /* with a reachable object, at least */
	} dumps[] = {
		{ "tests/data/leaky-10.gcdump", 160 },
		{ "tests/data/leaky-10-later.gcdump.zst", 200 },
		{ "tests/data/leaky-10-server.gcdump.zst", 160 },
		{ "tests/data/leaky-9.gcdump.zst", 160 },
		{ "tests/data/leaky-8.gcdump.zst", 150 },
	};

	for (size_t i = 0; i < COUNT_OF(dumps); i++)
		assert_true(check_all_types(heap_of_file(dumps[i].name)) >= dumps[i].types);
}

TEST(test_graphs)
{
	static const uint32_t sizes[] = { 1, 9, 100, 3000, 20000 };

	for (size_t i = 0; i < COUNT_OF(sizes); i++) {

		check_all_types(heap_of_graph(graph_mixed(i + 31, sizes[i])));
	}
}

/*
 * Steps of two types in turn: longer than one key opens, and what hangs on
 * the far end is as far from the root.
 */
TEST(test_far_root)
{
	enum { STEPS = 500 };
	struct graph *g = graph_new(STEPS, STEPS);
	struct screen *s = screen_for_test(24, 80, false);
	struct app *app;

	for (node_id n = 0; n < STEPS; n++) {
		g->types[n] = n;
		if (n)
			graph_ref(g, n - 1, n);
	}
	graph_root(g, 0, ROOT_STATIC, "Far");
	app = app_on(graph_heap(g));
	open_tree(app, STEPS - 1);
	assert_false(has_root_row(app_view(app)));
	expect_steps(app, s, "*", "merged-far");
	app_steps(app, s, "* *");
	assert_true(has_root_row(app_view(app)));
	assert_int_equal(row_at(app_view(app), app_view(app)->cursor).kind, ROW_ROOT);
	expect_depths(app_view(app));
	app_end(app);
}

/* --- no root ------------------------------------------------------------- */

static node_id
unreached(const struct session *s, const char *type)
{
	for (node_id n = 0; n < s->heap->nodes_count; n++)
		if (!session_root_of(s, n) && !strcmp(heap_type(s->heap, n)->name, type))
			return n;
	fail_msg("no %s without a root", type);
	return NODE_NONE;
}

static void
expect_no_root(const struct heap *h, const char *type, const char *why, const char *meaning,
	       const char *column)
{
	struct app *app = app_on(h);
	node_id node = unreached(app->session, type);
	char text[VALUE_TEXT_BYTES];
	struct facts facts = session_facts(app->session);
	struct value value;

	assert_string_equal(describe_why(app->session, node, text, sizeof text), why);
	assert_string_equal(
	    describe_no_root(app->session, heap_type_of(h, node), text, sizeof text), meaning);
	describe_root_of(&facts, node, &value);
	assert_string_equal(value.text, column);
	app_end(app);
}

/* The first bytes of a real dump. */
static const struct heap *
cut_heap(size_t len)
{
	struct error err = { 0 };
	char *data = file_read(LEAKY_10, NULL);
	const struct heap *h =
	    gcdump_read((const uint8_t *)data, len, NULL,
			&(struct load_how){ .path = "cut", .what = LOAD_ALL }, &err);

	free(data);
	assert_ok(h, &err);
	return h;
}

/* An object without a root, beside one that has a root. */
static const struct heap *
garbage_heap(const char *type)
{
	struct graph *g = graph_new(2, 2);
	const struct heap *h;

	g->type_names[0] = type;
	g->types[1] = 1;
	graph_root(g, 1, ROOT_STATIC, "S");
	h = graph_heap(g);
	graph_free(g);
	return h;
}

/* Adds gaps: those of Native AOT, or handles, statics and stacks. */
static const struct heap *
with_gaps(const struct heap *h, bool is_native_aot)
{
	struct losses *l = &((struct heap *)(uintptr_t)h)->info.losses;

	if (is_native_aot) {
		root_gaps_add_native_aot(l);
		return h;
	}
	root_gaps_add(l, GAP_HANDLES, GAP_ABSENT);
	root_gaps_add(l, GAP_STATICS, GAP_ABSENT);
	root_gaps_add(l, GAP_STACKS, GAP_ABSENT);
	return h;
}

/* Where the frozen heap is in no source of that kind. */
static const struct heap *
as_gclog(const struct heap *h)
{
	((struct heap *)(uintptr_t)h)->info.format = "gclog 2";
	return h;
}

TEST(test_no_root)
{
	expect_no_root(with_gaps(garbage_heap("My.Thing"), true), "My.Thing",
		       "what keeps this Thing is unknown",
		       "it may be kept by stacks and thread-static variables, which Native AOT "
		       "does not report",
		       "unknown");
	expect_no_root(with_gaps(garbage_heap("My.Thing"), false), "My.Thing",
		       "what keeps this Thing is unknown",
		       "it may be kept by parts of stacks, static variables and handles, which are "
		       "not in memory",
		       "unknown");
	expect_no_root(as_gclog(garbage_heap("System.String")), "string",
		       "no root in the file leads to this string",
		       "garbage that survived the collection", "no root");
	/* Nothing is claimed where the roots may have been lost. */
	expect_no_root(cut_heap(300000), "Leaky.Session", "what keeps this Session is unknown",
		       "the roots were lost where the file was cut", "unknown");
	expect_no_root(leaky_heap(), "string", "no root in the file leads to this string",
		       "garbage that survived, or in the frozen heap (.NET 8+), which has no roots",
		       "no root");
	expect_no_root(garbage_heap("My.Thing"), "My.Thing",
		       "no root in the file leads to this Thing",
		       "garbage that survived the collection", "no root");
}

/* A name that does not fit is cut in the middle: its end matters most. */
TEST(test_long_names)
{
	enum { LONG_BYTES = 450, CHAIN = 9 };
	static char middle[LONG_BYTES], end[LONG_BYTES];
	static const size_t lens[][2] = { { 90, 7 }, { 300, 60 }, { 20, 440 } };

	for (size_t i = 0; i < COUNT_OF(lens); i++) {
		struct graph *g = graph_new(CHAIN, 2);
		char text[VALUE_TEXT_BYTES];
		struct app *app;
		const char *last;
		node_id node = 0;

		snprintf(middle, sizeof middle, "%0*d", (int)lens[i][0], 0);
		snprintf(end, sizeof end, "%0*d", (int)lens[i][1], 1);
		g->type_names[0] = middle;
		g->type_names[1] = end;
		g->types[CHAIN - 1] = 1;
		for (node_id n = 0; n + 1 < CHAIN; n++)
			graph_ref(g, n, n + 1);
		graph_root(g, 0, ROOT_STATIC, "S");
		app = app_on(graph_heap(g));
		graph_free(g);
		while (heap_type_of(app->session->heap, node) != 1)
			node++;
		describe_why(app->session, node, text, sizeof text);
		assert_memory_equal(text, "kept by static S → ", 21);
		last = strrchr(text, ' ') + 1;
		assert_string_equal(last, end);
		app_end(app);
	}
}

/* --- rows that have opened before anybody looks --------------------------- */

static size_t
closed_row(const struct view *v, size_t from)
{
	while (from < v->rows_count && row_at(v, from).fold != FOLD_CLOSED)
		from++;
	assert_true(from < v->rows_count);
	return from;
}

static void
update_until_settled(struct app *app)
{
	do
		app_poll(app);
	while (view_is_busy(app_view(app)) || session_job(app->session));
}

/* Its rows push the next one that is to open further down. */
TEST(opened_while_another_ends)
{
	struct app *app = app_with_retention(leaky_heap());
	struct error err = { 0 };
	struct row first, second;
	struct view *v;
	size_t at;

	app->session->waker = jobs_on_threads();
	assert_true(app_command(app, "tree string", &err));
	update_until_settled(app);
	v = app_view(app);
	first = row_at(v, closed_row(v, 1));
	view_move_to(v, closed_row(v, closed_row(v, 1) + 1));
	second = row_at(v, v->cursor);
	assert_true(view_fold(v, closed_row(v, 1), true, &err));
	while (!job_is_done(view_job(v)))
		sched_yield();
	assert_true(view_fold(v, v->cursor, true, &err));
	update_until_settled(app);
	assert_int_equal(row_at(v, v->cursor).key, second.key);
	assert_int_equal(row_at(v, v->cursor).fold, FOLD_OPEN);
	at = v->cursor;
	while (at > 0 && row_at(v, at).key != first.key)
		at--;
	assert_int_equal(row_at(v, at).fold, FOLD_OPEN);
	app_end(app);
}

/* All of a column are in the unit of its largest, whatever is on its way. */
TEST(one_unit_while_more_comes)
{
	struct app *app = app_with_retention(leaky_heap());
	struct error err = { 0 };
	uint64_t largest = 0;
	struct value size;
	struct view *v;
	int column;

	app->session->waker = jobs_on_threads();
	assert_true(app_command(app, "tree string", &err));
	v = app_view(app);
	while (!v->rows_count || !v->job)
		app_poll(app);
	column = column_by_id(v->ops->table->columns, "size");
	for (size_t i = 0; i < v->rows_count; i++) {
		struct row row = row_at(v, i);

		view_cell(v, &v->ops->table->columns[column], &row, &size);
		if (size.number > largest)
			largest = size.number;
	}
	assert_true(largest > 0);
	assert_int_equal(v->largest.bytes[column], largest);
	assert_int_equal(size.largest, largest);
	update_until_settled(app);
	assert_int_equal(v->largest.bytes[column], largest);
	column = column_by_id(v->ops->table->columns, "frees");
	assert_true(v->largest.bytes[column] > 0);
	app_end(app);
}

/* --- what each row would free --------------------------------------------- */

/* In a large heap a few rows are measured at a time, in a small one all. */
TEST(test_rows_at_a_time)
{
	enum { ROWS = 11 };
	static const struct {
		uint32_t nodes_count;
		size_t planned;
	} cases[] = {
		{ 1000, ROWS - 1 }, { 20000000, ROWS - 1 }, { 20000001, 9 },
		{ 90000000, 2 },    { 200000000, 1 },       { 200000001, 0 },
	};
	struct merged_row sets[ROWS] = { 0 };
	struct row items[ROWS] = { 0 };
	const struct rows rows = { items, ROWS, ROWS };

	for (uint32_t i = 0; i < ROWS; i++) {
		items[i].kind = ROW_TYPE;
		items[i].depth = i;
		items[i].key = i;
		items[i].data = (uintptr_t)&sets[i];
	}
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		const struct heap h = { .nodes_count = cases[i].nodes_count };
		const struct merged_cuts known = { 0 };
		struct merged_cuts plan = { 0 };
		struct error err = { 0 };

		assert_true(merged_cuts_plan(&plan, &known, &rows, &h, &err));
		assert_int_equal(plan.count, cases[i].planned);
		merged_cuts_clear(&plan);
	}
}
