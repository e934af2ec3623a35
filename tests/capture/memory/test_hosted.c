/*
 * Faults of a program with a service container, under the roots that such programs have: handles,
 * pools, subscriptions, channels and caches. Each is found by every way to its heap, in words that
 * name the program's own objects; the same program without faults has no such finding.
 */
#include "model/analysis/exceptions.h"
#include "model/analysis/finding_text.h"
#include "model/graph/root_index.h"
#include "tests/drive/captures.h"
#include "tests/drive/run_tests.h"
#include "tests/drive/ways.h"
#include <string.h>

enum {
	EVERY_WAY = (1 << WAYS) - 1,
	WITH_VALUES = 1 << BY_MEMORY | 1 << BY_CORE,
};

/* Rows of the same program stand together: it is started and read once for them. */
/* clang-format off */
static const struct hosted {
	const char *name, *faults, *option;
	const struct finding_kind *kind;
	const char *words; /* in the sentence */
	unsigned ways;     /* that show it, as bits */
	const char *field; /* in the sentence if values are known; or NULL */
} rows[] = {
	/* name               faults       option       kind                words                                                                       ways          field */
	{ "handles",          "handles",   NULL,        &finding_handle,    "500 Depot.Feed are kept only by strong handles of their own",              EVERY_WAY,    NULL },
	{ "handles, renamed", "handles",   "--renamed", &finding_handle,    "500 Zz.C1 are kept only by strong handles of their own",                   EVERY_WAY,    NULL },
	{ "options",          "options",   NULL,        &finding_event,     "500 handlers of Depot.Page are registered with one Microsoft.Extensions.Options.OptionsMonitor<Depot.Rates> ", EVERY_WAY, NULL },
	{ "options' owner",   "options",   NULL,        &finding_event,     ", kept by the service container, as a singleton, through ",                EVERY_WAY,    NULL },
	{ "options, renamed", "options",   "--renamed", &finding_event,     "500 handlers of Zz.C2 ",                                                   EVERY_WAY,    NULL },
	{ "queue",            "queue",     NULL,        &finding_dominator, "SingleConsumerUnboundedChannel<Depot.Parcel> retains 2,990 Depot.Parcel ", EVERY_WAY,    NULL },
	{ "queue's owner",    "queue",     NULL,        &finding_dominator, " (singleton of the service container), through ",                          EVERY_WAY,    "kept by Depot.Belt.parcels (" },
	{ "queue's reader",   "queue",     NULL,        &finding_dominator, "; Depot.Sorter, which uses it, has ended with FormatException",                EVERY_WAY,    ": \"no label\" in Depot.Sorter.ExecuteAsync" },
	{ "queue, renamed",   "queue",     "--renamed", &finding_dominator, " retains 2,990 Zz.C3 ",                                                    EVERY_WAY,    NULL },
	{ "cache",            "cache",     NULL,        &finding_dominator, "one Microsoft.Extensions.Caching.Memory.MemoryCache retains 3,000 Depot.Tariff ", EVERY_WAY, "kept by Depot.Tariffs.Cache (" },
	{ "cache, renamed",   "cache",     "--renamed", &finding_dominator, " retains 3,000 Zz.C4 ",                                                    EVERY_WAY,    NULL },
	{ "disposed",         "disposed",  NULL,        &finding_disposed,  "all 200 Depot.Session are disposed and still reachable",                   WITH_VALUES,  NULL },
	{ "disposed, renamed", "disposed", "--renamed", &finding_disposed,  "all 200 Zz.C5 are disposed and still reachable",                           WITH_VALUES,  NULL },
	{ "timers",           "timers",    NULL,        &finding_timer,     " are scheduled and hold 300 Depot.Visitor ",                               EVERY_WAY,    NULL },
	{ "timers, renamed",  "timers",    "--renamed", &finding_timer,     " are scheduled and hold 300 Zz.C6 ",                                       EVERY_WAY,    NULL },
	{ "pool",             "pool",      NULL,        &finding_pool,      "ArrayPool<T>.Shared holds ",                                               EVERY_WAY,    NULL },
	{ "transients",       "transients", NULL,       &finding_dominator, ", kept by the disposables of the root scope of the service container, through ", EVERY_WAY, NULL },
	{ "transients, renamed", "transients", "--renamed", &finding_dominator, "one List<object> retains 500 Zz.C7 ", EVERY_WAY, NULL },
	{ "assemblies",       "assemblies", NULL,       &finding_assembly,  "80 assemblies named Depot.Labels_… were made at run time and stay",        WITH_VALUES,  NULL },
	{ "assemblies, renamed", "assemblies", "--renamed", &finding_assembly, "80 assemblies named Zz.L_… ",                                           WITH_VALUES,  NULL },
	{ "wrappers",         "wrappers",  NULL,        &finding_native,    "; perhaps much of it belongs to 300 Depot.Bitmap, finalizable, each with a field for a pointer, kept by static Program.gallery", WITH_VALUES, NULL },
	{ "wrappers, renamed", "wrappers", "--renamed", &finding_native,    "belongs to 300 Zz.C8, ",                                                   WITH_VALUES,  NULL },
	{ "arenas",           "arenas",    NULL,        &finding_arena,     " arenas of malloc have ",                                                  WITH_VALUES,  NULL },
	{ "no faults",        "none",      NULL,        NULL,               "",                                                                         0,            NULL },
	{ "no faults, renamed", "none",    "--renamed", NULL,               "",                                                                         0,            NULL },
};
/* clang-format on */

/* A heap, and all that a sentence needs. */
struct explained {
	const struct heap *heap;
	const struct reverse *reverse;
	const struct reach *reach;
	struct root_index *roots;
	const struct dominators *dominators;
	const struct retained *retained;
	struct findings *findings;
};

static struct explained
explain(const struct heap *h)
{
	struct error err = { 0 };
	struct explained e = { .heap = h };
	struct findings_input in = { .heap = h };

	in.reverse = e.reverse = reverse_compute(h, NULL, &err);
	in.reach = e.reach = reach_compute(h, true, NULL, &err);
	assert_true(e.reverse && e.reach);
	e.roots = root_index_new(e.reach, NULL, &err);
	e.dominators = dominators_compute(h, e.reverse, NULL, 0, NULL, &err);
	assert_true(e.roots && e.dominators);
	in.retained = e.retained = retained_compute(e.dominators, NULL, &err);
	assert_non_null(e.retained);
	e.findings = findings_find(&in, NULL, &err);
	if (!e.findings)
		fail_msg("%s", err.message);
	return e;
}

static void
explained_clear(struct explained *e)
{
	findings_free(e->findings);
	retained_free(e->retained);
	dominators_free(e->dominators);
	root_index_free(e->roots);
	reach_free(e->reach);
	reverse_free(e->reverse);
}

static bool
says(const struct explained *e, const struct finding *f, const char *words)
{
	const struct facts facts = { .heap = e->heap,
				     .types = e->heap->types,
				     .types_count = e->heap->types_count,
				     .reach = e->reach,
				     .roots = e->roots };
	char bytes[FINDING_TEXT_BYTES];
	struct text text = text_in(bytes, sizeof bytes);

	finding_text(&facts, f, &text);
	return strstr(bytes, words) != NULL;
}

static bool
has_finding(const struct explained *e, const struct hosted *row, const char *words)
{
	for (uint32_t i = 0; i < e->findings->count; i++) {
		const struct finding *f = &e->findings->items[i];

		if (f->kind == row->kind && says(e, f, row->words) && says(e, f, words))
			return true;
	}
	return false;
}

/* Fails if a finding is about the program's own objects. Equal strings and buffers of zeros need
   not be a fault. */
static void
expect_no_finding(const struct explained *e, enum way way)
{
	for (uint32_t i = 0; i < e->findings->count; i++)
		if (!e->findings->items[i].kind->is_waste)
			fail_msg("%s: found %s", way_names[way], e->findings->items[i].kind->id);
}

static void
check_way(const struct heap *h, const struct hosted *row, enum way way)
{
	bool has_values = WITH_VALUES >> way & 1;
	struct explained e = explain(h);

	if (!row->kind)
		expect_no_finding(&e, way);
	else if (has_finding(&e, row, row->field && has_values ? row->field : "") !=
		 (row->ways >> way & 1))
		fail_msg("%s: a finding of kind %s is missing or too much: %s", way_names[way],
			 row->kind->id, row->words);
	explained_clear(&e);
}

TEST_ROWS(test_hosted, rows)
{
	const struct hosted *row = *state;
	const char *const arguments[] = { "--faults", row->faults, row->option, NULL };
	const struct heap *const *heaps;

	if (!target_program_exists("hosted", "10.0")) {
		printf("skipped: no hosted for .NET 10.0\n");
		return;
	}
	heaps = heaps_of("hosted", "10.0", arguments);
	for (int way = 0; way < WAYS; way++)
		check_way(heaps[way], row, (enum way)way);
}

/* Equal ones are one row; events know neither messages nor stacks. */
static void
check_exceptions(const struct heap *h, enum way way)
{
	bool has_values = WITH_VALUES >> way & 1, is_found = false;
	struct exceptions all = { 0 };
	struct error err = { 0 };
	const struct reach *reach = reach_compute(h, true, NULL, &err);

	assert_non_null(reach);
	if (!exceptions_find(h, reach, &all, NULL, &err))
		fail_msg("%s: %s", way_names[way], err.message);
	for (size_t i = 0; i < all.count; i++) {
		const struct exception *e = &all.items[i];

		if (strcmp(h->types[e->type].raw, "System.FormatException") != 0)
			continue;
		is_found = true;
		assert_int_equal(e->count, 1);
		assert_int_equal(e->live_count, 1);
		assert_int_equal(e->is_thrown, has_values);
		assert_string_equal(e->message, has_values ? "\"no label\"" : "");
		assert_int_equal(strstr(e->method, "Depot.Sorter") != NULL, has_values);
	}
	assert_true(is_found);
	exceptions_clear(&all);
	reach_free(reach);
}

TEST(test_exceptions)
{
	const char *const arguments[] = { "--faults", "queue", NULL };
	const struct heap *const *heaps;

	if (!target_program_exists("hosted", "10.0")) {
		printf("skipped: no hosted for .NET 10.0\n");
		return;
	}
	heaps = heaps_of("hosted", "10.0", arguments);
	for (int way = 0; way < WAYS; way++)
		check_exceptions(heaps[way], (enum way)way);
}

TESTS_BETWEEN(NULL, heaps_forget);
