/*
 * Heaps from the memory of real processes that go on all the time: what the program says of itself
 * must be there, nothing of the heap may be missing, and the process must not notice. HEAPTOP_KILLS
 * says how often each runtime is left alone, and half as often as busy ones are stopped (`make
 * harm`).
 */
#include "capture/memory/snapshot.h"
#include "tests/drive/captures.h"
#include "tests/drive/run_tests.h"
#include "model/heap/memory.h"
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char *const busy[] = { "--busy", NULL };

static bool
is_native(const char *version)
{
	return strstr(version, "-native");
}

/* It needs no answer from the runtime. */
static const char *const deaf[] = { "DOTNET_EnableDiagnostics=0", NULL };

static const struct heap *
load_with_card(int32_t pid, struct live_options *options, struct live_card *card,
	       struct still_cost *cost, struct error *err)
{
	struct live_target target = { .pid = pid };

	error_clear(err);
	options->from_memory = true;
	if (!still_preflight(card, &target, options, PROC_FOLDER, err))
		return NULL;
	return still_load(card, options, NULL, NULL, cost, err);
}

static const struct heap *
load(int32_t pid, struct live_options *options, struct still_cost *cost, struct error *err)
{
	struct live_card card;

	return load_with_card(pid, options, &card, cost, err);
}

static unsigned
rounds_count(unsigned times, unsigned ordinary)
{
	const char *text = getenv("HEAPTOP_KILLS");
	unsigned long count = text ? strtoul(text, NULL, 10) : 0;

	return count ? (unsigned)count * times : ordinary;
}

/* What a background collection has found dead, it may not have swept yet. */
static void
check_warnings(const struct heap *h, const char *what)
{
	for (uint32_t i = 0; i < h->info.warnings_count; i++)
		if (!strstr(h->info.warnings[i], "of dead objects, which a background"))
			fail_msg("%s: %s", what, h->info.warnings[i]);
}

/* Stopped at any moment, it is sound but for what was just being written. */
static void
check_sound(const struct heap *h, const char *version, const char *what)
{
	const struct heap_memory *m = h->memory;
	struct faults f = { 0 };
	struct error err;

	if (!m->contents)
		return;
	error_clear(&err);
	if (!m->contents->verify(m->source, NODE_NONE, &f, NULL, &err))
		fail_msg("%s: %s", what, err.message);
	for (size_t i = 0; i < f.count; i++)
		if (!f.items[i].is_excused)
			fail_msg("%s: %s at %" PRIx64 ": %s", what,
				 fault_name((enum fault_kind)f.items[i].kind), f.items[i].address,
				 f.items[i].text ? f.items[i].text : "");
	/* Native AOT does not describe the cards. */
	assert_true((f.has_cards || is_native(version)) && f.has_free_lists);
	printf("%s: %" PRIu64 " cards, %" PRIu64 " listed free blocks, %" PRIu64 " excused\n", what,
	       f.cards_count, f.listed_count, f.excused);
	faults_clear(&f);
}

struct row {
	const char *what, *version;
	const char *const *arguments, *const *variables;
	uint64_t memory_bytes;
	unsigned times;
	enum target_place place;
};

/* What was said before, without stopping it; objects only about. */
static void
check_card(const struct live_card *card, const struct row *r, const struct heap *h)
{
	size_t version_len = strcspn(r->version, "-");
	bool is_exact =
	    !strncmp(card->runtime, r->version, version_len) && card->runtime[version_len] == '.';

	assert_true(card->is_seen);
	/* Native AOT tells only the major version, which follows. */
	if (!is_exact && !is_native(r->version))
		fail_msg("%s: the card says .NET %s", r->what, card->runtime);
	assert_int_equal(card->major, strtoul(r->version, NULL, 10));
	assert_int_equal(card->is_server_gc, r->variables == with_server);
	assert_int_equal(card->heaps_count, r->variables == with_server ? 2 : 1);
	assert_false(card->is_single_file);
	/* A busy one grows and shrinks meanwhile. */
	if (r->arguments)
		return;
	if (card->objects < h->nodes_count / 3 || card->objects > h->nodes_count * 3 ||
	    card->heap_bytes < h->bytes_count || card->heap_bytes > 2 * h->bytes_count)
		fail_msg("%s: %" PRIu64 " objects in %" PRIu64
			 " bytes were expected, and there are %" PRIu32 " in %" PRIu64,
			 r->what, card->objects, card->heap_bytes, h->nodes_count, h->bytes_count);
}

static void
check(struct target *t, const struct row *r)
{
	struct live_options options = { .memory_bytes = r->memory_bytes };
	const char *what = r->what;
	struct live_card card;
	struct still_cost cost;
	struct error err;
	const struct heap *h = load_with_card(target_pid(t), &options, &card, &cost, &err);

	if (!h) {
		fail_msg("%s: %s", what, err.message);
		return;
	}
	printf("%s: %u objects, stopped %.3f s of %.3f s, %.1f MB copied\n", what, h->nodes_count,
	       (double)cost.pause_ns / 1e9, (double)cost.total_ns / 1e9, (double)cost.bytes / 1e6);
	if (!heap_check(h, &err))
		fail_msg("%s: %s", what, err.message);
	check_warnings(h, what);
	assert_true(cost.is_complete);
	assert_int_equal(cost.bytes == 0, r->memory_bytes != 0);
	check_facts(h, t, what);
	check_sound(h, r->version, what);
	check_card(&card, r, h);
	heap_free(h);
}

static const struct row rows[] = {
	{ "8.0", "8.0", NULL, NULL, 0, 1, TARGET_HERE },
	{ "9.0", "9.0", NULL, NULL, 0, 1, TARGET_HERE },
	{ "10.0", "10.0", NULL, NULL, 0, 1, TARGET_HERE },
	{ "8.0, server", "8.0", NULL, with_server, 0, 1, TARGET_HERE },
	{ "9.0, server", "9.0", NULL, with_server, 0, 1, TARGET_HERE },
	{ "10.0, server", "10.0", NULL, with_server, 0, 1, TARGET_HERE },
	{ "8.0, segments", "8.0", NULL, with_segments, 0, 1, TARGET_HERE },
	{ "9.0, segments", "9.0", NULL, with_segments, 0, 1, TARGET_HERE },
	{ "10.0, segments", "10.0", NULL, with_segments, 0, 1, TARGET_HERE },
	{ "10.0, in place", "10.0", NULL, NULL, 20 << 20, 1, TARGET_HERE },
	{ "10.0, no diagnostics", "10.0", NULL, deaf, 0, 1, TARGET_HERE },
	{ "11.0", "11.0", NULL, NULL, 0, 1, TARGET_HERE },
	{ "11.0, server", "11.0", NULL, with_server, 0, 1, TARGET_HERE },
	{ "11.0, segments", "11.0", NULL, with_segments, 0, 1, TARGET_HERE },
	{ "11.0, busy", "11.0", busy, NULL, 0, 20, TARGET_HERE },
	{ "8.0, Native AOT", "8.0-native", NULL, NULL, 0, 1, TARGET_HERE },
	{ "9.0, Native AOT", "9.0-native", NULL, NULL, 0, 1, TARGET_HERE },
	{ "10.0, Native AOT", "10.0-native", NULL, NULL, 0, 1, TARGET_HERE },
	{ "11.0, Native AOT, busy", "11.0-native", busy, NULL, 0, 20, TARGET_HERE },
	{ "8.0, Native AOT, busy", "8.0-native", busy, NULL, 0, 20, TARGET_HERE },
	{ "9.0, Native AOT, busy", "9.0-native", busy, NULL, 0, 20, TARGET_HERE },
	{ "10.0, Native AOT, busy", "10.0-native", busy, NULL, 0, 20, TARGET_HERE },
	{ "10.0, Native AOT, in place", "10.0-native", NULL, NULL, 20 << 20, 1, TARGET_HERE },
	{ "8.0, busy", "8.0", busy, NULL, 0, 20, TARGET_HERE },
	{ "9.0, busy", "9.0", busy, NULL, 0, 20, TARGET_HERE },
	{ "10.0, busy", "10.0", busy, NULL, 0, 20, TARGET_HERE },
	{ "10.0, busy, server", "10.0", busy, with_server, 0, 20, TARGET_HERE },
	{ "10.0, busy, in place", "10.0", busy, NULL, 20 << 20, 5, TARGET_HERE },
	/* Threads have other numbers there than here. */
	{ "8.0, container", "8.0", NULL, NULL, 0, 1, TARGET_CONTAINER },
	{ "10.0, container", "10.0", NULL, NULL, 0, 1, TARGET_CONTAINER },
	{ "10.0, namespaces", "10.0", NULL, NULL, 0, 1, TARGET_NAMESPACES },
};

TEST_ROWS(takes_the_whole_heap, rows)
{
	const struct row *r = *state;
	struct target *t;

	if (is_skipped(r->version))
		return;
	t = target_start(r->version, r->place, r->arguments, r->variables);
	if (!t) {
		printf("skipped: containers are not allowed here\n");
		return;
	}
	for (unsigned i = r->times > 1 ? rounds_count(2, r->times) : 1; i; i--)
		check(t, r);
	target_tell(t, "gc"); /* it still does its work */
	target_free(t);
}

static const struct row storms[] = {
	{ "8.0, storm", "8.0", NULL, NULL, 0, 1, TARGET_HERE },
	{ "9.0, storm", "9.0", NULL, NULL, 0, 1, TARGET_HERE },
	{ "10.0, storm", "10.0", NULL, NULL, 0, 1, TARGET_HERE },
	{ "11.0, storm", "11.0", NULL, NULL, 0, 1, TARGET_HERE },
	{ "10.0, storm, server", "10.0", NULL, with_server, 0, 1, TARGET_HERE },
	{ "9.0, storm, segments", "9.0", NULL, with_segments, 0, 1, TARGET_HERE },
};

/*
 * Of a program that is always in the middle of something: a tenth of its moments make no sense, and
 * the capture takes others.
 */
TEST_ROWS(takes_a_moment_that_makes_sense, storms)
{
	enum { TIMES = 8 };
	const struct row *r = *state;
	const char *variables[] = { target_samples(),
				    "SAMPLES=storm",
				    "DOTNET_GCgen0size=40000", /* often */
				    r->variables ? r->variables[0] : NULL,
				    r->variables ? r->variables[1] : NULL,
				    NULL };
	struct target *t;

	if (!variables[0] || is_skipped(r->version))
		return;
	t = target_start(r->version, TARGET_HERE, NULL, variables);
	for (unsigned i = rounds_count(1, TIMES); i; i--) {
		struct live_options options = { 0 };
		struct still_cost cost;
		struct error err;
		const struct heap *h = load(target_pid(t), &options, &cost, &err);

		if (!h || !heap_check(h, &err))
			fail_msg("%s: %s", r->what, err.message);
		printf("%s: %u objects, %u stops\n", r->what, h->nodes_count, cost.stops);
		assert_true(cost.is_complete);
		check_warnings(h, r->what);
		check_sound(h, r->version, r->what);
		heap_free(h);
	}
	target_free(t);
}

/* More than may be used is refused, in a sentence that says what helps. */
TEST(obeys_the_limit)
{
	static const char *const list[] = { "--list", "1000000", NULL };
	struct live_options options = { .memory_bytes = 4 << 20 };
	struct still_cost cost;
	struct target *t;
	struct error err;

	if (is_skipped("10.0"))
		return;
	t = target_start("10.0", TARGET_HERE, list, NULL);
	assert_null(load(target_pid(t), &options, &cost, &err));
	assert_int_equal(err.kind, ERROR_SYSTEM);
	assert_ok(strstr(err.message, "the heap of 1,0") &&
		      strstr(err.message, ", and 4 MiB may be used; --mem "),
		  &err);
	target_tell(t, "gc");
	target_free(t);
}

/* In a child of its own; it ends, or is killed. */
static pid_t
start_load(int32_t pid)
{
	pid_t child;

	fflush(NULL);
	child = fork();
	if (!child) {
		struct live_options options = { 0 };
		struct still_cost cost;
		struct error err;

		heap_free(load(pid, &options, &cost, &err));
		_exit(0);
	}
	return child;
}

/* How long all of it takes. */
static int64_t
load_ns(int32_t pid)
{
	struct live_options options = { 0 };
	struct still_cost cost;
	struct error err;
	const struct heap *h = load(pid, &options, &cost, &err);

	assert_ok(h, &err);
	heap_free(h);
	return cost.total_ns;
}

/* At any moment, each a little later than the one before. */
TEST(leaves_nothing_when_killed)
{
	enum { KILLS = 8 };
	unsigned kills = rounds_count(1, KILLS);

	for (int i = 0; i < VERSIONS; i++) {
		const struct row r = { .what = "after the kills",
				       .version = versions[i],
				       .arguments = busy };
		struct target *t;
		int64_t all;

		if (is_skipped(versions[i]))
			continue;
		t = target_start(versions[i], TARGET_HERE, busy, NULL);
		all = load_ns(target_pid(t));
		for (unsigned k = 0; k < kills; k++) {
			struct timespec moment = { .tv_nsec = all * k / kills % 1000000000 };
			pid_t child = start_load(target_pid(t));

			nanosleep(&moment, NULL);
			kill(child, SIGKILL);
			waitpid(child, NULL, 0);
			target_tell(t, "gc");
		}
		check(t, &r);
		target_free(t);
	}
}

TEST(refuses_what_is_no_dotnet)
{
	struct live_options options = { 0 };
	struct still_cost cost;
	struct error err;

	assert_null(load(getpid(), &options, &cost, &err));
	assert_int_equal(err.kind, ERROR_ATTACH);
	assert_non_null(strstr(err.message, "is not a .NET process"));
}
