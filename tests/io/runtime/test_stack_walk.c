/*
 * Stacks of threads that stand in methods of every kind (tests/programs/samples/Stacks.cs), on
 * every runtime and in every kind of core, beside what ClrMD says of them. Stacks of busy processes
 * are compared in tests/capture/memory/test_oracle.c.
 */
#include "tests/drive/cores.h"
#include "tests/drive/run_tests.h"
#include "tests/drive/targets.h"
#include "tests/judge/judge_frames.h"
#include "tests/judge/judge_refs.h"

static const char *variables[] = { NULL, "SAMPLES=stacks", NULL };
static const char *optimised[] = { NULL, "SAMPLES=stacks", "DOTNET_ReadyToRun=0",
				   "DOTNET_TieredCompilation=0", NULL };
/* ClrMD crashes of that thread on .NET 10.0. */
static const char *filtering[] = { NULL, "SAMPLES=stacks", "SAMPLES_FILTER=1", NULL };
static const char *before_collections[] = { NULL, "SAMPLES=stacks", "SAMPLES_FIRST=1", NULL };
static const char *server[] = { NULL, "SAMPLES=stacks", "DOTNET_gcServer=1", NULL };
static const char *const sections[] = { "frames", "stackroots", NULL };

static const struct core_setup setups[] = {
	{ "stacks, .NET 8.0", "8.0", variables, CORE_FULL, false, false },
	{ "stacks, .NET 9.0", "9.0", variables, CORE_FULL, false, false },
	{ "stacks, .NET 10.0", "10.0", variables, CORE_FULL, false, false },
	{ "stacks, .NET 11.0", "11.0", variables, CORE_FULL, false, false },
	{ "stacks, .NET 8.0, heap", "8.0", variables, CORE_HEAP, false, false },
	{ "stacks, .NET 9.0, heap", "9.0", variables, CORE_HEAP, false, false },
	{ "stacks, .NET 10.0, heap", "10.0", variables, CORE_HEAP, false, false },
	{ "stacks, .NET 11.0, heap", "11.0", variables, CORE_HEAP, false, false },
	{ "stacks, .NET 8.0, optimised", "8.0", optimised, CORE_HEAP, false, false },
	{ "stacks, .NET 10.0, optimised", "10.0", optimised, CORE_HEAP, false, false },
	{ "stacks, .NET 11.0, single file", "11.0-single", variables, CORE_FULL, false, false },
	{ "stacks, .NET 8.0, filter", "8.0", filtering, CORE_HEAP, false, false },
	{ "stacks, .NET 9.0, filter", "9.0", filtering, CORE_HEAP, false, false },
	{ "stacks, .NET 11.0, filter", "11.0", filtering, CORE_HEAP, false, false },
	{ "stacks, .NET 8.0, no collection yet", "8.0", before_collections, CORE_HEAP, false,
	  false },
	{ "stacks, .NET 9.0, no collection yet", "9.0", before_collections, CORE_HEAP, false,
	  false },
	{ "stacks, .NET 9.0, server", "9.0", server, CORE_HEAP, true, false },
	{ "stacks, .NET 11.0, server", "11.0", server, CORE_HEAP, true, false },
	{ "stacks, .NET 8.0, mini", "8.0", variables, CORE_MINI, false, false },
	{ "stacks, .NET 9.0, mini", "9.0", variables, CORE_MINI, false, false },
	{ "stacks, .NET 10.0, mini", "10.0", variables, CORE_MINI, false, false },
	{ "stacks, .NET 11.0, mini", "11.0", variables, CORE_MINI, false, false },
	{ "stacks, .NET 8.0, triage", "8.0", variables, CORE_TRIAGE, false, false },
	{ "stacks, .NET 9.0, triage", "9.0", variables, CORE_TRIAGE, false, false },
	{ "stacks, .NET 10.0, triage", "10.0", variables, CORE_TRIAGE, false, false },
	{ "stacks, .NET 11.0, triage, server", "11.0", server, CORE_TRIAGE, true, false },
};

TEST_ROWS(test_stacks, setups)
{
	const struct core_setup *setup = *state;
	const struct core *core;
	struct memory *m;
	struct oracle *o;
	struct error err;

	variables[0] = filtering[0] = optimised[0] = before_collections[0] = server[0] =
	    target_samples();
	core = target_exists(setup->version) && variables[0] && oracle_exists() ? core_of(setup)
										: NULL;
	if (!core)
		skip();
	error_clear(&err);
	m = core_at(core->path, NULL, &err);
	if (!m)
		fail_msg("%s: %s", setup->name, err.message);
	o = oracle_ask(core->path, setup->version, sections);
	judge_frames(setup->name, o, m);
	if (setup->writer != CORE_MINI && setup->writer != CORE_TRIAGE)
		judge_refs(setup->name, o, m);
	oracle_free(o);
	memory_close(m);
}
