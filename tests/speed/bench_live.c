/*
 * bench_live HEAPTOP: what captures from real processes cost, beside what the same sessions cost
 * when nobody looks at what they send: that is as fast as it can be. The two take turns, since
 * other programs run here too; the best of each counts. The program of tests/programs/leaky on .NET
 * 10 is the target, with 32 thousand objects and with 25 million. `make bench` calls this where it
 * can be built. Then the same heap from the process's memory, and from its core.
 *
 * dotnet-gcdump on such a machine: 5.3 s for 32 thousand objects; of 25.5 million it wrote 10
 * million after 306 s, resident 1.9 GB, the target grown
 * by 1.03 GB.
 */
#define _DEFAULT_SOURCE /* wait4() */
#include "capture/events/drain.h"
#include "capture/events/live.h"
#include "capture/events/tracing.h"
#include "capture/memory/snapshot.h"
#include "model/heap/memory.h"
#include "tests/drive/heaps.h"
#include "tests/drive/pty.h"
#include "tests/drive/targets.h"
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 5, BUFFER_MB = 2048, SLACK_MS = 50, GO_ON_MS = 120000, SETTLE_MS = 300 };
static const double ratio_max = 1.05, small_seconds_max = 0.15;
static const double first_seconds_max = 0.1;

/* Of one capture, or of one that threw all away. */
struct figures {
	double total, stream, pause; /* seconds */
	double bytes, objects, refs;
	double grown;         /* bytes, of the target */
	double peak, allowed; /* bytes, of ours */
	double verify;        /* seconds */
	bool is_complete;
};

static int over_count;

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static _Noreturn void
fail(const char *what)
{
	fprintf(stderr, "bench_live: %s\n", what);
	exit(1);
}

static void
row(const char *name, double measured, double target, const char *unit)
{
	bool is_over = target > 0 && measured > target;

	printf("  %-44s %10.2f %-4s", name, measured, unit);
	if (target > 0)
		printf("%10.2f %-4s %s", target, unit, is_over ? "OVER" : "ok");
	printf("\n");
	fflush(stdout);
	over_count += is_over;
}

/* ---- read to nowhere ------------------------------------------------------
 */

static bool
begin(struct tracing *s, struct ipc *ipc, uint64_t keywords, uint64_t rundown, uint32_t buffer_mb,
      struct error *err)
{
	static const uint32_t unwanted[] = { 21, 22 };
	struct tracing_request request = {
		.command = 5,
		.buffer_mb = buffer_mb,
		.provider = "Microsoft-Windows-DotNETRuntime",
		.keywords = keywords,
		.level = 4,
		.rundown_keywords = rundown,
		.unwanted = unwanted,
		.unwanted_count = 2,
	};

	return tracing_ask(s, ipc, &request, err);
}

static bool
await(struct tracing *s, struct ipc *ipc, struct error *err)
{
	while (!s->is_granted) {
		struct pollfd p = { .fd = s->stream, .events = POLLIN };

		if (poll(&p, 1, GO_ON_MS) != 1 || !tracing_answer(s, ipc, err))
			return false;
	}
	return true;
}

static void
order_end(const struct tracing *s, struct ipc *ipc)
{
	struct error ignored;
	int fd;

	error_clear(&ignored);
	if (!tracing_ask_stop(s, ipc, &fd, &ignored))
		fail(ignored.message);
	close(fd);
}

/* The sessions and orders of capture/events/run.c, its reader, and nobody behind. */
static void
read_to_nowhere(int32_t pid, struct figures *f)
{
	struct tracing flush, listening, trigger;
	struct drain_facts facts;
	struct drain *drain;
	struct process p;
	struct error err = { 0 };
	struct ipc ipc;
	double start = now(), started;

	if (!process_look(&p, PROC_FOLDER, pid, &err) ||
	    !ipc_open(&ipc, &p, PROC_FOLDER, NULL, &err) || !(drain = drain_new(0, &err)) ||
	    !begin(&flush, &ipc, 1, 0, 1, &err) || !await(&flush, &ipc, &err) ||
	    !begin(&listening, &ipc, 0x1580001, 0x38, BUFFER_MB, &err) ||
	    !await(&listening, &ipc, &err))
		fail(err.message);
	started = now();
	drain_discard(drain);
	if (!drain_start(drain, listening.stream, -1, &err) ||
	    !begin(&trigger, &ipc, 0x800001, 0, 1, &err))
		fail(err.message);
	order_end(&listening, &ipc);
	order_end(&flush, &ipc);
	if (!await(&trigger, &ipc, &err))
		fail(err.message);
	order_end(&trigger, &ipc);
	do {
		poll(NULL, 0, 1);
		drain_facts(drain, &facts);
	} while (!facts.has_ended);
	f->stream = (double)facts.last_ns * 1e-9 - started;
	f->total = (double)facts.last_ns * 1e-9 - start;
	f->bytes = (double)facts.bytes;
	tracing_close(&flush);
	tracing_close(&trigger);
	drain_free(drain);
	tracing_close(&listening);
	ipc_close(&ipc);
}

/* ---- captured --------------------------------------------------------------
 */

static void
capture(int32_t pid, struct figures *f)
{
	struct live_target target = { .pid = pid };
	struct capture_options options = { .buffer_mb = BUFFER_MB };
	struct capture_cost cost;
	struct rusage usage;
	const struct heap *h;
	struct error err = { 0 };

	h = capture_load(&target, &options, NULL, NULL, NULL, &cost, &err);
	if (!h)
		fail(err.message);
	getrusage(RUSAGE_SELF, &usage);
	f->total = (double)cost.total_ns * 1e-9;
	f->stream = (double)(cost.stream_ns - cost.start_ns) * 1e-9;
	f->pause = (double)cost.walk.pause_ns * 1e-9;
	f->bytes = (double)cost.bytes;
	f->objects = h->nodes_count;
	f->refs = (double)h->refs_count;
	f->grown = (double)cost.resident_peak - (double)cost.resident_before;
	f->peak = (double)usage.ru_maxrss * 1024;
	f->allowed = 6 * f->objects + 4 * f->refs + (64 << 20);
	f->is_complete = cost.is_complete;
}

typedef void work(int32_t pid, struct figures *f);

/* In a child, so that its peak is its own. */
static struct figures
run_apart(work *run, int32_t pid)
{
	struct figures f = { 0 };
	int ends[2], status;
	pid_t child;

	if (pipe(ends) != 0 || (child = fork()) < 0)
		fail("cannot fork");
	if (child == 0) {
		run(pid, &f);
		_exit(write(ends[1], &f, sizeof(f)) != (ssize_t)sizeof(f));
	}
	close(ends[1]);
	if (read(ends[0], &f, sizeof(f)) != (ssize_t)sizeof(f) ||
	    waitpid(child, &status, 0) != child || status != 0)
		fail("a capture failed");
	close(ends[0]);
	return f;
}

static void
keep_best(struct figures *best, const struct figures *f, int round)
{
	double peak = f->peak > best->peak ? f->peak : best->peak;
	double grown = f->grown > best->grown ? f->grown : best->grown;

	if (!round || f->total < best->total)
		*best = *f;
	best->peak = peak; /* of all rounds the worst */
	best->grown = grown;
}

/* ---- on a terminal ---------------------------------------------------------
 */

static struct pty *
start_screen(const char *const argv[])
{
	static const char *const env[] = { "TERM=xterm-256color", "LC_ALL=C.UTF-8", NULL };
	struct pty *p = pty_start(argv, env, 24, 80);

	if (!p)
		fail("no terminal");
	return p;
}

/* From its start to this text, which comes with numbers. */
static void
bench_first_number(const char *name, const char *const argv[], const char *text)
{
	double best = 1e9;

	for (int i = 0; i < ROUNDS; i++) {
		double start = now(), seconds;
		struct pty *p = start_screen(argv);

		if (!pty_wait_text(p, text))
			fail("no number on the terminal");
		seconds = now() - start;
		if (seconds < best)
			best = seconds;
		pty_free(p);
	}
	row(name, best, first_seconds_max, "s");
}

static void
bench_first_of_process(const char *heaptop, int32_t pid)
{
	char number[16];
	const char *events[] = { heaptop, number, NULL };
	const char *memory[] = { heaptop, "-m", number, NULL };

	snprintf(number, sizeof(number), "%" PRId32, pid);
	bench_first_number("first number of a process", events, "capture? [");
	bench_first_number("first number of its memory", memory, "capture? [");
}

/* From Enter to the whole table, and what it did cost below it. */
static double
seconds_from_enter(const char *heaptop, int32_t pid)
{
	char number[16];
	const char *argv[] = { heaptop, number, NULL };
	double best = 1e9;

	snprintf(number, sizeof(number), "%" PRId32, pid);
	for (int i = 0; i < ROUNDS; i++) {
		struct pty *p = start_screen(argv);
		double start, seconds;

		if (!pty_wait_text(p, "capture? ["))
			fail("no question on the terminal");
		start = now();
		pty_send(p, "\r");
		if (!pty_wait_text(p, "forced,"))
			fail("no table on the terminal");
		seconds = now() - start;
		if (seconds < best)
			best = seconds;
		pty_free(p);
	}
	return best;
}

/* ---- from memory ------------------------------------------------------------
 */

static void
core_path(int32_t pid, char path[64])
{
	snprintf(path, 64, "/tmp/bench_live.%" PRId32 ".core", pid);
}

/* What a heap may take while it is made, beside `copied`. */
static void
note_heap(struct figures *f, const struct heap *h, double copied)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	f->objects = h->nodes_count;
	f->refs = (double)h->refs_count;
	f->peak = (double)usage.ru_maxrss * 1024;
	/* With the copy, once. */
	f->allowed = 2 * (double)heap_bytes(h) - copied + (64 << 20);
}

static void
load_core(int32_t pid, enum load_what what, struct figures *f)
{
	const struct heap *h;
	struct error err = { 0 };
	char path[64];
	double start;
	FILE *file;

	core_path(pid, path);
	start = now();
	h = heap_at(path, what, &err);
	f->total = now() - start;
	if (!h)
		fail(err.message);
	file = fopen(path, "r");
	if (!file || fseek(file, 0, SEEK_END) != 0)
		fail("no core");
	note_heap(f, h, (double)ftell(file)); /* it is mapped */
	fclose(file);
	if (what == LOAD_ALL) {
		struct faults faults = { 0 };

		start = now();
		if (!h->memory->contents->verify(h->memory->source, NODE_NONE, &faults, NULL, &err))
			fail(err.message);
		f->verify = now() - start;
		f->is_complete = !faults.total;
	}
}

static void
types_of_core(int32_t pid, struct figures *f)
{
	load_core(pid, LOAD_TYPES, f);
	f->is_complete = true;
}

static void
all_of_core(int32_t pid, struct figures *f)
{
	load_core(pid, LOAD_ALL, f);
}

static void
take_memory(int32_t pid, struct figures *f)
{
	struct live_options options = { .from_memory = true };
	struct live_target target = { .pid = pid };
	const struct heap *h = NULL;
	struct still_cost cost;
	struct live_card card;
	struct error err = { 0 };

	if (still_preflight(&card, &target, &options, PROC_FOLDER, &err))
		h = still_load(&card, &options, NULL, NULL, &cost, &err);
	if (!h)
		fail(err.message);
	f->total = (double)cost.total_ns * 1e-9;
	f->pause = (double)cost.pause_ns * 1e-9;
	f->bytes = (double)cost.bytes;
	f->is_complete = cost.is_complete;
	note_heap(f, h, f->bytes);
}

static struct figures
best_of(work *run, int32_t pid)
{
	struct figures best = { 0 };

	for (int i = 0; i < ROUNDS; i++) {
		struct figures f = run_apart(run, pid);

		if (!f.is_complete)
			fail("something is missing or wrong");
		if (i && f.verify > best.verify)
			f.verify = best.verify;
		if (i && best.pause < f.pause)
			f.pause = best.pause;
		keep_best(&best, &f, i);
		best.verify = f.verify;
		best.pause = f.pause;
	}
	return best;
}

static void
bench_core(const char *heaptop, const char *createdump, int32_t pid)
{
	const char *argv[] = { heaptop, NULL, NULL };
	struct figures types, all;
	char command[600], path[64];

	core_path(pid, path);
	snprintf(command, sizeof(command), "%.400s -h -f %s %" PRId32 " >/dev/null", createdump,
		 path, pid);
	if (system(command) != 0)
		fail("createdump has not made a core");
	types = best_of(types_of_core, pid);
	all = best_of(all_of_core, pid);
	argv[1] = path;
	bench_first_number("first number of a core", argv, "objects so far");
	unlink(path);
	row("the types of a core, an object", types.total / all.objects * 1e9, 25, "ns");
	row("a core with all references, an object", all.total / all.objects * 1e9, 100, "ns");
	row("our peak (2 x resident, the core, 64 MB)", all.peak / 1e6, all.allowed / 1e6, "MB");
	row("verified, an object", all.verify / all.objects * 1e9, 60, "ns");
}

/* Of a heap that is so large that nothing else counts. */
static void
bench_memory(const char *heaptop, int32_t pid)
{
	struct figures taken = best_of(take_memory, pid);
	char createdump[300];

	row("from memory: the target paused", taken.pause, 0, "s");
	row("  for each GB of its heap", taken.pause / taken.bytes * 1e9, 0.6, "s");
	row("  until the heap stands, an object", taken.total / taken.objects * 1e9, 0, "ns");
	row("our peak (2 x resident, the copy, 64 MB)", taken.peak / 1e6, taken.allowed / 1e6,
	    "MB");
	snprintf(createdump, sizeof(createdump), "%.250s/leaky-10.0/createdump", targets_folder());
	bench_core(heaptop, createdump, pid);
}

static void
bench(const char *list, const char *heaptop)
{
	const char *arguments[] = { "--list", list, NULL };
	struct target *t = target_start("10.0", TARGET_HERE, list ? arguments : NULL, NULL);
	struct figures nowhere = { 0 }, captured = { 0 };
	double from_enter = 0;

	for (int i = 0; i < ROUNDS; i++) {
		struct figures f;

		/* The last session of the run before ends meanwhile. */
		poll(NULL, 0, SETTLE_MS);
		f = run_apart(read_to_nowhere, target_pid(t));
		keep_best(&nowhere, &f, i);
		poll(NULL, 0, SETTLE_MS);
		f = run_apart(capture, target_pid(t));
		if (!f.is_complete)
			fail("events were lost");
		keep_best(&captured, &f, i);
	}
	if (!list)
		from_enter = seconds_from_enter(heaptop, target_pid(t));
	printf("\n.NET 10, %.0f objects, %.0f references, nothing lost\n", captured.objects,
	       captured.refs);
	row("the target paused", captured.pause, 0, "s");
	row("read to nowhere", nowhere.total, 0, "s");
	row("captured, until the last byte", captured.stream, 0, "s");
	row("captured, until the heap stands", captured.total,
	    ratio_max * nowhere.total + SLACK_MS * 1e-3, "s");
	row("  times the session read to nowhere", captured.total / nowhere.total, 0, "");
	if (!list)
		row("  the whole table after Enter (theirs 5.3 s)", from_enter, small_seconds_max,
		    "s");
	row("events", captured.bytes / 1e6, 0, "MB");
	row("the target grew by", captured.grown / 1e6, 0, "MB");
	row("our peak (6 an object, 4 a reference, 64 MB)", captured.peak / 1e6,
	    captured.allowed / 1e6, "MB");
	if (list)
		bench_memory(heaptop, target_pid(t));
	else
		bench_first_of_process(heaptop, target_pid(t));
	target_free(t);
}

int
main(int argc, char **argv)
{
	if (argc != 2) {
		fprintf(stderr, "usage: bench_live HEAPTOP\n");
		return 2;
	}
	memory_set_up();
	signal(SIGPIPE, SIG_IGN);
	if (!target_exists("10.0")) {
		printf("captures are not measured: no program for .NET 10\n");
		return 0;
	}
	printf("%-46s %10s %14s\n", "captures", "measured", "target");
	bench(NULL, argv[1]);
	bench("25000000", argv[1]);
	printf("\n%d over target\n", over_count);
	return 0;
}
