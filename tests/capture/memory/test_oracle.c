/*
 * Living processes beside what ClrMD says of them: held still by it, then looked at by us; also one
 * that allocates all the time, and one that is
 * looked at twice and goes on.
 */
#include "capture/memory/freeze.h"
#include "capture/memory/process_memory.h"
#include "io/clr/graph.h"
#include "tests/judge/judge.h"
#include "tests/judge/judge_code.h"
#include "tests/judge/judge_frames.h"
#include "tests/judge/judge_refs.h"
#include "tests/judge/judge_statics.h"
#include "tests/drive/targets.h"
#include "tests/drive/run_tests.h"
#include <string.h>

static const char *const all_sections[] = { "heap",    "objects",    "refs",    "segments",
					    "handles", "finalizers", "threads", "roots",
					    "locks",   "tables",     "statics", "threadstatics",
					    NULL };
static const char *const busy[] = { "--busy", "--threads", "8", NULL };
/* As many heaps as the collector thinks fit: fewer than processors, first. */
static const char *const server[] = { "DOTNET_gcServer=1", NULL };
/* The collector from a library of its own, with regions. */
static const char *const other[] = { "DOTNET_GCName=libclrgcexp.so", NULL };

static const struct living {
	const char *name, *version;
	const char *const *arguments, *const *variables;
} livings[] = {
	{ "process, .NET 8.0", "8.0", NULL, NULL },
	{ "process, .NET 9.0", "9.0", NULL, NULL },
	{ "process, .NET 10.0", "10.0", NULL, NULL },
	{ "process, .NET 8.0, busy", "8.0", busy, NULL },
	{ "process, .NET 9.0, busy", "9.0", busy, NULL },
	{ "process, .NET 10.0, busy", "10.0", busy, NULL },
	{ "process, .NET 8.0, server, busy", "8.0", busy, with_server },
	{ "process, .NET 9.0, server adapting, busy", "9.0", busy, server },
	{ "process, .NET 10.0, server adapting, busy", "10.0", busy, server },
	{ "process, .NET 10.0, segments, busy", "10.0", busy, with_segments },
	{ "process, .NET 8.0, single file", "8.0-single", NULL, NULL },
	{ "process, .NET 9.0, single file", "9.0-single", NULL, NULL },
	{ "process, .NET 10.0, single file", "10.0-single", NULL, NULL },
	{ "process, .NET 11.0", "11.0", NULL, NULL },
	{ "process, .NET 11.0, server adapting, busy", "11.0", busy, server },
	{ "process, .NET 11.0, libclrgcexp, busy", "11.0", busy, other },
	{ "process, .NET 11.0, single file", "11.0-single", NULL, NULL },
};
enum { TRIES = 20 };

/*
 * Held at a moment when the collector moves nothing; NULL: none was met. While it does, the oracle
 * may end over an object that is half there.
 */
static struct oracle *
hold(const struct living *l, const struct target *t)
{
	char pid[16];

	snprintf(pid, sizeof(pid), "%d", target_pid(t));
	for (int i = 0; i < TRIES; i++) {
		struct oracle *o = oracle_try(pid, l->version, all_sections);
		struct oracle_line line;
		const char *at = NULL;

		if (!o)
			continue;
		assert_true(oracle_next(o, "heap", &at, &line));
		if (oracle_is(&line, 4, "1"))
			return o;
		oracle_free(o);
	}
	return NULL;
}

static const struct heap *
look(const struct living *l, const struct target *t)
{
	struct clr_graph_options options = { .what = LOAD_ALL };
	const struct heap *h = NULL;
	struct memory *m;
	struct freeze f;
	struct error err = { 0 };

	if (!freeze_start(&f, "/proc", target_pid(t), NULL, &err))
		fail_msg("%s: %s", l->name, err.message);
	m = options.kept = process_memory_open("/proc", &f, &err);
	if (m)
		h = clr_graph_load(m, l->name, &options, &err);
	if (!h)
		fail_msg("%s: %s", l->name, err.message);
	freeze_clear(&f);
	return h;
}

TEST_ROWS(test_living, livings)
{
	const struct living *l = *state;
	const struct heap *h;
	struct oracle *o;
	struct target *t;
	struct error err;

	if (!target_exists(l->version) || !oracle_exists())
		skip();
	t = target_start(l->version, TARGET_HERE, l->arguments, l->variables);
	o = hold(l, t);
	assert_non_null(o);
	h = look(l, t);
	error_clear(&err);
	if (!heap_check(h, &err))
		fail_msg("%s: %s", l->name, err.message);
	for (uint32_t i = 0; i < h->info.warnings_count; i++)
		fail_msg("%s: %s", l->name, h->info.warnings[i]);
	judge_heap(l->name, o, h);
	judge_statics(l->name, o, h);
	heap_free(h);
	oracle_free(o);
	target_tell(t, "gc"); /* it goes on */
	target_free(t);
}

/* --- methods of code ----------------------------------------------------- */

static const char *const code_sections[] = { "code", "frames", "stackroots", NULL };
static const char *const no_precompiled[] = { "DOTNET_ReadyToRun=0", NULL };
static const char *const no_tiers[] = { "DOTNET_TieredCompilation=0", NULL };

static const struct living codes[] = {
	{ "code, .NET 8.0", "8.0", NULL, NULL },
	{ "code, .NET 9.0", "9.0", NULL, NULL },
	{ "code, .NET 10.0", "10.0", NULL, NULL },
	{ "code, .NET 11.0", "11.0", NULL, NULL },
	{ "code, .NET 10.0, busy", "10.0", busy, NULL },
	{ "code, .NET 8.0, none precompiled", "8.0", NULL, no_precompiled },
	{ "code, .NET 10.0, none precompiled", "10.0", NULL, no_precompiled },
	{ "code, .NET 9.0, optimised", "9.0", NULL, no_tiers },
	{ "code, .NET 8.0, single file", "8.0-single", NULL, NULL },
	{ "code, .NET 9.0, single file", "9.0-single", NULL, NULL },
	{ "code, .NET 10.0, single file", "10.0-single", NULL, NULL },
	{ "code, .NET 11.0, single file", "11.0-single", NULL, NULL },
};

TEST_ROWS(test_code, codes)
{
	const struct living *l = *state;
	struct oracle *o;
	struct target *t;
	struct memory *m;
	struct freeze f;
	struct error err = { 0 };
	char pid[16];

	if (!target_exists(l->version) || !oracle_exists())
		skip();
	t = target_start(l->version, TARGET_HERE, l->arguments, l->variables);
	snprintf(pid, sizeof(pid), "%d", target_pid(t));
	o = oracle_ask(pid, l->version, code_sections);
	if (!freeze_start(&f, "/proc", target_pid(t), NULL, &err))
		fail_msg("%s: %s", l->name, err.message);
	m = process_memory_open("/proc", &f, &err);
	if (!m)
		fail_msg("%s: %s", l->name, err.message);
	judge_code(l->name, o, m);
	judge_frames(l->name, o, m);
	judge_refs(l->name, o, m);
	memory_close(m);
	freeze_clear(&f);
	oracle_free(o);
	target_free(t);
}
