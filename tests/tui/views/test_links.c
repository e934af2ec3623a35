/*
 * How paths through a server and its container look: the service first, and the links in front of
 * it as one row that opens.
 */
#include "tests/drive/run_tests.h"
#include "tests/drive/screens.h"
#include "tests/made/maker.h"

#define CONTAINER "Microsoft.Extensions.DependencyInjection.ServiceLookup."

/* A socket leads through links to a store, a singleton, which has objects in a list. */
static void
make_hosted(struct maker *m, size_t n)
{
	/* The analyzer takes two literals in a row for a missing comma. */
	static const char *const links[] = { (CONTAINER "ServiceProviderEngineScope"),
					     "Microsoft.AspNetCore.Server.Options",
					     "Microsoft.AspNetCore.Server.Listener",
					     "System.Threading.Tasks.Task",
					     "System.Net.Sockets.Socket" };
	uint64_t *items = add_many(m, n, "A.Item", 100, 0);
	uint64_t array = add(m, "A.Item[]", 2000, items, n);
	uint64_t list = add(m, "System.Collections.Generic.List<A.Item>", 32, &array, 1);
	uint64_t below = add(m, "A.Store", 24, &list, 1);
	uint64_t site = add(m, CONTAINER "ConstructorCallSite", 64, &below, 1);

	for (size_t i = 1; i < sizeof links / sizeof *links; i++)
		below = add(m, links[i], 64, &below, 1);
	root(m, below, ROOT_STATIC, "System.Net.Sockets.SocketAsyncEngine.s_engines");
	root(m, site, ROOT_FINALIZER, "");
	free(items);
}

static const struct seen {
	const char *name, *steps, *text;
} rows[] = {
	{ "the sentence", ":objects_A.Item p",
	  "kept by Store (singleton of the service container), through" },
	{ "a path", ":objects_A.Item p", "… 4 links of the framework" },
	{ "ways", ":ways_A.Item", "… 4 links of the framework" },
	{ "ways, opened", ":ways_A.Item j +", "Microsoft.AspNetCore.Server.Listener" },
	{ "ways, closed and opened", ":ways_A.Item - - +", "… 4 links of the framework" },
	{ "ways, all closed, opened", ":ways_A.Item j + k - +", "… 4 links of the framework" },
	{ "ways, a row behind the links", ":ways_A.Item j j - +", "▸ List<A.Item>" },
	{ "merged", ":merged_A.Item",
	  "kept by A.Store, singleton of the service container; * opens 4 links of the framework" },
	{ "merged, to the root", ":merged_A.Item *", "s_engines" },
};

TEST_ROWS(test_links, rows)
{
	const struct seen *row = *state;
	struct app *app = app_on(heap_made(make_hosted, 200));
	struct screen *s = screen_for_test(40, 120, false);

	app_steps(app, s, row->steps);
	if (!app_has_text(app, s, row->text))
		fail_msg("no \"%s\" in\n%s", row->text, app_screen_text(app, s));
	app_end(app);
}
