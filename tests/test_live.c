/*
 * Captures from real .NET processes: every version, both kinds of collector,
 * in containers, as other users; and what is left after we were killed. Where
 * the programs cannot be built, that is said, and the tests count as passed.
 */
#define _GNU_SOURCE /* setresuid() */
#include "capture/live.h"
#include "tests/targets.h"
// clang-format off
#include "tests/run_tests.h"
// clang-format on
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char *const versions[] = { "8.0", "9.0", "10.0" };
enum { VERSIONS = sizeof(versions) / sizeof(versions[0]) };

static const char *const server_gc[] = { "DOTNET_gcServer=1",
					 "DOTNET_GCHeapCount=2",
					 "DOTNET_GCDynamicAdaptationMode=0",
					 NULL };
static const char *const busy[] = { "--busy", NULL };

static bool
is_skipped(const char *version)
{
	if (target_exists(version))
		return false;
	printf("skipped: no program for .NET %s\n", version);
	return true;
}

static const struct heap *
capture_pid(int32_t pid, struct capture_cost *cost, struct error *err)
{
	struct live_target target = { .pid = pid };
	struct capture_options options = { 0 };

	error_clear(err);
	return capture_load(&target, &options, NULL, NULL, NULL, cost, err);
}

/* ---- what must hold of every heap
 * ------------------------------------------------ */

static uint64_t
count_of(const struct heap *h, const char *type)
{
	uint64_t count = 0;

	for (uint32_t i = 0; i < h->types_count; i++)
		if (!strcmp(h->types[i].name, type))
			count += h->types[i].count;
	return count;
}

static void
check_facts(const struct heap *h, const struct target *t)
{
	/* clang-format off */
	static const struct { const char *type, *fact; long more; } facts[] = {
		{ "Leaky.Session",    "sessions", 1 }, /* held by a plugin */
		{ "Leaky.Subscriber", "subscribers", 0 },
		{ "Leaky.Child",      "children", 0 },
		{ "Leaky.Link",       "links", 0 },
		{ "Leaky.Node",       "ring", 0 },
		{ "Leaky.Pinned",     "pinned", 0 },
		{ "Leaky.HandleHeld", "handle-held", 0 },
	};
	/* clang-format on */
	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++) {
		long wanted = target_fact(t, facts[i].fact) + facts[i].more;

		if (wanted < 0 ||
		    count_of(h, facts[i].type) != (uint64_t)wanted)
			fail_msg("%" PRIu64 " of %s, but %ld are there",
				 count_of(h, facts[i].type), facts[i].type,
				 wanted);
	}
	assert_int_equal(count_of(h, "Leaky.Unreachable"), 0);
	/* The outer name is in the module's file alone. */
	assert_int_equal(
	    count_of(h, "Leaky.Holder<List<Leaky.Session>>.Inner<int[]>"), 1);
}

static void
check_roots(const struct heap *h)
{
	unsigned kinds[ROOT_KIND_COUNT] = { 0 };
	bool has_sessions = false;

	for (uint32_t i = 0; i < h->roots_count; i++) {
		kinds[h->roots[i].kind]++;
		has_sessions =
		    has_sessions ||
		    (h->roots[i].kind == ROOT_STATIC &&
		     !strcmp(h->roots[i].name, "Leaky.Cache.Sessions"));
	}
	assert_true(has_sessions);
	assert_true(kinds[ROOT_STRONG] > 0 && kinds[ROOT_PINNED] > 0 &&
		    kinds[ROOT_STACK] > 0);
	assert_int_equal(h->info.losses.undefined_refs, 0);
	assert_int_equal(h->info.losses.undefined_roots, 0);
}

static void
check_generations(const struct heap *h)
{
	uint64_t counts[GEN_COUNT] = { 0 };

	for (node_id n = 0; n < h->nodes_count; n++)
		counts[heap_generation(h, n)]++;
	assert_int_equal(counts[GEN_UNKNOWN], 0);
	assert_true(counts[GEN_FROZEN] > 0 && counts[GEN_LOH] > 0 &&
		    counts[GEN_POH] > 0 && counts[GEN_2] > 0);
}

static void
check_capture(const struct target *t, const char *what)
{
	struct capture_cost cost;
	struct error err;
	const struct heap *h = capture_pid(target_pid(t), &cost, &err);
	char text[200];

	if (!h)
		fail_msg("%s: %s", what, err.message);
	printf("%s: %u objects in %.3f s, %s\n", what, h->nodes_count,
	       (double)cost.total_ns / 1e9,
	       capture_cost_text(&cost, text, sizeof(text)));
	if (!heap_check(h, &err) || h->info.warnings_count)
		fail_msg("%s: %s", what,
			 err.message[0] ? err.message : h->info.warnings[0]);
	assert_true(cost.is_complete);
	assert_true(cost.walk.pause_ns > 0);
	assert_int_equal(cost.walk.untyped_objects, 0);
	check_facts(h, t);
	check_roots(h);
	check_generations(h);
	heap_free(h);
}

/* ---- sessions left open
 * ------------------------------------------------------------ */

/* A runtime has room for 64: all of them are there to be had. */
static void
check_no_session_left(const struct target *t)
{
	enum { SESSIONS_MAX = 64 };
	struct tracing sessions[SESSIONS_MAX + 1];
	struct tracing_request nothing = { .command = 2,
					   .buffer_mb = 1,
					   .provider = "Nobody" };
	struct process p;
	struct error err;
	struct ipc ipc;
	int count = 0, fd;

	error_clear(&err);
	assert_true(process_look(&p, PROC_FOLDER, target_pid(t), &err));
	assert_true(ipc_open(&ipc, &p, PROC_FOLDER, NULL, &err));
	while (count <= SESSIONS_MAX &&
	       tracing_start(&sessions[count], &ipc, &nothing, &err))
		count++;
	for (int i = 0; i < count; i++) {
		assert_true(tracing_ask_stop(&sessions[i], &ipc, &fd, &err) ||
			    err.kind != ERROR_NONE);
		close(fd);
		tracing_close(&sessions[i]);
		error_clear(&err);
	}
	ipc_close(&ipc);
	assert_int_equal(count, SESSIONS_MAX);
}

/* ---- tests
 * ----------------------------------------------------------------------------
 */

static void
captures_every_version(void **state)
{
	(void)state;
	for (int i = 0; i < VERSIONS; i++) {
		struct target *t;
		char what[40];

		if (is_skipped(versions[i]))
			continue;
		t = target_start(versions[i], TARGET_HERE, NULL, NULL);
		snprintf(what, sizeof(what), ".NET %s", versions[i]);
		check_capture(t, what);
		check_capture(t, what); /* has names again, all of them */
		check_no_session_left(t);
		target_free(t);
	}
}

static void
captures_server_gc(void **state)
{
	(void)state;
	for (int i = 0; i < VERSIONS; i++) {
		struct capture_options options = { 0 };
		struct live_target target;
		struct live_card card;
		struct target *t;
		struct error err;
		char what[40];

		if (is_skipped(versions[i]))
			continue;
		t = target_start(versions[i], TARGET_HERE, NULL, server_gc);
		assert_int_equal(target_fact(t, "gc-server"), 1);
		target = (struct live_target){ .pid = target_pid(t) };
		error_clear(&err);
		assert_true(
		    capture_preflight(&card, &target, &options, NULL, &err));
		assert_true(card.is_server_gc);
		assert_int_equal(card.heaps_count, 2);
		assert_int_equal(card.major, strtoul(versions[i], NULL, 10));
		snprintf(what, sizeof(what), ".NET %s, server", versions[i]);
		check_capture(t, what);
		target_free(t);
	}
}

static void
captures_while_it_allocates(void **state)
{
	(void)state;
	for (int i = 0; i < VERSIONS; i++) {
		struct target *t;
		char what[40];

		if (is_skipped(versions[i]))
			continue;
		t = target_start(versions[i], TARGET_HERE, busy, NULL);
		snprintf(what, sizeof(what), ".NET %s, busy", versions[i]);
		check_capture(t, what);
		check_capture(t, what);
		target_free(t);
	}
}

static void
capture_from_container(enum target_place place)
{
	struct process p;
	struct target *t = target_start("10.0", place, NULL, NULL);
	struct error err;

	if (!t) {
		printf("skipped: namespaces are not allowed here\n");
		return;
	}
	error_clear(&err);
	assert_true(process_look(&p, PROC_FOLDER, target_pid(t), &err));
	assert_int_equal(p.inner_pid, 1);
	assert_true(p.is_elsewhere);
	check_capture(t, "in a container");
	target_free(t);
}

static void
captures_from_containers(void **state)
{
	(void)state;
	if (is_skipped("10.0"))
		return;
	capture_from_container(TARGET_CONTAINER);
	capture_from_container(TARGET_NAMESPACES);
}

/* The other way round it must say why not. */
static int
capture_as_nobody(int32_t pid)
{
	struct capture_cost cost;
	struct error err;

	if (setgid(65534) || setuid(65534))
		return 2;
	if (capture_pid(pid, &cost, &err) || err.kind != ERROR_ATTACH)
		return 3;
	return strstr(err.message, "only root may talk to it; try: sudo") ? 0
									  : 4;
}

static void
knows_other_users(void **state)
{
	struct target *t;
	int status = 0;
	pid_t child;

	(void)state;
	if (is_skipped("10.0"))
		return;
	if (getuid() != 0) {
		printf("skipped: only root can become another user\n");
		return;
	}
	t = target_start("10.0", TARGET_NOBODY, NULL, NULL);
	if (t)
		check_capture(t, "of another user");
	else
		printf("skipped: others cannot reach the program\n");
	target_free(t);

	t = target_start("10.0", TARGET_HERE, NULL, NULL);
	fflush(NULL);
	child = fork();
	if (!child)
		_exit(capture_as_nobody(target_pid(t)));
	waitpid(child, &status, 0);
	assert_int_equal(status, 0);
	target_free(t);
}

static void
refuses_who_is_stopped(void **state)
{
	struct capture_cost cost;
	struct target *t;
	struct error err;

	(void)state;
	if (is_skipped("9.0"))
		return;
	t = target_start("9.0", TARGET_HERE, NULL, NULL);
	kill(target_pid(t), SIGSTOP);
	/* It takes a moment to stop everywhere. */
	while (waitpid(target_pid(t), NULL, WUNTRACED) < 0)
		;
	assert_null(capture_pid(target_pid(t), &cost, &err));
	assert_non_null(strstr(err.message, "try: kill -CONT"));
	kill(target_pid(t), SIGCONT);
	check_capture(t, "when it goes on");
	target_free(t);
}

/* Another tool that listens for types keeps them from us: that is said. */
static void
tells_of_another_listener(void **state)
{
	struct tracing_request types = { .command = 2,
					 .buffer_mb = 8,
					 .provider =
					     "Microsoft-Windows-DotNETRuntime",
					 .keywords = 0x1180000,
					 .level = 4 };
	struct capture_cost cost;
	const struct heap *h;
	struct tracing other;
	struct process p;
	struct target *t;
	struct error err;
	struct ipc ipc;

	(void)state;
	if (is_skipped("10.0"))
		return;
	t = target_start("10.0", TARGET_HERE, NULL, NULL);
	error_clear(&err);
	assert_true(process_look(&p, PROC_FOLDER, target_pid(t), &err));
	assert_true(ipc_open(&ipc, &p, PROC_FOLDER, NULL, &err));
	assert_true(tracing_start(&other, &ipc, &types, &err));
	heap_free(capture_pid(target_pid(t), &cost, &err));
	h = capture_pid(target_pid(t), &cost, &err);
	assert_non_null(h);
	assert_true(cost.walk.untyped_objects > 0);
	assert_int_equal(h->info.warnings_count, 1);
	assert_non_null(strstr(h->info.warnings[0], "another tracing session"));
	heap_free(h);
	tracing_close(&other);
	ipc_close(&ipc);
	target_free(t);
}

/* ---- the program
 * ---------------------------------------------------------------------------
 */

/* Runs $HEAPTOP; `text` is what it printed, errors last. Returns its status. */
static int
run_heaptop(const char *arguments, const char *path, char *text, size_t size)
{
	const char *program = getenv("HEAPTOP");
	char command[512];
	FILE *f;
	size_t len;
	int status;

	snprintf(command, sizeof(command), "%s %s >%s 2>%s.err </dev/null",
		 program ? program : "build/heaptop", arguments, path, path);
	status = system(command);
	snprintf(command, sizeof(command), "cat %s %s.err; rm -f %s %s.err",
		 path, path, path, path);
	f = popen(command, "r");
	assert_non_null(f);
	len = fread(text, 1, size - 1, f);
	text[len] = '\0';
	pclose(f);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -status;
}

static void
check_program(int32_t pid, const char *folder)
{
	/* clang-format off */
	static const struct {
		const char *options; /* before the process */
		int status;
		const char *prints[4]; /* standard output, then errors */
	} rows[] = {
		{ "-b types --csv", 0,
		  { "type,raw,module,count,", "\nLeaky.Session,Leaky.Session,leaky.dll,5001,440088,",
		    "runtime  .NET 10.0", "heaptop: process " } },
		{ "-b types -n 1 --budget 100s", 0, { "Type  ", " collection forced, " } },
		{ "-b types --budget 0s", 3, { "more than the budget of 0 s: nothing was done" } },
		{ "-b types -n 1 -o $FOLDER/kept.nettrace", 0, { "Type  " } },
		{ "-b types -o $FOLDER/none/kept.nettrace", 6, { "/none/kept.nettrace" } },
		{ "-b xyzzy", 2, { "no command \"xyzzy\"" } },
	};
	/* clang-format on */
	static char text[1 << 20];
	char path[128], arguments[256];

	snprintf(path, sizeof(path), "%s/out", folder);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		int status;

		snprintf(arguments, sizeof(arguments), "%s %" PRId32,
			 rows[i].options, pid);
		status = run_heaptop(arguments, path, text, sizeof(text));
		if (status != rows[i].status)
			fail_msg("%s: ended with %d\n%s", arguments, status,
				 text);
		for (int k = 0; k < 4 && rows[i].prints[k]; k++)
			if (!strstr(text, rows[i].prints[k]))
				fail_msg("%s: no %s in\n%s", arguments,
					 rows[i].prints[k], text);
		if (status && strstr(text, "collection forced,"))
			fail_msg("%s: captured all the same", arguments);
	}
}

/* Its own line of the list; others may run here too. */
static void
check_list(int32_t pid, const char *folder)
{
	static char text[1 << 16];
	char path[128], number[32];
	const char *line;

	snprintf(path, sizeof(path), "%s/out", folder);
	assert_int_equal(run_heaptop("-l", path, text, sizeof(text)), 0);
	assert_non_null(strstr(text, "PID  User"));
	snprintf(number, sizeof(number), "%" PRId32 "  ", pid);
	line = strstr(text, number);
	if (!line || !strstr(line, "leaky  10.0."))
		fail_msg("%s is not in\n%s", number, text);
}

/* Others of that name may run here; then it must say which. */
static void
check_name(int32_t pid, const char *folder)
{
	static char text[1 << 16];
	char path[128], number[32];
	int status;

	snprintf(path, sizeof(path), "%s/out", folder);
	status =
	    run_heaptop("-b types -n 1 leaky.dll", path, text, sizeof(text));
	snprintf(number, sizeof(number), " %" PRId32, pid);
	if (status == 2 && strstr(text, " processes are called leaky.dll"))
		assert_non_null(strstr(text, number));
	else if (status || !strstr(text, "collection forced, "))
		fail_msg("ended with %d\n%s", status, text);
}

static void
serves_the_command_line(void **state)
{
	char folder[] = "/tmp/test_live.XXXXXX", path[64];
	static char text[1 << 20];
	struct target *t;

	(void)state;
	if (is_skipped("10.0"))
		return;
	assert_non_null(mkdtemp(folder));
	setenv("FOLDER", folder, 1);
	t = target_start("10.0", TARGET_HERE, NULL, NULL);
	check_list(target_pid(t), folder);
	check_name(target_pid(t), folder);
	check_program(target_pid(t), folder);
	check_no_session_left(t);
	target_free(t);
	/* What was kept of it says the same. */
	snprintf(path, sizeof(path), "%s/out", folder);
	assert_int_equal(run_heaptop("-b types --csv $FOLDER/kept.nettrace",
				     path, text, sizeof(text)),
			 0);
	assert_non_null(strstr(text, "\nLeaky.Session,Leaky.Session,leaky.dll,"
				     "5001,440088,"));
	snprintf(path, sizeof(path), "%s/kept.nettrace", folder);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(rmdir(folder), 0);
}

/* ---- killed on the way
 * ------------------------------------------------------------------ */

static void
be_killed_after(int32_t pid, long ms)
{
	struct timespec t = { .tv_nsec = ms * 1000000 };
	pid_t child;

	fflush(NULL);
	child = fork();
	if (!child) {
		struct capture_cost cost;
		struct error err;

		heap_free(capture_pid(pid, &cost, &err));
		_exit(0);
	}
	nanosleep(&t, NULL);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

static void
leaves_nothing_when_killed(void **state)
{
	enum { KILLS = 24, STEP_MS = 7 };

	(void)state;
	for (int i = 0; i < VERSIONS; i++) {
		static const char *const large[] = { "--list", "300000", NULL };
		struct target *t;

		if (is_skipped(versions[i]))
			continue;
		t = target_start(versions[i], TARGET_HERE, large, NULL);
		for (long k = 0; k < KILLS; k++)
			be_killed_after(target_pid(t), k * STEP_MS);
		check_capture(t, "after it was killed");
		check_no_session_left(t);
		target_free(t);
	}
}

/* ---- cancelled, or without a target, on the way
 * --------------------------------------- */

struct intruder {
	struct capture_watch watch;
	struct progress progress;
	int32_t victim; /* 0: cancels */
	atomic_bool is_over;
};

/* As soon as the first events are here. */
static void *
intrude(void *argument)
{
	struct intruder *in = argument;

	while (!atomic_load(&in->watch.bytes) && !atomic_load(&in->is_over))
		sched_yield();
	if (in->victim)
		kill(in->victim, SIGKILL);
	else
		progress_cancel(&in->progress);
	return NULL;
}

static const struct heap *
capture_intruded(struct target *t, bool is_killed, struct capture_cost *cost,
		 struct error *err)
{
	struct live_target target = { .pid = target_pid(t) };
	struct capture_options options = { 0 };
	struct intruder in = { .victim = is_killed ? target_pid(t) : 0 };
	const struct heap *h;
	pthread_t thread;

	error_clear(err);
	assert_int_equal(pthread_create(&thread, NULL, intrude, &in), 0);
	h = capture_load(&target, &options, &in.watch, &in.progress, NULL, cost,
			 err);
	atomic_store(&in.is_over, true);
	pthread_join(thread, NULL);
	return h;
}

static const char *const very_large[] = { "--list", "3000000", NULL };

static void
leaves_nothing_when_cancelled(void **state)
{
	(void)state;
	for (int i = 0; i < VERSIONS; i++) {
		struct capture_cost cost;
		struct target *t;
		struct error err;

		if (is_skipped(versions[i]))
			continue;
		t = target_start(versions[i], TARGET_HERE, very_large, NULL);
		assert_null(capture_intruded(t, false, &cost, &err));
		assert_int_equal(err.kind, ERROR_CANCELLED);
		check_capture(t, "after it was cancelled");
		check_no_session_left(t);
		target_free(t);
	}
}

/* Either what had come until then, labelled, or a sentence. */
static void
survives_the_death_of_the_target(void **state)
{
	(void)state;
	for (int i = 0; i < VERSIONS; i++) {
		struct capture_cost cost;
		const struct heap *h;
		struct target *t;
		struct error err;

		if (is_skipped(versions[i]))
			continue;
		t = target_start(versions[i], TARGET_HERE, very_large, NULL);
		h = capture_intruded(t, true, &cost, &err);
		if (h) {
			assert_true(heap_check(h, &err));
			assert_true(cost.is_complete ||
				    h->info.warnings_count > 0);
		} else {
			assert_int_equal(err.kind, ERROR_ATTACH);
			printf("%s\n", err.message);
		}
		heap_free(h);
		target_free(t);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(captures_every_version),
		cmocka_unit_test(captures_server_gc),
		cmocka_unit_test(captures_while_it_allocates),
		cmocka_unit_test(captures_from_containers),
		cmocka_unit_test(knows_other_users),
		cmocka_unit_test(refuses_who_is_stopped),
		cmocka_unit_test(tells_of_another_listener),
		cmocka_unit_test(serves_the_command_line),
		cmocka_unit_test(leaves_nothing_when_killed),
		cmocka_unit_test(leaves_nothing_when_cancelled),
		cmocka_unit_test(survives_the_death_of_the_target),
	};
	return run_tests(tests);
}
