/*
 * The allocations of real processes: every version, until the time is over, the process ends or
 * heaptop does. No session is left in any case. Where the programs cannot be built, that is said
 * and counted.
 */
#include "capture/events/allocation_watch.h"
#include "capture/process/process.h"
#include "io/base/output.h"
#include "io/events/allocation_events.h"
#include "model/allocations/rows.h"
#include "tests/drive/captures.h"
#include "tests/drive/files.h"
#include "tests/drive/run_tests.h"
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *const busy[] = { "--busy", NULL };
static const char site[] = "Leaky.Program.StartBusy lambda 21_0";

static void
publish(void *context, struct allocations *a)
{
	struct allocations **newest = context;

	allocations_free(*newest);
	*newest = a;
}

static struct allocations *
record(const struct target *t, struct live_allocations *plan)
{
	const struct live_target target = { .pid = target_pid(t) };
	struct allocations *a = NULL;
	const struct allocation_sink sink = { publish, &a, 0, NULL };
	struct error err = { 0 };

	assert_ok(allocation_plan(&target, plan, NULL, &err), &err);
	assert_true(plan->buffer_mb > 0);
	assert_ok(allocation_watch(&target, plan, sink, NULL, &err), &err);
	assert_non_null(a);
	return a;
}

/* --- copies --------------------------------------------------------------- */

enum { COPIES = 15 };

struct copies {
	struct target *target;
	struct progress progress;
	bool kills; /* the process, in place of ending the recording */
	unsigned count;
	uint64_t samples, time_ns;
	bool has_grown;         /* samples and time never shrank */
	bool has_recent;        /* which is all of so short a recording */
	uint32_t unknown_count; /* before it has ended */
};

/* Ends the recording after some copies. */
static void
take_copy(void *context, struct allocations *a)
{
	struct copies *c = context;

	c->has_grown &= a->facts.total.samples >= c->samples && a->facts.time_ns >= c->time_ns;
	c->has_recent &= a->facts.recent_ns == a->facts.time_ns &&
			 a->facts.recent.samples == a->facts.total.samples;
	c->samples = a->facts.total.samples;
	c->time_ns = a->facts.time_ns;
	if (c->count < COPIES)
		c->unknown_count = a->unknown_count;
	allocations_free(a);
	if (c->count == 1)
		target_tell(c->target, "grow");
	if (++c->count != COPIES)
		return;
	if (c->kills)
		kill(target_pid(c->target), SIGKILL);
	else
		progress_cancel(&c->progress);
}

static const struct allocation_method *
largest_site(const struct allocations *a)
{
	const struct allocation_method *m;
	struct allocation_rows rows;
	uint32_t largest = 0;
	struct error err = { 0 };

	assert_ok(allocation_rows_make(&rows, a, ALLOCATIONS_BY_SITE, NULL, NULL, &err), &err);
	for (uint32_t i = 0; i < rows.count; i++)
		if (rows.items[i].sum.bytes > rows.items[largest].sum.bytes)
			largest = i;
	assert_true(rows.count > 0);
	m = &a->methods[rows.items[largest].site];
	allocation_rows_clear(&rows);
	return m;
}

static void
check_recording(const char *version)
{
	struct live_allocations plan = { .time_ns = 1000000000 };
	struct target *t = target_start(version, TARGET_HERE, busy, NULL);
	struct allocations *a = record(t, &plan);

	assert_int_equal(a->facts.is_random, version_facts(version)->samples_allocations);
	assert_true(a->facts.total.samples > 100);
	assert_true(a->facts.time_ns > 900000000);
	assert_int_equal(a->facts.lost_events, 0);
	assert_int_equal(a->facts.folded, 0);
	assert_int_equal(a->facts.recent_ns, 0); /* rates are of all */
	assert_true(plan.survival_stop_ns > 0);
	assert_true(a->facts.survival.collections > 0);
	assert_int_equal(a->facts.survival.lost_samples, 0);
	/* Its thread keeps the last 20,000 arrays, of 3 MB, each for some 25 ms. A background
	 * collection judges only older ones, which all are dead when it reports. */
	if (a->facts.survival.latest.generation < 2)
		assert_true(a->alive.sum.bytes > 1 << 20);
	assert_true(a->alive.sum.bytes < 20 << 20);
	assert_string_equal(a->facts.end, "");
	assert_string_equal(largest_site(a)->name, site);
	assert_string_equal(largest_site(a)->module, "leaky.dll");
	check_no_session_left(t);
	allocations_free(a);
	target_free(t);
}

TEST(records_every_version)
{
	for (int i = 0; i < VERSIONS; i++)
		if (!is_skipped(versions[i]))
			check_recording(versions[i]);
}

static void
take_copies(struct copies *c)
{
	const struct allocation_sink sink = { take_copy, c, 100000000, NULL };
	struct live_allocations plan = { 0 };
	struct live_target target = { 0 };
	struct error err = { 0 };

	c->target = target_start("10.0", TARGET_HERE, NULL, NULL);
	target.pid = target_pid(c->target);
	assert_ok(allocation_plan(&target, &plan, NULL, &err), &err);
	assert_ok(allocation_watch(&target, &plan, sink, &c->progress, &err), &err);
}

/*
 * A named copy about each interval. Code that is first called after the start has no name until the
 * methods are listed again.
 */
TEST(copies_while_it_goes_on)
{
	struct copies c = { .has_grown = true, .has_recent = true };

	if (is_skipped("10.0"))
		return;
	take_copies(&c);
	/* And the last one, when it has ended. */
	assert_int_equal(c.count, COPIES + 1);
	assert_true(c.has_grown);
	assert_true(c.has_recent);
	assert_true(c.samples > 0);
	assert_int_equal(c.unknown_count, 0);
	check_no_session_left(c.target);
	target_free(c.target);
}

/* Its last event may be long ago, but the time goes on. */
TEST(a_calm_process_is_killed)
{
	struct copies c = { .has_grown = true, .has_recent = true, .kills = true };

	if (is_skipped("10.0"))
		return;
	take_copies(&c);
	assert_true(c.count > COPIES);
	assert_true(c.has_grown);
	target_free(c.target);
}

TEST(without_survival)
{
	struct live_allocations plan = { .time_ns = 500000000, .without_survival = true };
	struct target *t;
	struct allocations *a;

	if (is_skipped("10.0"))
		return;
	t = target_start("10.0", TARGET_HERE, busy, NULL);
	a = record(t, &plan);
	assert_int_equal(plan.survival_stop_ns, 0);
	assert_true(a->facts.total.samples > 100);
	assert_int_equal(a->facts.survival.collections, 0);
	assert_int_equal(a->alive.sum.samples, 0);
	allocations_free(a);
	target_free(t);
}

TEST(an_idle_process)
{
	struct live_allocations plan = { .time_ns = 500000000 };
	struct target *t;
	struct allocations *a;

	if (is_skipped("10.0"))
		return;
	t = target_start("10.0", TARGET_HERE, NULL, NULL);
	a = record(t, &plan);
	assert_true(a->facts.total.samples < ALLOCATION_SAMPLES_MIN);
	assert_true(a->facts.time_ns > 400000000);
	check_no_session_left(t);
	allocations_free(a);
	target_free(t);
}

TEST(native_aot_without_samples)
{
	struct live_allocations plan = { .time_ns = 1 };
	struct live_target target = { 0 };
	struct error err = { 0 };
	struct target *t;

	if (is_skipped("8.0-native"))
		return;
	t = target_start("8.0-native", TARGET_HERE, NULL, NULL);
	target.pid = target_pid(t);
	assert_false(allocation_plan(&target, &plan, NULL, &err));
	assert_non_null(strstr(err.message, "compiled by Native AOT"));
	check_no_session_left(t);
	target_free(t);
}

/* Runtimes write "NULL" for a name that they do not send. */
TEST(native_aot_sends_only_the_total)
{
	struct live_allocations plan = { .time_ns = 1000000000 };
	struct target *t;
	struct allocations *a;

	if (is_skipped("10.0-native"))
		return;
	t = target_start("10.0-native", TARGET_HERE, busy, NULL);
	a = record(t, &plan);
	assert_true(a->facts.total.samples > 10);
	assert_int_equal(a->facts.without_stack, a->facts.total.samples);
	assert_int_equal(a->types_count, 1);
	assert_string_equal(a->types[0].name, "(without a type)");
	allocations_free(a);
	target_free(t);
}

/* The list of methods from before the recording has the names. */
TEST(the_end_of_the_process)
{
	struct live_allocations plan = { 0 };
	struct target *t;
	struct allocations *a;
	pid_t killer;

	if (is_skipped("10.0"))
		return;
	t = target_start("10.0", TARGET_HERE, busy, NULL);
	killer = fork();
	assert_true(killer >= 0);
	if (!killer) {
		sleep(3);
		kill(target_pid(t), SIGKILL);
		_exit(0);
	}
	a = record(t, &plan);
	waitpid(killer, NULL, 0);
	assert_true(a->facts.is_cut);
	assert_non_null(strstr(a->facts.end, "has ended"));
	assert_true(a->facts.total.samples > 100);
	assert_string_equal(largest_site(a)->name, site);
	allocations_free(a);
	target_free(t);
}

/* The kept stream gives the same samples again. */
TEST_IN_FOLDER(the_stream_is_kept)
{
	const char *path = in_folder("kept.nettrace");
	struct live_allocations plan = { .time_ns = 500000000 };
	struct target *t;
	struct error err = { 0 };
	struct allocations *a, *again;

	if (is_skipped("8.0"))
		return;
	t = target_start("8.0", TARGET_HERE, busy, NULL);
	plan.keep = output_open(path, true, &err);
	assert_non_null(plan.keep);
	a = record(t, &plan);
	assert_ok(output_close(plan.keep, &err), &err);
	again = allocations_load(path, NULL, NULL, &err);
	assert_ok(again != NULL, &err);
	assert_false(again->facts.is_cut);
	assert_int_equal(again->facts.total.samples, a->facts.total.samples);
	assert_true(again->facts.total.bytes == a->facts.total.bytes);
	assert_int_equal(again->facts.time_ns, a->facts.time_ns);
	unlink(path);
	allocations_free(again);
	allocations_free(a);
	target_free(t);
}

/* Waits until that many sessions are open. */
static void
wait_for_sessions(const struct target *t, uint32_t wanted)
{
	enum { STEP_MS = 10, STEPS = 12000 };
	struct process p;
	struct error err = { 0 };

	for (int i = 0; i < STEPS; i++) {
		assert_ok(process_look(&p, PROC_FOLDER, target_pid(t), &err), &err);
		if (process_sessions(&p, PROC_FOLDER) == wanted)
			return;
		poll(NULL, 0, STEP_MS);
	}
	fail_msg("never %u sessions", wanted);
}

/* Killed in the middle, so that it cannot say that it ends. */
TEST(a_killed_heaptop_leaves_no_session)
{
	struct target *t;
	pid_t pid;

	if (is_skipped("10.0"))
		return;
	t = target_start("10.0", TARGET_HERE, busy, NULL);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		struct live_allocations plan = { 0 };

		(void)record(t, &plan);
		_exit(0);
	}
	/* The recording's session, after that for names. */
	sleep(1);
	wait_for_sessions(t, 1);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	wait_for_sessions(t, 0);
	check_no_session_left(t);
	target_free(t);
}
