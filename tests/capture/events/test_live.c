/*
 * Captures from real .NET processes: every version, both kinds of collector,
 * as a single file, in containers, as other users; and the program on the command line. Where the
 * programs cannot be built, that is said and counted, and the tests count as passed.
 */
#define _GNU_SOURCE /* setresuid() */
#include "model/heap/root_gaps.h"
#include "capture/capture.h"
#include "capture/events/tracing.h"
#include "tests/drive/captures.h"
#include "tests/drive/run_tests.h"
#include "tests/drive/files.h"
#include "tests/drive/shell.h"
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *const busy[] = { "--busy", "--threads", "8", NULL };

/* ---- tests
 * ----------------------------------------------------------------------------
 */

TEST(captures_every_version)
{
	for (int i = 0; i < VERSIONS; i++) {
		struct target *t;
		char what[40];

		if (is_skipped(versions[i]))
			continue;
		t = target_start(versions[i], TARGET_HERE, NULL, NULL);
		snprintf(what, sizeof(what), ".NET %s", versions[i]);
		check_capture(t, versions[i], what);
		/* has names again, all of them */
		check_capture(t, versions[i], what);
		check_no_session_left(t);
		target_free(t);
	}
}

TEST(captures_server_gc)
{
	for (int i = 0; i < VERSIONS; i++) {
		struct capture_options options = { 0 };
		struct live_target target;
		struct live_card card;
		struct target *t;
		struct error err;
		char what[40];

		if (is_skipped(versions[i]))
			continue;
		t = target_start(versions[i], TARGET_HERE, NULL, with_server);
		assert_int_equal(target_fact(t, "gc-server"), 1);
		target = (struct live_target){ .pid = target_pid(t) };
		error_clear(&err);
		assert_true(capture_preflight(&card, &target, &options, NULL, &err));
		assert_true(card.is_server_gc);
		assert_int_equal(card.heaps_count, 2);
		assert_int_equal(card.major, strtoul(versions[i], NULL, 10));
		snprintf(what, sizeof(what), ".NET %s, server", versions[i]);
		check_capture(t, versions[i], what);
		target_free(t);
	}
}

TEST(captures_while_it_allocates)
{
	for (int i = 0; i < VERSIONS; i++) {
		struct target *t;
		char what[40];

		if (is_skipped(versions[i]))
			continue;
		t = target_start(versions[i], TARGET_HERE, busy, NULL);
		snprintf(what, sizeof(what), ".NET %s, busy", versions[i]);
		check_capture_of_facts(t, what);
		check_capture_of_facts(t, what);
		target_free(t);
	}
}

/* Its modules are no files: their names are found in the program itself. */
TEST(captures_single_files)
{
	for (int i = 0; i < VERSIONS; i++) {
		char version[24], what[40];
		struct target *t;

		snprintf(version, sizeof(version), "%s-single", versions[i]);
		if (is_skipped(version))
			continue;
		t = target_start(version, TARGET_HERE, NULL, NULL);
		snprintf(what, sizeof(what), ".NET %s, single file", versions[i]);
		check_capture(t, versions[i], what);
		check_no_session_left(t);
		target_free(t);
	}
}

static void
capture_from_container(const char *version, enum target_place place)
{
	struct process p;
	struct target *t = target_start(version, place, NULL, NULL);
	struct error err;
	char what[40];

	if (!t) {
		printf("skipped: namespaces are not allowed here\n");
		return;
	}
	error_clear(&err);
	assert_true(process_look(&p, PROC_FOLDER, target_pid(t), &err));
	assert_int_equal(p.inner_pid, 1);
	assert_true(p.is_elsewhere);
	snprintf(what, sizeof(what), ".NET %s, in a container", version);
	check_capture(t, version, what);
	check_no_session_left(t);
	target_free(t);
}

TEST(captures_from_containers)
{
	for (int i = 0; i < VERSIONS; i++) {
		if (is_skipped(versions[i]))
			continue;
		capture_from_container(versions[i], TARGET_CONTAINER);
		capture_from_container(versions[i], TARGET_NAMESPACES);
	}
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
	return strstr(err.message, "only root may talk to it; try: sudo") ? 0 : 4;
}

TEST(knows_other_users)
{
	if (getuid() != 0) {
		printf("skipped: only root can become another user\n");
		return;
	}
	for (int i = 0; i < VERSIONS; i++) {
		struct target *t;
		int status = 0;
		pid_t child;

		if (is_skipped(versions[i]))
			continue;
		t = target_start(versions[i], TARGET_NOBODY, NULL, NULL);
		if (t)
			check_capture(t, versions[i], "of another user");
		else
			printf("skipped: others cannot reach the program\n");
		target_free(t);

		t = target_start(versions[i], TARGET_HERE, NULL, NULL);
		fflush(NULL);
		child = fork();
		if (!child)
			_exit(capture_as_nobody(target_pid(t)));
		waitpid(child, &status, 0);
		assert_int_equal(status, 0);
		target_free(t);
	}
}

TEST(refuses_who_is_stopped)
{
	struct capture_cost cost;
	struct target *t;
	struct error err;

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
	check_capture(t, "9.0", "when it goes on");
	target_free(t);
}

/* Another tool that listens for types keeps them from us: that is said. */
TEST(tells_of_another_listener)
{
	struct tracing_request types = { .command = 2,
					 .buffer_mb = 8,
					 .provider = "Microsoft-Windows-DotNETRuntime",
					 .keywords = 0x1180000,
					 .level = 4 };
	struct capture_cost cost;
	const struct heap *h;
	struct tracing other;
	struct process p;
	struct target *t;
	struct error err;
	struct ipc ipc;

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

/* Native AOT tells of no stacks: what only they keep is alive. */
TEST(knows_what_is_not_sent)
{
	struct losses sent = { 0 };
	struct capture_cost cost;
	const struct heap *h;
	struct target *t;
	struct error err;

	if (is_skipped("10.0-native"))
		return;
	error_clear(&err);
	t = target_start("10.0-native", TARGET_HERE, NULL, NULL);
	h = capture_pid(target_pid(t), &cost, &err);
	assert_ok(h, &err);
	assert_true(h->nodes_count > 20000);
	root_gaps_add_native_aot(&sent);
	assert_int_equal(h->info.losses.root_gaps, sent.root_gaps);
	assert_false(heap_knows_roots(h));
	for (uint32_t i = 0; i < h->roots_count; i++)
		assert_int_not_equal(h->roots[i].kind, ROOT_STACK);
	heap_free(h);
	target_free(t);
}

/* --- names of Native AOT's types --- */

/* Only stacks or the runtime's own tables of one of the two keep objects of these types; CoreCLR
   has one more session, of a plugin. */
static bool
differs(const struct type *t)
{
	static const char *const names[] = { "Leaky.Finalizable", "Leaky.Session",
					     "Leaky.Program+<>c",
					     "Leaky.Program+<>c__DisplayClass20_0",
					     "Leaky.OnStack" };

	for (size_t i = 0; i < COUNT_OF(names); i++)
		if (!strcmp(t->raw, names[i]))
			return true;
	return false;
}

static struct type
type_named(const struct heap *h, const char *raw)
{
	for (uint32_t i = 0; i < h->types_count; i++)
		if (h->types[i].count && !strcmp(h->types[i].raw, raw))
			return h->types[i];
	fail_msg("%s: no such type", raw);
	return (struct type){ 0 };
}

/* The program's types have the same names, counts and sizes as on CoreCLR. */
static void
check_own_types(const struct heap *native, const struct heap *core)
{
	unsigned count = 0;

	for (uint32_t i = 0; i < core->types_count; i++) {
		const struct type *c = &core->types[i];
		struct type n;

		if (!c->count || !strstr(c->raw, "Leaky.") || differs(c))
			continue;
		n = type_named(native, c->raw);
		if (n.count != c->count)
			fail_msg("%s: %" PRIu64 " objects, not %" PRIu64, c->raw, n.count,
				 c->count);
		/* Others have one reference more or fewer. */
		if (!strncmp(c->raw, "Leaky.", 6) && n.bytes != c->bytes)
			fail_msg("%s: %" PRIu64 " bytes, not %" PRIu64, c->raw, n.bytes, c->bytes);
		count++;
	}
	assert_true(count >= 18);
}

static const struct heap *
capture_target(const char *version, long *sessions)
{
	struct capture_cost cost;
	const struct heap *h;
	struct target *t = target_start(version, TARGET_HERE, NULL, NULL);
	struct error err;

	error_clear(&err);
	h = capture_pid(target_pid(t), &cost, &err);
	assert_ok(h, &err);
	if (sessions)
		*sessions = target_fact(t, "sessions");
	target_free(t);
	return h;
}

TEST(names_native_types)
{
	const struct heap *native, *core;
	struct type session;
	long sessions;

	if (is_skipped("10.0-native") || is_skipped("10.0"))
		return;
	native = capture_target("10.0-native", &sessions);
	core = capture_target("10.0", NULL);
	check_own_types(native, core);
	assert_int_equal(native->info.losses.unnamed_types, 0);
	for (uint32_t i = 0; i < native->types_count; i++)
		if (strstr(native->types[i].raw, "Type(0x"))
			fail_msg("%s", native->types[i].raw);
	session = type_named(native, "Leaky.Session");
	assert_int_equal(session.count, sessions);
	assert_string_equal(session.module, "leaky.dll");
	heap_free(native);
	heap_free(core);
}

/* A program that was moved without the file of its symbols. */
TEST_IN_FOLDER(names_native_types_by_place)
{
	const struct heap *h;
	char targets[256], text[256];

	if (is_skipped("10.0-native"))
		return;
	snprintf(targets, sizeof(targets), "%s", targets_folder());
	assert_int_equal(shell_prints(text, sizeof(text),
				      "mkdir %s && cp %s/leaky-10.0-native/leaky %s",
				      in_folder("leaky-bare"), targets, in_folder("leaky-bare")),
			 0);
	setenv("HEAPTOP_TARGETS", folder_path(), 1);
	h = capture_target("bare", NULL);
	setenv("HEAPTOP_TARGETS", targets, 1);
	assert_int_equal(shell_prints(text, sizeof(text), "rm -r %s", in_folder("leaky-bare")), 0);
	assert_int_equal(h->info.warnings_count, 1);
	assert_non_null(
	    strstr(h->info.warnings[0], "leaky was stripped, and leaky.dbg is neither beside it"));
	for (uint32_t i = 0; i < h->types_count; i++)
		assert_non_null(strstr(h->types[i].raw, "Type(0x"));
	heap_free(h);
}

/* Before .NET 10 it has no walks, and with server GC it would crash: that is known before anything
   is forced. */
TEST(refuses_native_without_walks)
{
	static const struct {
		const char *version, *why;
	} rows[] = {
		{ "8.0-native", "sends no heap before .NET 10" },
		{ "9.0-native", "sends no heap before .NET 10" },
		{ "10.0-native-server", "crashes when its heap is walked with server GC" },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct capture_cost cost;
		struct target *t;
		struct error err;

		if (is_skipped(rows[i].version))
			continue;
		error_clear(&err);
		t = target_start(rows[i].version, TARGET_HERE, NULL, NULL);
		assert_null(capture_pid(target_pid(t), &cost, &err));
		assert_non_null(strstr(err.message, "compiled by Native AOT"));
		assert_non_null(strstr(err.message, rows[i].why));
		assert_int_equal(cost.attempts, 0);
		/* And before anything is asked. */
		error_clear(&err);
		assert_null(capture_live_ops.open(&(struct live_target){ .pid = target_pid(t) },
						  &(struct live_options){ .budget_ms = UINT64_MAX },
						  NULL, NULL, &err));
		assert_non_null(strstr(err.message, "read with -m"));
		check_no_session_left(t);
		target_free(t);
	}
}

/* Since .NET 11 a walk with server GC is sound: also with two heaps. */
TEST(captures_native_servers)
{
	static const char *const fixed[] = { "DOTNET_GCDynamicAdaptationMode=0",
					     "DOTNET_GCHeapCount=2", NULL };
	static const char version[] = "11.0-native-server";
	struct target *t;

	if (is_skipped(version))
		return;
	t = target_start(version, TARGET_HERE, busy, fixed);
	for (int i = 0; i < 3; i++) {
		struct capture_cost cost;
		struct error err;
		const struct heap *h = capture_pid(target_pid(t), &cost, &err);

		assert_ok(h, &err);
		check_facts(h, t, version);
		heap_free(h);
	}
	target_tell(t, "gc");
	target_free(t);
}

/* ---- the program
 * ---------------------------------------------------------------------------
 */

/* Runs $HEAPTOP; `text` is what it printed, errors last. Returns its status. */
static int
run_heaptop(const char *arguments, char *text, size_t size)
{
	const char *errors = in_folder("errors");

	return shell_prints(text, size, "%s %s 2>%s </dev/null; s=$?; cat %s; rm %s; exit $s",
			    program_path(), arguments, errors, errors, errors);
}

static void
check_program(int32_t pid)
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
		{ "-b types --budget 0s", 3, { "more than the budget of 0.0 ms: nothing was done" } },
		{ "-b types -n 1 -o $FOLDER/kept.nettrace", 0, { "Type  " } },
		{ "-b types -o $FOLDER/none/kept.nettrace", 6, { "/none/kept.nettrace" } },
		{ "-b xyzzy", 2, { "no command \"xyzzy\"" } },
	};
	/* clang-format on */
	static char text[1 << 20];
	char arguments[256];

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		int status;

		snprintf(arguments, sizeof(arguments), "%s %" PRId32, rows[i].options, pid);
		status = run_heaptop(arguments, text, sizeof(text));
		if (status != rows[i].status)
			fail_msg("%s: ended with %d\n%s", arguments, status, text);
		for (int k = 0; k < 4 && rows[i].prints[k]; k++)
			if (!strstr(text, rows[i].prints[k]))
				fail_msg("%s: no %s in\n%s", arguments, rows[i].prints[k], text);
		if (status && strstr(text, "collection forced,"))
			fail_msg("%s: captured all the same", arguments);
	}
}

/* Its own line of the list: "PID User Name Runtime …", in columns as wide as what others that run
 * here need. */
static bool
list_has(const char *text, int32_t pid)
{
	for (; text; text = strchr(text, '\n')) {
		char name[32], runtime[32];
		int32_t number;

		text += *text == '\n';
		if (sscanf(text, "%" SCNd32 " %*s %31s %31s", &number, name, runtime) == 3 &&
		    number == pid)
			return !strcmp(name, "leaky") && !strncmp(runtime, "10.0.", 5);
	}
	return false;
}

/* A runtime that does not answer in a moment has no version there. */
static void
check_list(int32_t pid)
{
	enum { TRIES = 300 };
	static char text[1 << 16];

	for (int i = 0; i < TRIES; i++) {
		assert_int_equal(run_heaptop("-l", text, sizeof(text)), 0);
		assert_non_null(strstr(text, "PID  User"));
		if (list_has(text, pid))
			return;
	}
	fail_msg("%" PRId32 " is not in\n%s", pid, text);
}

/* Others of that name may run here; then it must say which, the first 16. */
static void
check_name(int32_t pid)
{
	static char text[1 << 16];
	char number[32];
	const char *list;
	int status;

	status = run_heaptop("-b types -n 1 leaky.dll", text, sizeof(text));
	snprintf(number, sizeof(number), " %" PRId32, pid);
	list = strstr(text, " processes have the name leaky.dll");
	if (status == 2 && list)
		assert_true(strstr(list, number) || strstr(list, " …"));
	else if (status || !strstr(text, "collection forced, "))
		fail_msg("ended with %d\n%s", status, text);
}

TEST_IN_FOLDER(serves_the_command_line)
{
	static char text[1 << 20];
	struct target *t;

	if (is_skipped("10.0"))
		return;
	setenv("FOLDER", folder_path(), 1);
	t = target_start("10.0", TARGET_HERE, NULL, NULL);
	check_list(target_pid(t));
	check_name(target_pid(t));
	check_program(target_pid(t));
	check_no_session_left(t);
	target_free(t);
	/* What was kept of it says the same. */
	assert_int_equal(run_heaptop("-b types --csv $FOLDER/kept.nettrace", text, sizeof(text)),
			 0);
	assert_non_null(strstr(text, "\nLeaky.Session,Leaky.Session,leaky.dll,5001,440088,"));
	assert_int_equal(unlink(in_folder("kept.nettrace")), 0);
}

/* Starts the reference program with a variable, half a second later. */
static int32_t
start_in_shell(const char *version, const char *variable)
{
	char line[400];
	FILE *pipe;
	int pid = 0;

	snprintf(line, sizeof(line),
		 "sleep 60 2>/dev/null | { sleep 0.5; exec env %s %s/leaky-%s/leaky; } >/dev/null "
		 "2>&1 & echo $!",
		 variable, targets_folder(), version);
	pipe = popen(line, "r");
	assert_non_null(pipe);
	assert_int_equal(fscanf(pipe, "%d", &pid), 1);
	pclose(pipe);
	return pid;
}

/* Both waits: for any tool, and for one at a port that is there before. */
TEST_IN_FOLDER(starts_who_waits)
{
	static char out[1 << 20];
	char arguments[200];

	for (int i = 0; i < VERSIONS; i++) {
		int32_t pid;

		if (is_skipped(versions[i]))
			continue;
		pid = start_in_shell(versions[i], "DOTNET_DefaultDiagnosticPortSuspend=1");
		sleep(2);
		snprintf(arguments, sizeof(arguments), "-b types %d", pid);
		assert_int_equal(run_heaptop(arguments, out, sizeof(out)), 3);
		snprintf(arguments, sizeof(arguments), "-m -b types %d", pid);
		assert_int_equal(run_heaptop(arguments, out, sizeof(out)), 3);
		snprintf(arguments, sizeof(arguments), "--start -b types %d", pid);
		assert_int_equal(run_heaptop(arguments, out, sizeof(out)), 0);
		kill(pid, SIGKILL);
		snprintf(arguments, sizeof(arguments), "DOTNET_DiagnosticPorts=%s",
			 in_folder("port"));
		pid = start_in_shell(versions[i], arguments);
		snprintf(arguments, sizeof(arguments), "-b types --port %s", in_folder("port"));
		assert_int_equal(run_heaptop(arguments, out, sizeof(out)), 0);
		kill(pid, SIGKILL);
	}
}

/* The runtime comes to us, one connection a command; it was not told to wait.
 */
TEST_IN_FOLDER(captures_who_connects)
{
	for (int i = 0; i < VERSIONS; i++) {
		char text[120];
		const char *variables[] = { text, NULL };
		static char out[1 << 20];
		char arguments[160];
		struct target *t;
		int status;

		if (is_skipped(versions[i]))
			continue;
		snprintf(text, sizeof(text), "DOTNET_DiagnosticPorts=%s,nosuspend",
			 in_folder("port"));
		t = target_start(versions[i], TARGET_HERE, NULL, variables);
		snprintf(arguments, sizeof(arguments), "-b types --csv --port %s",
			 in_folder("port"));
		status = run_heaptop(arguments, out, sizeof(out));
		if (status || !strstr(out, "\nLeaky.Session,Leaky.Session,leaky.dll,5001,440088,"))
			fail_msg(".NET %s: ended with %d\n%s", versions[i], status, out);
		check_no_session_left(t);
		check_capture_of_facts(t, "after it had connected to us");
		target_free(t);
		assert_int_equal(access(in_folder("port"), F_OK), -1);
	}
}
