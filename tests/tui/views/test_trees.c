/*
 * Trees of referrers and the inspector: their rows on heaps that are written down as text, and on a
 * real dump.
 */
#include "tests/made/graphs.h"
#include "tests/made/text_heap.h"
#include "tests/drive/run_tests.h"
#include "tests/drive/screens.h"
#include "tui/tables/referrer_expansion.h"
#include "tui/app/views.h"

#include <string.h>

/* --- rows as text -------------------------------------------------------- */

enum { TEXT_BYTES = 8192 };

/* "-a1 +b1 .root": a line a row; what the name does not tell is the fold. */
static void
add_line(const struct view *v, const struct text_heap *m, size_t index, char text[TEXT_BYTES])
{
	static const char folds[] = { [FOLD_NONE] = '.', [FOLD_CLOSED] = '+', [FOLD_OPEN] = '-' };
	char out[VALUE_TEXT_BYTES];
	size_t len = strlen(text);
	struct value name;
	struct row row;

	view_row(v, index, &row);
	view_cell(v, table_name_column(v->ops->table), &row, &name);
	len += (size_t)snprintf(text + len, TEXT_BYTES - len, "%*s%c", (int)row.depth, "",
				folds[row.fold]);
	if (m && (row.kind == ROW_OBJECT || row.kind == ROW_PLAIN))
		snprintf(text + len, TEXT_BYTES - len, "%s%s", m->names[row.node],
			 index == v->cursor ? " <" : "");
	else
		snprintf(text + len, TEXT_BYTES - len, "%s%s", value_for_people(&name, out),
			 index == v->cursor ? " <" : "");
	len = strlen(text);
	for (const struct column *c = v->ops->table->columns; c->id; c++) {
		struct value value;

		/* The numbers that say how often, how many. */
		if (strcmp(c->id, "times") && strcmp(c->id, "objects") && strcmp(c->id, "held"))
			continue;
		view_cell(v, c, &row, &value);
		if (value.kind != VALUE_BLANK)
			len += (size_t)snprintf(text + len, TEXT_BYTES - len, " %s",
						value_for_people(&value, out));
	}
	snprintf(text + len, TEXT_BYTES - len, "\n");
}

static void
expect_rows(struct app *app, const struct text_heap *m, const char *wanted)
{
	const struct view *v = app_view(app);
	char text[TEXT_BYTES] = "";

	for (size_t i = 0; i < v->rows_count; i++)
		add_line(v, m, i, text);
	assert_string_equal(text, wanted);
}

/* clang-format off */
static const struct tree_case {
	const char *name, *heap, *steps, *rows;
} cases[] = {
	{ "way to a static is open at first",
	  "a1:b1 b1:c1 c1 !static:S=a1", ":tree_1040",
	  "-c1 <\n -b1\n  -a1\n   .static S\n" },
	{ "to the root",
	  "a1:b1 b1:c1 c1 !static:S=a1", ":tree_1040 *",
	  "-c1\n -b1\n  -a1\n   .static S <\n" },
	{ "to the root, opened again",
	  "a1:b1 b1:c1 c1 !static:S=a1", ":tree_1040 - *",
	  "-c1\n -b1\n  -a1\n   .static S <\n" },
	{ "from a row below",
	  "a1:b1 b1:c1 c1 !static:S=a1", ":tree_1040 j *",
	  "-c1\n -b1\n  -a1\n   .static S <\n" },
	{ "the cheapest first, then the nearest",
	  "a1:z1 b1:a1 c1:z1 d1:c1 e1:d1 z1 f1:z1 !stack=e1 !static=b1 !strong=f1", ":tree_10a0",
	  "-z1 <\n -a1\n  -b1\n   .static\n +f1\n +c1\n" },
	{ "the cheapest way comes first even if another is as near",
	  "a1:z1 b1:z1 z1 !stack=a1 !static=b1", ":tree_1040",
	  "-z1 <\n -b1\n  .static\n +a1\n" },
	{ "several references of one object are one row",
	  "a1:b1,b1,b1 b1 !static:S=a1", ":tree_1020",
	  "-b1 <\n -a1 ×3\n  .static S\n" },
	{ "itself",
	  "a1:a1,a1 !static:S=a1", ":tree_1000",
	  "-a1 <\n .static S\n .a refers to itself ×2\n" },
	{ "cycle",
	  "a1:b1 b1:c1 c1:a1 !static:S=a1", ":tree_1040 j j j j",
	  "-c1\n -b1\n  -a1\n   .static S\n   .c, cycle: 3 levels up <\n" },
	{ "a cycle leads to its row",
	  "a1:b1 b1:c1 c1:a1 !static:S=a1", ":tree_1040 G +",
	  "-c1 <\n -b1\n  -a1\n   .static S\n   .c, cycle: 3 levels up\n" },
	{ "nobody, no root",
	  "a1", ":tree_1000",
	  ".a1 <\n" },
	{ "unreachable cycle is told, not followed",
	  "a1:b1 b1:a1", ":tree_1000 e",
	  "-a1\n -b1\n  .a, cycle: 2 levels up <\n" },
	{ "unreachable has no way to a root",
	  "a1:b1 b1:a1", ":tree_1000 *",
	  "-a1 <\n +b1\n" },
	{ "follow stops where there is a choice",
	  "a1:c1 b1:c1 c1:d1 d1:e1 e1 !stack=a1", ":tree_1080 - e",
	  "-e1\n -d1\n  -c1 <\n   +a1\n   .b1\n" },
	{ "follow stops at a root",
	  "a1:b1 b1:c1 c1 !stack:Main=b1", ":tree_1040 - e",
	  "-c1\n -b1 <\n  .stack Main\n  .a1\n" },
	{ "follow comes to the only root",
	  "b1:c1 c1 !stack:Main=b1", ":tree_1020 - e",
	  "-c1\n -b1\n  .stack Main <\n" },
	{ "roots of every kind, best first",
	  "a1 !other=a1 !dependent=a1 !finalizer=a1 !stack=a1 !frozen=a1 !sized-ref=a1 !ref-counted=a1 "
	  "!async-pinned=a1 !pinned=a1 !strong=a1 !thread-static:T=a1 !static:S=a1", ":tree_1000",
	  "-a1 <\n .static S\n .thread static T\n .strong handle\n .pinned handle\n .async pinned handle\n"
	  " .ref-counted handle\n .sized-ref handle\n .frozen heap\n .stack or thread static\n .finalizer queue\n"
	  " .a dependent handle (ConditionalWeakTable); its key is not in the file\n .other root\n" },
	{ "equal roots are one row",
	  "a1 !stack:Main=a1 !stack:Main=a1 !stack:Run=a1 !stack:Main=a1", ":tree_1000",
	  "-a1 <\n .stack Main ×3\n .stack Run\n" },
	{ "a finalizer hides no better reason further away",
	  "a1:b1 b1:c1 c1 f1:c1 !static:S=a1 !finalizer=f1", ":tree_1040 *",
	  "-c1\n -b1\n  -a1\n   .static S <\n +f1\n" },
	{ "fold",
	  "a1:b1 b1:c1 c1 !static:S=a1", ":tree_1040 j -",
	  "-c1\n +b1 <\n" },
	{ "fold and open again",
	  "a1:b1 b1:c1 c1 !static:S=a1", ":tree_1040 j - +",
	  "-c1\n -b1 <\n  +a1\n" },
	{ "the cheapest way may lead back",
	  /* b1 refers to a1, and only a1's other referrer is held. */
	  "a1:b1 b1:a1 c1:a1 !static:S=c1", ":tree_1000 j j *",
	  "-a1\n -c1\n  .static S <\n +b1\n" },
	{ "the way of a row below may lead through one above",
	  "a1:b1 b1:a1 c1:a1 !static:S=c1", ":tree_1000 G + j *",
	  "-a1\n -c1\n  .static S <\n -b1\n  .a, cycle: 2 levels up\n" },
	{ "filter keeps what the match stands under",
	  "a1:c1 b1:c1 c1:d1 d1 !static:S=a1", ":tree_1060 :filter_S",
	  "-d1 <\n -c1\n  -a1\n   .static S\n" },
	{ "filter hides the others",
	  "a1:d1 b1:d1 c1:d1 d1 !static:S=a1", ":tree_1060 :filter_^b$",
	  "-d1 <\n .b1\n" },
	{ "filter gone",
	  "a1:d1 b1:d1 c1:d1 d1 !static:S=a1", ":tree_1060 :filter_^b$ Esc",
	  "-d1 <\n -a1\n  .static S\n .b1\n .c1\n" },
	{ "merged",
	  "s1:a1,a2,a3 l1:s1 a1 a2 a3 d1:a1,a1 d2:a2 !static:Sessions=l1 !stack=a1", ":tree_a",
	  "-a < 3\n -s 1 3\n  -l 1 1\n   .static Sessions 1\n +d 2 2\n .stack or thread static 1\n" },
	{ "merged, to the root",
	  "s1:a1,a2,a3 l1:s1 a1 a2 a3 !static:Sessions=l1", ":tree_a *",
	  "-a 3\n -s 1 3\n  -l 1 1\n   .static Sessions < 1\n" },
	{ "merged: objects above are cycles",
	  "n1:n2,x1 n2:n3,x2 n3:n1 x1 x2 !static:Head=n1", ":tree_n",
	  "-n < 3\n .static Head 1\n .n, 3 already above\n" },
	{ "merged: a cycle through another type",
	  "a1:b1 b1:a1,a2 a2 !static:S=a2", ":tree_a",
	  "-a < 2\n +b 1 2\n .static S 1\n" },
	{ "merged: what holds most is no way to a root",
	  "a1 a2 b1:a1,a2 c1:b1 d1:a1 !static:S=d1", ":tree_a",
	  "-a < 2\n +b 1 2\n -d 1 1\n  .static S 1\n" },
	{ "merged: a way that comes back to a row above is none",
	  /* a1 and a2 are held through a3. */
	  "a1 a2 a3:b1 b1:a1,a2 d1:a3 !static:S=d1", ":tree_a",
	  "-a < 3\n +b 1 2\n -d 1 1\n  .static S 1\n" },
	{ "merged: opened by hand, then to the root by another way",
	  "a1 a2 a3:b1 b1:a1,a2 d1:a3 !static:S=d1", ":tree_a j + *",
	  "-a 3\n -b 1 2\n  .a, 1 already above\n -d 1 1\n  .static S < 1\n" },
	{ "merged: held by nobody",
	  "a1 b1 !static:S=b1", ":tree_a",
	  "-a < 1\n" },
	{ "merged: no root at all",
	  "a1:b1 b1:c1,a1 c1:b1 d1 !stack=d1", ":tree_c",
	  "-c < 1\n +b 1 1\n" },
	{ "merged, fold and open",
	  "s1:a1,a2 l1:s1 a1 a2 !static:S=l1", ":tree_a - +",
	  "-a < 2\n +s 1 2\n" },
	{ "merged: Enter lists the objects of the row",
	  "s1:a1,a2 s2 s3:s2 a1 a2 !static:S=s1 !static:T=s3", ":tree_a j Enter",
	  ".s1 <\n" },
	{ "merged: their order and filter",
	  "s1:a1 s2 s3:a1 a1 !static:S=s1 !static:T=s3", ":tree_a j Enter :sort_address :filter_s",
	  ".s1 <\n.s3\n" },
	{ "merged: Enter on the top lists the type",
	  "s1:s2,a1 s2 s3 a1 !static:S=s1", ":tree_s Enter",
	  ".s1 <\n.s2\n.s3\n" },
	{ "merged, follow",
	  "s1:a1,a2 l1:s1 a1 a2 !static:S=l1", ":tree_a - + e",
	  "-a 2\n -s 1 2\n  -l 1 1\n   .static S < 1\n" },
	{ "merged for the type of an object",
	  "s1:a1,a2 l1:s1 a1 a2 !static:S=l1", ":objects_a P",
	  "-a < 2\n -s 1 2\n  -l 1 1\n   .static S 1\n" },
	{ "merged, opened by r on a type",
	  "a1 !static:S=a1", "r",
	  "-a < 1\n .static S 1\n" },
	{ "all rows closed",
	  "a1:b1 b1:c1 c1:d1 d1 !static:S=a1", ":dominators + j + j + :fold-rows",
	  "+a1\n" },
	{ "all rows closed, and none is left for the filter",
	  "a1:b1 b1:c1 c1:d1 d1 !static:S=a1", ":dominators + j + j + :filter_^d$ :fold-rows",
	  "" },
	{ "all rows closed, and some are left for the filter",
	  "a1:b1 b1:c1 c1:d1 d1 e1:f1 f1 !static:S=a1 !static:T=e1", ":dominators + j + j + :filter_^[def]$ :fold-rows g",
	  "+e1 <\n" },
	{ "roots by kind, then by name",
	  "a1 b1 !stack:Main=a1 !static:Z=a1 !strong=b1 !static:A=b1", ":roots",
	  "-static: 2 roots <\n .A\n .Z\n-strong handle: 1 root\n .strong handle\n-stack: 1 root\n .Main\n" },
	{ "roots, group closed",
	  "a1 b1 !static:Z=a1 !strong=b1 !static:A=b1", ":roots - j",
	  "+static: 2 roots\n-strong handle: 1 root <\n .strong handle\n" },
	{ "roots, filtered",
	  "a1 b1 !static:Z=a1 !strong=b1 !static:A=b1", ":roots :filter_^Z",
	  "-static: 1 root <\n .Z\n" },
	{ "roots, filtered, its group open",
	  "a1 b1 !static:Z=a1 !strong=b1 !static:A=b1", ":roots - :filter_^Z",
	  "-static: 1 root <\n .Z\n" },
	{ "roots, no longer filtered",
	  "a1 b1 !static:Z=a1 !strong=b1 !static:A=b1", ":roots - :filter_^Z Esc",
	  "+static: 2 roots <\n-strong handle: 1 root\n .strong handle\n" },
	{ "roots, other way round",
	  "a1 b1 !static:Z=a1 !static:A=b1", ":roots :sort_name",
	  "-static: 2 roots <\n .Z\n .A\n" },
	{ "weak handles are no roots",
	  "a1 b1 !static:Z=a1 !weak=b1 !weak=a1 !weak=b1", ":roots",
	  "-static: 1 root <\n .Z\n-weak handle: 2 objects\n .a1\n .b1\n" },
	{ "weak handles, filtered",
	  "a1 b1 !static:Z=a1 !weak=b1 !weak=a1 !weak=b1", ":roots :filter_^2_weak",
	  "-weak handle: 1 object <\n .b1\n" },
	{ "from a weak handle to its object",
	  "a1 b1:a1 !weak=a1", ":roots j Enter",
	  "-held by 1 reference <\n .b1\n.holds no references\n" },
	{ "from a root to the tree of what it keeps",
	  "a1:b1 b1 !static:Z=a1", ":roots j r",
	  "-a1 <\n .static Z\n" },
	{ "from a root to its object",
	  "a1:b1 b1 !static:Z=a1", ":roots j Enter",
	  "-held by 1 root <\n .static Z\n-holds 1 reference\n .b1\n" },
	{ "no roots at all",
	  "a1:b1 b1", ":roots",
	  "" },
	{ "inspect",
	  "a1:b1,c1,b1 b1:d1 c1:a1 d1 !static:S=a1 !stack=b1", ":inspect_1020",
	  "-held by 1 root and 2 references <\n .stack or thread static\n .a1 ×2\n-holds 1 reference\n .d1\n" },
	{ "inspect keeps order and duplicates",
	  "a1:b1,c1,b1,a1 b1 c1 !static:S=a1", ":inspect_1000",
	  "-held by 1 root and 1 reference <\n .static S\n .a, this object itself\n"
	  "-holds 4 references\n .b1\n .c1\n .b1\n .a1\n" },
	{ "inspect what nobody holds",
	  "a1", ":inspect_1000",
	  ".held by nothing <\n.holds no references\n" },
	{ "inspect, walk on and back",
	  "a1:b1 b1:c1 c1 !static:S=a1", ":inspect_1040 j Enter j Enter Backspace",
	  "-held by 1 reference\n .a1 <\n-holds 1 reference\n .c1\n" },
	{ "inspect the same again, and its type",
	  "a1:b1 b1 !static:S=a1", ":inspect_1020 i i P",
	  "-b < 1\n -a 1 1\n  .static S 1\n" },
	{ "inspect, group closed",
	  "a1:b1 b1 !static:S=a1", ":inspect_1020 Enter",
	  "+held by 1 reference <\n.holds no references\n" },
	{ "inspect, group opened again",
	  "a1:b1 b1 !static:S=a1", ":inspect_1020 Enter Enter",
	  "-held by 1 reference <\n .a1\n.holds no references\n" },
};
/* clang-format on */

TEST_ROWS(test_rows, cases)
{
	const struct tree_case *c = *state;
	struct text_heap m;
	struct app *app = app_on(text_heap(&m, c->heap));
	struct screen *s = screen_for_test(24, 80, false);

	app_steps(app, s, c->steps);
	expect_rows(app, &m, c->rows);
	app_draw(app, s);
	app_end(app);
}

static const struct view_ops *watched_ops;

static void
row_that_is_there(const struct view *v, size_t index, struct row *row)
{
	assert_true(index < v->rows_count);
	view_code(watched_ops)->row(v, index, row);
}

/* With a filter, a row that is closed may go with others above and below. */
TEST(test_closing_rows_of_a_filter)
{
	struct text_heap m;
	struct app *app =
	    app_on(text_heap(&m, "a1:b1 b1:c1 c1:d1 d1 e1:f1 f1 !static:S=a1 !static:T=e1"));
	struct screen *s = screen_for_test(24, 80, false);
	struct view_ops watched;
	struct view_code code;
	struct error err = { 0 };

	app_steps(app, s, ":dominators + j + j + :filter_^[de]$");
	assert_int_equal(app_view(app)->rows_count, 5);
	watched_ops = app_view(app)->ops;
	watched = *watched_ops;
	code = *watched.code;
	code.row = row_that_is_there;
	watched.code = &code;
	app_view(app)->ops = &watched;
	assert_true(app_command(app, "fold-rows", &err));
	app_view(app)->ops = watched_ops;
	assert_int_equal(app_view(app)->rows_count, 1);
	app_end(app);
}

/* --- a real dump --------------------------------------------------------- */

static const char *
selected_name(struct app *app, struct value *value)
{
	const struct view *v = app_view(app);
	struct row row;

	assert_true(view_selected(v, &row));
	view_cell(v, table_name_column(v->ops->table), &row, value);
	assert_int_equal(value->kind, VALUE_TEXT);
	return value->text;
}

/* Sessions that only the list keeps: from each the same root, by one key. */
TEST(test_leaky_sessions)
{
	struct app *app = app_on(leaky_heap());
	struct screen *s = screen_for_test(24, 80, false);
	const struct session *session = app->session;
	struct error err = { 0 };
	uint32_t tried = 0;
	struct value name;
	char line[64], address[24];

	for (node_id n = 0; n < session->heap->nodes_count; n++) {
		const struct root *root = session_root_of(session, n);

		if (strcmp(heap_type(session->heap, n)->name, "Leaky.Session") || !root ||
		    strcmp(root->name, "Sessions"))
			continue;
		if (tried++ % 500)
			continue;
		snprintf(line, sizeof line, "tree %s",
			 address_format(heap_address(session->heap, n), address));
		assert_true(app_command(app, line, &err));
		app_steps(app, s, "*");
		assert_string_equal(selected_name(app, &name), "static Sessions");
		app_steps(app, s, "q");
	}
	assert_true(tried > 1000);
	app_steps(app, s, ":tree_Leaky.Session *");
	assert_string_equal(selected_name(app, &name), "static Sessions");
	app_end(app);
}

/* clang-format off */
static const struct screen_case screens[] = {
	{ "tree-80x24",     leaky_heap, 24, 80,  false, true,  ":objects_Leaky.Session r" },
	{ "tree-200x60",    leaky_heap, 60, 200, false, false, ":objects_Leaky.Session r" },
	{ "tree-40x10",     leaky_heap, 10, 40,  false, false, ":objects_Leaky.Session r" },
	{ "tree-ascii",     leaky_heap, 24, 80,  true,  false, ":objects_Leaky.Session r *" },
	{ "tree-opened",    leaky_heap, 24, 80,  false, false, ":objects_Leaky.Session r G e" },
	{ "tree-long",      leaky_heap, 24, 80,  false, false, ":objects_Leaky.Link r *" },
	{ "merged-80x24",   leaky_heap, 24, 80,  false, true,  ":objects_Leaky.Session P" },
	{ "merged-200x60",  leaky_heap, 60, 200, false, false, ":tree_Leaky.Session *" },
	{ "merged-40x10",   leaky_heap, 10, 40,  false, false, ":tree_Leaky.Session *" },
	{ "merged-strings", leaky_heap, 24, 80,  false, false, ":tree_string" },
	{ "merged-objects", leaky_heap, 24, 80,  false, false, ":tree_Leaky.Session j j Enter" },
	{ "roots-80x24",    leaky_heap, 24, 80,  false, true,  ":roots j" },
	{ "roots-200x60",   leaky_heap, 60, 200, false, false, ":roots" },
	{ "roots-40x10",    leaky_heap, 10, 40,  false, false, ":roots - j Enter" },
	{ "inspect-80x24",  leaky_heap, 24, 80,  false, true,  ":objects_Leaky.Session i" },
	{ "inspect-200x60", leaky_heap, 60, 200, false, false, ":objects_Leaky.Session i" },
	{ "inspect-40x10",  leaky_heap, 10, 40,  false, false, ":objects_Leaky.Session i" },
	{ "inspect-ascii",  leaky_heap, 24, 80,  true,  false, ":objects_Leaky.Session i j Enter" },
	{ "inspect-array",  leaky_heap, 24, 80,  false, false, ":objects_^Leaky.Session\\[\\]$ i G" },
};
/* clang-format on */

RUN_ROWS(test_screen_case, screens);
