/*
 * Collections of real processes as they end: every version, both kinds of collector, until we stop,
 * the process does, or the program on the command line is told to. No session is left in any case.
 * Where the programs cannot
 * be built, that is said and counted, and the tests count as passed.
 */
#include "capture/events/gc_watch.h"
#include "capture/process/process.h"
#include "model/gc/words.h"
#include "tests/drive/captures.h"
#include "tests/drive/run_tests.h"
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *const busy[] = { "--busy", NULL };

/* Long enough for any machine; what comes is not waited for longer. */
enum { STEP_MS = 10, PATIENCE_STEPS = 12000, REASON_INDUCED = 1 };

/* ---- a watch on a thread of its own ----------------------------------------
 */

struct watching {
	struct live_target target;
	bool wants_joins;
	struct gc_feed feed;
	struct gc_source_facts facts;
	struct progress progress;
	struct error err;
	bool ok;
	pthread_t thread;
};

static void *
watch_main(void *context)
{
	struct watching *w = context;

	w->ok = gc_watch(&w->target, w->wants_joins, gc_feed_sink(&w->feed), NULL, &w->facts,
			 &w->progress, &w->err);
	return NULL;
}

/* The kernel tells: a session has a thread that sends. */
static uint32_t
sessions_of(int32_t pid)
{
	struct process p;
	struct error err = { 0 };

	return process_look(&p, PROC_FOLDER, pid, &err) ? process_sessions(&p, PROC_FOLDER) : 0;
}

static void
wait_for_sessions(int32_t pid, uint32_t wanted)
{
	for (int i = 0; sessions_of(pid) != wanted; i++) {
		if (i == PATIENCE_STEPS)
			fail_msg("%" PRIu32 " sessions, not %" PRIu32, sessions_of(pid), wanted);
		poll(NULL, 0, STEP_MS);
	}
}

static struct watching *
watch_begin(const struct target *t, bool wants_joins)
{
	struct watching *w = calloc(1, sizeof(*w));

	assert_non_null(w);
	error_clear(&w->err);
	assert_true(gc_feed_init(&w->feed, &w->err));
	w->target.pid = target_pid(t);
	w->wants_joins = wants_joins;
	assert_int_equal(pthread_create(&w->thread, NULL, watch_main, w), 0);
	wait_for_sessions(target_pid(t), 1);
	return w;
}

/* The caller clears it. */
static void
watch_next(struct watching *w, struct gc_record *r)
{
	for (int i = 0; !gc_feed_next(&w->feed, r); i++) {
		if (i == PATIENCE_STEPS)
			fail_msg("no collection was told");
		poll(NULL, 0, STEP_MS);
	}
}

static void
watch_join(struct watching *w)
{
	pthread_join(w->thread, NULL);
	if (!w->ok)
		fail_msg("%s", w->err.message);
}

static void
watch_free(struct watching *w)
{
	gc_feed_clear(&w->feed);
	free(w);
}

static void
watch_stop(struct watching *w)
{
	progress_cancel(&w->progress);
	watch_join(w);
	assert_non_null(strstr(w->facts.end, "keeps running"));
	assert_false(w->facts.is_cut);
	watch_free(w);
}

/* ---- what must hold of every collection -------------------------------------
 */

static void
check_sums(const struct gc_record *r)
{
	uint64_t sizes[GC_SIZES] = { 0 };

	for (uint32_t h = 0; h < r->heaps_count; h++) {
		assert_int_equal(r->heaps[h].generations_count, GC_GENERATIONS);
		for (int g = 0; g < GC_GENERATIONS; g++)
			for (int i = 0; i < GC_SIZES; i++)
				sizes[i] += r->heaps[h].generations[g].sizes[i];
	}
	/* What the heaps tell is what the runtime tells of all of them. */
	assert_int_equal(r->after, sizes[GC_SIZE_AFTER]);
	assert_int_equal(r->before, sizes[GC_SIZE_BEFORE]);
	assert_int_equal(r->fragmentation,
			 sizes[GC_FREE_LIST_AFTER] + sizes[GC_FREE_OBJECTS_AFTER]);
	assert_true(r->survived <= r->before);
}

static void
check_record(const struct gc_record *r, uint32_t heaps)
{
	assert_false(r->is_incomplete);
	assert_int_equal(r->heaps_count, heaps);
	assert_int_equal(r->reported_heaps_count, heaps);
	assert_true(r->generation <= 2);
	assert_true(r->time > 0);
	assert_true(r->pause_ns > 0 && r->pause_ns != GC_UNKNOWN);
	assert_true(r->stop_ns < r->pause_ns);
	assert_true(r->duration_ns < r->pause_ns || r->kind == GC_BACKGROUND);
	assert_true(r->memory_load <= 100);
	assert_non_null(gc_reason_text(r->reason));
	assert_non_null(gc_mode_text(r->pause_mode));
	check_sums(r);
}

static void
check_induced(const struct gc_record *r, uint32_t heaps)
{
	char why[GC_DECISION_BYTES];

	check_record(r, heaps);
	assert_int_equal(r->generation, 2);
	assert_int_equal(r->reason, REASON_INDUCED);
	assert_int_equal(r->kind, GC_BLOCKING);
	assert_int_equal(gc_decision(r->reasons).decided, 2);
	assert_string_equal(gc_decision_text(r, why), "induced full");
}

/* ---- tests
 * ------------------------------------------------------------------- */

static void
watch_three(const char *version, const char *const variables[], uint32_t heaps)
{
	struct target *t = target_start(version, TARGET_HERE, NULL, variables);
	struct watching *w = watch_begin(t, false);
	uint32_t number = 0;

	for (int i = 0; i < 3; i++) {
		struct gc_record r;

		target_tell(t, "gc");
		watch_next(w, &r);
		check_induced(&r, heaps);
		/* Nothing else was collected, so nothing was forced. */
		assert_true(!number || r.number == number + 1);
		assert_true(!number == (r.allocated == GC_UNKNOWN));
		number = r.number;
		gc_record_clear(&r);
	}
	watch_stop(w);
	check_no_session_left(t);
	target_free(t);
}

TEST(watches_every_version)
{
	for (int i = 0; i < VERSIONS; i++)
		if (!is_skipped(versions[i]))
			watch_three(versions[i], NULL, 1);
}

TEST(watches_server_gc)
{
	for (int i = 0; i < VERSIONS; i++)
		if (!is_skipped(versions[i]))
			watch_three(versions[i], with_server, 2);
}

/* Heaps wait for each other, and that is told if it is asked for. */
TEST(watches_joins)
{
	uint64_t sum = 0;
	struct watching *w;
	struct gc_record r;
	struct target *t;

	if (is_skipped("10.0"))
		return;
	t = target_start("10.0", TARGET_HERE, NULL, with_server);
	w = watch_begin(t, true);
	target_tell(t, "gc");
	watch_next(w, &r);
	check_induced(&r, 2);
	for (uint32_t h = 0; h < r.heaps_count; h++) {
		assert_true(r.heaps[h].join_wait_ns < r.pause_ns);
		sum += r.heaps[h].join_wait_ns;
	}
	assert_int_equal(r.join_wait_ns, sum);
	assert_true(sum > 0);
	gc_record_clear(&r);
	watch_stop(w);
	target_free(t);
}

/* Many of them, of several generations, in order. */
TEST(watches_a_busy_one)
{
	enum { COLLECTIONS = 15 };
	uint64_t started = 0;
	struct watching *w;
	struct target *t;

	if (is_skipped("10.0"))
		return;
	t = target_start("10.0", TARGET_HERE, busy, NULL);
	w = watch_begin(t, false);
	for (int i = 0; i < COLLECTIONS; i++) {
		struct gc_record r;

		watch_next(w, &r);
		/* When this began, its threads might have stopped already. */
		if (i || r.pause_ns != GC_UNKNOWN)
			check_record(&r, 1);
		/* One in the background is told when it ends. */
		assert_true(r.start_ns > started || r.kind == GC_BACKGROUND);
		if (started)
			assert_true(gc_allocation_rate(&r) != GC_UNKNOWN);
		if (r.kind != GC_BACKGROUND)
			started = r.start_ns;
		gc_record_clear(&r);
	}
	watch_stop(w);
	target_free(t);
}

TEST(sees_the_end)
{
	struct watching *w;
	struct target *t;

	if (is_skipped("10.0"))
		return;
	t = target_start("10.0", TARGET_HERE, NULL, NULL);
	w = watch_begin(t, false);
	kill(target_pid(t), SIGKILL);
	watch_join(w);
	assert_non_null(strstr(w->facts.end, "has ended"));
	watch_free(w);
	target_free(t);
}

TEST(says_why_not)
{
	struct live_target nobody = { .pid = getpid() };
	struct gc_source_facts facts = { 0 };
	struct gc_feed feed;
	struct error err = { 0 };

	assert_true(gc_feed_init(&feed, &err));
	assert_false(gc_watch(&nobody, false, gc_feed_sink(&feed), NULL, &facts, NULL, &err));
	assert_int_equal(err.kind, ERROR_ATTACH);
	gc_feed_clear(&feed);
}

/* ---- the program on the command line
 * ------------------------------------------ */

struct running {
	pid_t pid;
	FILE *out;
};

/* heaptop -g with these arguments and the process. */
static struct running
run_begin(const struct target *t, const char *const arguments[])
{
	const char *program = getenv("HEAPTOP"), *all[8] = { NULL, "-g" };
	struct running r;
	char pid[16];
	int ends[2], count = 2;

	all[0] = program ? program : "build/heaptop";
	while (*arguments)
		all[count++] = *arguments++;
	snprintf(pid, sizeof(pid), "%" PRId32, target_pid(t));
	all[count] = pid;
	assert_int_equal(pipe(ends), 0);
	r.pid = fork();
	if (!r.pid) {
		dup2(ends[1], STDOUT_FILENO);
		close(ends[0]);
		close(ends[1]);
		(void)!freopen("/dev/null", "w", stderr);
		execv(all[0], (char *const *)all);
		_exit(127);
	}
	close(ends[1]);
	r.out = fdopen(ends[0], "r");
	assert_non_null(r.out);
	return r;
}

static int
run_end(struct running *r)
{
	int status = 0;

	fclose(r->out);
	while (waitpid(r->pid, &status, 0) < 0 && errno == EINTR)
		;
	return status;
}

static const char *
next_line(struct running *r)
{
	static char line[1 << 16];

	assert_non_null(fgets(line, sizeof(line), r->out));
	return line;
}

static void
expect_line(struct running *r, const char *contains)
{
	const char *line = next_line(r);

	if (!strstr(line, contains))
		fail_msg("\"%s\" is not in: %s", contains, line);
}

/* Which kinds come first depends on the machine. */
static void
expect_collection(struct running *r)
{
	const char *line = next_line(r);

	if (!strstr(line, ",blocking,") && !strstr(line, ",background,") &&
	    !strstr(line, ",foreground,"))
		fail_msg("no kind of collection in: %s", line);
}

/* So many, and no more. */
TEST(prints_a_count)
{
	static const char *const three[] = { "-n", "3", "--csv", NULL };
	struct running r;
	struct target *t;
	char line[1024];
	int status;

	if (is_skipped("10.0"))
		return;
	t = target_start("10.0", TARGET_HERE, busy, NULL);
	r = run_begin(t, three);
	expect_line(&r, "number,time,generation,kind,");
	for (int i = 0; i < 3; i++)
		expect_collection(&r);
	assert_null(fgets(line, sizeof(line), r.out));
	status = run_end(&r);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	wait_for_sessions(target_pid(t), 0);
	target_free(t);
}

/* A line comes while the program waits for more; then this ends it. */
static void
ends_with(int number, bool closes)
{
	static const char *const jsonl[] = { "--jsonl", NULL };
	struct target *t = target_start("10.0", TARGET_HERE, NULL, NULL);
	struct running r = run_begin(t, jsonl);
	int status;

	wait_for_sessions(target_pid(t), 1);
	target_tell(t, "gc");
	expect_line(&r, "\"reason\":\"induced\"");
	if (number)
		kill(r.pid, number);
	if (number == SIGKILL) {
		/* The runtime finds that out when it has something to say. */
		status = run_end(&r);
		assert_true(WIFSIGNALED(status));
		target_tell(t, "gc");
		wait_for_sessions(target_pid(t), 0);
		check_no_session_left(t);
		target_free(t);
		return;
	}
	if (!closes)
		assert_int_equal(fgetc(r.out), EOF);
	status = run_end(&r);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	check_no_session_left(t);
	target_free(t);
}

TEST(leaves_no_session)
{
	if (is_skipped("10.0"))
		return;
	ends_with(SIGINT, false);
	ends_with(SIGTERM, false);
	ends_with(SIGHUP, false);
	ends_with(SIGKILL, false);
	ends_with(0, true); /* nobody reads any more */
}

static int
ignore_closed_pipes(void **state)
{
	(void)state;
	return signal(SIGPIPE, SIG_IGN) == SIG_ERR;
}
TESTS_BETWEEN(ignore_closed_pipes, NULL);
