/*
 * Which kinds of roots a heap lacks, in words; and that no screen speaks of
 * garbage then.
 */
#include "tests/made_contents.h"
#include "tests/run_tests.h"
#include "tests/screens.h"
#include "model/root_gaps.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static void
test_texts(void **state)
{
	char text[ROOT_GAPS_TEXT_BYTES];
	struct losses l = { 0 };

	(void)state;
	assert_string_equal(root_gaps_text(&l, text), "");
	root_gaps_add(&l, GAP_STACKS, GAP_ABSENT);
	assert_string_equal(root_gaps_text(&l, text),
			    "parts of stacks, which are not in memory");
	root_gaps_add(&l, GAP_HANDLES, GAP_ABSENT);
	assert_string_equal(
	    root_gaps_text(&l, text),
	    "parts of stacks and handles, which are not in memory");
	root_gaps_add_native_aot(&l);
	assert_string_equal(root_gaps_text(&l, text),
			    "parts of stacks and handles, which are not in "
			    "memory; stacks and thread-static variables, "
			    "which Native AOT does not tell of");
	for (int kind = 0; kind < GAP_KINDS_COUNT; kind++)
		for (int reason = 0; reason < GAP_REASONS_COUNT; reason++)
			root_gaps_add(&l, (enum root_gap_kind)kind,
				      (enum root_gap_reason)reason);
	assert_true(strlen(root_gaps_text(&l, text)) + 1 < sizeof text);
	assert_true(losses_any(&l) && !losses_are_incomplete(&l));
}

/* --- screens -------------------------------------------------------------- */

/* What is only true where all roots are known. */
static const char *const claims[] = { "garbage", "no root", "without a root",
				      "rootless", "dead" };

static const char *
claim_in(char *text)
{
	for (char *at = text; *at; at++)
		*at = (char)tolower((unsigned char)*at);
	for (size_t i = 0; i < sizeof claims / sizeof claims[0]; i++)
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
	":types",       ":objects_string", ":path_%s",       ":paths_%s",
	":tree_%s",     ":inspect_%s",     ":dominators",    ":dominators_%s",
	":groups_root", ":ways_string",    ":merged_string", ":treemap",
	":map",         ":summary",        ":findings",      ":segments",
	":objsize_%s",  ":histogram",      ":roots",         ":referrers_%s",
};

static void
check_screen(struct app *app, struct screen *s, const char *steps,
	     const char *address)
{
	char command[100];
	const char *at = strstr(steps, "%s"), *claim;
	char *text;

	snprintf(command, sizeof command, "%.*s%s",
		 at ? (int)(at - steps) : (int)strlen(steps), steps,
		 at ? address : "");
	app_steps(app, s, command);
	text = app_screen_text(app, s);
	claim = claim_in(text);
	if (claim)
		fail_msg("%s claims %s:\n%s", command, claim, text);
	free(text);
}

static void
claims_no_garbage(void **state)
{
	const struct heap *h = leaky_heap();
	struct screen *s = screen_for_test(24, 160, false);
	struct app *app;
	char address[24];

	(void)state;
	root_gaps_add_native_aot(&((struct heap *)(uintptr_t)h)->info.losses);
	app = app_with_holdings(h);
	snprintf(address, sizeof address, "%llx",
		 (unsigned long long)heap_address(h, unreached(app->session)));
	for (size_t i = 0; i < sizeof screens / sizeof screens[0]; i++)
		check_screen(app, s, screens[i], address);
	app_end(app);
	screen_free(s);
}

/* The same of memory, where what no root reaches has columns of its own. */
static void
counts_no_garbage(void **state)
{
	static const char *const views[] = {
		":strings", ":map",      ":objects_string",
		":summary", ":findings", ":types",
	};
	struct made_contents *m = made_contents_new(1);
	struct screen *s = screen_for_test(24, 160, false);
	const struct heap *h;
	struct app *app;

	(void)state;
	for (int i = 0; i < 3; i++)
		made_contents_put(m, MADE_TEXT, "t\0e\0x\0t", 4, i == 0);
	h = made_contents_heap(m);
	root_gaps_add(&((struct heap *)(uintptr_t)h)->info.losses, GAP_STACKS,
		      GAP_ABSENT);
	app = app_on(h);
	for (size_t i = 0; i < sizeof views / sizeof views[0]; i++) {
		char *text;

		app_steps(app, s, views[i]);
		text = app_screen_text(app, s);
		if (strstr(text, "no root") || strstr(text, "without a root") ||
		    strstr(text, "garbage"))
			fail_msg("%s: %s", views[i], text);
		/* Two have no root; the columns are blank. */
		if (!strcmp(views[i], ":strings") &&
		    !strstr(text, ">      3              90 B "))
			fail_msg("%s", text);
		free(text);
	}
	app->session->heap = NULL;
	app_end(app);
	screen_free(s);
	made_contents_free(m);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_texts),
		cmocka_unit_test(claims_no_garbage),
		cmocka_unit_test(counts_no_garbage),
	};

	return run_tests(tests);
}
