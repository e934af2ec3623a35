/* The keeper of an object is what a programmer would name first; links are the objects of its path
   that lists fold. */
#include "model/analysis/keeper.h"
#include "tests/drive/run_tests.h"
#include "tests/made/maker.h"
#include <string.h>

#define SITE "Microsoft.Extensions.DependencyInjection.ServiceLookup.ConstructorCallSite"

/* The path of the last object, outermost first; the call site refers to `service`. */
static const struct row {
	const char *name, *types[10];
	int service;      /* on the path; -1: none */
	const char *want; /* the sentence; "": no keeper */
	uint32_t links;
} rows[] = {
	{ "an object of the application",
	  { "System.Net.Sockets.Socket", "A.Store", "A.Item[]", "A.Item" },
	  -1,
	  "A.Store",
	  0 },
	{ "a service behind links",
	  { "System.Net.Sockets.Socket", "System.Threading.Tasks.Task",
	    "Microsoft.AspNetCore.Server", "Microsoft.Extensions.Hosting.Host", "A.Store",
	    "A.Item" },
	  4,
	  "A.Store (singleton of the service container)",
	  4 },
	{ "a service of the framework, which is the object itself",
	  { "System.Net.Sockets.Socket", "Microsoft.Extensions.Caching.Memory.MemoryCache" },
	  1,
	  "the service container, as a singleton",
	  0 },
	{ "a timer",
	  { "System.Threading.TimerQueue[]", "System.Threading.TimerQueue",
	    "System.Threading.TimerQueueTimer", "System.Threading.TimerQueueTimer", "A.Item" },
	  -1,
	  "the timer queue",
	  0 },
	{ "only collections",
	  { "System.Object[]", "System.Object[]", "System.Object[]", "System.Object[]",
	    "System.Object[]", "A.Item" },
	  -1,
	  "",
	  0 },
};

/* Makes the path from its end, and a call site if there is a service. */
static void
put_path(struct maker *m, const char *const *types, size_t count, int service)
{
	uint64_t below = 0, site = 0;

	for (size_t i = count; i-- > 0;) {
		below = add(m, types[i], 64, &below, i + 1 < count);
		if ((int)i == service)
			site = add(m, SITE, 64, &below, 1);
	}
	root(m, below, ROOT_STATIC, "System.Net.Sockets.SocketAsyncEngine.s_engines");
	if (site)
		root(m, site, ROOT_FINALIZER, "");
}

static void
make_row(struct maker *m, size_t index)
{
	size_t count = 0;

	while (rows[index].types[count])
		count++;
	put_path(m, rows[index].types, count, rows[index].service);
}

TEST_ROWS(test_keepers, rows)
{
	const struct row *row = *state;
	struct error err = { 0 };
	const struct heap *h = heap_made(make_row, (size_t)(row - rows));
	const node_id last = 0; /* the first that was made */
	const struct reverse *reverse = reverse_compute(h, NULL, &err);
	const struct reach *reach = reach_compute(h, true, NULL, &err);
	struct keeper_search s = keeper_search_of(h, reverse, reach);
	struct keeper k = keeper_find(&s, last);
	char words[200] = "";
	struct text text = text_in(words, sizeof words);

	assert_true(keeper_is_needed(&s, last));
	if (k.node != NODE_NONE)
		keeper_text(h, &k, last, heap_type(h, k.node)->raw, &text);
	assert_string_equal(words, row->want);
	assert_int_equal(k.node == NODE_NONE ? 0 : keeper_links(&s, &k), row->links);
	reach_free(reach);
	reverse_free(reverse);
	heap_free(h);
}

/* Paths whose runs of links are folded: F a framework's link, P one of the server, S a service, A
   the application's, L a member of a list. */
static const struct run {
	const char *path;
	uint32_t first, count; /* of the first run */
} runs[] = {
	{ "PPPPA", 0, 4 },    { "APPPPA", 1, 4 },  { "PPPA", 0, 0 },
	{ "FFFFA", 0, 0 },    { "PPFFA", 0, 4 },   { "PPPPPP", 0, 0 },
	{ "PPSPPPPA", 3, 4 }, { "ALLLLLA", 1, 5 }, { "PPLLLLPA", 0, 7 },
};

/* Returns a name of its own for each place of a path, but in lists. */
static const char *
name_of_letter(char letter, size_t place, char out[40])
{
	const char *space = letter == 'P' || letter == 'S' ? "Microsoft.AspNetCore.Any"
			    : letter == 'F'                ? "System.Collections.Any"
							   : "A.Any";

	if (letter == 'L')
		return "System.Threading.TimerQueueTimer";
	snprintf(out, 40, "%s%zu", space, place);
	return out;
}

static void
make_run(struct maker *m, size_t index)
{
	const char *path = runs[index].path, *service = strchr(path, 'S'), *types[16];
	size_t count = strlen(path);
	char names[16][40];

	for (size_t i = 0; i < count; i++)
		types[i] = name_of_letter(path[i], i, names[i]);
	put_path(m, types, count, service ? (int)(service - path) : -1);
}

TEST_ROWS(test_runs, runs)
{
	const struct run *row = *state;
	const struct heap *h = heap_made(make_run, (size_t)(row - runs));
	node_id nodes[16], count = 0;
	struct error err = { 0 };
	const struct reverse *reverse;
	const struct reach *reach;
	struct keeper_search s;
	struct keeper_run run;

	/* Without the call site, which was made behind its service. */
	for (node_id n = h->nodes_count; n-- > 0;)
		if (strcmp(heap_type(h, n)->raw, SITE) != 0)
			nodes[count++] = n;
	assert_int_equal(count, strlen(row->path));
	reverse = reverse_compute(h, NULL, &err);
	reach = reach_compute(h, true, NULL, &err);
	s = keeper_search_of(h, reverse, reach);
	run = keeper_next_run(&s, nodes, count, 0);
	assert_int_equal(run.count, row->count);
	if (run.count)
		assert_int_equal(run.first, row->first);
	reach_free(reach);
	reverse_free(reverse);
	heap_free(h);
}

/* Links lead to a list of `n` objects of the application. */
static void
make_long_list(struct maker *m, size_t n)
{
	uint64_t below = add(m, "A.Node", 24, NULL, 0);

	while (--n)
		below = add(m, "A.Node", 24, &below, 1);
	for (size_t i = 0; i < KEEPER_LINKS_MIN; i++)
		below = add(m, "Microsoft.AspNetCore.Server.Listener", 24, &below, 1);
	root(m, below, ROOT_STATIC, "System.Net.Sockets.SocketAsyncEngine.s_engines");
}

/* Headings ask for links: a list of millions must not be walked for them. */
TEST(test_links_behind_lists)
{
	static const size_t counts[] = { KEEPER_LINKS_MAX - KEEPER_LINKS_MIN,
					 KEEPER_LINKS_MAX + 2 };

	for (size_t i = 0; i < COUNT_OF(counts); i++) {
		struct error err = { 0 };
		const struct heap *h = heap_made(make_long_list, counts[i]);
		const struct reverse *reverse = reverse_compute(h, NULL, &err);
		const struct reach *reach = reach_compute(h, true, NULL, &err);
		struct keeper_search s = keeper_search_of(h, reverse, reach);
		struct keeper k = keeper_find(&s, 0);

		assert_int_equal(heap_type_of(h, k.node), heap_type_of(h, 0));
		assert_int_equal(keeper_links(&s, &k), i ? 0 : KEEPER_LINKS_MIN);
		reach_free(reach);
		reverse_free(reverse);
		heap_free(h);
	}
}
