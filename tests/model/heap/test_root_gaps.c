/* Which kinds of roots a heap lacks, in words; and that no screen speaks of garbage then. */
#include "tests/made/made_contents.h"
#include "tests/drive/files.h"
#include "tests/drive/run_tests.h"
#include "tests/made/graphs.h"
#include "tests/drive/screens.h"
#include "tests/drive/shell.h"
#include "io/gcdump/write.h"
#include "model/analysis/diff.h"
#include "model/heap/root_gaps.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

TEST(test_texts)
{
	char text[ROOT_GAPS_TEXT_BYTES];
	struct losses l = { 0 };

	assert_string_equal(root_gaps_text(&l, text), "");
	root_gaps_add(&l, GAP_STACKS, GAP_ABSENT);
	assert_string_equal(root_gaps_text(&l, text), "parts of stacks, which are not in memory");
	root_gaps_add(&l, GAP_HANDLES, GAP_ABSENT);
	assert_string_equal(root_gaps_text(&l, text),
			    "parts of stacks and handles, which are not in memory");
	root_gaps_add_native_aot(&l);
	assert_string_equal(root_gaps_text_of(&l, GAP_NOT_SENT, text),
			    "stacks and thread-static variables, which Native AOT does not report");
	assert_string_equal(root_gaps_text(&l, text),
			    "parts of stacks and handles, which are not in memory; stacks and "
			    "thread-static variables, which Native AOT does not report");
	for (int kind = 0; kind < GAP_KINDS_COUNT; kind++)
		for (int reason = 0; reason < GAP_REASONS_COUNT; reason++)
			root_gaps_add(&l, (enum root_gap_kind)kind, (enum root_gap_reason)reason);
	assert_true(strlen(root_gaps_text(&l, text)) + 1 < sizeof text);
	assert_true(losses_any(&l) && !losses_are_incomplete(&l));
}

/* --- screens -------------------------------------------------------------- */

/* Words that are true only if all roots are known. */
static const char *const claims[] = { "garbage", "no root", "without a root", "rootless", "dead" };

static const char *
claim_in(char *text)
{
	for (char *at = text; *at; at++)
		*at = (char)tolower((unsigned char)*at);
	for (size_t i = 0; i < COUNT_OF(claims); i++)
		if (strstr(text, claims[i]))
			return claims[i];
	return NULL;
}

/* A string that no root of the dump leads to. */
static node_id
unreached(const struct session *s)
{
	for (node_id n = 0; n < s->heap->nodes_count; n++)
		if (s->reach->distance[n] == DISTANCE_UNREACHABLE &&
		    !strcmp(heap_type(s->heap, n)->name, "string"))
			return n;
	fail_msg("all strings have roots");
	return NODE_NONE;
}

/* '%s': that object's address. */
static const char *const screens[] = {
	":types",         ":objects_string", ":path_%s",       ":paths_%s",    ":tree_%s",
	":inspect_%s",    ":dominators",     ":dominators_%s", ":groups_root", ":ways_string",
	":merged_string", ":treemap",        ":map",           ":summary",     ":findings",
	":segments",      ":objsize_%s",     ":histogram",     ":roots",       ":referrers_%s",
};

static void
check_screen(struct app *app, struct screen *s, const char *steps, const char *address)
{
	char command[100];
	const char *at = strstr(steps, "%s"), *claim;
	char *text;

	snprintf(command, sizeof command, "%.*s%s", at ? (int)(at - steps) : (int)strlen(steps),
		 steps, at ? address : "");
	app_steps(app, s, command);
	text = app_screen_text(app, s);
	claim = claim_in(text);
	if (claim)
		fail_msg("%s claims %s:\n%s", command, claim, text);
	free(text);
}

TEST(claims_no_garbage)
{
	const struct heap *h = leaky_heap();
	struct screen *s = screen_for_test(24, 160, false);
	struct app *app;
	char address[24];

	root_gaps_add_native_aot(&((struct heap *)(uintptr_t)h)->info.losses);
	app = app_with_retention(h);
	snprintf(address, sizeof address, "%llx",
		 (unsigned long long)heap_address(h, unreached(app->session)));
	for (size_t i = 0; i < COUNT_OF(screens); i++)
		check_screen(app, s, screens[i], address);
	app_end(app);
}

/* The same of memory, where what no root reaches has columns of its own. */
TEST(counts_no_garbage)
{
	static const char *const views[] = {
		":strings", ":map", ":objects_string", ":summary", ":findings", ":types",
	};
	struct made_contents *m = made_contents_new(1);
	struct screen *s = screen_for_test(24, 160, false);
	const struct heap *h;
	struct app *app;

	for (int i = 0; i < 3; i++)
		made_contents_put(m, MADE_TEXT, "t\0e\0x\0t", 4, i == 0);
	h = made_contents_heap(m);
	root_gaps_add(&((struct heap *)(uintptr_t)h)->info.losses, GAP_STACKS, GAP_ABSENT);
	app = app_on(h);
	for (size_t i = 0; i < COUNT_OF(views); i++) {
		char *text;

		app_steps(app, s, views[i]);
		text = app_screen_text(app, s);
		if (strstr(text, "no root") || strstr(text, "without a root") ||
		    strstr(text, "garbage"))
			fail_msg("%s: %s", views[i], text);
		/* Two have no root; the columns are blank. */
		if (!strcmp(views[i], ":strings") && !strstr(text, ">      3              90 B "))
			fail_msg("%s", text);
		free(text);
	}
	app->session->heap = NULL;
	app_end(app);
	made_contents_free(m);
}

/* --- without a screen ----------------------------------------------------- */

/* Of what is printed as of what is shown: a sentence beside it, and no failure.
 */
TEST_IN_FOLDER(says_so_beside_output)
{
	const char *path = in_folder("x");
	char said[400];
	struct graph *g = graph_new(2, 2);
	struct error err = { 0 };
	const struct heap *h;
	struct output *to;

	g->type_names[0] = "Type(0x003916c8)";
	g->type_names[1] = "ArrayType(0x003c60c8)";
	graph_root(g, 1, ROOT_STRONG, NULL);
	h = graph_heap(g);
	to = output_open(path, true, &err);
	assert_true(to && gcdump_write(to, h, NULL, &err) && output_close(to, &err));
	assert_int_equal(
	    shell_prints(said, sizeof said, "%s -b types %s 2>&1 >/dev/null", program_path(), path),
	    0);
	if (!strstr(said, "some roots are unknown: stacks and thread-static"))
		fail_msg("%s", said);
	unlink(path);
	heap_free(h);
}

static bool
has_row(const struct diff *d, const char *name)
{
	for (uint32_t i = 0; i < d->rows_count; i++)
		if (!strcmp(d->rows[i].name, name))
			return true;
	return false;
}

TEST(diff_says_so)
{
	for (int lacks = 0; lacks < 2; lacks++) {
		const struct heap *h = leaky_heap();
		struct error err = { 0 };
		struct diff_heap heaps[2];
		struct diff d;

		if (lacks)
			root_gaps_add_native_aot(&((struct heap *)(uintptr_t)h)->info.losses);
		heaps[0] = (struct diff_heap){
			.heap = h,
			.reach = reach_compute(h, true, NULL, &err),
		};
		heaps[1] = heaps[0];
		assert_true(diff_compute(&d, heaps, 2, DIFF_ROOT, NULL, &err));
		assert_int_equal(has_row(&d, "no root"), !lacks);
		assert_int_equal(has_row(&d, "root unknown"), lacks);
		diff_clear(&d);
		reach_free(heaps[0].reach);
		heap_free(h);
	}
}
