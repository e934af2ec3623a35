#include "tests/drive/captures.h"
#include "capture/events/tracing.h"
#include "model/graph/reach.h"
#include "tests/drive/run_tests.h"
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *const versions[VERSIONS] = { "8.0", "9.0", "10.0", "11.0" };

const struct clr_facts *
version_facts(const char *version)
{
	return clr_facts((unsigned)strtoul(version, NULL, 10));
}

bool
is_skipped(const char *version)
{
	if (target_exists(version))
		return false;
	printf("skipped: no program for .NET %s\n", version);
	return true;
}

const struct heap *
capture_pid(int32_t pid, struct capture_cost *cost, struct error *err)
{
	struct live_target target = { .pid = pid };
	struct capture_options options = { 0 };

	error_clear(err);
	return capture_load(&target, &options, NULL, NULL, NULL, cost, err);
}

/* ---- what must hold of every heap ---------------------------------------- */

static uint64_t
count_of(const struct heap *h, const char *type)
{
	uint64_t count = 0;

	for (uint32_t i = 0; i < h->types_count; i++)
		if (!strcmp(h->types[i].name, type))
			count += h->types[i].count;
	return count;
}

void
check_facts(const struct heap *h, const struct target *t, const char *what)
{
	/* Native AOT loads no plugin, and a stuck finalizer keeps no object that it does not need
	 * any more. */
	/* clang-format off */
	static const struct { const char *type, *fact; long more, native; } facts[] = {
		{ "Leaky.Session",    "sessions", 1, 0 }, /* held by a plugin */
		{ "Leaky.Subscriber", "subscribers", 0, 0 },
		{ "Leaky.Child",      "children", 0, 0 },
		{ "Leaky.Link",       "links", 0, 0 },
		{ "Leaky.Node",       "ring", 0, 0 },
		{ "Leaky.Pinned",     "pinned", 0, 0 },
		{ "Leaky.HandleHeld", "handle-held", 0, 0 },
		{ "Leaky.WeakOnly",   "weak-only", 0, 0 },
		{ "Leaky.Finalizable", "finalizer-stuck", 0, -1 },
		{ "async Leaky.Program.WaitForever()", "async-waiting", 0, 0 },
	};
	/* clang-format on */
	for (size_t i = 0; i < COUNT_OF(facts); i++) {
		long wanted = target_fact(t, facts[i].fact) +
			      (target_is_native(t) ? facts[i].native : facts[i].more);
		if (wanted < 0 || count_of(h, facts[i].type) != (uint64_t)wanted)
			fail_msg("%s: %" PRIu64 " of %s, but %ld are there", what,
				 count_of(h, facts[i].type), facts[i].type, wanted);
	}
	/* The outer name is in the module's file alone. */
	assert_int_equal(count_of(h, "Leaky.Holder<List<Leaky.Session>>.Inner<int[]>"), 1);
}

static void
check_roots(const struct heap *h)
{
	unsigned kinds[ROOT_KIND_COUNT] = { 0 };
	bool has_sessions = false;

	for (uint32_t i = 0; i < h->roots_count; i++) {
		kinds[h->roots[i].kind]++;
		has_sessions = has_sessions || (h->roots[i].kind == ROOT_STATIC &&
						!strcmp(h->roots[i].name, "Leaky.Cache.Sessions"));
	}
	assert_true(has_sessions);
	assert_true(kinds[ROOT_STRONG] > 0 && kinds[ROOT_PINNED] > 0 && kinds[ROOT_STACK] > 0);
}

/* Every reference leads to an object that was described: both ends are here. */
static void
check_references(const struct heap *h, const struct capture_cost *cost)
{
	const struct losses *l = &h->info.losses;

	assert_int_equal(l->undefined_refs, 0);
	assert_int_equal(l->undefined_roots, 0);
	assert_int_equal(l->damaged_refs, 0);
	assert_int_equal(cost->walk.refs_count, cost->walk.refs_expected_count);
}

/* What survived a collection has a reason to, or is never collected. */
static void
check_all_are_explained(const struct heap *h, const char *what)
{
	struct error err = { 0 };
	const struct reach *reach;
	uint32_t unexplained = 0;

	reach = reach_compute(h, true, NULL, &err);
	if (!reach)
		fail_msg("%s: %s", what, err.message);
	for (node_id n = 0; n < h->nodes_count; n++)
		unexplained += reach->distance[n] == DISTANCE_UNREACHABLE &&
			       heap_generation(h, n) != GEN_FROZEN;
	reach_free(reach);
	if (unexplained)
		fail_msg("%s: %u objects that no root reaches", what, unexplained);
}

static void
check_generations(const struct heap *h)
{
	uint64_t counts[GEN_COUNT] = { 0 };

	for (node_id n = 0; n < h->nodes_count; n++)
		counts[heap_generation(h, n)]++;
	assert_int_equal(counts[GEN_UNKNOWN], 0);
	assert_true(counts[GEN_FROZEN] > 0 && counts[GEN_LOH] > 0 && counts[GEN_POH] > 0 &&
		    counts[GEN_2] > 0);
}

/* ---- what dotnet-gcdump counted ------------------------------------------ */

struct totals {
	uint64_t objects, bytes, refs;
	uint64_t own_count, own_bytes; /* of types of the program's own module */
};

/* tests/data/totals.txt and leaky-N.types.tsv, for the version "N.0…". */
static bool
totals_expected(struct totals *t, const char *version)
{
	unsigned long major = strtoul(version, NULL, 10);
	char name[64], line[512], wanted[24];
	bool is_found = false;
	FILE *f;

	*t = (struct totals){ 0 };
	snprintf(wanted, sizeof(wanted), "leaky-%lu ", major);
	f = fopen("tests/data/totals.txt", "r");
	assert_non_null(f);
	while (!is_found && fgets(line, sizeof(line), f))
		is_found = !strncmp(line, wanted, strlen(wanted)) &&
			   sscanf(line + strlen(wanted),
				  "nodes %*u objects %" SCNu64 " bytes %" SCNu64
				  " undefined %*u reachable %*u reachable_bytes %*u edges %" SCNu64,
				  &t->objects, &t->bytes, &t->refs) == 3;
	fclose(f);
	snprintf(name, sizeof(name), "tests/data/leaky-%lu.types.tsv", major);
	f = fopen(name, "r");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		uint64_t count, bytes;

		if (strstr(line, "\tleaky.dll") &&
		    sscanf(line, "%" SCNu64 " %" SCNu64, &count, &bytes) == 2) {
			t->own_count += count;
			t->own_bytes += bytes;
		}
	}
	fclose(f);
	return is_found;
}

static struct totals
totals_of(const struct heap *h)
{
	struct totals t = { .objects = h->nodes_count, .refs = h->refs_count };

	for (uint32_t i = 0; i < h->types_count; i++) {
		const struct type *type = &h->types[i];

		t.bytes += type->bytes;
		if (strcmp(type_module_file(type), "leaky.dll") != 0)
			continue;
		t.own_count += type->count;
		t.own_bytes += type->bytes;
	}
	return t;
}

static void
print_own_types(const struct heap *h)
{
	for (uint32_t i = 0; i < h->types_count; i++)
		if (!strcmp(type_module_file(&h->types[i]), "leaky.dll"))
			printf("%" PRIu64 " %s\n", h->types[i].count, h->types[i].raw);
}

/*
 * The program's own objects to the byte. Besides, a runtime allocates on its own: .NET 10 describes
 * its event source to itself by reflection, some 3,200 objects of 250 KB, as soon as it hears of a
 * session before the walk begins; and another patch of the runtime, or server GC, has some more or
 * less.
 */
static void
check_totals(const struct heap *h, const char *version, const char *what)
{
	enum { LESS = 200, MORE = 5000, LESS_KB = 16, MORE_KB = 400 };
	struct totals wanted, got = totals_of(h);

	assert_true(totals_expected(&wanted, version));
	if (got.own_count != wanted.own_count || got.own_bytes != wanted.own_bytes) {
		print_own_types(h);
		fail_msg("%s: %" PRIu64 " objects (%" PRIu64 " bytes) of the program's types "
			 "instead of %" PRIu64 " (%" PRIu64 ")",
			 what, got.own_count, got.own_bytes, wanted.own_count, wanted.own_bytes);
	}
	if (got.objects + LESS < wanted.objects || got.objects > wanted.objects + MORE ||
	    got.bytes + (LESS_KB << 10) < wanted.bytes ||
	    got.bytes > wanted.bytes + (MORE_KB << 10) || got.refs + LESS < wanted.refs ||
	    got.refs > wanted.refs + 3 * MORE)
		fail_msg("%s: %" PRIu64 " objects, %" PRIu64 " bytes, %" PRIu64
			 " references; dotnet-gcdump: %" PRIu64 ", %" PRIu64 ", %" PRIu64,
			 what, got.objects, got.bytes, got.refs, wanted.objects, wanted.bytes,
			 wanted.refs);
}

/* ---- captures ------------------------------------------------------------ */

static struct capture_cost
check(const struct target *t, const char *version, const char *what)
{
	struct capture_cost cost;
	struct error err;
	const struct heap *h = capture_pid(target_pid(t), &cost, &err);
	char text[200];

	if (!h)
		fail_msg("%s: %s", what, err.message);
	printf("%s: %u objects in %.3f s, %s\n", what, h->nodes_count, (double)cost.total_ns / 1e9,
	       capture_cost_text(&cost, text, sizeof(text)));
	if (!heap_check(h, &err) || h->info.warnings_count)
		fail_msg("%s: %s", what, err.message[0] ? err.message : h->info.warnings[0]);
	assert_true(cost.is_complete);
	assert_true(cost.walk.pause_ns > 0);
	assert_int_equal(cost.walk.untyped_objects, 0);
	check_facts(h, t, what);
	assert_int_equal(count_of(h, "Leaky.Unreachable"), 0);
	check_roots(h);
	check_references(h, &cost);
	check_all_are_explained(h, what);
	check_generations(h);
	if (version)
		check_totals(h, version, what);
	heap_free(h);
	return cost;
}

struct capture_cost
check_capture(const struct target *t, const char *version, const char *what)
{
	return check(t, version, what);
}

struct capture_cost
check_capture_of_facts(const struct target *t, const char *what)
{
	return check(t, NULL, what);
}

/* ---- sessions left open -------------------------------------------------- */

static uint32_t
threads_left(const struct target *t)
{
	enum { PATIENCE_MS = 60000, NAP_MS = 20 };
	struct process p;
	struct error err = { 0 };
	uint32_t count;

	assert_true(process_look(&p, PROC_FOLDER, target_pid(t), &err));
	for (int ms = 0; (count = process_sessions(&p, PROC_FOLDER)) > 0 && ms <= PATIENCE_MS;
	     ms += NAP_MS)
		poll(NULL, 0, NAP_MS);
	return count;
}

bool
has_last_word(const char *version)
{
	const struct clr_facts *facts = version_facts(version);

	return facts->collects_at_end || facts->walks_blocking;
}

bool
is_thread_left(const struct target *t)
{
	return threads_left(t) > 0;
}

void
check_no_thread_left(const struct target *t)
{
	uint32_t count = threads_left(t);

	if (count)
		fail_msg("%u threads of sessions are left", count);
}

void
check_next_collection_ends_it(const struct target *t)
{
	struct capture_cost cost;
	struct error err;
	const struct heap *h = capture_pid(target_pid(t), &cost, &err);

	assert_ok(h, &err);
	heap_free(h);
	check_no_thread_left(t);
}

void
check_no_session_left(const struct target *t)
{
	enum { SESSIONS_MAX = 64 };
	struct tracing sessions[SESSIONS_MAX + 1];
	struct tracing_request nothing = { .command = 2, .buffer_mb = 1, .provider = "Nobody" };
	struct process p;
	struct error err = { 0 };
	struct ipc ipc;
	int count = 0, fd;

	assert_true(process_look(&p, PROC_FOLDER, target_pid(t), &err));
	check_no_thread_left(t);
	assert_true(ipc_open(&ipc, &p, PROC_FOLDER, NULL, &err));
	while (count <= SESSIONS_MAX && tracing_start(&sessions[count], &ipc, &nothing, &err))
		count++;
	for (int i = 0; i < count; i++) {
		error_clear(&err);
		if (tracing_ask_stop(&sessions[i], &ipc, &fd, &err))
			close(fd);
		tracing_close(&sessions[i]);
	}
	ipc_close(&ipc);
	assert_int_equal(count, SESSIONS_MAX);
}
